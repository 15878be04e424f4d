package kfsck.oracle;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.KafkaProducer;

/** Topics without transactions: odd contents, every codec, LogAppendTime, idempotent producers, leader epochs. */
final class PlainTopics {
    static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");

    private final Clients clients;
    private final Dice dice;
    private final int scale;

    PlainTopics(Clients clients, Dice dice, int scale) {
        this.clients = clients;
        this.dice = dice;
        this.scale = scale;
    }

    void create() throws Exception {
        clients.createTopic("plain", 2, "internal.segment.bytes=9000");
        for (String codec : CODECS) {
            clients.createTopic("codec-" + codec, 1);
        }
        clients.createTopic("codec-mixed", 1, "internal.segment.bytes=3000");
        clients.createTopic("codec-broker", 1, "compression.type=" + dice.pick(CODECS.subList(1, 5)));
        clients.createTopic("lat", 1, "message.timestamp.type=LogAppendTime", "internal.segment.bytes=2500");
        clients.createTopic("my.topic-3", 3, "internal.segment.bytes=2500");
        clients.createTopic("idem", 2, "internal.segment.bytes=3500");
        clients.createTopic("epochs_of-leaders", 1, "internal.segment.bytes=1500");
        clients.createTopic("empty_topic", 1);
    }

    void writePlain() throws Exception {
        Dice own = dice.named("plain");
        Content content = new Content(own);
        KafkaProducer<byte[], byte[]> producer = clients.plain("none");
        for (int i = scale * own.between(5, 8); i > 0; i--) {
            Clients.sendBatch(producer, "plain", own.between(0, 1), own.between(1, 9), content);
        }
    }

    void writeCodecs() throws Exception {
        for (String codec : CODECS) {
            Dice own = dice.named("codec-" + codec);
            Content content = new Content(own);
            var producer = own.percent(50) ? clients.plain(codec) : clients.idempotent(codec);
            for (int i = scale * own.between(2, 4); i > 0; i--) {
                Clients.sendBatch(producer, "codec-" + codec, 0, own.between(1, 20), content);
            }
        }
        writeAnyCodec("codec-mixed", 1, scale * dice.between(7, 10));
        writeAnyCodec("codec-broker", 1, scale * dice.between(3, 5));
    }

    void writeLogAppendTime() throws Exception {
        writeAnyCodec("lat", 1, scale * dice.between(9, 12));
    }

    void writeIdempotent() throws Exception {
        writeAnyCodec("my.topic-3", 3, scale * dice.between(7, 10));
        writeAnyCodec("idem", 2, scale * dice.between(18, 24));
    }

    void writeEpoch() throws Exception {
        writeAnyCodec("epochs_of-leaders", 1, dice.between(2, 5));
    }

    /** Several producers, each with its codec, take turns by the dice. */
    private void writeAnyCodec(String topic, int partitions, int batches) throws Exception {
        Dice own = dice.named(topic);
        Content content = new Content(own);
        List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();
        for (int i = own.between(2, 4); i > 0; i--) {
            producers.add(clients.idempotent(own.pick(CODECS)));
        }
        for (int i = 0; i < batches; i++) {
            Clients.sendBatch(own.pick(producers), topic, own.between(0, partitions - 1), own.between(1, 9), content);
        }
    }
}

package kfsck.oracle;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Topics the log cleaner really cleans, while this program waits for it. */
final class CompactedTopics {
    static final String HORIZON = "compact-horizon";
    static final String GONE = "compact_gone";

    private final Clients clients;
    private final Dice dice;
    private final Path logDirectory;

    CompactedTopics(Clients clients, Dice dice, Path logDirectory) {
        this.clients = clients;
        this.dice = dice;
        this.logDirectory = logDirectory;
    }

    /** One keeps tombstones for a day and so shows their horizon, the other lets them go at once. */
    void create() throws Exception {
        create(HORIZON, "delete.retention.ms=86400000");
        create(GONE, "delete.retention.ms=0");
    }

    private void create(String topic, String retention) throws Exception {
        clients.createTopic(topic, 1, "cleanup.policy=compact", "min.cleanable.dirty.ratio=0.01",
            "internal.segment.bytes=2000", "file.delete.delay.ms=0", "min.compaction.lag.ms=0", retention);
    }

    void write(String topic, String boot) throws Exception {
        Dice own = dice.named(topic + boot);
        Content content = new Content(own);
        // Its only batch: once all its keys are overwritten the cleaner must keep it empty for its sequence.
        KafkaProducer<byte[], byte[]> overwritten = clients.idempotent("none");
        Clients.send(overwritten, records(own, content, topic, own.between(2, 5)));
        List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();
        for (int i = own.between(1, 3); i > 0; i--) {
            producers.add(clients.idempotent(own.pick(PlainTopics.CODECS)));
        }
        for (int i = own.between(6, 9); i > 0; i--) {
            Clients.send(own.pick(producers), records(own, content, topic, own.between(1, 8)));
            if (own.percent(40)) {
                transaction(own, content, topic, boot + i);
            }
        }
        overwriteAllKeys(clients.idempotent("none"), content, topic);
    }

    private void transaction(Dice own, Content content, String topic, String name) throws Exception {
        var producer = clients.transactional(topic + "." + name, own.pick(PlainTopics.CODECS));
        producer.beginTransaction();
        Clients.send(producer, records(own, content, topic, own.between(1, 4)));
        if (own.percent(50)) {
            producer.abortTransaction();
        } else {
            producer.commitTransaction();
        }
    }

    private static final int KEYS = 12;

    private static List<ProducerRecord<byte[], byte[]>> records(Dice own, Content content, String topic, int count) {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] key = Content.text("k" + own.between(0, KEYS - 1));
            byte[] value = own.percent(25) ? null : content.value();
            records.add(new ProducerRecord<>(topic, 0, content.timestamp(), key, value,
                new RecordHeaders(content.headers())));
        }
        return records;
    }

    /**
     * Big values at the end close the segment, as the cleaner never touches the active one. A codec would make
     * them small.
     */
    private void overwriteAllKeys(KafkaProducer<byte[], byte[]> producer, Content content, String topic)
        throws Exception {
        for (int key = 0; key < KEYS; key++) {
            byte[] value = key % 4 == 0 ? null : Content.text(("v" + key).repeat(40));
            Clients.send(producer, List.of(new ProducerRecord<>(topic, 0, content.timestamp(),
                Content.text("k" + key), value)));
        }
        for (int filler = 0; filler < 3; filler++) {
            byte[] value = Content.text("filler".repeat(120));
            Clients.send(producer, List.of(new ProducerRecord<>(topic, 0, content.timestamp(),
                Content.text("filler" + filler), value)));
        }
    }

    void awaitHorizon() throws Exception {
        Await.until("the cleaner to leave an empty batch and a delete horizon in " + HORIZON, () -> {
            boolean empty = false;
            boolean horizon = false;
            for (Path log : logs(HORIZON)) {
                try (FileRecords records = FileRecords.open(log.toFile(), false)) {
                    for (RecordBatch batch : records.batches()) {
                        empty |= batch.countOrNull() == 0;
                        horizon |= batch.deleteHorizonMs().isPresent();
                    }
                } catch (java.io.FileNotFoundException swapped) {
                    return false;
                }
            }
            return empty && horizon;
        });
    }

    void awaitCleaned(String topic) throws Exception {
        Path checkpoint = logDirectory.resolve("cleaner-offset-checkpoint");
        long active = activeBase(topic);
        Await.until("the cleaner to reach the active segment of " + topic, () -> Files.exists(checkpoint)
            && Files.readAllLines(checkpoint).contains(topic + " 0 " + active));
    }

    private long activeBase(String topic) throws Exception {
        List<Path> logs = logs(topic);
        String name = logs.get(logs.size() - 1).getFileName().toString();
        return Long.parseLong(name.substring(0, name.indexOf('.')));
    }

    private List<Path> logs(String topic) throws Exception {
        try (var files = Files.list(logDirectory.resolve(topic + "-0"))) {
            return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
        }
    }
}

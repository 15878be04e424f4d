package kfsck.oracle;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;

/** Transactions of several producers, interleaved by the dice: committed, aborted, fenced, left open. */
final class TransactionTopics {
    private final Clients clients;
    private final Dice dice;
    private final int scale;

    TransactionTopics(Clients clients, Dice dice, int scale) {
        this.clients = clients;
        this.dice = dice;
        this.scale = scale;
    }

    void create(String topic, int partitions) throws Exception {
        clients.createTopic(topic, partitions, "internal.segment.bytes=3500");
    }

    /** The name of the boot goes into the ids, as a second use of an id would fence the first. */
    void write(String topic, int partitions, String boot) throws Exception {
        Dice own = dice.named(topic + boot);
        Content content = new Content(own);
        List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();
        for (int i = own.between(2, 4); i > 0; i--) {
            producers.add(clients.transactional(topic + "." + boot + "." + i, own.pick(PlainTopics.CODECS)));
        }
        Set<KafkaProducer<byte[], byte[]>> open = new HashSet<>();
        for (int i = scale * own.between(22, 30); i > 0; i--) {
            step(own, own.pick(producers), open, topic, partitions, content);
        }
        for (KafkaProducer<byte[], byte[]> producer : producers) {
            if (open.contains(producer)) {
                end(own, producer);
            }
        }
        // Dice may have ended all of them the same way.
        KafkaProducer<byte[], byte[]> last = own.pick(producers);
        last.beginTransaction();
        Clients.sendBatch(last, topic, 0, own.between(1, 5), content);
        last.abortTransaction();
        last.beginTransaction();
        Clients.sendBatch(last, topic, 0, own.between(1, 5), content);
        last.commitTransaction();
    }

    private void step(Dice own, KafkaProducer<byte[], byte[]> producer, Set<KafkaProducer<byte[], byte[]>> open,
        String topic, int partitions, Content content) throws Exception {
        if (open.contains(producer) && own.percent(35)) {
            if (own.percent(20)) {
                commitOffsets(producer, topic, own.between(0, 99));
            }
            end(own, producer);
            open.remove(producer);
            return;
        }
        if (open.add(producer)) {
            producer.beginTransaction();
        }
        Clients.sendBatch(producer, topic, own.between(0, partitions - 1), own.between(1, 5), content);
    }

    private static void commitOffsets(KafkaProducer<byte[], byte[]> producer, String topic, long offset) {
        producer.sendOffsetsToTransaction(
            Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(offset, "in a transaction")),
            new ConsumerGroupMetadata("group-of-" + topic));
    }

    private static void end(Dice own, KafkaProducer<byte[], byte[]> producer) {
        if (own.percent(45)) {
            producer.abortTransaction();
        } else {
            producer.commitTransaction();
        }
    }

    /** A second producer with the same id makes the coordinator abort what the first left behind. */
    void fence(String topic, String boot) throws Exception {
        Content content = new Content(dice.named("fence" + boot));
        String id = topic + "." + boot + ".fenced";
        KafkaProducer<byte[], byte[]> first = clients.transactional(id, "none");
        first.beginTransaction();
        Clients.sendBatch(first, topic, 0, dice.between(1, 4), content);
        KafkaProducer<byte[], byte[]> second = clients.transactional(id, "none");
        second.beginTransaction();
        Clients.sendBatch(second, topic, 0, dice.between(1, 4), content);
        second.commitTransaction();
    }

    void leaveOpen(String topic, String boot) throws Exception {
        Content content = new Content(dice.named("open" + boot));
        var producer = clients.transactional(topic + "." + boot + ".open", "none");
        producer.beginTransaction();
        for (int i = dice.between(1, 3); i > 0; i--) {
            Clients.sendBatch(producer, topic, 0, dice.between(1, 4), content);
        }
    }
}

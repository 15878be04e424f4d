package kfsck.oracle;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A consumer of one isolation level that says of each record its offset and a sum of all that it holds. */
final class ReadBack implements AutoCloseable {
    /** So long without a step forward, nothing more is there. */
    private static final Duration QUIET = Duration.ofSeconds(5);

    private final KafkaConsumer<byte[], byte[]> consumer;

    ReadBack(String bootstrap, String isolation) {
        consumer = new KafkaConsumer<>(Map.of("bootstrap.servers", bootstrap, "isolation.level", isolation,
            "enable.auto.commit", "false", "auto.offset.reset", "none", "max.poll.records", "5000",
            "fetch.max.wait.ms", "10"),
            new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Reads from {@code start} until nothing is left in front of {@code end}; null, or what went wrong. Where the
     * offsets in front of the end are missing, a consumer waits at the hole. */
    String read(TopicPartition partition, long start, long end, ArrayNode rows) {
        consumer.assign(List.of(partition));
        consumer.seek(partition, start);
        long before = start;
        long moved = System.nanoTime();
        try {
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
                    rows.addArray().add(record.offset()).add(sum(record));
                }
                if (consumer.position(partition) > before) {
                    before = consumer.position(partition);
                    moved = System.nanoTime();
                } else if (System.nanoTime() > moved + QUIET.toNanos()) {
                    return null;
                }
            }
            return null;
        } catch (RuntimeException fault) {
            return fault.toString();
        }
    }

    /** CRC-32C over timestamp, key, value and headers, each behind its length as a big-endian int, -1 for null. */
    private static long sum(ConsumerRecord<byte[], byte[]> record) {
        CRC32C sum = new CRC32C();
        sum.update(ByteBuffer.allocate(Long.BYTES).putLong(record.timestamp()).flip());
        add(sum, record.key());
        add(sum, record.value());
        for (Header header : record.headers()) {
            add(sum, header.key().getBytes(java.nio.charset.StandardCharsets.UTF_8));
            add(sum, header.value());
        }
        return sum.getValue();
    }

    private static void add(CRC32C sum, byte[] bytes) {
        sum.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes == null ? -1 : bytes.length).flip());
        if (bytes != null) {
            sum.update(bytes);
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}

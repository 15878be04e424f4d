package kfsck.oracle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The clients of one boot. Producers wait for flush, so that one {@link #sendBatch} is one batch on disk. */
final class Clients implements AutoCloseable {
    private final String bootstrap;
    private final Admin admin;
    private final List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();

    Clients(String bootstrap) {
        this.bootstrap = bootstrap;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    Admin admin() {
        return admin;
    }

    String bootstrap() {
        return bootstrap;
    }

    void createTopic(String name, int partitions, String... settings) throws Exception {
        Map<String, String> configs = new HashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            configs.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        admin.createTopics(List.of(new NewTopic(name, Optional.of(partitions), Optional.empty()).configs(configs)))
            .all().get();
    }

    KafkaProducer<byte[], byte[]> plain(String codec) {
        return producer(Map.of("enable.idempotence", "false", "acks", "1", "compression.type", codec));
    }

    KafkaProducer<byte[], byte[]> idempotent(String codec) {
        return producer(Map.of("compression.type", codec));
    }

    KafkaProducer<byte[], byte[]> transactional(String id, String codec) {
        KafkaProducer<byte[], byte[]> producer = producer(
            Map.of("compression.type", codec, "transactional.id", id, "transaction.timeout.ms", "3600000"));
        producer.initTransactions();
        return producer;
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, String> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", bootstrap);
        all.put("linger.ms", "60000");
        all.put("batch.size", "65536");
        var producer = new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
        producers.add(producer);
        return producer;
    }

    static void sendBatch(KafkaProducer<byte[], byte[]> producer, String topic, int partition, int count,
        Content content) throws Exception {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(new ProducerRecord<>(topic, partition, content.timestamp(), content.key(), content.value(),
                new RecordHeaders(content.headers())));
        }
        send(producer, records);
    }

    static void send(KafkaProducer<byte[], byte[]> producer, List<ProducerRecord<byte[], byte[]>> records)
        throws Exception {
        List<Future<?>> answers = new ArrayList<>();
        for (ProducerRecord<byte[], byte[]> record : records) {
            answers.add(producer.send(record));
        }
        producer.flush();
        for (Future<?> answer : answers) {
            answer.get();
        }
    }

    /** At once: a graceful close would abort the transactions that have to stay open. */
    @Override
    public void close() {
        producers.forEach(producer -> producer.close(Duration.ZERO));
        admin.close();
    }
}

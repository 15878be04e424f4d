package kfsck.oracle;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** The verb judge: a real broker starts on a log directory, which it changes, and says of each partition of the topic
 * {@link JudgeRoomProgram} made what it believes, what consumers read of it and whether new producers can write. */
public final class JudgeProgram {
    private JudgeProgram() {
    }

    public static void main(String[] arguments) {
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--log-dir", "--out", "--broker-log"), List.of());
            Path directory = Path.of(options.required("--log-dir")).toAbsolutePath();
            System.setProperty("org.slf4j.simpleLogger.logFile", options.required("--broker-log"));
            List<String> answers = new ArrayList<>();
            try (Node node = Node.start(directory); Clients clients = new Clients(node.bootstrap())) {
                for (ObjectNode answer : judge(directory, clients)) {
                    answers.add(answer.toString());
                }
            }
            Files.write(Path.of(options.required("--out")), answers);
        });
    }

    private static Iterable<ObjectNode> judge(Path directory, Clients clients) throws Exception {
        Admin admin = clients.admin();
        List<TopicPartition> partitions = new ArrayList<>();
        admin.describeTopics(List.of(JudgeRoomProgram.TOPIC)).allTopicNames().get().get(JudgeRoomProgram.TOPIC)
            .partitions().forEach(one -> partitions.add(new TopicPartition(JudgeRoomProgram.TOPIC, one.partition())));
        Map<TopicPartition, ObjectNode> answers = new TreeMap<>((one, other) ->
            Integer.compare(one.partition(), other.partition()));
        Map<TopicPartition, Long> ends = offsets(admin, partitions, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
        Map<TopicPartition, Long> starts =
            offsets(admin, partitions, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
        Map<TopicPartition, Long> stable = offsets(admin, partitions, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
        Map<TopicPartition, List<ProducerState>> producers = new HashMap<>();
        admin.describeProducers(partitions).all().get()
            .forEach((partition, state) -> producers.put(partition, state.activeProducers()));
        for (TopicPartition partition : partitions) {
            ObjectNode answer = new ObjectMapper().createObjectNode();
            answer.put("topicPartition", partition.toString());
            answer.put("logStartOffset", starts.get(partition));
            answer.put("lastStableOffset", stable.get(partition));
            answer.put("logEndOffset", ends.get(partition));
            answer.set("producers", producers(producers.get(partition)));
            answer.set("files", files(directory.resolve(partition.toString())));
            answers.put(partition, answer);
        }
        consume(clients.bootstrap(), partitions, "uncommitted", starts, ends, answers);
        consume(clients.bootstrap(), partitions, "committed", starts, stable, answers);
        write(clients, partitions, answers);
        return answers.values();
    }

    private static Map<TopicPartition, Long> offsets(Admin admin, List<TopicPartition> partitions, OffsetSpec spec,
        IsolationLevel isolation) throws Exception {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions.forEach(partition -> asked.put(partition, spec));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        admin.listOffsets(asked, new ListOffsetsOptions(isolation)).all().get()
            .forEach((partition, found) -> offsets.put(partition, found.offset()));
        return offsets;
    }

    private static ArrayNode producers(List<ProducerState> states) {
        ArrayNode rows = new ObjectMapper().createArrayNode();
        for (ProducerState state : states) {
            ObjectNode row = rows.addObject();
            row.put("producerId", state.producerId());
            row.put("producerEpoch", state.producerEpoch());
            row.put("lastSequence", state.lastSequence());
            row.put("lastTimestamp", state.lastTimestamp());
            row.put("coordinatorEpoch", state.coordinatorEpoch().orElse(-1));
            row.put("currentTxnFirstOffset", state.currentTransactionStartOffset().orElse(-1));
        }
        return rows;
    }

    /** What lies in the partition's directory now, with sizes in bytes. */
    private static ObjectNode files(Path directory) throws IOException {
        ObjectNode sizes = new ObjectMapper().createObjectNode();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                sizes.put(file.getFileName().toString(), Files.size(file));
            }
        }
        return sizes;
    }

    private static void consume(String bootstrap, List<TopicPartition> partitions, String level,
        Map<TopicPartition, Long> starts, Map<TopicPartition, Long> ends, Map<TopicPartition, ObjectNode> answers) {
        Map<TopicPartition, ArrayNode> read = new HashMap<>();
        answers.forEach((partition, answer) -> read.put(partition, answer.putArray(level)));
        Function<TopicPartition, ObjectNode> answer = answers::get;
        try (ReadBack consumer = new ReadBack(bootstrap, "read_" + level)) {
            for (TopicPartition partition : partitions) {
                if (starts.get(partition) < ends.get(partition)) {
                    String fault = consumer.read(partition, starts.get(partition), ends.get(partition),
                        read.get(partition));
                    if (fault != null) {
                        answer.apply(partition).put(level + "Fault", fault);
                    }
                }
            }
        }
    }

    /** A new idempotent producer writes a record to each partition, then each is part of a new transaction. */
    private static void write(Clients clients, List<TopicPartition> partitions, Map<TopicPartition, ObjectNode> answers)
        throws Exception {
        try (KafkaProducer<byte[], byte[]> idempotent = clients.idempotent("none")) {
            for (TopicPartition partition : partitions) {
                answers.get(partition).put("idempotent", said(() -> send(idempotent, partition)));
            }
        }
        KafkaProducer<byte[], byte[]> transactional = clients.transactional("judge", "none");
        for (TopicPartition partition : partitions) {
            KafkaProducer<byte[], byte[]> producer = transactional;
            String said = said(() -> {
                producer.beginTransaction();
                send(producer, partition);
                producer.commitTransaction();
            });
            answers.get(partition).put("transactional", said);
            if (!said.equals("ok")) {
                // One that has failed once may fail for ever.
                producer.close(Duration.ZERO);
                transactional = clients.transactional("judge", "none");
            }
        }
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, TopicPartition partition) throws Exception {
        Clients.send(producer, List.of(new ProducerRecord<>(partition.topic(), partition.partition(), null,
            "new".getBytes())));
    }

    private interface Act {
        void play() throws Exception;
    }

    /** "ok", or the fault. */
    private static String said(Act act) {
        try {
            act.play();
            return "ok";
        } catch (Exception fault) {
            return fault.toString();
        }
    }
}

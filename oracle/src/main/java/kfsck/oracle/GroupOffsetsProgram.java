package kfsck.oracle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.tools.consumer.group.ConsumerGroupCommand;

/** The verb group-offsets: a real broker on a log directory says what its groups have committed. Then all of it is set to
 * 0, and the real kafka-consumer-groups tool resets the groups from a file: what they have committed must be as before. */
public final class GroupOffsetsProgram {
    private GroupOffsetsProgram() {
    }

    public static void main(String[] arguments) {
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--log-dir", "--csv", "--out"), List.of());
            Path directory = Path.of(options.required("--log-dir")).toAbsolutePath();
            Path csv = Path.of(options.required("--csv")).toAbsolutePath();
            Path brokerLog = Files.createTempFile("kfsck-broker", ".log");
            System.setProperty("org.slf4j.simpleLogger.logFile", brokerLog.toString());
            try (Node node = Node.start(directory); Clients clients = new Clients(node.bootstrap())) {
                awaitCoordinators(clients, Files.readAllLines(csv));
                List<String> before = offsets(clients);
                Files.write(Path.of(options.required("--out")), before);
                if (before.isEmpty()) {
                    throw new IOException("no group has committed anything");
                }
                List<String> expected = withinLogs(clients, before);
                forget(clients);
                tool(node.bootstrap(), csv, directory);
                List<String> after = offsets(clients);
                if (!after.equals(expected)) {
                    throw new IOException("after the reset\n" + String.join("\n", after) + "\nexpected\n" + String.join("\n", expected));
                }
            }
            Files.delete(brokerLog);
        });
    }

    /** A group whose partition has no leader yet, or is loaded, is not listed. */
    private static void awaitCoordinators(Clients clients, List<String> lines) throws Exception {
        Await.until("the leaders of __consumer_offsets", () -> clients.admin().describeTopics(List.of("__consumer_offsets"))
            .allTopicNames().get().get("__consumer_offsets").partitions().stream()
            .allMatch(partition -> partition.leader() != null && !partition.leader().isEmpty()));
        for (String line : lines) {
            String group = line.split(",")[0];
            Await.until("the offsets of " + group, () -> !clients.admin().listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata().get().isEmpty());
        }
    }

    private static Map<String, Map<TopicPartition, OffsetAndMetadata>> committed(Clients clients) throws Exception {
        Map<String, Map<TopicPartition, OffsetAndMetadata>> committed = new TreeMap<>();
        for (GroupListing group : clients.admin().listGroups().all().get()) {
            // What a share group has read lies elsewhere.
            if (group.type().map(type -> type != GroupType.SHARE).orElse(true)) {
                committed.put(group.groupId(),
                    clients.admin().listConsumerGroupOffsets(group.groupId()).partitionsToOffsetAndMetadata().get());
            }
        }
        return committed;
    }

    /** Lines of group, topic, partition and offset, in order. */
    private static List<String> offsets(Clients clients) throws Exception {
        List<String> lines = new ArrayList<>();
        committed(clients).forEach((group, offsets) -> offsets.forEach((partition, offset) ->
            lines.add(group + "," + partition.topic() + "," + partition.partition() + "," + offset.offset())));
        lines.sort(null);
        return lines;
    }

    /** The tool sets nothing behind the end of a log. */
    private static List<String> withinLogs(Clients clients, List<String> lines) throws Exception {
        List<String> within = new ArrayList<>();
        for (String line : lines) {
            String[] cells = line.split(",");
            TopicPartition partition = new TopicPartition(cells[1], Integer.parseInt(cells[2]));
            long end = clients.admin().listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition).get().offset();
            within.add(cells[0] + "," + cells[1] + "," + cells[2] + "," + Math.min(end, Long.parseLong(cells[3])));
        }
        return within;
    }

    private static void forget(Clients clients) throws Exception {
        for (Map.Entry<String, Map<TopicPartition, OffsetAndMetadata>> group : committed(clients).entrySet()) {
            Map<TopicPartition, OffsetAndMetadata> zero = new HashMap<>();
            group.getValue().keySet().forEach(partition -> zero.put(partition, new OffsetAndMetadata(0)));
            if (!zero.isEmpty()) {
                clients.admin().alterConsumerGroupOffsets(group.getKey(), zero).all().get();
            }
        }
    }

    /** The real tool ends its process, so it has one of its own. */
    private static void tool(String bootstrap, Path csv, Path directory) throws Exception {
        Process process = JavaProcess.of(ConsumerGroupCommand.class, directory.getParent(),
            List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"), "--bootstrap-server", bootstrap, "--all-groups",
            "--reset-offsets", "--from-file", csv.toString(), "--execute").start();
        List<String> printed = process.inputReader(StandardCharsets.UTF_8).lines().toList();
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException("status " + status + " of kafka-consumer-groups.sh: " + String.join("\n", printed));
        }
    }
}

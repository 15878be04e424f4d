package kfsck.oracle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.tools.TransactionsCommand;

/** The verb abort: a real broker on a log directory, and the real kafka-transactions tool with the lines it is given.
 * Says first what find-hanging finds in the topics of these lines. Then each line has to move the last stable offset
 * of its partition; what it was before and after goes to stdout. */
public final class AbortProgram {
    private static final String TOOL = "kafka-transactions.sh ";

    private AbortProgram() {
    }

    public static void main(String[] arguments) {
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--log-dir", "--commands"), List.of());
            Path directory = Path.of(options.required("--log-dir")).toAbsolutePath();
            List<String> lines = Files.readAllLines(Path.of(options.required("--commands")));
            if (lines.isEmpty()) {
                throw new Program.Usage("no line in --commands");
            }
            Path brokerLog = Files.createTempFile("kfsck-broker", ".log");
            System.setProperty("org.slf4j.simpleLogger.logFile", brokerLog.toString());
            try (Node node = Node.start(directory); Clients clients = new Clients(node.bootstrap())) {
                Set<String> topics = new TreeSet<>();
                for (String line : lines) {
                    topics.add(after("--topic", words(line, node.bootstrap())));
                }
                for (String topic : topics) {
                    findHanging(topic, directory, node.bootstrap());
                }
                for (String line : lines) {
                    abort(line, directory, node.bootstrap(), clients);
                }
            }
            Files.delete(brokerLog);
        });
    }

    /** The arguments of a line, with the broker's address in its place. */
    private static List<String> words(String line, String bootstrap) {
        if (!line.startsWith(TOOL)) {
            throw new Program.Usage("not a line of " + TOOL + ": " + line);
        }
        return List.of(line.substring(TOOL.length()).strip().replace("<HOST:PORT>", bootstrap).split(" +"));
    }

    private static void findHanging(String topic, Path directory, String bootstrap) throws Exception {
        List<String> rows = tool(List.of("--bootstrap-server", bootstrap, "find-hanging", "--topic", topic), directory);
        for (String row : rows) {
            String[] cells = row.strip().split("\\s+");
            if (cells[0].equals(topic)) {
                System.out.println("find-hanging " + topic + "-" + cells[1] + " " + cells[2] + " " + cells[3] + " "
                    + cells[5]);
            }
        }
    }

    private static void abort(String line, Path directory, String bootstrap, Clients clients) throws Exception {
        List<String> words = words(line, bootstrap);
        TopicPartition partition = new TopicPartition(after("--topic", words),
            Integer.parseInt(after("--partition", words)));
        long before = lastStableOffset(clients, partition);
        tool(words, directory);
        Await.until("the last stable offset of " + partition + " to move from " + before,
            () -> lastStableOffset(clients, partition) > before);
        System.out.println(partition + " " + before + " " + lastStableOffset(clients, partition));
    }

    /** What the real tool prints; it ends its process, so it has one of its own. */
    private static List<String> tool(List<String> words, Path directory) throws Exception {
        Process process = JavaProcess.of(TransactionsCommand.class, directory.getParent(),
            List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"), words.toArray(String[]::new)).start();
        List<String> printed = process.inputReader(StandardCharsets.UTF_8).lines().toList();
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException("status " + status + " of " + TOOL + String.join(" ", words));
        }
        return printed;
    }

    private static String after(String name, List<String> words) {
        int at = words.indexOf(name);
        if (at < 0 || at + 1 == words.size()) {
            throw new Program.Usage("no value of " + name);
        }
        return words.get(at + 1);
    }

    private static long lastStableOffset(Clients clients, TopicPartition partition) throws Exception {
        return clients.admin().listOffsets(Map.of(partition, OffsetSpec.latest()),
            new ListOffsetsOptions(IsolationLevel.READ_COMMITTED)).partitionResult(partition).get().offset();
    }
}

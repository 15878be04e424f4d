package kfsck.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.tools.TransactionsCommand;

/** The verb abort: a real broker on a log directory, and the real kafka-transactions tool with the lines it is given.
 * Each line has to move the last stable offset of its partition; what it was before and after goes to stdout. */
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
                for (String line : lines) {
                    abort(line.strip(), directory, node.bootstrap(), clients);
                }
            }
            Files.delete(brokerLog);
        });
    }

    private static void abort(String line, Path directory, String bootstrap, Clients clients) throws Exception {
        if (!line.startsWith(TOOL)) {
            throw new Program.Usage("not a line of " + TOOL + ": " + line);
        }
        String[] tool = line.substring(TOOL.length()).replace("<HOST:PORT>", bootstrap).split(" +");
        List<String> words = List.of(tool);
        TopicPartition partition = new TopicPartition(after("--topic", words),
            Integer.parseInt(after("--partition", words)));
        long before = lastStableOffset(clients, partition);
        Process process = JavaProcess.of(TransactionsCommand.class, directory.getParent(),
            List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"), tool).inheritIO().start();
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException("status " + status + " of " + line);
        }
        Await.until("the last stable offset of " + partition + " to move from " + before,
            () -> lastStableOffset(clients, partition) > before);
        System.out.println(partition + " " + before + " " + lastStableOffset(clients, partition));
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

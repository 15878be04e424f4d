package kfsck.oracle;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The verb judge-room: a real broker on a log directory, which it changes, makes a topic of many empty partitions and
 * stops cleanly. Logs may then be laid into these partitions, and {@link JudgeProgram} starts on them. */
public final class JudgeRoomProgram {
    static final String TOPIC = "judged";

    private JudgeRoomProgram() {
    }

    public static void main(String[] arguments) {
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--log-dir", "--partitions"), List.of());
            Path directory = Path.of(options.required("--log-dir")).toAbsolutePath();
            int partitions = Integer.parseInt(options.required("--partitions"));
            Path brokerLog = Files.createTempFile("kfsck-broker", ".log");
            System.setProperty("org.slf4j.simpleLogger.logFile", brokerLog.toString());
            try (Node node = Node.start(directory); Clients clients = new Clients(node.bootstrap())) {
                clients.createTopic(TOPIC, partitions, "retention.ms=-1", "cleanup.policy=delete");
                Path last = directory.resolve(TOPIC + "-" + (partitions - 1));
                Await.until(last + " to be there", () -> Files.exists(last.resolve("partition.metadata")));
            }
            Files.delete(brokerLog);
        });
    }
}

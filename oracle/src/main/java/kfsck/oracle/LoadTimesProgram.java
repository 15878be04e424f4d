package kfsck.oracle;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/**
 * The verb load-times: how long the real log load of a partition takes, after an unclean stop ("recover": checksums
 * compared, indexes built) and after a clean one whose snapshot does not read ("reload": headers alone). Each line
 * gives the milliseconds that passed and those that the loading thread had a processor.
 */
public final class LoadTimesProgram {
    private LoadTimesProgram() {
    }

    public static void main(String[] arguments) {
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--partition", "--rounds"), List.of());
            Path partition = Path.of(options.required("--partition"));
            // The first load also builds the index that a clean stop would have left.
            for (int round = Integer.parseInt(options.or("--rounds", "1")); round > 0; round--) {
                clear(partition, List.of(".log"));
                Files.createFile(partition.resolve("00000000000000000000.index"));
                System.out.println("recover " + load(partition, false));
                clear(partition, List.of(".log", ".index", ".timeindex", ".txnindex"));
                Files.write(partition.resolve("00000000000000000000.snapshot"), new byte[] {0, 1, 0, 0});
                System.out.println("reload " + load(partition, true));
            }
            clear(partition, List.of(".log", ".index"));
        });
    }

    private static String load(Path partition, boolean clean) throws Exception {
        KafkaScheduler scheduler = new KafkaScheduler(1);
        scheduler.startup();
        long began = System.nanoTime();
        long worked = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        UnifiedLog log = UnifiedLog.create(partition.toFile(), new LogConfig(Map.of()), 0, 0, scheduler,
            new BrokerTopicStats(), Time.SYSTEM, 900_000, new ProducerStateManagerConfig(Integer.MAX_VALUE, false),
            600_000, new LogDirFailureChannel(1), clean, Optional.empty());
        double passed = (System.nanoTime() - began) / 1e6;
        double busy = (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - worked) / 1e6;
        if (log.activeProducers().isEmpty()) {
            throw new IllegalStateException("the load knows no producer: they have expired, or the log was not read");
        }
        log.removeLogMetrics();
        log.closeQuietly();
        scheduler.shutdown();
        return String.format("%.1f %.1f", passed, busy);
    }

    /** Deletes what an earlier load has written, but for files of these kinds. */
    private static void clear(Path partition, List<String> kept) throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(partition)) {
            files = listed.toList();
        }
        for (Path file : files) {
            if (kept.stream().noneMatch(kind -> file.toString().endsWith(kind))) {
                Files.delete(file);
            }
        }
    }
}

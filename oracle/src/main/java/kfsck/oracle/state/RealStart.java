package kfsck.oracle.state;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.server.util.FileLock;
import org.apache.kafka.storage.internals.log.CleanerConfig;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogManager;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/** Lets the real LogManager load a whole log directory with the settings that a broker comes with. */
final class RealStart {
    private static final BrokerTopicStats STATS = new BrokerTopicStats();
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private RealStart() {
    }

    /** The directory is changed as a broker would. An exception ends the process; a log directory that is offline ends
     * it as well, unless there is another one. */
    static ObjectNode answer(Path directory, long now, LoaderWords words) throws IOException {
        ObjectNode answer = JSON.objectNode().putNull("error").putNull("offline");
        List<UnifiedLog> loaded = Collections.synchronizedList(new ArrayList<>());
        Failures failures = new Failures(directory);
        LogManager manager = manager(directory, failures, new FixedTime(now));
        try {
            manager.loadLogs(new LogConfig(Map.of()), Map.of(), log -> {
                loaded.add(log);
                return false;
            });
        } catch (Exception | Error fault) {
            answer.set("error", StateView.error(fault, directory));
        }
        if (failures.first != null) {
            answer.set("offline", failures.first);
        }
        loaded.sort(Comparator.comparing(log -> log.dir().getName()));
        ObjectNode partitions = answer.putObject("partitions");
        for (UnifiedLog log : loaded) {
            partitions.set(log.dir().getName(), partition(log));
        }
        for (File inside : directory.toFile().listFiles(File::isDirectory)) {
            StateView.putFiles(partitions.withObject("/" + inside.getName()), inside.toPath());
        }
        ArrayNode said = answer.putArray("said");
        for (String line : words.of(directory)) {
            said.add(line.replace(directory.toString(), "/CWD").replaceAll("lastModifiedTime=[0-9]+", "lastModifiedTime=0"));
        }
        for (UnifiedLog log : loaded) {
            log.removeLogMetrics();
            close(log);
        }
        for (FileLock lock : manager.dirLocks()) {
            lock.destroy();
        }
        return answer;
    }

    private static void close(UnifiedLog log) {
        try {
            log.close();
        } catch (RuntimeException offline) {
            // Its directory is given up, and so is the log.
        }
    }

    private static LogManager manager(Path directory, Failures failures, FixedTime time) throws IOException {
        return new LogManager(List.of(directory.toFile()), List.of(), resource -> new Properties(),
            new LogConfig(Map.of()), new CleanerConfig(false), 1, 1000, 10_000, 10_000, 1000, 900_000,
            new ProducerStateManagerConfig(86_400_000, false), 600_000, new DueScheduler(), STATS, failures, time, false,
            30_000, (config, directories, logs, channel, clock) -> null);
    }

    private static ObjectNode partition(UnifiedLog log) throws IOException {
        ArrayNode segments = JSON.arrayNode();
        for (LogSegment segment : log.logSegments()) {
            segments.addObject().put("base", segment.baseOffset()).put("bytes", segment.size());
        }
        // A damaged batch can make a log end below 0, where no high watermark can be.
        if (log.logEndOffset() >= 0) {
            log.updateHighWatermark(log.logEndOffset());
        }
        ObjectNode view = JSON.objectNode();
        view.set("log", StateView.log(log));
        view.set("segments", segments);
        return view;
    }

    /** Keeps the first reason why the directory goes offline. */
    private static final class Failures extends LogDirFailureChannel {
        private final Path directory;
        private ObjectNode first;

        Failures(Path directory) {
            super(1);
            this.directory = directory;
        }

        @Override
        public synchronized void maybeAddOfflineLogDir(String logDir, String message, IOException cause) {
            if (first == null) {
                first = StateView.error(cause, directory);
            }
            super.maybeAddOfflineLogDir(logDir, message, cause);
        }
    }
}

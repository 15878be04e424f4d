package kfsck.oracle.state;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/** Lets the real log code load a directory, as a broker does when it starts. */
final class RealLoad {
    private static final BrokerTopicStats STATS = new BrokerTopicStats();
    private static final LogConfig CONFIG = new LogConfig(Map.of("segment.index.bytes", "4096",
        "index.interval.bytes", "4096"));

    private RealLoad() {
    }

    /** Looks at a log that was loaded, before its high watermark is put to its end. */
    interface Look {
        void at(UnifiedLog log) throws IOException;
    }

    static ObjectNode answer(Path partition, LoadSettings settings) throws IOException {
        return answer(partition, settings, log -> { });
    }

    /** The directory is changed as a broker would. The answer is of the log as it lies there after that; it is
     * closed then as a broker does that stops cleanly. */
    static ObjectNode answer(Path partition, LoadSettings settings, Look look) throws IOException {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        UnifiedLog log = null;
        try {
            log = open(partition, CONFIG, settings, new FixedTime(settings.now()), false);
            look.at(log);
            log.updateHighWatermark(log.logEndOffset());
            answer.putNull("error").set("log", StateView.log(log));
        } catch (IOException | RuntimeException | Error fault) {
            answer.set("error", StateView.error(fault, partition));
            answer.putNull("log");
        }
        StateView.putFiles(answer, partition);
        if (log != null) {
            log.removeLogMetrics();
            stop(log);
        }
        return answer;
    }

    /** As a broker does that stops cleanly. */
    static void stop(UnifiedLog log) {
        log.flush(true);
        log.prepareActiveSegmentForClose();
        log.close();
    }

    static UnifiedLog open(Path partition, LogConfig config, LoadSettings settings, FixedTime time,
        boolean verification) throws IOException {
        return UnifiedLog.create(partition.toFile(), config, settings.logStart(), settings.recoveryPoint(),
            new DueScheduler(), STATS, time, 900_000,
            new ProducerStateManagerConfig(settings.expiration(), verification), 600_000, new LogDirFailureChannel(1),
            settings.clean(), Optional.empty());
    }
}

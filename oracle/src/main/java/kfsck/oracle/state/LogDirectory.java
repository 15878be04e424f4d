package kfsck.oracle.state;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import kfsck.oracle.DumpTool;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.metadata.properties.MetaProperties;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.storage.internals.checkpoint.CleanShutdownFileHandler;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpointFile;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/** A whole log directory as a broker finds it: the real readers of its own files say how each partition is loaded.
 * It stays as it is; copies are loaded. */
record LogDirectory(Path path, long now, MetaProperties properties, boolean isClean,
    Map<TopicPartition, Long> logStarts, Map<TopicPartition, Long> recoveryPoints,
    Map<TopicPartition, Long> highWatermarks, List<Path> partitions) {

    static LogDirectory read(Path path, long now) throws IOException {
        var ensemble = new MetaPropertiesEnsemble.Loader().addLogDirs(List.of(path.toString())).load();
        MetaProperties properties = ensemble.logDirProps().get(path.toString());
        if (properties == null) {
            throw new IOException(path + " has no meta.properties that can be read");
        }
        List<Path> partitions;
        try (var list = Files.list(path)) {
            partitions = list.filter(Files::isDirectory).sorted().toList();
        }
        return new LogDirectory(path, now, properties, new CleanShutdownFileHandler(path.toString()).exists(),
            offsets(path, "log-start-offset-checkpoint"), offsets(path, "recovery-point-offset-checkpoint"),
            offsets(path, "replication-offset-checkpoint"), partitions);
    }

    private static Map<TopicPartition, Long> offsets(Path directory, String name) throws IOException {
        return new OffsetCheckpointFile(directory.resolve(name).toFile(), new LogDirFailureChannel(1)).read();
    }

    /** Of each partition two: as it lies there, and after a stop that left nothing but segments. */
    List<ObjectNode> answers(Path work) throws IOException {
        List<ObjectNode> answers = new ArrayList<>();
        for (Path partition : partitions) {
            TopicPartition name = UnifiedLog.parseTopicPartitionName(partition.toFile());
            long logStart = logStarts.getOrDefault(name, 0L);
            long recoveryPoint = recoveryPoints.getOrDefault(name, 0L);
            answers.add(answer("clean", copy(partition, work.resolve("clean"), ""), partition, name,
                settings(isClean, logStart, recoveryPoint)));
            answers.add(answer("unclean", copy(partition, work.resolve("unclean"), ".snapshot"), partition, name,
                settings(false, logStart, 0)));
        }
        return answers;
    }

    private LoadSettings settings(boolean clean, long logStart, long recoveryPoint) {
        return new LoadSettings(clean, logStart, recoveryPoint, now, LoadSettings.DEFAULT.expiration(), List.of());
    }

    private ObjectNode answer(String way, Path copy, Path partition, TopicPartition name, LoadSettings settings)
        throws IOException {
        ObjectNode answer = JsonNodeFactory.instance.objectNode().put("partition", partition.toString())
            .put("way", way).put("clusterId", properties.clusterId().orElse(null))
            .put("nodeId", properties.nodeId().orElse(-1)).put("recoveryPoint", settings.recoveryPoint());
        Map<String, byte[]> before = files(copy);
        ObjectNode load = RealLoad.answer(copy, settings, log -> {
            log.updateHighWatermark(highWatermarks.getOrDefault(name, 0L));
            answer.put("topicId", log.topicId().map(Object::toString).orElse(null))
                .put("highWatermark", log.highWatermark()).put("lastStableOffset", log.lastStableOffset());
        });
        ArrayNode changed = answer.putArray("changed");
        Map<String, byte[]> after = files(copy);
        var names = new TreeSet<>(before.keySet());
        names.addAll(after.keySet());
        for (String file : names) {
            if (!Arrays.equals(before.get(file), after.get(file))) {
                changed.add(file);
            }
        }
        answer.set("load", load);
        return answer;
    }

    /** What the real dump tool says of the indexes of each partition. */
    List<ObjectNode> dumps() throws IOException {
        List<ObjectNode> answers = new ArrayList<>();
        for (Path partition : partitions) {
            List<String> indexes = new ArrayList<>();
            for (String name : files(partition).keySet()) {
                if (name.endsWith(".index") || name.endsWith(".timeindex")) {
                    indexes.add(partition.resolve(name).toString());
                }
            }
            for (String flag : List.of("--index-sanity-check", "--verify-index-only")) {
                DumpTool.Answer said = DumpTool.run(List.of(flag, "--files", String.join(",", indexes)));
                answers.add(JsonNodeFactory.instance.objectNode().put("partition", partition.toString())
                    .put("way", flag).put("status", said.status())
                    .put("said", new String(said.out(), StandardCharsets.UTF_8))
                    .put("error", new String(said.err(), StandardCharsets.UTF_8)));
            }
        }
        return answers;
    }

    private static Map<String, byte[]> files(Path directory) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        for (File file : directory.toFile().listFiles()) {
            files.put(file.getName(), Files.readAllBytes(file.toPath()));
        }
        return files;
    }

    /** Without the files of one ending. */
    private static Path copy(Path partition, Path under, String without) throws IOException {
        Path copy = Files.createDirectories(under.resolve(partition.getFileName()));
        for (Map.Entry<String, byte[]> file : files(partition).entrySet()) {
            if (without.isEmpty() || !file.getKey().endsWith(without)) {
                Files.write(copy.resolve(file.getKey()), file.getValue());
            }
        }
        return copy;
    }
}

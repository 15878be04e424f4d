package kfsck.oracle.state;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogStartOffsetIncrementReason;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.log.VerificationGuard;

/** Carries out a script of appends on a new log and tells after each step what the real log believes. */
final class AppendRun implements AutoCloseable {
    private final Path partition;
    private final FixedTime time;
    private final boolean throughLog;
    private final LogConfig config;
    private final LoadSettings load;
    private final boolean verification;
    private final String end;
    private UnifiedLog log;
    private final ArrayNode steps = JsonNodeFactory.instance.arrayNode();
    private final Map<Long, VerificationGuard> guards = new HashMap<>();
    private ScriptLine chunk;
    private List<ByteBuffer> batches = new ArrayList<>();
    private long next;
    private int leaderEpoch;

    private AppendRun(ScriptLine settings, Path partition) throws IOException {
        this.partition = partition;
        time = new FixedTime(settings.number("now", BatchBytes.FIRST_TIME));
        throughLog = !settings.text("by", "log").equals("manager");
        load = new LoadSettings(true, 0, 0, time.milliseconds(), settings.integer("expiration", 86_400_000),
            List.of());
        verification = settings.flag("verification", false);
        end = settings.text("end", "");
        Files.createDirectories(partition);
        config = new LogConfig(Map.of("segment.index.bytes", settings.text("index", "4096"),
            "internal.segment.bytes", settings.text("segment", "1073741824"),
            "index.interval.bytes", settings.text("interval", "4096"),
            "message.timestamp.after.max.ms", String.valueOf(Long.MAX_VALUE)));
        log = RealLoad.open(partition, config, load, time, verification);
        settings.allAsked();
    }

    static ObjectNode answer(Script script, Path partition) throws IOException {
        try (AppendRun run = new AppendRun(script.lines().get(0), partition)) {
            for (ScriptLine line : script.lines().subList(1, script.lines().size())) {
                run.carryOut(line);
                line.allAsked();
            }
            run.endChunk();
            run.end();
            ObjectNode answer = JsonNodeFactory.instance.objectNode();
            answer.put("throughLog", run.throughLog).put("verification",
                run.log.producerStateManager().producerStateManagerConfig().transactionVerificationEnabled());
            answer.put("expiration", run.log.producerStateManager().producerStateManagerConfig()
                .producerIdExpirationMs());
            answer.set("steps", run.steps);
            StateView.putFiles(answer, partition);
            return answer;
        }
    }

    private void carryOut(ScriptLine line) throws IOException {
        if (BatchBytes.OPERATIONS.contains(line.operation())) {
            gather(line);
            return;
        }
        endChunk();
        ObjectNode step = JsonNodeFactory.instance.objectNode().put("operation", line.operation());
        switch (line.operation()) {
            case "chunk" -> {
                beginChunk(line);
                return;
            }
            case "verify" -> attempt(step, () -> verify(step, line));
            case "advance" -> time.advance(line.number("ms", 0));
            case "expire" -> log.removeExpiredProducers(time.milliseconds());
            case "highwatermark" -> attempt(step, () -> step.put("to",
                log.updateHighWatermark(line.number("to", log.logEndOffset()))));
            case "start" -> attempt(step, () -> {
                step.put("to", line.number("to", 0));
                log.maybeIncrementLogStartOffset(line.number("to", 0),
                    LogStartOffsetIncrementReason.ClientRecordDeletion);
            });
            case "truncate" -> attempt(step, () -> {
                step.put("to", line.number("to", 0));
                log.truncateTo(line.number("to", 0));
            });
            case "begin" -> attempt(step, () -> {
                step.put("to", line.number("to", 0));
                log.truncateFullyAndStartAt(line.number("to", 0), Optional.empty());
            });
            case "roll" -> attempt(step, () -> log.roll());
            case "restart" -> attempt(step, () -> {
                RealLoad.stop(log);
                log.removeLogMetrics();
                log = RealLoad.open(partition, config, load, time, verification);
            });
            default -> throw new IllegalArgumentException("no such operation: " + line.text());
        }
        endStep(step);
    }

    /** Of a broker that is killed the files stay as they are: the kernel writes what it was given. */
    private void end() {
        switch (end) {
            case "", "killed" -> { }
            case "closed" -> RealLoad.stop(log);
            default -> throw new IllegalArgumentException("end is closed or killed: " + end);
        }
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private void attempt(ObjectNode step, Attempt attempt) {
        try {
            attempt.run();
            step.putNull("error");
        } catch (IOException | RuntimeException fault) {
            step.set("error", StateView.error(fault, partition));
        }
    }

    private void verify(ObjectNode step, ScriptLine line) {
        long producerId = line.number("pid", 0);
        int sequence = line.integer("seq", 0);
        short epoch = line.shortNumber("epoch", 0);
        boolean bump = line.flag("bump", false);
        step.put("producerId", producerId).put("sequence", sequence).put("epoch", epoch).put("bump", bump);
        guards.put(producerId, log.maybeStartTransactionVerification(producerId, sequence, epoch, bump));
    }

    private void beginChunk(ScriptLine line) {
        chunk = line;
        next = throughLog ? log.logEndOffset() : log.producerStateManager().mapEndOffset();
        leaderEpoch = line.integer("leader", leaderEpoch);
        line.text("origin", "");
        line.has("tv");
        line.has("guard");
    }

    /** Batches of a leader's append have no place of their own: they get the one that they would be given. */
    private void gather(ScriptLine line) {
        if (chunk == null) {
            beginChunk(new ScriptLine("chunk"));
        }
        boolean isReplica = chunk.text("origin", "client").equals("replication");
        long wanted = line.number("offset", next + line.number("gap", 0));
        long offset = isReplica || !throughLog ? wanted : next;
        ByteBuffer bytes = BatchBytes.of(line, offset, line.integer("leader", leaderEpoch));
        for (RecordBatch batch : MemoryRecords.readableRecords(bytes.duplicate()).batches()) {
            next = batch.lastOffset() + 1;
        }
        batches.add(bytes);
    }

    private void endChunk() throws IOException {
        if (chunk == null || batches.isEmpty()) {
            chunk = null;
            return;
        }
        ByteBuffer bytes = ByteBuffer.allocate(batches.stream().mapToInt(ByteBuffer::remaining).sum());
        batches.forEach(batch -> bytes.put(batch.duplicate()));
        ChunkAppend append = new ChunkAppend(log, chunk, leaderEpoch, guards);
        ObjectNode step = JsonNodeFactory.instance.objectNode().put("operation", "chunk");
        append.describe(step, MemoryRecords.readableRecords(bytes.flip()));
        step.put("records", HexFormat.of().formatHex(bytes.array()));
        attempt(step, () -> append.run(step, bytes, throughLog));
        chunk = null;
        batches = new ArrayList<>();
        endStep(step);
    }

    private void endStep(ObjectNode step) throws IOException {
        step.put("now", time.milliseconds());
        if (throughLog) {
            step.put("highWatermark", log.highWatermark());
            step.set("log", StateView.log(log));
        } else {
            ObjectNode manager = step.putObject("manager");
            manager.put("mapEndOffset", log.producerStateManager().mapEndOffset());
            manager.put("firstUnstableOffset", log.producerStateManager().firstUnstableOffset()
                .map(first -> first.messageOffset).orElse(null));
            manager.set("producers", StateView.producers(log.producerStateManager()));
        }
        steps.add(step);
    }

    @Override
    public void close() {
        log.removeLogMetrics();
        log.closeQuietly();
    }
}

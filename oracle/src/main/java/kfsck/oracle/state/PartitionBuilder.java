package kfsck.oracle.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.storage.internals.log.LogFileUtils;

/** Carries a script out: a partition's directory as it lies there before a broker loads it. */
final class PartitionBuilder implements AutoCloseable {
    private final Path partition;
    private final FollowedState state;
    private long base = -1;
    private long next;
    private int leaderEpoch;
    private ByteBuffer segment = ByteBuffer.allocate(1 << 16);
    private SnapshotDraft snapshot;
    private boolean writesEpochs = true;
    private final Map<Long, Boolean> swaps = new TreeMap<>();
    private LoadSettings settings = LoadSettings.DEFAULT;

    private PartitionBuilder(Path partition) throws IOException {
        this.partition = partition;
        Files.createDirectories(partition);
        state = new FollowedState(partition);
    }

    /** Writes the directory; gives how it is to be loaded. */
    static LoadSettings build(Script script, Path partition) throws IOException {
        try (PartitionBuilder builder = new PartitionBuilder(partition)) {
            for (ScriptLine line : script.lines()) {
                builder.carryOut(line);
                line.allAsked();
            }
            builder.finish();
            return builder.settings;
        }
    }

    private void carryOut(ScriptLine line) throws IOException {
        if (BatchBytes.OPERATIONS.contains(line.operation())) {
            append(line);
            return;
        }
        switch (line.operation()) {
            case "load" -> settings = LoadSettings.of(line, settings.missing());
            case "segment" -> begin(line.number("base", next));
            case "raw" -> put(ByteBuffer.wrap(HexFormat.of().parseHex(line.text("hex", ""))));
            case "zeros" -> put(ByteBuffer.allocate(line.integer("bytes", 0)));
            case "cut" -> segment.position(Math.max(0, segment.position() - line.integer("bytes", 0)));
            case "snapshot" -> beginSnapshot(line);
            case "entry" -> snapshot.add(line);
            case "alter" -> snapshot.alter(line);
            case "file" -> Files.write(partition.resolve(line.text("name", "")),
                HexFormat.of().parseHex(line.text("hex", "")));
            case "epochs" -> writeEpochs(line.text("entries", ""));
            case "swap" -> swaps.put(line.number("base", base), line.flag("beside", false));
            case "missing" -> remove(line.text("file", ""), line.number("base", base));
            default -> throw new IllegalArgumentException("no such operation: " + line.text());
        }
    }

    private void append(ScriptLine line) throws IOException {
        if (base < 0) {
            begin(0);
        }
        long offset = line.number("offset", next + line.number("gap", 0));
        leaderEpoch = line.integer("leader", leaderEpoch);
        ByteBuffer bytes = BatchBytes.of(line, offset, leaderEpoch);
        for (RecordBatch batch : MemoryRecords.readableRecords(bytes.duplicate()).batches()) {
            next = batch.lastOffset() + 1;
            if (batch.isValid()) {
                state.take(batch);
            }
        }
        put(bytes);
    }

    private void put(ByteBuffer bytes) {
        if (segment.remaining() < bytes.remaining()) {
            segment = ByteBuffer.allocate(2 * segment.capacity() + bytes.remaining()).put(segment.flip());
        }
        segment.put(bytes);
    }

    private void begin(long baseOffset) throws IOException {
        writeSegment();
        base = baseOffset;
        next = Math.max(next, baseOffset);
        state.beginSegment(baseOffset);
        Files.write(LogFileUtils.offsetIndexFile(partition.toFile(), base, "").toPath(), new byte[0]);
        Files.write(LogFileUtils.timeIndexFile(partition.toFile(), base).toPath(), new byte[0]);
    }

    private void writeSegment() throws IOException {
        if (base < 0) {
            return;
        }
        try (FileChannel log = FileChannel.open(LogFileUtils.logFile(partition.toFile(), base).toPath(),
            StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            log.write(segment.flip());
        }
        segment.clear();
    }

    private void beginSnapshot(ScriptLine line) throws IOException {
        writeSnapshot();
        snapshot = new SnapshotDraft(line, line.number("at", next), state.producers().values());
        // Asks for the names of the line.
        snapshot.bytes();
    }

    private void writeSnapshot() throws IOException {
        if (snapshot != null) {
            Files.write(LogFileUtils.producerSnapshotFile(partition.toFile(), snapshot.offset()).toPath(),
                snapshot.bytes());
            snapshot = null;
        }
    }

    /** `epoch:offset` with commas between, `none` for no file. */
    private void writeEpochs(String entries) throws IOException {
        writesEpochs = false;
        if (entries.equals("none")) {
            return;
        }
        String[] pairs = entries.isEmpty() ? new String[0] : entries.split(",");
        StringBuilder text = new StringBuilder("0\n" + pairs.length + "\n");
        for (String pair : pairs) {
            text.append(pair.replace(':', ' ')).append('\n');
        }
        Files.writeString(partition.resolve("leader-epoch-checkpoint"), text);
    }

    /** Takes a companion of a segment away, once all is written. */
    private void remove(String ending, long baseOffset) throws IOException {
        settings = settings.without(String.format("%020d.%s", baseOffset, ending));
    }

    private void finish() throws IOException {
        if (base < 0) {
            begin(0);
        }
        writeSegment();
        writeSnapshot();
        if (writesEpochs) {
            StringBuilder entries = new StringBuilder();
            for (Map.Entry<Integer, Long> epoch : state.epochs().entrySet()) {
                entries.append(entries.isEmpty() ? "" : ",").append(epoch.getKey()).append(':')
                    .append(epoch.getValue());
            }
            writeEpochs(entries.toString());
        }
        state.close();
        for (String name : settings.missing()) {
            Files.deleteIfExists(partition.resolve(name));
        }
        for (Map.Entry<Long, Boolean> swap : swaps.entrySet()) {
            leaveSwap(swap.getKey(), swap.getValue());
        }
    }

    /** As a broker leaves a segment that died while it put it in the place of older ones, or before these were gone. */
    private void leaveSwap(long baseOffset, boolean besideOld) throws IOException {
        for (String ending : List.of("log", "index", "timeindex", "txnindex")) {
            Path file = partition.resolve(String.format("%020d.%s", baseOffset, ending));
            if (Files.exists(file)) {
                Path swap = partition.resolve(file.getFileName() + ".swap");
                Files.copy(file, swap);
                if (!besideOld) {
                    Files.delete(file);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        state.close();
    }
}

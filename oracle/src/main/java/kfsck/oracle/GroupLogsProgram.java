package kfsck.oracle;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kfsck.oracle.state.GroupReplay;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * The verb group-logs: random partitions of __consumer_offsets, and what a real coordinator that loads each believes of
 * its groups, at its end and between batches.
 */
public final class GroupLogsProgram {
    private static final long PRODUCERS = 3;

    private final Path out;
    private final Dice dice;
    private final int count;
    private final Map<Long, Short> epochs = new HashMap<>();

    private GroupLogsProgram(Options options) {
        out = Path.of(options.required("--out"));
        dice = new Dice(Long.parseLong(options.required("--seed")));
        count = Integer.parseInt(options.required("--count"));
    }

    public static void main(String[] arguments) {
        Program.run(() -> new GroupLogsProgram(
            new Options(arguments, List.of("--seed", "--count", "--out"), List.of())).run());
    }

    private void run() throws Exception {
        // What Kafka says while it loads is not asked about; a fault ends the program.
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
        for (int number = 0; number < count; number++) {
            String name = "random-" + number;
            Path partition = out.resolve(name).resolve("__consumer_offsets-0");
            write(partition, new GroupDice(dice.named(name)), dice.between(5, 200));
            try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(out.resolve(name + ".jsonl")))) {
                GroupReplay.answer(partition, dice.named(name + " places"), lines);
            }
        }
    }

    private void write(Path partition, GroupDice groups, int records) throws IOException {
        long offset = 0;
        epochs.clear();
        while (offset < records) {
            try (SegmentFile segment = new SegmentFile(partition, offset)) {
                for (int batch = dice.between(1, 30); batch > 0 && offset < records; batch--) {
                    segment.append(batch(groups, offset));
                    // What compaction has taken away.
                    offset = segment.nextOffset() + (dice.percent(10) ? dice.between(1, 9) : 0);
                }
            }
        }
    }

    private MemoryRecords batch(GroupDice groups, long offset) {
        long producer = dice.longBetween(0, PRODUCERS - 1);
        if (dice.percent(10)) {
            epochs.merge(producer, (short) 1, (epoch, one) -> (short) (epoch + one));
        }
        short epoch = epochs.getOrDefault(producer, (short) 0);
        int leader = dice.between(0, 9);
        int kind = dice.between(0, 99);
        if (kind < 20) {
            ControlRecordType type = dice.percent(60) ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
            return MemoryRecords.withEndTransactionMarker(offset, dice.longBetween(0, 2_000_000_000_000L), leader, producer,
                epoch, new EndTransactionMarker(type, dice.between(0, 9)));
        }
        if (kind < 23) {
            return empty(offset, producer, epoch, leader);
        }
        boolean isOfProducer = kind < 55;
        List<SimpleRecord> drawn = new ArrayList<>();
        for (int left = dice.between(1, 6); left > 0; left--) {
            drawn.add(dice.percent(isOfProducer ? 3 : 40) ? groups.ofGroup() : groups.commit());
        }
        SimpleRecord[] records = drawn.toArray(SimpleRecord[]::new);
        CompressionType codec = dice.percent(70) ? CompressionType.NONE : dice.pick(List.of(CompressionType.values()));
        Compression compression = Compression.of(codec).build();
        if (kind < 52) {
            return MemoryRecords.withTransactionalRecords(offset, compression, producer, epoch, dice.between(0, 99), leader, records);
        }
        if (isOfProducer) {
            return MemoryRecords.withIdempotentRecords(offset, compression, producer, epoch, dice.between(0, 99), leader, records);
        }
        return MemoryRecords.withRecords(offset, compression, leader, records);
    }

    /** As compaction leaves the last batch of a producer. */
    private MemoryRecords empty(long offset, long producer, short epoch, int leader) {
        ByteBuffer buffer = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(buffer, RecordBatch.CURRENT_MAGIC_VALUE, producer, epoch, 0, offset,
            offset + dice.between(0, 3), leader, TimestampType.CREATE_TIME, 0, true, dice.percent(30));
        buffer.flip();
        return MemoryRecords.readableRecords(buffer);
    }
}

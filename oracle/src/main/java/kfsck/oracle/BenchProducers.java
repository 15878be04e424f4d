package kfsck.oracle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Partitions whose load is all about producer state: one record a batch, many producers in turn at random. */
final class BenchProducers {
    private static final int IDEMPOTENT_BATCHES = 849_480;
    private static final int IDEMPOTENT_PRODUCERS = 100_000;
    private static final int TRANSACTIONAL_BATCHES = 890_472;
    private static final int TRANSACTIONAL_PRODUCERS = 10_000;
    /** Data batches of a transaction; its marker follows, with the next epoch (transactions of version 2). */
    private static final int TRANSACTION = 2;

    private final Path out;
    private final Dice dice;
    private final ByteBuffer scratch = ByteBuffer.allocate(1 << 10);
    private int[] sequences;
    private short[] epochs;
    private long offset;
    private long timestamp;

    BenchProducers(Path out, Dice dice) {
        this.out = out;
        this.dice = dice;
    }

    void write() throws IOException {
        try (BatchFile file = begin("idempotent-0", IDEMPOTENT_PRODUCERS)) {
            while (offset < IDEMPOTENT_BATCHES) {
                file.append(data(dice.between(0, IDEMPOTENT_PRODUCERS - 1), 11, false));
            }
        }
        try (BatchFile file = begin("transactional-0", TRANSACTIONAL_PRODUCERS)) {
            while (offset < TRANSACTIONAL_BATCHES) {
                int producer = dice.between(0, TRANSACTIONAL_PRODUCERS - 1);
                boolean ends = sequences[producer] == TRANSACTION;
                file.append(ends ? marker(producer) : data(producer, 6, true));
            }
        }
    }

    private BatchFile begin(String partition, int producers) throws IOException {
        Path directory = Files.createDirectories(out.resolve(partition));
        sequences = new int[producers];
        epochs = new short[producers];
        offset = 0;
        // A load forgets producers of long ago.
        timestamp = System.currentTimeMillis();
        return new BatchFile(directory.resolve("00000000000000000000.log"));
    }

    private MemoryRecords data(int producer, int bytes, boolean transactional) {
        scratch.clear();
        MemoryRecordsBuilder builder = MemoryRecords.builder(scratch, RecordBatch.MAGIC_VALUE_V2,
            Compression.NONE, TimestampType.CREATE_TIME, offset, RecordBatch.NO_TIMESTAMP, producer + 1000L,
            epochs[producer], sequences[producer]++, transactional, 0);
        builder.appendWithOffset(offset++, timestamp++, null, new byte[bytes]);
        return builder.build();
    }

    private MemoryRecords marker(int producer) {
        epochs[producer]++;
        sequences[producer] = 0;
        ControlRecordType type = dice.percent(10) ? ControlRecordType.ABORT : ControlRecordType.COMMIT;
        return MemoryRecords.withEndTransactionMarker(offset++, timestamp++, 0, producer + 1000L,
            epochs[producer], new EndTransactionMarker(type, 0));
    }
}

package kfsck.oracle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Big segments of the shapes speed depends on: few or many records a batch, codecs, transactions, groups' offsets. */
final class BenchSegments {
    private static final String NAME = "00000000000000000000.log";
    private static final int PRODUCERS = 8;
    private static final int POOL = 20_000;
    /** Batches that bear no producer id. */
    private static final int NOBODY = -1;

    private final Path out;
    private final long bytes;
    private final Dice dice;
    private final ByteBuffer scratch = ByteBuffer.allocate(1 << 18);
    private final int[] nextSequence = new int[PRODUCERS];
    private List<byte[]> pool;
    private long offset;
    private long timestamp;

    BenchSegments(Path out, long bytes, Dice dice) {
        this.out = out;
        this.bytes = bytes;
        this.dice = dice;
    }

    private interface Shape {
        /** Small pieces to append next, each a batch. */
        void write(BatchFile file) throws IOException;
    }

    void write() throws IOException {
        pool = values(this::randomText);
        segment("batch100", file -> file.append(batch("none", 100, false, dice.between(0, PRODUCERS - 1))));
        segment("batch1", file -> file.append(batch("none", 1, false, dice.between(0, PRODUCERS - 1))));
        segment("txn", this::transaction);
        pool = values(() -> new Content(dice).json().replace("}", ",\"customer\":\"customer-" + dice.between(0, 9_999)
            + "\",\"city\":\"" + dice.pick(List.of("Delft", "Riga", "Porto", "Graz")) + "\"}"));
        segment("lz4", file -> file.append(batch("lz4", 100, false, dice.between(0, PRODUCERS - 1))));
        segment("zstd", file -> file.append(batch("zstd", 100, false, dice.between(0, PRODUCERS - 1))));
        pool = values(this::randomText);
        segment("plain1", file -> file.append(batch("none", 1, false, NOBODY)));
        BenchOffsets offsets = new BenchOffsets(dice.named("offsets"));
        segment("__consumer_offsets-0", file -> file.append(commits(offsets)));
    }

    private MemoryRecords commits(BenchOffsets offsets) {
        SimpleRecord[] records = offsets.batch(timestamp).toArray(new SimpleRecord[0]);
        MemoryRecords batch = MemoryRecords.withRecords(offset, Compression.NONE, records);
        offset += records.length;
        timestamp += 3;
        return batch;
    }

    private interface Text {
        String next();
    }

    /** Made once and used again and again, as making ten million would take longer than writing them. */
    private List<byte[]> values(Text text) {
        List<byte[]> values = new ArrayList<>(POOL);
        for (int i = 0; i < POOL; i++) {
            values.add(Content.text(text.next()));
        }
        return values;
    }

    private String randomText() {
        StringBuilder text = new StringBuilder();
        for (int i = dice.between(80, 120); i > 0; i--) {
            text.append((char) dice.between(' ', '~'));
        }
        return text.toString();
    }

    private void segment(String shape, Shape writer) throws IOException {
        Path path = out.resolve(shape).resolve(NAME);
        Files.createDirectories(path.getParent());
        offset = 0;
        timestamp = 1_600_000_000_000L;
        java.util.Arrays.fill(nextSequence, 0);
        long started = System.nanoTime();
        try (BatchFile file = new BatchFile(path)) {
            while (file.size() < bytes) {
                writer.write(file);
            }
            System.err.printf("oracle: %s %d bytes, %d records, %.1f s%n", shape, file.size(), offset,
                (System.nanoTime() - started) / 1e9);
        }
    }

    private void transaction(BatchFile file) throws IOException {
        int producer = dice.between(0, PRODUCERS - 1);
        for (int i = dice.between(1, 3); i > 0; i--) {
            file.append(batch("none", 10, true, producer));
        }
        ControlRecordType type = dice.percent(20) ? ControlRecordType.ABORT : ControlRecordType.COMMIT;
        file.append(MemoryRecords.withEndTransactionMarker(offset++, timestamp, 0, producer + 1000L, (short) 0,
            new EndTransactionMarker(type, 0)));
    }

    private MemoryRecords batch(String codec, int records, boolean transactional, int producer) {
        scratch.clear();
        boolean isNobody = producer == NOBODY;
        MemoryRecordsBuilder builder = MemoryRecords.builder(scratch, RecordBatch.MAGIC_VALUE_V2,
            Compression.of(codec).build(), TimestampType.CREATE_TIME, offset, RecordBatch.NO_TIMESTAMP,
            isNobody ? RecordBatch.NO_PRODUCER_ID : producer + 1000L,
            isNobody ? RecordBatch.NO_PRODUCER_EPOCH : (short) 0,
            isNobody ? RecordBatch.NO_SEQUENCE : nextSequence[producer], transactional, 0);
        for (int i = 0; i < records; i++) {
            byte[] value = pool.get(dice.between(0, POOL - 1));
            builder.appendWithOffset(offset++, timestamp, Integer.toString(value.length * 7919).getBytes(), value);
            timestamp += 3;
        }
        if (!isNobody) {
            nextSequence[producer] += records;
        }
        return builder.build();
    }
}

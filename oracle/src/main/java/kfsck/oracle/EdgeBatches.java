package kfsck.oracle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/** Batches of format 2 that are legal but at an edge: wrapped sequences, extreme numbers, empty, with holes. */
final class EdgeBatches {
    private final Path directory;
    private final Dice dice;
    private final Content content;

    EdgeBatches(Path directory, Dice dice) {
        this.directory = directory;
        this.dice = dice.named("edge");
        this.content = new Content(this.dice);
    }

    void write() throws IOException {
        writeEdges();
        writeCutTail();
    }

    /** As after a full disk: the last batch is not all there. */
    private void writeCutTail() throws IOException {
        Path partition = directory.resolve("cut-tail-0");
        try (SegmentFile segment = new SegmentFile(partition, 0)) {
            for (int i = dice.between(2, 4); i > 0; i--) {
                segment.append(logAppendTime(segment.nextOffset()));
            }
        }
        try (FileChannel log = FileChannel.open(partition.resolve("00000000000000000000.log"),
            StandardOpenOption.WRITE)) {
            log.truncate(log.size() - dice.between(1, 60));
        }
    }

    private void writeEdges() throws IOException {
        long base = dice.longBetween(0, 9_000_000_000L);
        try (SegmentFile segment = new SegmentFile(directory.resolve("edge-batches-0"), base)) {
            for (int round = dice.between(2, 3); round > 0; round--) {
                segment.append(wrappedSequence(segment.nextOffset()));
                segment.append(extremes(segment.nextOffset()));
                segment.append(horizon(segment.nextOffset()));
                for (int kind = 0; kind < 4; kind++) {
                    segment.append(empty(segment.nextOffset(), (kind & 1) == 1, (kind & 2) == 2));
                }
                segment.append(holes(segment.nextOffset()));
                segment.append(noTimestamps(segment.nextOffset()));
                segment.append(manyHeaders(segment.nextOffset()));
                segment.append(logAppendTime(segment.nextOffset()));
            }
        }
    }

    /** After 2147483647 the next sequence is 0. */
    private MemoryRecords wrappedSequence(long offset) {
        int sequence = Integer.MAX_VALUE - dice.between(0, 5);
        return filled(builder(offset, TimestampType.CREATE_TIME, -1, 77, 3, sequence, false, -1), offset, 8);
    }

    private MemoryRecords extremes(long offset) {
        MemoryRecordsBuilder builder = builder(offset, TimestampType.CREATE_TIME, -1, Long.MAX_VALUE, Short.MAX_VALUE,
            dice.between(0, 9), true, -1);
        builder.appendWithOffset(offset, Long.MAX_VALUE, content.key(), content.value(), content.headers());
        builder.appendWithOffset(offset + 1, 0, content.key(), content.value(), content.headers());
        builder.appendWithOffset(offset + 2, Long.MAX_VALUE - 1, content.key(), content.value(), content.headers());
        return builder.build();
    }

    private MemoryRecords horizon(long offset) {
        long horizon = dice.pick(List.of(0L, content.timestamp(), content.timestamp() + 86_400_000));
        return filled(builder(offset, TimestampType.CREATE_TIME, -1, -1, -1, -1, false, horizon), offset,
            dice.between(1, 4));
    }

    private MemoryRecords empty(long offset, boolean transactional, boolean control) {
        ByteBuffer buffer = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(buffer, RecordBatch.MAGIC_VALUE_V2, dice.between(0, 900),
            (short) dice.between(0, 9), control ? -1 : dice.between(0, 99), offset, offset + dice.between(0, 50),
            dice.between(0, 9), TimestampType.CREATE_TIME, content.timestamp(), transactional, control);
        buffer.flip();
        return MemoryRecords.readableRecords(buffer);
    }

    /** The cleaner keeps first and last offset of the batch, whatever it takes from between. */
    private MemoryRecords holes(long offset) {
        MemoryRecordsBuilder builder = builder(offset, TimestampType.CREATE_TIME, -1, 5, 1, 10, false, -1);
        long next = offset;
        for (int i = dice.between(1, 5); i > 0; i--) {
            next += dice.between(1, 4);
            builder.appendWithOffset(next, content.timestamp(), content.key(), content.value(), content.headers());
        }
        builder.overrideLastOffset(next + dice.between(1, 9));
        return builder.build();
    }

    private MemoryRecords noTimestamps(long offset) {
        MemoryRecordsBuilder builder = builder(offset, TimestampType.CREATE_TIME, -1, -1, -1, -1, false, -1);
        for (int i = 0; i < dice.between(1, 3); i++) {
            builder.appendWithOffset(offset + i, RecordBatch.NO_TIMESTAMP, content.key(), content.value());
        }
        return builder.build();
    }

    private MemoryRecords manyHeaders(long offset) {
        MemoryRecordsBuilder builder = builder(offset, TimestampType.CREATE_TIME, -1, -1, -1, -1, false, -1);
        Header[] headers = new Header[dice.between(65, 130)];
        for (int i = 0; i < headers.length; i++) {
            headers[i] = new RecordHeader("h" + i % 7, i % 3 == 0 ? null : new byte[] {(byte) i});
        }
        builder.appendWithOffset(offset, content.timestamp(), content.key(), content.value(), headers);
        builder.appendWithOffset(offset + 1, content.timestamp(), Content.text("k".repeat(200)),
            Content.text("long-".repeat(dice.between(100, 300))), content.headers());
        return builder.build();
    }

    private MemoryRecords logAppendTime(long offset) {
        return filled(builder(offset, TimestampType.LOG_APPEND_TIME, content.timestamp(), -1, -1, -1, false, -1),
            offset, dice.between(1, 4));
    }

    private MemoryRecords filled(MemoryRecordsBuilder builder, long offset, int count) {
        for (int i = 0; i < count; i++) {
            builder.appendWithOffset(offset + i, content.timestamp(), content.key(), content.value(),
                content.headers());
        }
        return builder.build();
    }

    private MemoryRecordsBuilder builder(long offset, TimestampType type, long appendTime, long producerId, int epoch,
        int sequence, boolean transactional, long deleteHorizon) {
        Compression codec = Compression.of(dice.pick(PlainTopics.CODECS)).build();
        int leaderEpoch = dice.pick(List.of(-1, 0, 7, Integer.MAX_VALUE));
        return new MemoryRecordsBuilder(new ByteBufferOutputStream(8192), RecordBatch.MAGIC_VALUE_V2, codec, type,
            offset, appendTime, producerId, (short) epoch, sequence, transactional, false, leaderEpoch, 8192,
            deleteHorizon);
    }
}

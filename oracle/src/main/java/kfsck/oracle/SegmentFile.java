package kfsck.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogSegment;

/** A segment written by Kafka's own segment class, with its indexes, for batches no 4.x broker would write. */
final class SegmentFile implements AutoCloseable {
    private final LogSegment segment;
    private long nextOffset;

    SegmentFile(Path partition, long baseOffset) throws IOException {
        Files.createDirectories(partition);
        LogConfig config = new LogConfig(Map.of("index.interval.bytes", "200", "segment.index.bytes", "1200"));
        segment = LogSegment.open(partition.toFile(), baseOffset, config, Time.SYSTEM, 0, false);
        nextOffset = baseOffset;
    }

    long nextOffset() {
        return nextOffset;
    }

    void append(MemoryRecords records) throws IOException {
        long last = nextOffset;
        for (RecordBatch batch : records.batches()) {
            last = batch.lastOffset();
        }
        segment.append(last, records);
        nextOffset = last + 1;
    }

    @Override
    public void close() throws IOException {
        segment.onBecomeInactiveSegment();
        segment.close();
    }
}

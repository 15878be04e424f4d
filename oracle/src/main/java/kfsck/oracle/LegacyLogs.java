package kfsck.oracle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Message formats 0 and 1, which brokers wrote up to 0.10 and still keep, from Kafka's own record classes. */
final class LegacyLogs {
    private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4");

    private final Path directory;
    private final Dice dice;

    LegacyLogs(Path directory, Dice dice) {
        this.directory = directory;
        this.dice = dice.named("legacy");
    }

    void write() throws IOException {
        for (byte magic = 0; magic <= 1; magic++) {
            for (String codec : CODECS) {
                String name = "magic" + magic + "-" + (codec.equals("none") ? "plain" : codec) + "-0";
                writeOne(name, magic, codec, timestampType(magic));
            }
        }
        writeOne("magic1-lat-0", (byte) 1, null, TimestampType.LOG_APPEND_TIME);
        writeMixed("magic-mixed-0");
    }

    private static TimestampType timestampType(byte magic) {
        return magic == 0 ? TimestampType.NO_TIMESTAMP_TYPE : TimestampType.CREATE_TIME;
    }

    /** No codec given: each in turn. */
    private void writeOne(String name, byte magic, String codec, TimestampType type) throws IOException {
        Dice own = dice.named(name);
        Content content = new Content(own);
        long base = own.percent(40) ? 0 : own.longBetween(1, 5_000_000_000L);
        try (SegmentFile segment = new SegmentFile(directory.resolve(name), base)) {
            for (int i = own.between(4, 8); i > 0; i--) {
                String chosen = codec == null ? CODECS.get(i % CODECS.size()) : codec;
                segment.append(records(own, content, segment.nextOffset(), magic, chosen, type));
            }
        }
    }

    /** As a partition looks that lived through the upgrades: 0, then 1, then 2. */
    private void writeMixed(String name) throws IOException {
        Dice own = dice.named(name);
        Content content = new Content(own);
        try (SegmentFile segment = new SegmentFile(directory.resolve(name), own.between(0, 100))) {
            for (byte magic = 0; magic <= 2; magic++) {
                for (int i = own.between(2, 4); i > 0; i--) {
                    String codec = own.pick(CODECS);
                    segment.append(records(own, content, segment.nextOffset(), magic, codec, timestampType(magic)));
                }
            }
        }
    }

    /** Holes between offsets, also before the first inner one, are what compaction leaves. */
    private static MemoryRecords records(Dice own, Content content, long base, byte magic, String codec,
        TimestampType type) {
        long appendTime = type == TimestampType.LOG_APPEND_TIME ? content.timestamp() : RecordBatch.NO_TIMESTAMP;
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(4096), magic,
            Compression.of(codec).build(), type, base, appendTime);
        boolean holes = own.percent(40);
        long offset = base + (holes ? own.between(1, 7) : 0);
        for (int i = own.between(1, 8); i > 0; i--) {
            long timestamp = magic == 0 ? RecordBatch.NO_TIMESTAMP : content.timestamp();
            builder.appendWithOffset(offset, timestamp, content.key(), content.value());
            offset += holes ? own.between(1, 4) : 1;
        }
        return builder.build();
    }
}

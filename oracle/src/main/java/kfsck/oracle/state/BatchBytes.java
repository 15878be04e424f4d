package kfsck.oracle.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Set;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.apache.kafka.common.utils.internals.Crc32C;

/**
 * The bytes of the batch that a line asks for: Kafka's record classes make them, and what those would refuse is
 * patched into the header afterwards.
 */
final class BatchBytes {
    static final long FIRST_TIME = 1_700_000_000_000L;
    static final Set<String> OPERATIONS = Set.of("data", "marker", "control", "barrier", "empty", "message");
    private static final int ROOM = 512;
    private static final int CHECKSUM = 17;
    private static final int ATTRIBUTES = 21;
    private static final int LARGEST_TIMESTAMP = 35;
    private static final int PRODUCER_ID = 43;
    private static final int PRODUCER_EPOCH = 51;
    private static final int BASE_SEQUENCE = 53;
    private static final int COUNT = 57;

    private final ScriptLine line;
    private final long offset;
    private final int leaderEpoch;
    private final long producerId;
    private final short producerEpoch;
    private final int sequence;
    private final long timestamp;

    private BatchBytes(ScriptLine line, long offset, int leaderEpoch) {
        this.line = line;
        this.offset = offset;
        this.leaderEpoch = leaderEpoch;
        boolean isBarrier = line.operation().equals("barrier");
        producerId = line.number("pid", -1);
        producerEpoch = line.shortNumber("epoch", producerId == -1 ? -1 : 0);
        boolean isControl = isBarrier || line.operation().equals("marker") || line.operation().equals("control");
        sequence = line.integer("seq", producerId == -1 || isControl ? -1 : 0);
        timestamp = line.number("ts", FIRST_TIME);
    }

    /** The batch of a line at an offset, of a leader epoch. */
    static ByteBuffer of(ScriptLine line, long offset, int leaderEpoch) {
        try {
            return new BatchBytes(line, offset, leaderEpoch).bytes();
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private ByteBuffer bytes() throws IOException {
        ByteBuffer bytes = switch (line.operation()) {
            case "data" -> data();
            case "marker" -> marker();
            case "control" -> control();
            case "barrier" -> barrier();
            case "empty" -> empty();
            case "message" -> message();
            default -> throw new IllegalArgumentException("not a batch: " + line.text());
        };
        return line.operation().equals("message") ? bytes : patched(bytes);
    }

    private ByteBuffer data() {
        MemoryRecordsBuilder builder = builder(line.flag("txn", false), false);
        int count = line.integer("count", 1);
        int first = line.integer("first", 0);
        long step = line.number("step", 0);
        for (int i = 0; i < count; i++) {
            builder.appendWithOffset(offset + first + i, timestamp + step * i, null, new byte[] {'v'});
        }
        // Kafka's cleaner keeps the last offset of a batch whose last records are gone.
        builder.overrideLastOffset(offset + line.integer("delta", first + count - 1));
        return builder.build().buffer();
    }

    private ByteBuffer marker() throws IOException {
        ControlRecordType type = line.text("type", "commit").equals("abort") ? ControlRecordType.ABORT
            : ControlRecordType.COMMIT;
        var marker = new EndTransactionMarker(type, line.integer("coord", 0));
        boolean isPlain = !line.has("value") && !line.has("version") && !line.has("codec") && !line.has("time")
            && isLegal();
        if (isPlain) {
            return MemoryRecords.withEndTransactionMarker(offset, timestamp, leaderEpoch, producerId, producerEpoch,
                marker).buffer();
        }
        ByteBuffer value = marker.serializeValue().duplicate();
        byte[] bytes = new byte[value.remaining()];
        value.get(bytes);
        ByteBuffer.wrap(bytes).putShort(0, line.shortNumber("version", 0));
        return control(type.recordKey().duplicate(), value(ByteBuffer.wrap(bytes)), 1, line.flag("txn", true));
    }

    private ByteBuffer control() throws IOException {
        ByteBuffer key = ByteBuffer.allocate(4 + line.integer("longer", 0));
        key.putShort(0, line.shortNumber("keyversion", 0)).putShort(2, line.shortNumber("type", 337));
        int records = line.integer("count", 1);
        return control(key, value(ByteBuffer.allocate(6)), records, line.flag("txn", producerId >= 0));
    }

    /** MIRROR_PID_RESET in the two layouts that prototypes of Cluster Mirroring wrote. */
    private ByteBuffer barrier() throws IOException {
        String value = switch (line.text("layout", "b")) {
            case "a" -> "0000" + "17" + HexFormat.of().formatHex("ABEiM0RVZneImaq7zN3u_w".getBytes()) + "00";
            case "b" -> "000000";
            default -> throw new IllegalArgumentException("layout is a or b: " + line.text());
        };
        ByteBuffer key = ByteBuffer.allocate(4).putShort(2, (short) 7);
        return control(key.rewind(), ByteBuffer.wrap(HexFormat.of().parseHex(value)), 1, line.flag("txn", false));
    }

    private ByteBuffer value(ByteBuffer otherwise) {
        String value = line.text("value", "");
        if (value.equals("null")) {
            return null;
        }
        return value.isEmpty() ? otherwise : ByteBuffer.wrap(HexFormat.of().parseHex(value));
    }

    private ByteBuffer control(ByteBuffer key, ByteBuffer value, int records, boolean transactional)
        throws IOException {
        MemoryRecordsBuilder builder = builder(transactional, true);
        for (int i = 0; i < records; i++) {
            // Unchecked, as the checked way refuses types it does not know.
            builder.appendUncheckedWithOffset(offset + i, new SimpleRecord(timestamp, key.duplicate(),
                value == null ? null : value.duplicate()));
        }
        builder.overrideLastOffset(offset + line.integer("delta", records - 1));
        return builder.build().buffer();
    }

    /** As the cleaner leaves a batch whose records are all gone, while it must remember its producer. */
    private ByteBuffer empty() {
        ByteBuffer bytes = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(bytes, RecordBatch.MAGIC_VALUE_V2, producerId, producerEpoch, sequence,
            offset, offset + line.integer("delta", 0), leaderEpoch, timestampType(), timestamp,
            line.flag("txn", false), line.flag("control", false));
        return bytes.flip();
    }

    private ByteBuffer message() {
        byte magic = (byte) line.integer("magic", 1);
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(ROOM), magic, codec(),
            magic == 0 ? TimestampType.NO_TIMESTAMP_TYPE : timestampType(), offset, timestamp);
        for (int i = 0; i < line.integer("count", 1); i++) {
            builder.appendWithOffset(offset + i, magic == 0 ? RecordBatch.NO_TIMESTAMP : timestamp, null,
                new byte[] {'m'});
        }
        return builder.build().buffer();
    }

    private MemoryRecordsBuilder builder(boolean transactional, boolean control) {
        boolean legal = isLegal();
        long id = legal ? producerId : 0;
        return new MemoryRecordsBuilder(new ByteBufferOutputStream(ROOM), RecordBatch.MAGIC_VALUE_V2, codec(),
            timestampType(), offset, timestamp, id, legal ? producerEpoch : 0, legal ? sequence : 0, transactional,
            control, leaderEpoch, ROOM, line.number("horizon", RecordBatch.NO_TIMESTAMP));
    }

    private boolean isLegal() {
        return producerId >= 0 && producerEpoch >= 0
            && (sequence >= 0 || Set.of("marker", "control", "barrier").contains(line.operation()));
    }

    private Compression codec() {
        return Compression.of(line.text("codec", "none")).build();
    }

    private TimestampType timestampType() {
        return line.text("time", "create").equals("append") ? TimestampType.LOG_APPEND_TIME
            : TimestampType.CREATE_TIME;
    }

    private ByteBuffer patched(ByteBuffer bytes) {
        bytes.putLong(PRODUCER_ID, producerId).putShort(PRODUCER_EPOCH, producerEpoch);
        bytes.putInt(BASE_SEQUENCE, sequence);
        bytes.putLong(LARGEST_TIMESTAMP, line.number("max", bytes.getLong(LARGEST_TIMESTAMP)));
        bytes.putInt(COUNT, line.integer("stored", bytes.getInt(COUNT)));
        if (line.has("txn")) {
            int bits = bytes.getShort(ATTRIBUTES) & ~0x10 | (line.flag("txn", false) ? 0x10 : 0);
            bytes.putShort(ATTRIBUTES, (short) bits);
        }
        int checksum = (int) Crc32C.compute(bytes, ATTRIBUTES, bytes.limit() - ATTRIBUTES);
        bytes.putInt(CHECKSUM, line.text("crc", "good").equals("bad") ? ~checksum : checksum);
        return bytes;
    }
}

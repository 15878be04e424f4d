package kfsck.oracle.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.utils.internals.Crc32C;
import org.apache.kafka.server.log.remote.metadata.storage.generated.ProducerSnapshot;
import org.apache.kafka.server.log.remote.metadata.storage.generated.ProducerSnapshot.ProducerEntry;
import org.apache.kafka.storage.internals.log.BatchMetadata;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;

/** A snapshot that is being written, perhaps to lie or to be damaged. */
final class SnapshotDraft {
    private static final int CHECKSUM = 2;
    private static final int CHECKED = 6;

    private final ScriptLine line;
    private final long offset;
    private final List<ProducerEntry> entries = new ArrayList<>();

    SnapshotDraft(ScriptLine line, long offset, Collection<ProducerStateEntry> producers) {
        this.line = line;
        this.offset = offset;
        if (line.text("entries", "right").equals("right")) {
            producers.forEach(entry -> entries.add(stored(entry)));
        }
    }

    long offset() {
        return offset;
    }

    private static ProducerEntry stored(ProducerStateEntry entry) {
        BatchMetadata last = new BatchMetadata(-1, -1, 0, -1);
        for (BatchMetadata batch : entry.batchMetadata()) {
            last = batch;
        }
        return new ProducerEntry().setProducerId(entry.producerId()).setEpoch(entry.producerEpoch())
            .setLastSequence(last.lastSeq()).setLastOffset(last.lastOffset()).setOffsetDelta(last.offsetDelta())
            .setTimestamp(entry.lastTimestamp()).setCoordinatorEpoch(entry.coordinatorEpoch())
            .setCurrentTxnFirstOffset(entry.currentTxnFirstOffset().orElse(-1));
    }

    /** One more entry, whether or not there is one of this id. */
    void add(ScriptLine extra) {
        ProducerEntry entry = new ProducerEntry().setProducerId(0).setEpoch((short) 0).setLastSequence(0)
            .setLastOffset(0).setOffsetDelta(0).setTimestamp(BatchBytes.FIRST_TIME).setCoordinatorEpoch(-1)
            .setCurrentTxnFirstOffset(-1);
        entries.add(changed(entry.setProducerId(extra.number("pid", 0)), extra));
    }

    /** Other values in the entries of an id. */
    void alter(ScriptLine change) {
        long producerId = change.number("pid", 0);
        for (ProducerEntry entry : entries) {
            if (entry.producerId() == producerId) {
                changed(entry, change);
            }
        }
        changed(new ProducerEntry(), change);
    }

    private static ProducerEntry changed(ProducerEntry entry, ScriptLine change) {
        return entry.setEpoch(change.shortNumber("epoch", entry.epoch()))
            .setLastSequence(change.integer("last", entry.lastSequence()))
            .setLastOffset(change.number("offset", entry.lastOffset()))
            .setOffsetDelta(change.integer("delta", entry.offsetDelta()))
            .setTimestamp(change.number("ts", entry.timestamp()))
            .setCoordinatorEpoch(change.integer("coord", entry.coordinatorEpoch()))
            .setCurrentTxnFirstOffset(change.number("txn", entry.currentTxnFirstOffset()));
    }

    byte[] bytes() {
        ByteBuffer buffer = MessageUtil.toVersionPrefixedByteBuffer((short) 1,
            new ProducerSnapshot().setProducerEntries(entries));
        int checksum = (int) Crc32C.compute(buffer, CHECKED, buffer.limit() - CHECKED);
        buffer.putInt(CHECKSUM, line.text("crc", "good").equals("bad") ? ~checksum : checksum);
        buffer.putShort(0, line.shortNumber("version", 1));
        byte[] bytes = Arrays.copyOf(buffer.array(), buffer.limit());
        int tail = line.integer("tail", 0);
        byte[] longer = Arrays.copyOf(bytes, bytes.length + tail);
        // What a longer snapshot at the same offset leaves behind.
        Arrays.fill(longer, bytes.length, longer.length, (byte) 1);
        return Arrays.copyOf(longer, Math.max(0, longer.length - line.integer("cut", 0)));
    }
}

package kfsck.oracle.state;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.BatchMetadata;
import org.apache.kafka.storage.internals.log.CompletedTxn;
import org.apache.kafka.storage.internals.log.LogAppendInfo;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.ProducerAppendInfo;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.log.VerificationGuard;

/**
 * One append of some batches: through the log as a broker does, or past the log's checks of records straight to those
 * of producers, where batches can be anything.
 */
final class ChunkAppend {
    private final UnifiedLog log;
    private final AppendOrigin origin;
    private final short transactionVersion;
    private final int leaderEpoch;
    private final VerificationGuard guard;

    ChunkAppend(UnifiedLog log, ScriptLine line, int leaderEpoch, Map<Long, VerificationGuard> guards) {
        this.log = log;
        this.leaderEpoch = leaderEpoch;
        origin = AppendOrigin.valueOf(line.text("origin", "client").toUpperCase(Locale.ROOT));
        transactionVersion = line.shortNumber("tv", -1);
        guard = line.has("guard") ? guards.getOrDefault(line.number("guard", 0), VerificationGuard.SENTINEL)
            : VerificationGuard.SENTINEL;
    }

    /** What the append depends on. Of all producers in it a guard can only be the first one's. */
    void describe(ObjectNode step, MemoryRecords records) {
        long producerId = records.batches().iterator().next().producerId();
        boolean asks = log.producerStateManager().producerStateManagerConfig().transactionVerificationEnabled();
        step.put("origin", origin.name()).put("transactionVersion", transactionVersion)
            .put("leaderEpoch", leaderEpoch)
            .put("isVerified", !asks || log.verificationGuard(producerId).verify(guard));
    }

    void run(ObjectNode step, ByteBuffer bytes, boolean throughLog) {
        if (throughLog) {
            append(step, bytes);
        } else {
            check(step, MemoryRecords.readableRecords(bytes));
        }
    }

    private void append(ObjectNode step, ByteBuffer bytes) {
        long end = log.logEndOffset();
        LogAppendInfo info;
        if (origin == AppendOrigin.REPLICATION) {
            info = log.appendAsFollower(MemoryRecords.readableRecords(bytes), leaderEpoch);
        } else {
            // A leader assigns the offset, in place; a client's request has none.
            ByteBuffer request = ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
            for (MutableRecordBatch batch : MemoryRecords.readableRecords(request).batches()) {
                batch.setLastOffset(batch.lastOffset() - batch.baseOffset());
            }
            info = log.appendAsLeader(MemoryRecords.readableRecords(request), leaderEpoch, origin,
                RequestLocal.noCaching(), guard, transactionVersion);
        }
        step.put("firstOffset", info.firstOffset()).put("lastOffset", info.lastOffset());
        step.put("duplicate", origin == AppendOrigin.CLIENT && log.logEndOffset() == end);
    }

    /** What the log does between its two writes, whose private half is called by its name. */
    private void check(ObjectNode step, MemoryRecords records) {
        ProducerStateManager manager = log.producerStateManager();
        Object result = analyze(records, manager.mapEndOffset());
        Optional<BatchMetadata> duplicate = field(result, "maybeDuplicate");
        step.put("duplicate", duplicate.isPresent());
        duplicate.ifPresent(old -> step.put("firstOffset", old.firstOffset()).put("lastOffset", old.lastOffset()));
        if (duplicate.isPresent()) {
            return;
        }
        Map<Long, ProducerAppendInfo> updated = field(result, "updatedProducers");
        updated.values().forEach(manager::update);
        List<CompletedTxn> completed = field(result, "completedTxns");
        ArrayNode ended = step.putArray("completed");
        for (CompletedTxn txn : completed) {
            ended.addObject().put("producerId", txn.producerId()).put("firstOffset", txn.firstOffset())
                .put("lastOffset", txn.lastOffset()).put("aborted", txn.isAborted())
                .put("lastStableOffset", manager.lastStableOffset(txn));
            manager.completeTxn(txn);
        }
        records.batches().forEach(batch -> manager.updateMapEndOffset(batch.lastOffset() + 1));
    }

    private Object analyze(MemoryRecords records, long offset) {
        try {
            Method method = UnifiedLog.class.getDeclaredMethod("analyzeAndValidateProducerState",
                LogOffsetMetadata.class, MemoryRecords.class, AppendOrigin.class, VerificationGuard.class,
                short.class);
            method.setAccessible(true);
            return method.invoke(log, new LogOffsetMetadata(offset, 0, 0), records, origin, guard,
                transactionVersion);
        } catch (InvocationTargetException thrown) {
            throw (RuntimeException) thrown.getCause();
        } catch (ReflectiveOperationException gone) {
            throw new IllegalStateException(gone);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> T field(Object result, String name) {
        try {
            Method method = result.getClass().getDeclaredMethod(name);
            method.setAccessible(true);
            return (T) method.invoke(result);
        } catch (ReflectiveOperationException gone) {
            throw new IllegalStateException(gone);
        }
    }
}

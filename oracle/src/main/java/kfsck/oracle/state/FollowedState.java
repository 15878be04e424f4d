package kfsck.oracle.state;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AbortedTxn;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.CompletedTxn;
import org.apache.kafka.storage.internals.log.LogFileUtils;
import org.apache.kafka.storage.internals.log.ProducerAppendInfo;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.TransactionIndex;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * What a replica that copied the batches one by one would have beside the log, by the real state manager: the
 * contents of snapshots, transaction indexes and the leader epoch checkpoint before the load. A batch that the
 * manager refuses leaves no trace.
 */
final class FollowedState implements AutoCloseable {
    private final File directory;
    private final ProducerStateManager manager;
    private final TreeMap<Integer, Long> epochs = new TreeMap<>();
    private TransactionIndex index;

    FollowedState(Path partition) throws IOException {
        this.directory = partition.toFile();
        manager = new ProducerStateManager(new TopicPartition("topic", 0), directory, 60_000,
            new ProducerStateManagerConfig(Integer.MAX_VALUE, false), new FixedTime(BatchBytes.FIRST_TIME));
    }

    void beginSegment(long baseOffset) throws IOException {
        close();
        index = new TransactionIndex(baseOffset, LogFileUtils.transactionIndexFile(directory, baseOffset, ""));
    }

    void take(RecordBatch batch) throws IOException {
        if (batch.magic() < RecordBatch.MAGIC_VALUE_V2) {
            epochs.clear();
            return;
        }
        takeEpoch(batch.partitionLeaderEpoch(), batch.baseOffset());
        if (!batch.hasProducerId()) {
            return;
        }
        Map<Long, ProducerAppendInfo> updated = new HashMap<>();
        try {
            Optional<CompletedTxn> completed = UnifiedLog.updateProducers(manager, batch, updated, Optional.empty(),
                AppendOrigin.REPLICATION, (short) 0);
            updated.values().forEach(manager::update);
            if (completed.isPresent()) {
                complete(completed.get());
            }
        } catch (RuntimeException refused) {
            // The load will say what it thinks of this batch.
        }
    }

    private void complete(CompletedTxn txn) throws IOException {
        if (txn.isAborted()) {
            index.append(new AbortedTxn().setProducerId(txn.producerId()).setFirstOffset(txn.firstOffset())
                .setLastOffset(txn.lastOffset()).setLastStableOffset(manager.lastStableOffset(txn)));
        }
        manager.completeTxn(txn);
    }

    /** As an append assigns an epoch: what it contradicts goes. */
    private void takeEpoch(int epoch, long offset) {
        boolean isKnown = !epochs.isEmpty() && epochs.lastKey() == epoch && offset >= epochs.lastEntry().getValue();
        if (epoch < 0 || isKnown) {
            return;
        }
        while (!epochs.isEmpty() && (epochs.lastKey() >= epoch || epochs.lastEntry().getValue() >= offset)) {
            epochs.pollLastEntry();
        }
        epochs.put(epoch, offset);
    }

    Map<Long, ProducerStateEntry> producers() {
        return manager.activeProducers();
    }

    TreeMap<Integer, Long> epochs() {
        return epochs;
    }

    @Override
    public void close() throws IOException {
        if (index != null) {
            index.close();
        }
    }
}

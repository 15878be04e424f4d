package kfsck.oracle.state;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.message.AbortedTxn;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.server.log.remote.metadata.storage.generated.ProducerSnapshot;
import org.apache.kafka.server.log.remote.metadata.storage.generated.ProducerSnapshot.ProducerEntry;
import org.apache.kafka.storage.internals.log.BatchMetadata;
import org.apache.kafka.storage.internals.log.EpochEntry;
import org.apache.kafka.storage.internals.log.LogFileUtils;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.TransactionIndex;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/** What the real objects and files say, as JSON. */
final class StateView {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private StateView() {
    }

    /** Everything of a log in memory. The high watermark is the caller's affair. */
    static ObjectNode log(UnifiedLog log) {
        ObjectNode to = JSON.objectNode();
        to.put("logStartOffset", log.logStartOffset());
        to.put("logEndOffset", log.logEndOffset());
        to.put("firstUnstableOffset", log.firstUnstableOffset().orElse(null));
        to.put("lastStableOffset", log.lastStableOffset());
        to.set("producers", producers(log.producerStateManager()));
        ArrayNode epochs = to.putArray("leaderEpochs");
        for (EpochEntry epoch : log.leaderEpochCache().epochEntries()) {
            epochs.addObject().put("epoch", epoch.epoch()).put("startOffset", epoch.startOffset());
        }
        return to;
    }

    static ArrayNode producers(ProducerStateManager manager) {
        ArrayNode producers = JSON.arrayNode();
        manager.activeProducers().values().stream().sorted(Comparator.comparing(ProducerStateEntry::producerId))
            .forEach(entry -> producers.add(producer(entry)));
        return producers;
    }

    private static ObjectNode producer(ProducerStateEntry entry) {
        ObjectNode view = JSON.objectNode().put("producerId", entry.producerId()).put("epoch", entry.producerEpoch())
            .put("coordinatorEpoch", entry.coordinatorEpoch()).put("lastTimestamp", entry.lastTimestamp());
        view.put("currentTxnFirstOffset", entry.currentTxnFirstOffset().isPresent()
            ? (Long) entry.currentTxnFirstOffset().getAsLong() : null);
        ArrayNode batches = view.putArray("batches");
        for (BatchMetadata batch : entry.batchMetadata()) {
            batches.addObject().put("lastSeq", batch.lastSeq()).put("lastOffset", batch.lastOffset())
                .put("offsetDelta", batch.offsetDelta()).put("timestamp", batch.timestamp());
        }
        return view;
    }

    /** Files by name; of indexes no size, as a running broker has the last one preallocated. */
    static void putFiles(ObjectNode to, Path partition) throws IOException {
        ArrayNode files = to.putArray("files");
        ObjectNode aborted = to.putObject("aborted");
        ObjectNode snapshots = to.putObject("snapshots");
        List<Path> paths;
        try (var list = Files.list(partition)) {
            paths = list.sorted().toList();
        }
        for (Path path : paths) {
            String name = path.getFileName().toString();
            boolean isPreallocated = name.contains(".index") || name.contains(".timeindex");
            files.addObject().put("name", name).put("bytes", isPreallocated ? null : (Long) Files.size(path));
            if (name.endsWith(".txnindex")) {
                aborted.set(name, aborted(path));
            } else if (name.endsWith(".snapshot")) {
                snapshots.set(name, snapshot(path.toFile()));
            }
        }
    }

    private static ArrayNode aborted(Path file) throws IOException {
        ArrayNode entries = JSON.arrayNode();
        try (TransactionIndex index = new TransactionIndex(LogFileUtils.offsetFromFile(file.toFile()), file.toFile())) {
            for (AbortedTxn txn : index.allAbortedTxns()) {
                entries.addObject().put("producerId", txn.producerId()).put("firstOffset", txn.firstOffset())
                    .put("lastOffset", txn.lastOffset()).put("lastStableOffset", txn.lastStableOffset());
            }
        } catch (RuntimeException fault) {
            entries.add(fault.getMessage().replace(file.getParent().toString(), "/CWD"));
        }
        return entries;
    }

    /** The entries as stored, once the real reader has taken the file; else what it says. */
    static ObjectNode snapshot(File file) throws IOException {
        ObjectNode view = JSON.objectNode();
        try {
            ProducerStateManager.readSnapshot(file);
        } catch (RuntimeException refused) {
            return view.put("error", refused.getMessage());
        }
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file.toPath()));
        ArrayNode entries = view.putArray("entries");
        for (ProducerEntry entry : new ProducerSnapshot(new ByteBufferAccessor(bytes), bytes.getShort())
            .producerEntries()) {
            entries.addObject().put("producerId", entry.producerId()).put("epoch", entry.epoch())
                .put("lastSequence", entry.lastSequence()).put("lastOffset", entry.lastOffset())
                .put("offsetDelta", entry.offsetDelta()).put("timestamp", entry.timestamp())
                .put("coordinatorEpoch", entry.coordinatorEpoch())
                .put("currentTxnFirstOffset", entry.currentTxnFirstOffset());
        }
        return view;
    }

    static ObjectNode error(Throwable fault, Path partition) {
        String message = String.valueOf(fault.getMessage()).replace(partition.getParent().toString(), "/CWD");
        return JSON.objectNode().put("class", fault.getClass().getName()).put("message", message);
    }
}

package kfsck.oracle;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;

/** One directory twice: after a clean stop, and after kill -9 in the middle of writing. */
final class CrashScenario {
    private final Path directory;
    private final Dice dice;
    private final int scale;
    private final Path brokerLog;
    private final DescribedProducers described;
    private volatile boolean over;

    CrashScenario(Path directory, Dice dice, int scale, Path brokerLog, DescribedProducers described) {
        this.directory = directory;
        this.dice = dice.named("crash");
        this.scale = scale;
        this.brokerLog = brokerLog;
        this.described = described;
    }

    void run(Path clean, Path unclean) throws Exception {
        Node.format(directory, new Uuid(dice.anyLong() >>> 1, dice.anyLong()).toString(), 2);
        try (Node node = Node.start(directory); Clients clients = new Clients(node.bootstrap())) {
            create(clients);
            write(clients, dice.between(12, 18) * scale, () -> true, null);
            described.ask(clients.admin(), "crash/clean");
        }
        FileCopies.copy(directory, clean);
        crash();
        FileCopies.copy(directory, unclean);
    }

    private void create(Clients clients) throws Exception {
        String[] small = {"internal.segment.bytes=5000", "segment.index.bytes=1200"};
        clients.createTopic("crash-plain", 1, small);
        clients.createTopic("crash.idem", 2, small);
        clients.createTopic("crash_txn", 1, small);
        clients.createTopic("crash-prealloc", 1, "internal.segment.bytes=4096", "segment.index.bytes=1200",
            "preallocate=true");
    }

    private void crash() throws Exception {
        ProcessBuilder builder = JavaProcess.of(NodeProgram.class, directory,
            List.of("-Dorg.slf4j.simpleLogger.logFile=" + brokerLog), directory.toString());
        Process broker = builder.start();
        try {
            var reader = new BufferedReader(new java.io.InputStreamReader(broker.getInputStream(),
                StandardCharsets.UTF_8));
            String bootstrap = reader.readLine();
            if (bootstrap == null) {
                throw new IOException("the broker to be killed did not start, see " + brokerLog);
            }
            try (Clients clients = new Clients(bootstrap)) {
                // A tail of zeros needs a segment made in this boot: only new ones are preallocated.
                Path preallocated = directory.resolve("crash-prealloc-0");
                long segments = logs(preallocated);
                write(clients, dice.between(60, 90) * scale, () -> logs(preallocated) > segments, broker);
            }
        } finally {
            broker.destroyForcibly();
            if (!broker.waitFor(30, TimeUnit.SECONDS)) {
                throw new IOException("the broker does not die");
            }
        }
    }

    /** Four writers at once. With a victim the end is its SIGKILL, while they write; without, they end their work. */
    private void write(Clients clients, int batches, Await.Condition enough, Process victim) throws Exception {
        over = false;
        AtomicInteger left = new AtomicInteger(batches);
        List<Thread> writers = List.of(
            writer(left, clients.plain("none"), "crash-plain", 1),
            writer(left, clients.idempotent("lz4"), "crash.idem", 2),
            writer(left, clients.idempotent("none"), "crash-prealloc", 1),
            transactionWriter(left, clients.transactional("crash." + batches, "none")));
        List<Throwable> faults = new ArrayList<>();
        for (Thread writer : writers) {
            writer.setUncaughtExceptionHandler((thread, fault) -> faults.add(fault));
            writer.start();
        }
        Await.until("the writers to write", () -> left.get() <= 0 && enough.holds() || !faults.isEmpty());
        if (!faults.isEmpty()) {
            throw new IOException("a writer failed", faults.get(0));
        }
        over = true;
        if (victim != null) {
            victim.destroyForcibly();
            writers.forEach(Thread::interrupt);
        }
        for (Thread writer : writers) {
            writer.join();
        }
    }

    private static long logs(Path partition) throws IOException {
        try (var files = Files.list(partition)) {
            return files.filter(file -> file.toString().endsWith(".log")).count();
        }
    }

    private Thread writer(AtomicInteger left, KafkaProducer<byte[], byte[]> producer, String topic, int partitions) {
        Dice own = dice.named(topic + left.get());
        Content content = new Content(own);
        return new Thread(() -> whileWanted(left, () ->
            Clients.sendBatch(producer, topic, own.between(0, partitions - 1), own.between(1, 6), content)));
    }

    private Thread transactionWriter(AtomicInteger left, KafkaProducer<byte[], byte[]> producer) {
        Dice own = dice.named("crash_txn" + left.get());
        Content content = new Content(own);
        return new Thread(() -> whileWanted(left, () -> {
            producer.beginTransaction();
            for (int i = own.between(1, 3); i > 0; i--) {
                Clients.sendBatch(producer, "crash_txn", 0, own.between(1, 4), content);
            }
            if (own.percent(40)) {
                producer.abortTransaction();
            } else {
                producer.commitTransaction();
            }
        }));
    }

    private interface Write {
        void once() throws Exception;
    }

    /** After the end every fault is the kill's doing; before it a fault ends the run. */
    private void whileWanted(AtomicInteger left, Write write) {
        try {
            while (!over) {
                write.once();
                left.decrementAndGet();
            }
        } catch (Exception fault) {
            if (!over) {
                throw new KafkaException(fault);
            }
        }
    }
}

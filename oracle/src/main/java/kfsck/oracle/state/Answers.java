package kfsck.oracle.state;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import kfsck.oracle.FileCopies;

/** Answers cases: builds what a script says, has the real code look at a copy, and writes what it believes. */
final class Answers {
    private Answers() {
    }

    /** Kafka's log says much of what is asked for here; the answers say it better. To be called before all else. */
    static void silenceLog() {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
    }

    /** Every case in turn, several at a time; a case whose script is wrong ends all. */
    static void all(List<Callable<Void>> cases) throws Exception {
        ExecutorService workers = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            for (Future<Void> done : workers.invokeAll(cases)) {
                done.get();
            }
        } catch (ExecutionException failed) {
            throw new IllegalStateException("a case could not be answered", failed.getCause());
        } finally {
            workers.shutdownNow();
        }
    }

    /** The directory holds `script.txt`; the rest is written beside it, anew. */
    static void one(Path directory) throws IOException {
        Script script = Script.read(directory.resolve("script.txt"));
        Path work = Files.createTempDirectory(scratch(), "kfsck-oracle");
        try {
            ObjectNode answer;
            if (script.isOfAppends()) {
                answer = AppendRun.answer(script, work.resolve("topic-0"));
                if (script.isKept()) {
                    FileCopies.delete(directory.resolve("topic-0"));
                    copy(work.resolve("topic-0"), directory);
                }
            } else {
                Path partition = directory.resolve("topic-0");
                FileCopies.delete(partition);
                LoadSettings settings = PartitionBuilder.build(script, partition);
                answer = RealLoad.answer(copy(partition, work), settings);
            }
            AnswerFile.write(directory.resolve("answer.json"), answer);
        } catch (RuntimeException fault) {
            throw new IllegalStateException("in " + directory, fault);
        } finally {
            FileCopies.delete(work);
        }
    }

    /** Memory where there is a file system of it: a load waits for the disk several times. */
    static Path scratch() {
        Path memory = Path.of("/dev/shm");
        return Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
    }

    private static Path copy(Path partition, Path work) throws IOException {
        Path copy = Files.createDirectory(work.resolve("topic-0"));
        try (var files = Files.list(partition)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }
}

package kfsck.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Takes the tool's answers on a scratch copy: it creates and touches files beside those it reads. */
final class Goldens {
    private Goldens() {
    }

    static void make(Path corpus, Path list, Path out) throws Exception {
        Files.createDirectories(out);
        Path scratch = Files.createTempDirectory("kfsck-scratch").toRealPath();
        try {
            Path copy = scratch.resolve("corpus");
            FileCopies.copy(corpus.toAbsolutePath(), copy);
            SparseIndexes.restore(copy);
            Process worker = JavaProcess.of(DumpWorker.class, copy,
                List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=off"), list.toAbsolutePath().toString(),
                out.toAbsolutePath().toString()).redirectOutput(ProcessBuilder.Redirect.INHERIT).start();
            int status;
            try {
                status = worker.waitFor();
            } finally {
                worker.destroyForcibly();
            }
            if (status != 0) {
                throw new IOException("the dump worker ended with " + status);
            }
        } finally {
            FileCopies.delete(scratch);
        }
    }
}

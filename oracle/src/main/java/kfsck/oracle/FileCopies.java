package kfsck.oracle;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Copies of trees that keep modes, times and the holes of Kafka's ten-megabyte indexes. */
public final class FileCopies {
    private FileCopies() {
    }

    public static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.toAbsolutePath().getParent());
        Process process = new ProcessBuilder("cp", "-a", "--sparse=always", from.toString(), to.toString())
            .inheritIO().start();
        try {
            if (process.waitFor() != 0) {
                throw new IOException("copying " + from + " to " + to + " failed");
            }
        } catch (InterruptedException interrupted) {
            throw new InterruptedIOException("copying " + from);
        }
    }

    public static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        List<Path> paths;
        try (var walk = Files.walk(tree)) {
            paths = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.delete(path);
        }
    }
}

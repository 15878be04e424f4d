package kfsck.oracle;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Kafka preallocates ten-megabyte indexes, nearly all hole. A corpus holds them as rows of sparse.tsv:
 * path, size, and the leading bytes up to the last that is not zero, as hex.
 */
final class SparseIndexes {
    private static final String TABLE = "sparse.tsv";
    private static final long BIG = 1 << 20;

    private SparseIndexes() {
    }

    static void strip(Path corpus) throws IOException {
        List<String> rows = new ArrayList<>();
        List<Path> files;
        try (var walk = Files.walk(corpus)) {
            files = walk.filter(Files::isRegularFile).filter(file -> file.toString().endsWith("index"))
                .sorted().toList();
        }
        for (Path file : files) {
            if (Files.size(file) >= BIG) {
                String hex = leadingHex(Files.readAllBytes(file));
                rows.add(corpus.relativize(file) + "\t" + Files.size(file) + "\t" + hex);
                Files.delete(file);
            }
        }
        Files.write(corpus.resolve(TABLE), rows);
    }

    private static String leadingHex(byte[] content) {
        int end = content.length;
        while (end > 0 && content[end - 1] == 0) {
            end--;
        }
        return HexFormat.of().formatHex(Arrays.copyOf(content, end));
    }

    static void restore(Path corpus) throws IOException {
        if (!Files.exists(corpus.resolve(TABLE))) {
            return;
        }
        for (String row : Files.readAllLines(corpus.resolve(TABLE))) {
            String[] columns = row.split("\t", -1);
            try (RandomAccessFile file = new RandomAccessFile(corpus.resolve(columns[0]).toFile(), "rw")) {
                file.write(HexFormat.of().parseHex(columns[2]));
                file.setLength(Long.parseLong(columns[1]));
            }
        }
    }
}

package kfsck.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One run of the dump tool: a row of LIST.tsv. A path with commas is several files in one run. */
record GoldenLine(String mode, String paths, String flags) {
    static List<GoldenLine> read(Path list) throws IOException {
        List<GoldenLine> lines = new ArrayList<>();
        for (String row : Files.readAllLines(list)) {
            if (row.isEmpty() || row.startsWith("mode\t")) {
                continue;
            }
            String[] columns = row.split("\t", -1);
            if (columns.length < 3) {
                throw new IOException(list + ": a row needs mode, path and flags: " + row);
            }
            lines.add(new GoldenLine(columns[0], columns[1], columns[2]));
        }
        return lines;
    }

    String row() {
        return mode + "\t" + paths + "\t" + flags;
    }

    List<String> files() {
        return List.of(paths.split(","));
    }

    /** The output's name without its ending. */
    String name() {
        if (files().size() == 1) {
            return paths + "." + mode;
        }
        return Path.of(files().get(0)).resolveSibling("ALL").toString() + "." + mode;
    }

    List<String> arguments() {
        List<String> arguments = new ArrayList<>(List.of("--files", paths));
        if (!flags.isEmpty()) {
            arguments.addAll(List.of(flags.split(" ")));
        }
        return arguments;
    }
}

package kfsck.oracle.state;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The lines of a case, without comments and empty ones. The first says what kind of case it is. */
record Script(List<ScriptLine> lines) {
    static Script read(Path file) throws IOException {
        return new Script(Files.readAllLines(file).stream().filter(line -> !line.isBlank() && !line.startsWith("#"))
            .map(ScriptLine::new).toList());
    }

    /** A case of appends begins with `log`, any other is a directory to load. */
    boolean isOfAppends() {
        return !lines.isEmpty() && lines.get(0).operation().equals("log");
    }

    /** Whether what such a case leaves in the directory is kept: its first line says how the log ends. */
    boolean isKept() {
        return isOfAppends() && lines.get(0).has("end");
    }
}

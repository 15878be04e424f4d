package kfsck.oracle;

import java.nio.file.Path;
import java.util.List;

/** The verb dump: the real tool's answers for a list of questions. */
public final class DumpProgram {
    private DumpProgram() {
    }

    public static void main(String[] arguments) {
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--list", "--out", "--corpus"), List.of());
            Goldens.make(Path.of(options.or("--corpus", ".")), Path.of(options.required("--list")),
                Path.of(options.required("--out")));
        });
    }
}

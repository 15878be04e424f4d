package kfsck.oracle;

import java.nio.file.Path;
import java.util.List;

/** The verb bench-segments. */
public final class BenchSegmentsProgram {
    private BenchSegmentsProgram() {
    }

    public static void main(String[] arguments) {
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--out", "--bytes", "--seed"), List.of());
            new BenchSegments(Path.of(options.required("--out")), Long.parseLong(options.or("--bytes", "268435456")),
                new Dice(Long.parseLong(options.or("--seed", "1")))).write();
        });
    }
}

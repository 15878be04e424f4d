package kfsck.oracle;

import java.nio.file.Path;
import java.util.List;

/** The verb bench-producers. */
public final class BenchProducersProgram {
    private BenchProducersProgram() {
    }

    public static void main(String[] arguments) {
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--out", "--seed"), List.of());
            new BenchProducers(Path.of(options.required("--out")),
                new Dice(Long.parseLong(options.or("--seed", "1")))).write();
        });
    }
}

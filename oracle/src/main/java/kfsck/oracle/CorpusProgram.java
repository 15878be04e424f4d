package kfsck.oracle;

import java.nio.file.Path;

/** The verb corpus. */
public final class CorpusProgram {
    private CorpusProgram() {
    }

    public static void main(String[] arguments) throws Exception {
        Path out = Path.of(arguments[0]);
        new MainScenario(out.resolve("main"), new Dice(Long.parseLong(arguments[1])), 1).run();
        System.exit(0);
    }
}

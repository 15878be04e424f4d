package kfsck.oracle.state;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import kfsck.oracle.Dice;
import kfsck.oracle.Options;
import kfsck.oracle.Program;

/** The verbs state-cases, append-cases and written-cases: random scripts with what the real code believes of each. */
public final class StateCasesProgram {
    private StateCasesProgram() {
    }

    public static void main(String[] arguments) {
        Answers.silenceLog();
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--seed", "--count", "--out"), List.of("--appends",
                "--written"));
            Dice dice = new Dice(Long.parseLong(options.required("--seed")));
            Function<Dice, String> generator = options.has("--written") ? own -> new WrittenDice(own).script()
                : options.has("--appends") ? own -> new AppendDice(own).script() : own -> new LogDice(own).script();
            write(dice, Integer.parseInt(options.required("--count")), Path.of(options.required("--out")), generator);
        });
    }

    /** Each case has a stream of its own, so that a case stays the same whatever the count. */
    private static void write(Dice dice, int count, Path out, Function<Dice, String> generator) throws Exception {
        List<Callable<Void>> cases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = String.format("%05d", i);
            cases.add(() -> {
                answer(out.resolve(name), generator.apply(dice.named(name)));
                return null;
            });
        }
        Answers.all(cases);
    }

    private static void answer(Path directory, String script) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("script.txt"), script);
        Answers.one(directory);
    }
}

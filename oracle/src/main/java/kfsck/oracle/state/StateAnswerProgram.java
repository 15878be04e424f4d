package kfsck.oracle.state;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import kfsck.oracle.Options;
import kfsck.oracle.Program;

/** The verb state-answer: every `NAME/script.txt` below a directory, built and answered below another. */
public final class StateAnswerProgram {
    private StateAnswerProgram() {
    }

    public static void main(String[] arguments) {
        Answers.silenceLog();
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--in", "--out"), List.of("--keep-going"));
            Path out = Path.of(options.required("--out"));
            List<Path> directories;
            try (var list = Files.list(Path.of(options.required("--in")))) {
                directories = list.filter(path -> Files.exists(path.resolve("script.txt"))).sorted().toList();
            }
            List<Callable<Void>> cases = new ArrayList<>();
            for (Path directory : directories) {
                cases.add(() -> {
                    Path target = Files.createDirectories(out.resolve(directory.getFileName()));
                    Path script = target.resolve("script.txt");
                    if (!Files.exists(script) || !Files.isSameFile(script, directory.resolve("script.txt"))) {
                        Files.writeString(script, Files.readString(directory.resolve("script.txt")));
                    }
                    answer(target, options.has("--keep-going"));
                    return null;
                });
            }
            Answers.all(cases);
        });
    }

    /** A script that lost lines may have no meaning: then there is no answer. */
    private static void answer(Path directory, boolean keepGoing) throws IOException {
        try {
            Answers.one(directory);
        } catch (IllegalStateException wrong) {
            if (!keepGoing) {
                throw wrong;
            }
        }
    }
}

package kfsck.oracle.state;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import kfsck.oracle.FileCopies;
import kfsck.oracle.Options;
import kfsck.oracle.Program;

/** The verb start-answer: what a real broker makes of log directories when it starts. */
public final class StartAnswerProgram {
    private StartAnswerProgram() {
    }

    public static void main(String[] arguments) {
        LoaderWords words = LoaderWords.listen();
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--in", "--now"), List.of());
            long now = Long.parseLong(options.required("--now"));
            List<Path> directories;
            try (var list = Files.list(Path.of(options.required("--in")))) {
                directories = list.filter(path -> Files.isDirectory(path.resolve("logs"))).sorted().toList();
            }
            Path work = Files.createTempDirectory(Answers.scratch(), "kfsck-oracle").toRealPath();
            try {
                List<Callable<Void>> cases = new ArrayList<>();
                for (Path directory : directories) {
                    cases.add(() -> {
                        Path copy = work.resolve(directory.getFileName());
                        copy(directory.resolve("logs"), copy);
                        ObjectNode answer = RealStart.answer(copy, now, words);
                        AnswerFile.write(directory.resolve("answer.json"), answer);
                        FileCopies.delete(copy);
                        return null;
                    });
                }
                Answers.all(cases);
            } finally {
                FileCopies.delete(work);
            }
        });
    }

    /** Zeros at the end of a file become a hole again. */
    private static void copy(Path from, Path to) throws IOException {
        List<Path> paths;
        try (var walk = Files.walk(from)) {
            paths = walk.sorted().toList();
        }
        for (Path path : paths) {
            Path target = to.resolve(from.relativize(path).toString());
            if (Files.isDirectory(path)) {
                Files.createDirectories(target);
                continue;
            }
            byte[] bytes = Files.readAllBytes(path);
            int used = bytes.length;
            while (used > 0 && bytes[used - 1] == 0) {
                used--;
            }
            try (var file = new RandomAccessFile(target.toFile(), "rw")) {
                file.write(bytes, 0, used);
                file.setLength(bytes.length);
            }
        }
    }
}

package kfsck.oracle.state;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import kfsck.oracle.FileCopies;
import kfsck.oracle.Options;
import kfsck.oracle.Program;

/** The verb load-logs: what the real load makes of whole log directories, after a clean stop and after another. */
public final class LoadLogsProgram {
    private LoadLogsProgram() {
    }

    public static void main(String[] arguments) {
        Answers.silenceLog();
        Program.run(() -> {
            Options options = new Options(arguments, List.of("--list", "--out"), List.of());
            Path work = Files.createTempDirectory(Answers.scratch(), "kfsck-oracle");
            var answers = new ConcurrentLinkedQueue<String>();
            try {
                List<Callable<Void>> loads = new ArrayList<>();
                List<LogDirectory> directories = new ArrayList<>();
                for (String row : Files.readAllLines(Path.of(options.required("--list")))) {
                    String[] cells = row.split("\t");
                    if (cells.length != 2) {
                        throw new Program.Usage("not TIME<TAB>LOG DIRECTORY: " + row);
                    }
                    directories.add(LogDirectory.read(Path.of(cells[1]), Long.parseLong(cells[0])));
                }
                for (LogDirectory directory : directories) {
                    Path place = work.resolve(Integer.toString(loads.size()));
                    loads.add(() -> {
                        for (ObjectNode answer : directory.answers(Files.createDirectory(place))) {
                            answers.add(answer.toString());
                        }
                        FileCopies.delete(place);
                        return null;
                    });
                }
                Answers.all(loads);
                for (LogDirectory directory : directories) {
                    for (ObjectNode answer : directory.dumps()) {
                        answers.add(answer.toString());
                    }
                }
            } finally {
                FileCopies.delete(work);
            }
            Files.write(Path.of(options.required("--out")), answers);
        });
    }
}

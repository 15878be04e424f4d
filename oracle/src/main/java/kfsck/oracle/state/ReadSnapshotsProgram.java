package kfsck.oracle.state;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import kfsck.oracle.Program;

/** The verb read-snapshots: what the real reader makes of every `.snapshot` below a directory, a line each. */
public final class ReadSnapshotsProgram {
    private ReadSnapshotsProgram() {
    }

    public static void main(String[] arguments) {
        Answers.silenceLog();
        Program.run(() -> {
            if (arguments.length != 1) {
                throw new Program.Usage("one directory is wanted");
            }
            Path root = Path.of(arguments[0]);
            List<Path> snapshots;
            try (var walk = Files.walk(root)) {
                snapshots = walk.filter(path -> path.toString().endsWith(".snapshot")).sorted().toList();
            }
            for (Path snapshot : snapshots) {
                var line = StateView.snapshot(snapshot.toFile());
                System.out.println(line.put("path", root.relativize(snapshot).toString()));
            }
        });
    }
}

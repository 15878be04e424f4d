package kfsck.oracle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a list through the dump tool. Its working directory has to be the scratch corpus, for relative paths. */
public final class DumpWorker {
    private DumpWorker() {
    }

    public static void main(String[] arguments) throws IOException {
        Path out = Path.of(arguments[1]);
        List<String> rows = new ArrayList<>();
        for (GoldenLine line : GoldenLine.read(Path.of(arguments[0]))) {
            DumpTool.Answer answer = DumpTool.run(line.arguments());
            save(out.resolve(line.name() + ".out"), answer.out());
            if (answer.err().length > 0) {
                save(out.resolve(line.name() + ".err"), withoutOwnPath(answer.err()));
            }
            rows.add(line.row() + "\t" + answer.status());
        }
        Files.write(out.resolve("LIST.tsv"), rows);
    }

    private static void save(Path file, byte[] content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, content);
    }

    /** Byte by byte text, so that what is not UTF-8 stays as it is. */
    private static byte[] withoutOwnPath(byte[] err) {
        String text = new String(err, StandardCharsets.ISO_8859_1);
        String own = new String(System.getProperty("user.dir").getBytes(StandardCharsets.UTF_8),
            StandardCharsets.ISO_8859_1);
        return text.replace(own, "/CWD").getBytes(StandardCharsets.ISO_8859_1);
    }
}

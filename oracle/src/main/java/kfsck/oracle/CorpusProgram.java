package kfsck.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The verb corpus: logs by a real broker and by Kafka's classes, then the real tool's answers about them. */
public final class CorpusProgram {
    private final Path out;
    private final Path work;
    private final Dice dice;
    private final int scale;
    private final boolean withDecoders;

    private CorpusProgram(Options options) {
        this.out = Path.of(options.required("--out")).toAbsolutePath();
        this.work = out.resolveSibling(out.getFileName() + ".work");
        this.dice = new Dice(Long.parseLong(options.required("--seed")));
        this.scale = switch (options.or("--size", "small")) {
            case "small" -> 1;
            case "full" -> 6;
            default -> throw new Program.Usage("--size is small or full");
        };
        this.withDecoders = options.has("--with-decoders");
    }

    public static void main(String[] arguments) {
        Program.run(() -> new CorpusProgram(new Options(arguments, List.of("--seed", "--out", "--size"),
            List.of("--with-decoders"))).run());
    }

    /** All is made beside its place and moved there at the end: a half corpus must not look like one. */
    private void run() throws Exception {
        if (Files.exists(out) || Files.exists(work)) {
            throw new IOException(out + " or " + work + " is already there");
        }
        Path corpus = work.resolve("corpus");
        Files.createDirectories(corpus);
        Path brokerLog = work.resolve("broker.log");
        System.setProperty("org.slf4j.simpleLogger.logFile", brokerLog.toString());
        write(corpus, brokerLog);
        askTool(corpus);
        SparseIndexes.strip(corpus);
        KindsCheck.run(corpus);
        Files.move(corpus, out);
        FileCopies.delete(work);
    }

    private void write(Path corpus, Path brokerLog) throws Exception {
        DescribedProducers described = new DescribedProducers();
        say("main: three boots");
        new MainScenario(corpus.resolve("main"), dice.named("main"), scale, described).run();
        say("crash: a clean stop, then kill -9");
        new CrashScenario(work.resolve("crash"), dice, scale, brokerLog, described)
            .run(corpus.resolve("crash/clean"), corpus.resolve("crash/unclean"));
        described.write(corpus.resolve("producers.tsv"));
        say("legacy and control: Kafka's record classes");
        new LegacyLogs(corpus.resolve("legacy"), dice).write();
        new ControlLogs(corpus.resolve("control"), dice).write();
        new EdgeBatches(corpus.resolve("control"), dice).write();
    }

    private void askTool(Path corpus) throws Exception {
        List<GoldenLine> lines = new GoldenList(corpus, dice, withDecoders).choose();
        say("goldens: " + lines.size() + " runs of the real tool");
        List<String> rows = new ArrayList<>();
        lines.forEach(line -> rows.add(line.row()));
        Path list = work.resolve("LIST.tsv");
        Files.write(list, rows);
        Path goldens = work.resolve("golden");
        Goldens.make(corpus, list, goldens);
        Files.move(goldens, corpus.resolve("golden"));
    }

    private static void say(String what) {
        System.err.println("oracle: " + what);
    }
}

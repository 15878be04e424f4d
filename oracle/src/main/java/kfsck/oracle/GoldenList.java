package kfsck.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Chooses which questions the real tool is asked about a corpus. */
final class GoldenList {
    private static final String DECODER_PACKAGE = "org.apache.kafka.tools.api.";
    private static final Map<String, String> TOPIC_DECODERS = Map.of(
        "__consumer_offsets", "--offsets-decoder",
        "__transaction_state", "--transaction-log-decoder",
        "__cluster_metadata", "--cluster-metadata-decoder",
        "__share_group_state", "--share-group-state-decoder");

    /** Topics that ours decodes too. */
    private static final List<String> OURS = List.of("__cluster_metadata", "__consumer_offsets",
        "__transaction_state", "__share_group_state");

    private final Path corpus;
    private final Dice dice;
    private final boolean withDecoders;
    private final List<GoldenLine> lines = new ArrayList<>();

    GoldenList(Path corpus, Dice dice, boolean withDecoders) {
        this.corpus = corpus;
        this.dice = dice.named("goldens");
        this.withDecoders = withDecoders;
    }

    List<GoldenLine> choose() throws IOException {
        Map<String, List<String>> directories = new TreeMap<>();
        for (String path : paths()) {
            ask(path);
            if (suffix(path).matches("log|index|timeindex|snapshot|txnindex")) {
                directories.computeIfAbsent(path.substring(0, path.lastIndexOf('/')), any -> new ArrayList<>())
                    .add(path);
            }
        }
        directories.forEach(this::askTogether);
        return lines;
    }

    private List<String> paths() throws IOException {
        try (var walk = Files.walk(corpus)) {
            return walk.filter(Files::isRegularFile).map(file -> corpus.relativize(file).toString()).sorted().toList();
        }
    }

    private void ask(String path) throws IOException {
        switch (suffix(path)) {
            case "log" -> askLog(path);
            case "checkpoint" -> askRecords(path);
            case "index", "timeindex" -> {
                add("shallow", path, "");
                add("verify", path, "--verify-index-only");
                add("sanity", path, "--index-sanity-check");
            }
            case "snapshot", "txnindex" -> add("shallow", path, "");
            case "deleted" -> add("ignored", path, "");
            default -> {
                // Checkpoint files without a dot: the tool can do nothing with them.
            }
        }
    }

    private void askRecords(String path) {
        add("shallow", path, "");
        add("deep", path, "--deep-iteration");
        add("print", path, "--print-data-log");
        TOPIC_DECODERS.forEach((topic, flag) -> {
            boolean known = withDecoders || OURS.contains(topic);
            if (known && path.contains("/" + topic + "-")) {
                add("decode", path, flag);
            }
        });
    }

    private void askLog(String path) throws IOException {
        askRecords(path);
        askDecoderClasses(path);
        if (dice.percent(20)) {
            add("skipmeta1", path, "--print-data-log --skip-record-metadata");
        }
        if (dice.percent(5)) {
            add("skipmeta2", path, "--deep-iteration --skip-record-metadata");
        }
        int size = (int) Files.size(corpus.resolve(path));
        if (size > 0 && dice.percent(20)) {
            List<Integer> limits = List.of(0, 11, 12, 17, 61, 62, dice.between(1, size), dice.between(1, size),
                size - 1, size, size + 1);
            for (int i = 1; i <= 3; i++) {
                String more = dice.percent(30) ? " --deep-iteration" : "";
                add("maxbytes" + i, path, "--max-bytes " + dice.pick(limits) + more);
            }
        }
    }

    private void askDecoderClasses(String path) {
        Map<String, String> decoders = new LinkedHashMap<>();
        decoders.put("numbers.int-", "IntegerDecoder");
        decoders.put("numbers.long-", "LongDecoder");
        decoders.put("numbers.double-", "DoubleDecoder");
        decoders.forEach((topic, decoder) -> {
            if (path.contains("/" + topic)) {
                String key = "--key-decoder-class " + DECODER_PACKAGE + decoder;
                String value = "--value-decoder-class " + DECODER_PACKAGE + decoder;
                add("decoder1", path, key + " " + value);
                add("decoder2", path, key);
                add("decoder3", path, value + " --skip-record-metadata");
            }
        });
        // Bytes of another size make the tool fail.
        if (path.contains("/numbers.int-")) {
            add("decoder4", path, "--value-decoder-class " + DECODER_PACKAGE + "LongDecoder");
        }
    }

    /** Every file of some partitions in one run, as people do it; order and errors then matter too. */
    private void askTogether(String directory, List<String> files) {
        if (files.size() < 3 || dice.percent(60)) {
            return;
        }
        String all = String.join(",", files);
        add("multi1", all, "");
        add("multi2", all, "--deep-iteration");
        if (dice.percent(50)) {
            add("multi3", all, "--verify-index-only");
        }
    }

    private void add(String mode, String path, String flags) {
        lines.add(new GoldenLine(mode, path, flags));
    }

    private static String suffix(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        return name.substring(name.lastIndexOf('.') + 1);
    }
}

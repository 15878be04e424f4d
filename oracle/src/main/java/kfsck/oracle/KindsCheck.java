package kfsck.oracle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Looks for every kind a corpus has to hold, as the goldens show it: dice and timing must not lose one. */
final class KindsCheck {
    /** In the file name (a regular expression), in the output (another). */
    private record Kind(String name, String content) {
    }

    private static final List<Kind> KINDS = List.of(
        new Kind("main/codec-gzip.*shallow", "compresscodec: gzip"),
        new Kind("main/codec-snappy.*shallow", "compresscodec: snappy"),
        new Kind("main/codec-lz4.*shallow", "compresscodec: lz4"),
        new Kind("main/codec-zstd.*shallow", "compresscodec: zstd"),
        new Kind("main/lat-0.*shallow", "LogAppendTime: "),
        new Kind("main/plain.*print", "headerKeys: \\[[^\\]]"),
        new Kind("main/plain.*print", "\uFFFD"),
        new Kind("main/txn-v1.*deep", "endTxnMarker: ABORT"),
        new Kind("main/txn-v2.*deep", "endTxnMarker: ABORT"),
        new Kind("main/txn-v2.*deep", "endTxnMarker: COMMIT"),
        new Kind("main/txn.*txnindex", "version: 0 producerId: "),
        new Kind("main/txn-open.*snapshot", "currentTxnFirstOffset: OptionalLong\\["),
        new Kind("main/compact-horizon.*shallow", "deleteHorizonMs: OptionalLong\\["),
        new Kind("main/compact-horizon.*shallow", "count: 0 "),
        new Kind("main/compact-horizon.*multi|compact.*deep\\.err", "is followed by"),
        new Kind("main/epochs_of-leaders.*shallow", "partitionLeaderEpoch: 2 "),
        new Kind("main/idem.*timeindex.*shallow", "timestamp: \\d+ offset: "),
        new Kind("main/trimmed\\.kept.*deleted\\.ignored\\.err", "Ignoring unknown file"),
        new Kind("main/expired_all-0/0*[1-9]\\d*\\.log\\.shallow", "Log starting offset: [1-9]\\d*\n$"),
        new Kind("main/.*-delete/.*shallow", "baseOffset"),
        new Kind("main/.*-stray/.*shallow", "baseOffset"),
        new Kind("main/__cluster_metadata.*deep", "KRaftVoters "),
        new Kind("main/__cluster_metadata.*deep", "LeaderChange: "),
        new Kind("main/__cluster_metadata.*checkpoint.*deep", "SnapshotFooter "),
        new Kind("main/__consumer_offsets.*shallow", "baseOffset"),
        new Kind("main/__transaction_state.*shallow", "baseOffset"),
        new Kind("main/__share_group_state.*shallow", "baseOffset"),
        new Kind("main/numbers.double.*decoder1", "key: NaN "),
        new Kind("main/numbers.double.*decoder1", "key: -0.0 "),
        new Kind("main/numbers.double.*decoder1", "payload: -Infinity"),
        new Kind("crash/clean/.*shallow", "baseOffset"),
        new Kind("crash/unclean/crash-prealloc.*shallow.err", "Found record size 0 smaller"),
        new Kind("control/cut-tail.*shallow", "Found \\d+ invalid bytes at the end"),
        new Kind("legacy/.*shallow", "magic: 0 "),
        new Kind("legacy/.*shallow", "magic: 1 "),
        new Kind("legacy/magic1-lat.*shallow", "LogAppendTime: "),
        new Kind("legacy/magic1-lat.*shallow", "LogAppendTime: .*compresscodec: gzip"),
        new Kind("legacy/.*deep", "isValid: true"),
        new Kind("legacy/.*deep", "keySize: -1 "),
        new Kind("legacy/.*deep", "valueSize: -1 "),
        new Kind("control/unknown-types.*deep", "controlType: UNKNOWN\\(337\\)"),
        new Kind("control/unknown-types.*deep", "controlType: UNKNOWN\\(7\\)"),
        new Kind("control/bootstrap.*shallow", "KRaft bootstrap snapshot"),
        new Kind("control/edge-batches.*shallow", "lastSequence: [0-7] "));

    private static final List<String> FILES = List.of("main/.kafka_cleanshutdown", "main/meta.properties",
        "main/cleaner-offset-checkpoint", "main/log-start-offset-checkpoint", "main/recovery-point-offset-checkpoint",
        "main/replication-offset-checkpoint", "crash/clean/.kafka_cleanshutdown", "golden/LIST.tsv", "sparse.tsv");

    private KindsCheck() {
    }

    static void run(Path corpus) throws IOException {
        Path goldens = corpus.resolve("golden");
        List<Path> files;
        try (var walk = Files.walk(goldens)) {
            files = walk.filter(Files::isRegularFile).toList();
        }
        List<String> missing = new ArrayList<>();
        for (Kind kind : KINDS) {
            if (!shown(kind, goldens, files)) {
                missing.add(kind.toString());
            }
        }
        FILES.stream().filter(file -> !Files.exists(corpus.resolve(file))).forEach(missing::add);
        if (Files.exists(corpus.resolve("crash/unclean/.kafka_cleanshutdown"))) {
            missing.add("an unclean stop in crash/unclean");
        }
        if (!missing.isEmpty()) {
            throw new IOException("the corpus lacks: " + String.join("; ", missing));
        }
    }

    private static boolean shown(Kind kind, Path goldens, List<Path> files) throws IOException {
        Pattern name = Pattern.compile(kind.name);
        Pattern content = Pattern.compile(kind.content);
        for (Path file : files) {
            if (name.matcher(goldens.relativize(file).toString()).find()
                && content.matcher(Files.readString(file, StandardCharsets.UTF_8)).find()) {
                return true;
            }
        }
        return false;
    }
}

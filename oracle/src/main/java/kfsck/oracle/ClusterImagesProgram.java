package kfsck.oracle;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * The verb cluster-images: what the real metadata image says of clusters, of random metadata logs and of those of a
 * corpus, at their ends and at offsets inside.
 */
public final class ClusterImagesProgram {
    private static final List<String> PLACES = List.of("main", "crash/clean", "crash/unclean");

    private final Path out;
    private final Path corpus;
    private final Dice dice;
    private final int count;

    private ClusterImagesProgram(Options options) {
        out = Path.of(options.required("--out"));
        corpus = Path.of(options.required("--corpus"));
        dice = new Dice(Long.parseLong(options.required("--seed")));
        count = Integer.parseInt(options.required("--count"));
    }

    public static void main(String[] arguments) {
        Program.run(() -> new ClusterImagesProgram(
            new Options(arguments, List.of("--seed", "--out", "--corpus", "--count"), List.of())).run());
    }

    private void run() throws Exception {
        Files.createDirectories(out);
        for (String place : PLACES) {
            answer(corpus.resolve(place).resolve("__cluster_metadata-0"), out.resolve(place.replace('/', '-') + ".jsonl"));
        }
        for (int number = 0; number < count; number++) {
            Path partition = out.resolve("random-" + number).resolve("__cluster_metadata-0");
            write(partition, new ClusterDice(dice.named("cluster" + number)), dice.between(20, 300));
            answer(partition, out.resolve("random-" + number + ".jsonl"));
        }
    }

    /** A log of so many records, in segments and batches of any size. */
    private void write(Path partition, ClusterDice clusters, int records) throws IOException {
        long offset = 0;
        int epoch = 1;
        while (offset < records) {
            try (SegmentFile segment = new SegmentFile(partition, offset)) {
                for (int batch = dice.between(1, 20); batch > 0 && offset < records; batch--) {
                    List<SimpleRecord> drawn = new ArrayList<>();
                    for (int left = dice.between(1, 12); left > 0; left--) {
                        drawn.add(new SimpleRecord(dice.longBetween(0, 2_000_000_000_000L), null, MessageLogsProgram.bytes(clusters.draw())));
                    }
                    segment.append(MemoryRecords.withRecords(offset, Compression.NONE, epoch, drawn.toArray(SimpleRecord[]::new)));
                    offset = segment.nextOffset();
                    epoch += dice.percent(10) ? 1 : 0;
                }
            }
        }
    }

    /** Null for a control record. */
    private static ApiMessageAndVersion message(RecordBatch batch, Record record) {
        return batch.isControlBatch() ? null
            : MetadataRecordSerde.INSTANCE.read(new ByteBufferAccessor(record.value()), record.valueSize());
    }

    /** The image at the end, and at some offsets in front of it, each with the offset that was asked for. */
    private void answer(Path partition, Path file) throws IOException {
        List<Path> logs;
        try (Stream<Path> files = Files.list(partition)) {
            logs = files.filter(path -> path.toString().endsWith(".log")).sorted().toList();
        }
        ImageReplay replay = new ImageReplay();
        Path bootstrap = partition.resolve("00000000000000000000-0000000000.checkpoint");
        if (Files.exists(bootstrap)) {
            try (FileRecords records = FileRecords.open(bootstrap.toFile(), false)) {
                for (RecordBatch batch : records.batches()) {
                    for (Record record : batch) {
                        replay.begin(message(batch, record));
                    }
                }
            }
        }
        try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(file))) {
            for (Path log : logs) {
                try (FileRecords records = FileRecords.open(log.toFile(), false)) {
                    for (RecordBatch batch : records.batches()) {
                        for (Record record : batch) {
                            if (dice.percent(2)) {
                                lines.println(replay.json(record.offset()));
                            }
                            replay.apply(message(batch, record), record.offset(), batch.partitionLeaderEpoch());
                        }
                    }
                }
            }
            lines.println(replay.json(null));
        }
    }
}

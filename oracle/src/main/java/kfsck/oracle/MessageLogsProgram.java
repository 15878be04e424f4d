package kfsck.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.coordinator.group.generated.GroupMetadataValue;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.serialization.BytesApiMessageSerde;
import org.apache.kafka.server.log.remote.metadata.storage.generated.RemoteLogSegmentMetadataRecord;
import org.apache.kafka.server.log.remote.metadata.storage.generated.RemoteLogSegmentMetadataSnapshotRecord;
import org.apache.kafka.server.log.remote.metadata.storage.generated.RemoteLogSegmentMetadataUpdateRecord;
import org.apache.kafka.server.log.remote.metadata.storage.generated.RemotePartitionDeleteMetadataRecord;

/**
 * The verb message-logs: random records of Kafka's own topics, every type in every version, some of them damaged, in
 * segments, with what the real dump tool says of them.
 */
public final class MessageLogsProgram {
    private static final String METADATA = "org.apache.kafka.common.metadata";
    private static final String REMOTE_LOG = "org.apache.kafka.server.log.remote.metadata.storage.generated";
    private static final String FLAG = "--cluster-metadata-decoder";
    private static final List<Coordinator> COORDINATORS = List.of(
        new Coordinator("__consumer_offsets-0", "group-coordinator", "org.apache.kafka.coordinator.group.generated",
            "--offsets-decoder"),
        new Coordinator("__transaction_state-0", "transaction-coordinator",
            "org.apache.kafka.coordinator.transaction.generated", "--transaction-log-decoder"),
        new Coordinator("__share_group_state-0", "share-coordinator", "org.apache.kafka.coordinator.share.generated",
            "--share-group-state-decoder"));

    /** A coordinator's topic: its partition, the jar and package of its schemas, the tool's flag. */
    private record Coordinator(String folder, String jar, String place, String flag) {
    }

    private final Path out;
    private final Dice dice;
    private final int rounds;
    private final List<String> rows = new ArrayList<>();

    private MessageLogsProgram(Options options) {
        out = Path.of(options.required("--out"));
        dice = new Dice(Long.parseLong(options.required("--seed")));
        rounds = Integer.parseInt(options.or("--rounds", "20"));
    }

    public static void main(String[] arguments) {
        Program.run(() -> new MessageLogsProgram(
            new Options(arguments, List.of("--seed", "--out", "--rounds"), List.of())).run());
    }

    private void run() throws Exception {
        Files.createDirectories(out);
        writeMetadata();
        for (Coordinator coordinator : COORDINATORS) {
            writeCoordinator(coordinator);
        }
        writeRemoteLog();
        Path list = Files.createTempFile("kfsck", ".tsv");
        Files.write(list, rows);
        Goldens.make(out, list, out.resolve("golden"));
        Files.delete(list);
    }

    private void writeMetadata() throws Exception {
        String folder = "__cluster_metadata-0";
        try (SegmentFile segment = new SegmentFile(out.resolve(folder), 0)) {
            for (List<SimpleRecord> batch : batches(metadata())) {
                segment.append(records(segment.nextOffset(), batch));
            }
        }
        Path log = out.resolve(folder).resolve("00000000000000000000.log");
        ask(folder + "/" + log.getFileName(), "decode", FLAG);
        ask(folder + "/" + log.getFileName(), "contents", FLAG + " --skip-record-metadata");
        // A snapshot has the same batches in a file of another name.
        Path snapshot = log.resolveSibling("00000000000000000009-0000000003.checkpoint");
        try (FileChannel file = FileChannel.open(snapshot, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            long offset = 0;
            for (List<SimpleRecord> batch : batches(metadata())) {
                records(offset, batch).writeFullyTo(file);
                offset += batch.size();
            }
        }
        ask(folder + "/" + snapshot.getFileName(), "decode", FLAG);
    }

    private void writeRemoteLog() throws Exception {
        String folder = "__remote_log_metadata-0";
        try (SegmentFile segment = new SegmentFile(out.resolve(folder), 0)) {
            for (List<SimpleRecord> batch : batches(remoteLog())) {
                segment.append(records(segment.nextOffset(), batch));
            }
        }
        String path = folder + "/00000000000000000000.log";
        ask(path, "decode", "--remote-log-metadata-decoder");
        ask(path, "contents", "--remote-log-metadata-decoder --skip-record-metadata");
    }

    /** Every type often; most of them such that Kafka's objects take what they say. */
    private List<SimpleRecord> remoteLog() throws Exception {
        MessageDice values = new MessageDice(dice.named("remote"));
        BytesApiMessageSerde serde = new BytesApiMessageSerde() {
            @Override
            public ApiMessage apiMessageFor(short apiKey) {
                throw new UnsupportedOperationException("only written here");
            }
        };
        List<SimpleRecord> records = new ArrayList<>();
        for (int round = 0; round < 10 * rounds; round++) {
            for (JsonNode schema : SchemasProgram.schemas("storage")) {
                if (!schema.get("type").asText().equals("metadata")) {
                    continue;
                }
                ApiMessage message = values.draw(REMOTE_LOG, schema, (short) 0);
                if (dice.percent(85)) {
                    makeTrue(message);
                }
                byte[] value = serde.serialize(new ApiMessageAndVersion(message, (short) 0));
                byte[] key = dice.percent(3) ? dice.bytes(3) : null;
                records.add(record(key, dice.percent(12) ? damaged(value, true) : value));
            }
        }
        records.add(record(null, null));
        return records;
    }

    /** A state that there is, and a segment that ends behind its beginning. */
    private void makeTrue(ApiMessage message) {
        byte state = (byte) dice.between(0, 3);
        long start = dice.longBetween(0, 1L << 40);
        long end = start + dice.between(0, 1000);
        if (message instanceof RemoteLogSegmentMetadataRecord segment) {
            segment.setRemoteLogSegmentState(state).setStartOffset(start).setEndOffset(end);
        } else if (message instanceof RemoteLogSegmentMetadataSnapshotRecord segment) {
            segment.setRemoteLogSegmentState(state);
        } else if (message instanceof RemoteLogSegmentMetadataUpdateRecord update) {
            update.setRemoteLogSegmentState(state);
        } else if (message instanceof RemotePartitionDeleteMetadataRecord delete) {
            delete.setRemotePartitionDeleteState((byte) Math.min(state, 2));
        }
    }

    private void writeCoordinator(Coordinator coordinator) throws Exception {
        try (SegmentFile segment = new SegmentFile(out.resolve(coordinator.folder), 0)) {
            for (List<SimpleRecord> batch : batches(records(coordinator))) {
                segment.append(records(segment.nextOffset(), batch));
            }
        }
        String path = coordinator.folder + "/00000000000000000000.log";
        ask(path, "decode", coordinator.flag);
        ask(path, "contents", coordinator.flag + " --skip-record-metadata");
    }

    /** Every type in every version of its value, as often as there are rounds or more. */
    private List<SimpleRecord> records(Coordinator coordinator) throws Exception {
        MessageDice values = new MessageDice(dice.named(coordinator.folder));
        List<JsonNode> schemas = SchemasProgram.schemas(coordinator.jar);
        List<SimpleRecord> records = new ArrayList<>();
        // Topics with few types have each more often, so that some are damaged in each.
        int times = rounds * Math.max(1, 40 / schemas.size());
        for (int round = 0; round < times; round++) {
            for (JsonNode schema : schemas) {
                if (!schema.get("type").asText().equals("coordinator-value")) {
                    continue;
                }
                JsonNode ofKey = schemas.stream().filter(key -> key.get("type").asText().equals("coordinator-key")
                    && key.get("apiKey").equals(schema.get("apiKey"))).findFirst().orElseThrow();
                int[] versions = SchemaTable.versions(schema.get("validVersions").asText());
                for (short version = (short) versions[0]; version <= versions[1]; version++) {
                    byte[] key = MessageUtil.toCoordinatorTypePrefixedBytes(values.draw(coordinator.place, ofKey, (short) 0));
                    ApiMessage value = values.draw(coordinator.place, schema, version);
                    if (value instanceof GroupMetadataValue group && dice.percent(60)) {
                        speakAsConsumers(group, values);
                    }
                    byte[] bytes = dice.percent(8) ? null : MessageUtil.toVersionPrefixedBytes(version, value);
                    records.add(record(dice.percent(6) ? damagedKey(key) : key,
                        bytes != null && dice.percent(12) ? damaged(bytes, true) : bytes));
                }
            }
        }
        return records;
    }

    /** What members of a classic group say and are told, as consumers do, most of it whole. */
    private void speakAsConsumers(GroupMetadataValue group, MessageDice values) throws Exception {
        group.setProtocolType("consumer");
        for (GroupMetadataValue.MemberMetadata member : group.members()) {
            member.setSubscription(protocol("ConsumerProtocolSubscription", values));
            member.setAssignment(protocol("ConsumerProtocolAssignment", values));
        }
    }

    private byte[] protocol(String name, MessageDice values) throws Exception {
        JsonNode schema = SchemasProgram.schemas("clients").stream()
            .filter(one -> one.get("name").asText().equals(name)).findFirst().orElseThrow();
        short version = (short) dice.between(0, 3);
        byte[] bytes = MessageUtil.toVersionPrefixedBytes(version, values.draw("org.apache.kafka.common.message", schema, version));
        if (dice.percent(10)) {
            // A version that is not there yet, or that never was.
            bytes[0] = (byte) (int) dice.pick(List.of(0, 0, -1));
            bytes[1] = (byte) dice.between(0, 7);
        }
        byte[] damaged = dice.percent(15) ? damaged(bytes, true) : bytes;
        return damaged == null ? new byte[0] : damaged;
    }

    /** Never null: at such a key the tool dies. */
    private byte[] damagedKey(byte[] key) {
        if (dice.percent(30)) {
            key[0] = (byte) (int) dice.pick(List.of(0, 0, 0, -1, 127));
            key[1] = (byte) dice.between(0, 40);
            return key;
        }
        byte[] damaged = damaged(key, true);
        return damaged == null ? new byte[] {0} : damaged;
    }

    private void ask(String path, String mode, String flags) {
        rows.add(mode + "\t" + path + "\t" + flags);
    }

    /** Every type in every version as often as there are rounds. */
    private List<SimpleRecord> metadata() throws Exception {
        MessageDice values = new MessageDice(dice.named("metadata" + rows.size()));
        List<SimpleRecord> records = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            for (JsonNode schema : SchemasProgram.schemas("metadata")) {
                int[] versions = SchemaTable.versions(schema.get("validVersions").asText());
                for (short version = (short) versions[0]; version <= versions[1]; version++) {
                    byte[] value = bytes(new ApiMessageAndVersion(values.draw(METADATA, schema, version), version));
                    // A flipped bit may make a double that Java 17 prints with a digit too many.
                    boolean flips = !schema.get("name").asText().equals("ClientQuotaRecord");
                    byte[] key = dice.percent(3) ? dice.bytes(3) : null;
                    records.add(record(key, dice.percent(12) ? damaged(value, flips) : value));
                }
            }
        }
        records.add(record(null, null));
        return records;
    }

    static byte[] bytes(ApiMessageAndVersion message) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer buffer = ByteBuffer.allocate(MetadataRecordSerde.INSTANCE.recordSize(message, cache));
        MetadataRecordSerde.INSTANCE.write(message, cache, new ByteBufferAccessor(buffer));
        return buffer.array();
    }

    private byte[] damaged(byte[] value, boolean flips) {
        switch (dice.between(0, flips ? 5 : 2)) {
            case 0:
                return Arrays.copyOf(value, dice.between(0, value.length));
            case 1:
                return Arrays.copyOf(value, value.length + dice.between(1, 3));
            case 2:
                return null;
            case 3:
                // A number in front.
                value[dice.between(0, Math.min(2, value.length - 1))] = (byte) dice.between(0, 40);
                return value;
            default:
                value[dice.between(0, value.length - 1)] ^= (byte) (1 << dice.between(0, 7));
                return value;
        }
    }

    private SimpleRecord record(byte[] key, byte[] value) {
        return new SimpleRecord(dice.longBetween(0, 2_000_000_000_000L), key, value);
    }

    private List<List<SimpleRecord>> batches(List<SimpleRecord> records) {
        List<List<SimpleRecord>> batches = new ArrayList<>();
        for (int at = 0; at < records.size();) {
            int end = Math.min(records.size(), at + dice.between(1, 30));
            batches.add(records.subList(at, end));
            at = end;
        }
        return batches;
    }

    private MemoryRecords records(long offset, List<SimpleRecord> records) throws IOException {
        CompressionType codec = dice.percent(70) ? CompressionType.NONE : dice.pick(List.of(CompressionType.values()));
        return MemoryRecords.withRecords(offset, Compression.of(codec).build(), dice.between(0, 9),
            records.toArray(SimpleRecord[]::new));
    }
}

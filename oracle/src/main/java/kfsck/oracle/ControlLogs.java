package kfsck.oracle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.KRaftVersion;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.snapshot.FileRawSnapshotWriter;
import org.apache.kafka.snapshot.RecordsSnapshotWriter;

/** Every kind of control record, also those no broker of today writes, and a bootstrap.checkpoint. */
final class ControlLogs {
    private final Path directory;
    private final Dice dice;
    private final Content times;

    ControlLogs(Path directory, Dice dice) {
        this.directory = directory;
        this.dice = dice.named("control");
        this.times = new Content(this.dice);
    }

    void write() throws IOException {
        writeMarkers();
        writeKraft();
        writeUnknown();
        writeBootstrap();
    }

    private void writeMarkers() throws IOException {
        try (SegmentFile segment = new SegmentFile(directory.resolve("end-markers-0"), dice.between(0, 500))) {
            for (int i = dice.between(6, 10); i > 0; i--) {
                ControlRecordType type = dice.percent(50) ? ControlRecordType.ABORT : ControlRecordType.COMMIT;
                int coordinatorEpoch = dice.pick(List.of(0, 1, -1, dice.between(2, 99), Integer.MAX_VALUE));
                segment.append(MemoryRecords.withEndTransactionMarker(segment.nextOffset(), times.timestamp(),
                    dice.between(-1, 9), dice.longBetween(0, 5_000), (short) dice.between(0, 32_767),
                    new EndTransactionMarker(type, coordinatorEpoch)));
            }
        }
    }

    private void writeKraft() throws IOException {
        try (SegmentFile segment = new SegmentFile(directory.resolve("kraft-control-0"), 0)) {
            for (int i = dice.between(2, 4); i > 0; i--) {
                writeLeaderChange(segment, (short) 0);
                segment.append(control(segment.nextOffset(), RecordBatch.NO_PRODUCER_ID, everyKraftRecord()));
            }
        }
        // Apart, because the tool of 4.4.0 reads every version as 0 and dies on this one.
        try (SegmentFile segment = new SegmentFile(directory.resolve("leader-change-v1-0"), 0)) {
            writeLeaderChange(segment, (short) 0);
            writeLeaderChange(segment, (short) 1);
        }
    }

    private void writeLeaderChange(SegmentFile segment, short version) throws IOException {
        segment.append(control(segment.nextOffset(), RecordBatch.NO_PRODUCER_ID,
            List.of(record(ControlRecordType.LEADER_CHANGE.recordKey(), leaderChange(version)))));
    }

    private List<SimpleRecord> everyKraftRecord() {
        var header = new SnapshotHeaderRecord().setVersion((short) 0).setLastContainedLogTimestamp(times.timestamp());
        var kraftVersion = new KRaftVersionRecord().setVersion((short) 0).setKRaftVersion((short) dice.between(0, 1));
        var footer = new SnapshotFooterRecord().setVersion((short) 0);
        return List.of(
            record(ControlRecordType.SNAPSHOT_HEADER.recordKey(), version0(header)),
            record(ControlRecordType.KRAFT_VERSION.recordKey(), version0(kraftVersion)),
            record(ControlRecordType.KRAFT_VOTERS.recordKey(), voters()),
            record(ControlRecordType.SNAPSHOT_FOOTER.recordKey(), version0(footer)));
    }

    private static ByteBuffer version0(Message message) {
        return MessageUtil.toByteBufferAccessor(message, (short) 0).buffer();
    }

    private ByteBuffer leaderChange(short version) {
        List<LeaderChangeMessage.Voter> voters = new ArrayList<>();
        for (int id = 1; id <= dice.between(1, 5); id++) {
            var voter = new LeaderChangeMessage.Voter().setVoterId(id);
            voters.add(version == 0 ? voter : voter.setVoterDirectoryId(directoryId()));
        }
        var message = new LeaderChangeMessage().setVersion(version).setLeaderId(dice.between(1, 5))
            .setVoters(voters).setGrantingVoters(voters.subList(0, dice.between(0, voters.size())));
        return MessageUtil.toByteBufferAccessor(message, version).buffer();
    }

    private ByteBuffer voters() {
        List<VotersRecord.Voter> voters = new ArrayList<>();
        for (int id = dice.between(0, 4); id > 0; id--) {
            var endpoints = new VotersRecord.EndpointCollection();
            for (String name : List.of("CONTROLLER", "größe\"\n").subList(0, dice.between(1, 2))) {
                endpoints.add(new VotersRecord.Endpoint().setName(name).setHost("host-" + id + ".example")
                    .setPort(dice.between(0, 65_535)));
            }
            voters.add(new VotersRecord.Voter().setVoterId(id).setVoterDirectoryId(directoryId())
                .setEndpoints(endpoints).setKRaftVersionFeature(new VotersRecord.KRaftVersionFeature()
                    .setMinSupportedVersion((short) 0).setMaxSupportedVersion((short) dice.between(0, 2))));
        }
        return version0(new VotersRecord().setVersion((short) 0).setVoters(voters));
    }

    /** Type 7 is what a mirroring design wants to add; 337 is nobody's; both beside a producer id and without. */
    private void writeUnknown() throws IOException {
        try (SegmentFile segment = new SegmentFile(directory.resolve("unknown-types-0"), dice.between(0, 500))) {
            for (int type : new int[] {7, 337, -1, Short.MAX_VALUE, 7}) {
                long producerId = dice.percent(50) ? RecordBatch.NO_PRODUCER_ID : dice.between(0, 5_000);
                ByteBuffer value = ByteBuffer.wrap(dice.bytes(dice.between(2, 20)));
                segment.append(control(segment.nextOffset(), producerId, List.of(record(key(0, type, 0), value))));
            }
            // A later key version with more bytes reads as version 0.
            segment.append(control(segment.nextOffset(), dice.between(0, 5_000), List.of(
                record(key(3, 337, 5), null), record(key(1, 7, 2), ByteBuffer.allocate(0)))));
        }
    }

    private static ByteBuffer key(int version, int type, int more) {
        ByteBuffer key = ByteBuffer.allocate(4 + more);
        key.putShort(0, (short) version);
        key.putShort(2, (short) type);
        return key;
    }

    private SimpleRecord record(ByteBuffer key, ByteBuffer value) {
        return new SimpleRecord(times.timestamp(), key, value);
    }

    private MemoryRecords control(long offset, long producerId, List<SimpleRecord> records)
        throws IOException {
        short epoch = producerId == RecordBatch.NO_PRODUCER_ID ? RecordBatch.NO_PRODUCER_EPOCH
            : (short) dice.between(0, 9);
        try (var builder = new MemoryRecordsBuilder(new ByteBufferOutputStream(2048), RecordBatch.MAGIC_VALUE_V2,
            Compression.NONE, TimestampType.CREATE_TIME, offset, RecordBatch.NO_TIMESTAMP, producerId, epoch,
            RecordBatch.NO_SEQUENCE, false, true, dice.between(0, 9), 2048)) {
            long next = offset;
            for (SimpleRecord record : records) {
                // Unchecked, as the checked way refuses types it does not know.
                builder.appendUncheckedWithOffset(next++, record);
            }
            return builder.build();
        }
    }

    /** Kafka's snapshot writer, then the name older storage tools gave the file. */
    private void writeBootstrap() throws IOException {
        Path partition = directory.resolve("bootstrap-0");
        Files.createDirectories(partition);
        OffsetAndEpoch id = new OffsetAndEpoch(0, 0);
        try (RecordsSnapshotWriter<ApiMessageAndVersion> writer = new RecordsSnapshotWriter.Builder()
            .setLastContainedLogTimestamp(times.timestamp()).setKraftVersion(KRaftVersion.KRAFT_VERSION_0)
            .setVoterSet(Optional.empty()).setRawSnapshotWriter(FileRawSnapshotWriter.create(partition, id))
            .build(MetadataRecordSerde.INSTANCE)) {
            for (String feature : List.of("metadata.version", "group.version").subList(0, dice.between(1, 2))) {
                var record = new FeatureLevelRecord().setName(feature).setFeatureLevel((short) dice.between(1, 30));
                writer.append(List.of(new ApiMessageAndVersion(record, (short) 0)));
            }
            writer.freeze();
        }
        Files.move(partition.resolve("00000000000000000000-0000000000.checkpoint"),
            partition.resolve("bootstrap.checkpoint"));
    }

    private Uuid directoryId() {
        return new Uuid(dice.anyLong(), dice.anyLong());
    }
}

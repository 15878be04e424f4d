package kfsck.oracle;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.coordinator.group.generated.GroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.GroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;

/** What a busy partition of __consumer_offsets holds: commits of some hundred groups, and their rebalances. */
final class BenchOffsets {
    private static final int GROUPS = 400;
    private static final int TOPICS = 60;
    private static final int PARTITIONS = 12;

    private final Dice dice;

    BenchOffsets(Dice dice) {
        this.dice = dice;
    }

    /** A request of one group: its offsets of the partitions of a topic, or what a rebalance left of it. */
    List<SimpleRecord> batch(long timestamp) {
        int group = dice.between(0, GROUPS - 1);
        if (dice.percent(3)) {
            return List.of(metadata(group, timestamp));
        }
        int topic = (group + dice.between(0, 2)) % TOPICS;
        List<SimpleRecord> records = new ArrayList<>();
        for (int partition = dice.between(0, PARTITIONS - 1); partition < PARTITIONS; partition++) {
            records.add(commit(group, topic, partition, timestamp));
        }
        return records;
    }

    private SimpleRecord commit(int group, int topic, int partition, long timestamp) {
        OffsetCommitKey key = new OffsetCommitKey().setGroup(name(group)).setTopic(topic(topic)).setPartition(partition);
        OffsetCommitValue value = new OffsetCommitValue().setOffset(timestamp / 7 + partition)
            .setLeaderEpoch(dice.percent(50) ? dice.between(0, 40) : -1)
            .setMetadata(dice.percent(90) ? "" : "checkpoint-" + dice.between(0, 9_999)).setCommitTimestamp(timestamp);
        return new SimpleRecord(timestamp, MessageUtil.toCoordinatorTypePrefixedBytes(key),
            dice.percent(1) ? null : MessageUtil.toVersionPrefixedBytes((short) 3, value));
    }

    private SimpleRecord metadata(int group, long timestamp) {
        List<GroupMetadataValue.MemberMetadata> members = new ArrayList<>();
        for (int member = dice.between(1, 6); member > 0; member--) {
            List<TopicPartition> partitions = IntStream.range(0, member)
                .mapToObj(partition -> new TopicPartition(topic(group % TOPICS), partition)).toList();
            members.add(new GroupMetadataValue.MemberMetadata()
                .setMemberId("consumer-" + name(group) + "-" + new Uuid(group, member))
                .setClientId("consumer-" + member).setClientHost("/10.0." + group % 200 + "." + member)
                .setSessionTimeout(45_000).setRebalanceTimeout(300_000)
                .setSubscription(bytes(ConsumerProtocol.serializeSubscription(
                    new Subscription(List.of(topic(group % TOPICS), topic((group + 1) % TOPICS))))))
                .setAssignment(bytes(ConsumerProtocol.serializeAssignment(new Assignment(partitions)))));
        }
        GroupMetadataValue value = new GroupMetadataValue().setProtocolType("consumer").setProtocol("range")
            .setGeneration(dice.between(1, 500)).setLeader(members.get(0).memberId())
            .setCurrentStateTimestamp(timestamp).setMembers(members);
        return new SimpleRecord(timestamp,
            MessageUtil.toCoordinatorTypePrefixedBytes(new GroupMetadataKey().setGroup(name(group))),
            MessageUtil.toVersionPrefixedBytes((short) 3, value));
    }

    private static byte[] bytes(ByteBuffer buffer) {
        return Utils.toArray(buffer);
    }

    private static String name(int group) {
        return "service-" + group + ".workers";
    }

    private static String topic(int topic) {
        return "domain-" + topic % 7 + ".events." + topic;
    }
}

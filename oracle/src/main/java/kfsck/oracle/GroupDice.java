package kfsck.oracle;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMemberMetadataKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMemberMetadataValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataValue;
import org.apache.kafka.coordinator.group.generated.GroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.GroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.LegacyOffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.LegacyOffsetCommitValue;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;
import org.apache.kafka.coordinator.group.generated.ShareGroupCurrentMemberAssignmentKey;
import org.apache.kafka.coordinator.group.generated.ShareGroupMemberMetadataKey;
import org.apache.kafka.coordinator.group.generated.ShareGroupMemberMetadataValue;
import org.apache.kafka.coordinator.group.generated.ShareGroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.ShareGroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.ShareGroupTargetAssignmentMetadataKey;

/** Random records of __consumer_offsets: commits of any kind, and of groups what the real replay does not refuse. */
final class GroupDice {
    private static final List<String> TEXTS = List.of("", "note", "größe \ud83d\ude00", "a\"b\\c\n");

    /** Of a group with a coordinator: its members, and those whose assignment was taken away, as it must be before they are. */
    private static final class Known {
        private final TreeSet<String> members = new TreeSet<>();
        private final TreeSet<String> leaving = new TreeSet<>();
        /** The target assignment was taken away, as it must be before the group is. */
        private boolean isCleared;
        /** The real replay refuses what takes away a group of another protocol, as a commit makes one. */
        private boolean exists;
    }

    private final Dice dice;
    private final Map<String, Known> known = new HashMap<>();

    GroupDice(Dice dice) {
        this.dice = dice;
    }

    private String group(String kind) {
        return kind + "-" + dice.between(0, 2);
    }

    /** A commit, or what takes one away. */
    SimpleRecord commit() {
        String group = group(dice.pick(List.of("simple", "classic", "consumer")));
        String topic = "topic-" + dice.between(0, 1);
        int partition = dice.between(0, 1);
        boolean isGone = dice.percent(15);
        if (dice.percent(10)) {
            LegacyOffsetCommitValue value = new LegacyOffsetCommitValue().setOffset(offset()).setMetadata(dice.pick(TEXTS))
                .setCommitTimestamp(offset());
            return record(new LegacyOffsetCommitKey().setGroup(group).setTopic(topic).setPartition(partition),
                isGone ? null : value, 0);
        }
        int version = dice.between(0, 4);
        OffsetCommitValue value = new OffsetCommitValue().setOffset(offset()).setMetadata(dice.pick(TEXTS))
            .setCommitTimestamp(offset());
        if (version == 1) {
            value.setExpireTimestamp(dice.pick(List.of(-1L, -2L, 0L, 1_700_000_000_000L)));
        }
        if (version >= 3) {
            value.setLeaderEpoch(dice.pick(List.of(-1, -2, 0, 7, Integer.MAX_VALUE)));
        }
        if (version == 4) {
            value.setTopicId(dice.percent(30) ? Uuid.ZERO_UUID : new Uuid(dice.anyLong(), dice.anyLong()));
        }
        return record(new OffsetCommitKey().setGroup(group).setTopic(topic).setPartition(partition),
            isGone ? null : value, version);
    }

    private long offset() {
        return dice.percent(90) ? dice.longBetween(0, 2_000_000_000_000L) : dice.pick(List.of(0L, -1L, Long.MAX_VALUE));
    }

    /** A record of a group itself, or of a type that nobody knows. */
    SimpleRecord ofGroup() {
        if (dice.percent(5)) {
            byte[] key = ByteBuffer.allocate(6).putShort((short) dice.between(60, 90)).putInt(7).array();
            return new SimpleRecord(0, key, dice.bytes(4));
        }
        return switch (dice.between(0, 2)) {
            case 0 -> classic();
            case 1 -> consumer();
            default -> share();
        };
    }

    private SimpleRecord classic() {
        GroupMetadataKey key = new GroupMetadataKey().setGroup(group("classic"));
        if (dice.percent(30)) {
            return record(key, null, 0);
        }
        List<GroupMetadataValue.MemberMetadata> members = new ArrayList<>();
        for (int number = dice.between(0, 2); number > 0; number--) {
            members.add(new GroupMetadataValue.MemberMetadata().setMemberId("m" + number).setClientId("c").setClientHost("h")
                .setSessionTimeout(10).setSubscription(dice.bytes(3)).setAssignment(dice.bytes(3)));
        }
        boolean isEmpty = members.isEmpty();
        GroupMetadataValue value = new GroupMetadataValue().setMembers(members).setGeneration(dice.between(0, 9))
            .setProtocolType(isEmpty ? dice.pick(List.of("", "consumer")) : "connect")
            .setProtocol(isEmpty ? null : "range").setLeader(isEmpty ? null : members.get(0).memberId());
        return record(key, value, dice.between(0, 4));
    }

    /** In any order in which compaction may leave them. */
    private SimpleRecord consumer() {
        String group = group("consumer");
        Known of = known.computeIfAbsent(group, name -> new Known());
        String member = "m" + dice.between(0, 2);
        int kind = dice.between(0, of.exists ? 6 : 4);
        of.exists = true;
        switch (kind) {
            case 0:
                of.members.add(member);
                return record(new ConsumerGroupMemberMetadataKey().setGroupId(group).setMemberId(member),
                    new ConsumerGroupMemberMetadataValue().setClientId("c").setClientHost("h")
                        .setSubscribedTopicNames(List.of("topic-0")).setRebalanceTimeoutMs(5), 0);
            case 1:
                return record(new ConsumerGroupMetadataKey().setGroupId(group),
                    new ConsumerGroupMetadataValue().setEpoch(dice.between(0, 3)), 0);
            case 2:
                of.isCleared = false;
                return record(new ConsumerGroupTargetAssignmentMetadataKey().setGroupId(group),
                    new ConsumerGroupTargetAssignmentMetadataValue().setAssignmentEpoch(dice.between(0, 3)), 0);
            case 3:
            case 4:
                of.members.add(member);
                of.leaving.remove(member);
                return record(new ConsumerGroupCurrentMemberAssignmentKey().setGroupId(group).setMemberId(member),
                    new ConsumerGroupCurrentMemberAssignmentValue().setMemberEpoch(dice.between(0, 3))
                        .setState((byte) dice.pick(List.of(0, 0, 0, 1, 2)).intValue()), 0);
            case 5:
                if (of.members.contains(member)) {
                    of.leaving.add(member);
                }
                return record(new ConsumerGroupCurrentMemberAssignmentKey().setGroupId(group).setMemberId(member), null, 0);
            default:
                return left(group, of);
        }
    }

    /** What goes, in the order in which a coordinator takes it away. */
    private SimpleRecord left(String group, Known of) {
        for (String member : of.members) {
            if (of.leaving.add(member)) {
                return record(new ConsumerGroupCurrentMemberAssignmentKey().setGroupId(group).setMemberId(member), null, 0);
            }
            of.members.remove(member);
            of.leaving.remove(member);
            return record(new ConsumerGroupMemberMetadataKey().setGroupId(group).setMemberId(member), null, 0);
        }
        if (!of.isCleared) {
            of.isCleared = true;
            return record(new ConsumerGroupTargetAssignmentMetadataKey().setGroupId(group), null, 0);
        }
        of.exists = false;
        of.isCleared = false;
        return record(new ConsumerGroupMetadataKey().setGroupId(group), null, 0);
    }

    private SimpleRecord share() {
        String group = group("share");
        Known of = known.computeIfAbsent(group, name -> new Known());
        if (dice.percent(40) || !of.exists) {
            of.exists = true;
            return record(new ShareGroupMetadataKey().setGroupId(group), new ShareGroupMetadataValue().setEpoch(1), 0);
        }
        if (dice.percent(60)) {
            String member = "m" + dice.between(0, 1);
            of.members.add(member);
            return record(new ShareGroupMemberMetadataKey().setGroupId(group).setMemberId(member),
                new ShareGroupMemberMetadataValue().setClientId("c").setClientHost("h")
                    .setSubscribedTopicNames(List.of("topic-1")), 0);
        }
        for (String member : of.members) {
            if (of.leaving.add(member)) {
                return record(new ShareGroupCurrentMemberAssignmentKey().setGroupId(group).setMemberId(member), null, 0);
            }
            of.members.remove(member);
            of.leaving.remove(member);
            return record(new ShareGroupMemberMetadataKey().setGroupId(group).setMemberId(member), null, 0);
        }
        if (!of.isCleared) {
            of.isCleared = true;
            return record(new ShareGroupTargetAssignmentMetadataKey().setGroupId(group), null, 0);
        }
        of.exists = false;
        of.isCleared = false;
        return record(new ShareGroupMetadataKey().setGroupId(group), null, 0);
    }

    private SimpleRecord record(ApiMessage key, ApiMessage value, int version) {
        return new SimpleRecord(dice.longBetween(0, 2_000_000_000_000L), MessageUtil.toCoordinatorTypePrefixedBytes(key),
            value == null ? null : MessageUtil.toVersionPrefixedBytes((short) version, value));
    }
}

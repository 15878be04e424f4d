package kfsck.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.AbortTransactionRecord;
import org.apache.kafka.common.metadata.BeginTransactionRecord;
import org.apache.kafka.common.metadata.BrokerRegistrationChangeRecord;
import org.apache.kafka.common.metadata.ClearElrRecord;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.EndTransactionRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.FenceBrokerRecord;
import org.apache.kafka.common.metadata.NoOpRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.ProducerIdsRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metadata.UnfenceBrokerRecord;
import org.apache.kafka.common.metadata.UnregisterBrokerRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/** Random records of metadata, each one that a controller may write behind those before it. */
final class ClusterDice {
    /** What a controller knows, as far as the next record must agree with it. */
    private static final class Known {
        private final Map<Uuid, List<Integer>> topics = new TreeMap<>();
        private final Map<Uuid, String> names = new TreeMap<>();
        private final Map<Integer, Long> brokers = new TreeMap<>();

        private Known copy() {
            Known copy = new Known();
            topics.forEach((id, partitions) -> copy.topics.put(id, new ArrayList<>(partitions)));
            copy.names.putAll(names);
            copy.brokers.putAll(brokers);
            return copy;
        }
    }

    private final Dice dice;
    private Known known = new Known();
    private Known before;
    private long nextProducerId;
    private long nextBrokerEpoch = 1;

    ClusterDice(Dice dice) {
        this.dice = dice;
    }

    ApiMessageAndVersion draw() {
        ApiMessage message = message();
        // Registrations have more fields in later versions; of all else the newest will do.
        short version = message instanceof RegisterBrokerRecord ? (short) dice.between(3, 4)
            : message instanceof BrokerRegistrationChangeRecord ? (short) dice.between(2, 3)
            : message.highestSupportedVersion();
        return new ApiMessageAndVersion(message, version);
    }

    private ApiMessage message() {
        int kind = dice.between(0, 99);
        if (before != null && kind < 20) {
            boolean aborts = dice.percent(50);
            known = aborts ? before : known;
            before = null;
            return aborts ? new AbortTransactionRecord().setReason(dice.percent(50) ? null : "why") : new EndTransactionRecord();
        }
        if (before == null && kind < 4) {
            before = known.copy();
            return new BeginTransactionRecord().setName(dice.percent(50) ? null : "name");
        }
        if (kind < 30 || known.topics.isEmpty()) {
            return kind % 2 == 0 || known.brokers.isEmpty() ? ofCluster(kind) : ofBroker();
        }
        Uuid topic = dice.pick(List.copyOf(known.topics.keySet()));
        List<Integer> partitions = known.topics.get(topic);
        if (kind < 34) {
            known.topics.remove(topic);
            known.names.remove(topic);
            return new RemoveTopicRecord().setTopicId(topic);
        }
        if (kind < 37) {
            return new ClearElrRecord().setTopicName(dice.percent(30) ? "" : known.names.get(topic));
        }
        if (kind < 60 || partitions.isEmpty()) {
            int partition = dice.between(0, 6);
            partitions.add(partition);
            return new PartitionRecord().setTopicId(topic).setPartitionId(partition).setReplicas(brokers()).setIsr(brokers())
                .setEligibleLeaderReplicas(dice.percent(50) ? null : brokers()).setLastKnownElr(dice.percent(50) ? null : brokers())
                .setLeader(dice.between(-1, 3)).setLeaderEpoch(dice.between(0, 9)).setPartitionEpoch(dice.between(0, 99));
        }
        PartitionChangeRecord change = new PartitionChangeRecord().setTopicId(topic).setPartitionId(dice.pick(partitions));
        change.setIsr(dice.percent(50) ? null : brokers()).setReplicas(dice.percent(70) ? null : brokers());
        change.setEligibleLeaderReplicas(dice.percent(60) ? null : brokers()).setLastKnownElr(dice.percent(60) ? null : brokers());
        return dice.percent(50) ? change : change.setLeader(dice.between(-1, 3));
    }

    private ApiMessage ofCluster(int kind) {
        switch (dice.between(0, 6)) {
            case 0: {
                nextProducerId += 1000L * dice.between(1, 3);
                return new ProducerIdsRecord().setBrokerId(1).setBrokerEpoch(1).setNextProducerId(nextProducerId);
            }
            case 1:
                return dice.percent(20)
                    ? new FeatureLevelRecord().setName("metadata.version").setFeatureLevel((short) dice.between(22, 30))
                    : new FeatureLevelRecord().setName("feature." + dice.between(0, 3)).setFeatureLevel((short) dice.between(0, 2));
            case 2: {
                byte type = dice.pick(List.of((byte) 2, (byte) 2, (byte) 4, (byte) 16, (byte) 32));
                String name = type == 2 ? topicName() : type == 4 && dice.percent(40) ? "" : String.valueOf(dice.between(1, 3));
                return new ConfigRecord().setResourceType(type).setResourceName(name).setName("key." + dice.between(0, 3))
                    .setValue(dice.percent(30) ? null : dice.pick(List.of("", "1", "größe", "a=b,c")));
            }
            case 3:
                return register();
            case 4:
                return new NoOpRecord();
            default: {
                String name = "topic-" + kind + "-" + dice.between(0, 1_000_000);
                Uuid id = new Uuid(dice.anyLong(), dice.anyLong());
                known.topics.put(id, new ArrayList<>());
                known.names.put(id, name);
                return new TopicRecord().setName(name).setTopicId(id);
            }
        }
    }

    private String topicName() {
        return known.names.isEmpty() || dice.percent(20) ? "nowhere" : dice.pick(List.copyOf(known.names.values()));
    }

    private RegisterBrokerRecord register() {
        int id = dice.between(1, 4);
        known.brokers.put(id, nextBrokerEpoch);
        RegisterBrokerRecord.BrokerEndpointCollection places = new RegisterBrokerRecord.BrokerEndpointCollection();
        for (int number = dice.between(1, 3); number > 0; number--) {
            places.add(new RegisterBrokerRecord.BrokerEndpoint().setName("L" + number).setHost("host" + id)
                .setPort(dice.between(0, 65_535)).setSecurityProtocol((short) 0));
        }
        return new RegisterBrokerRecord().setBrokerId(id).setBrokerEpoch(nextBrokerEpoch++).setEndPoints(places)
            .setIncarnationId(new Uuid(dice.anyLong(), dice.anyLong())).setRack(dice.percent(50) ? null : "rack")
            .setFenced(dice.percent(50)).setInControlledShutdown(dice.percent(30)).setLogDirs(directories());
    }

    private List<Uuid> directories() {
        List<Uuid> directories = new ArrayList<>();
        for (int number = dice.between(0, 2); number > 0; number--) {
            directories.add(new Uuid(dice.anyLong(), dice.anyLong()));
        }
        return directories;
    }

    private ApiMessage ofBroker() {
        int id = dice.pick(List.copyOf(known.brokers.keySet()));
        long epoch = known.brokers.get(id);
        switch (dice.between(0, 4)) {
            case 0:
                known.brokers.remove(id);
                return new UnregisterBrokerRecord().setBrokerId(id).setBrokerEpoch(epoch);
            case 1:
                return new FenceBrokerRecord().setId(id).setEpoch(epoch);
            case 2:
                return new UnfenceBrokerRecord().setId(id).setEpoch(epoch);
            default:
                return new BrokerRegistrationChangeRecord().setBrokerId(id).setBrokerEpoch(epoch)
                    .setFenced((byte) dice.between(-1, 1)).setInControlledShutdown((byte) dice.between(0, 1))
                    .setLogDirs(directories());
        }
    }

    private List<Integer> brokers() {
        List<Integer> brokers = new ArrayList<>();
        for (int number = dice.between(0, 3); number > 0; number--) {
            brokers.add(dice.between(1, 4));
        }
        return brokers;
    }
}

package kfsck.oracle;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Endpoint;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.metadata.AbortTransactionRecord;
import org.apache.kafka.common.metadata.BeginTransactionRecord;
import org.apache.kafka.common.metadata.EndTransactionRecord;
import org.apache.kafka.image.ConfigurationImage;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.MetadataVersion;

/** The real image of a cluster, record by record; of a transaction that is open nothing counts. */
final class ImageReplay {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** An image with where it stands. */
    private record State(MetadataImage image, long next, int epoch) {
    }

    private State state = new State(MetadataImage.EMPTY, 0, 0);
    private State before;

    /** A record of what a cluster begins with, in front of its log. */
    void begin(ApiMessageAndVersion record) {
        apply(record, -1, 0);
    }

    /** A record; null stands for a control record. */
    void apply(ApiMessageAndVersion record, long offset, int epoch) {
        State last = state;
        MetadataImage image = state.image;
        if (record != null && record.message() instanceof AbortTransactionRecord) {
            image = before.image;
            before = null;
        } else if (record != null && record.message() instanceof EndTransactionRecord) {
            before = null;
        } else if (record != null && record.message() instanceof BeginTransactionRecord) {
            before = last;
        } else if (record != null) {
            MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
            delta.replay(record.message());
            image = delta.apply(new MetadataProvenance(offset, epoch, 0, true));
        }
        state = new State(image, offset + 1, epoch);
    }

    ObjectNode json(Long at) {
        State shown = before == null ? state : before;
        MetadataImage image = shown.image;
        ObjectNode json = NODES.objectNode();
        json.put("at", at).put("offset", shown.next).put("epoch", shown.epoch);
        long next = image.producerIds().nextProducerId();
        json.put("nextProducerId", next < 0 ? null : Long.valueOf(next));
        ObjectNode features = json.putObject("features");
        new TreeMap<>(image.features().finalizedVersions()).forEach(features::put);
        image.features().metadataVersion().ifPresent(version -> features.put(MetadataVersion.FEATURE_NAME, version.featureLevel()));
        ArrayNode brokers = json.putArray("brokers");
        new TreeMap<>(image.cluster().brokers()).values().forEach(broker -> brokers.add(broker(broker)));
        ArrayNode topics = json.putArray("topics");
        new TreeMap<>(image.topics().topicsByName()).values().forEach(topic -> topics.add(topic(topic)));
        ArrayNode configs = json.putArray("configs");
        image.configs().resourceData().forEach((resource, data) -> configs.add(config(resource, data)));
        return json;
    }

    private static ObjectNode broker(BrokerRegistration broker) {
        ObjectNode json = NODES.objectNode();
        json.put("brokerId", broker.id()).put("brokerEpoch", broker.epoch());
        json.put("incarnationId", broker.incarnationId().toString()).put("rack", broker.rack().orElse(null));
        json.put("isFenced", broker.fenced()).put("inControlledShutdown", broker.inControlledShutdown());
        ArrayNode listeners = json.putArray("listeners");
        for (Endpoint listener : new TreeMap<>(broker.listeners()).values()) {
            listeners.addObject().put("name", listener.listener()).put("host", listener.host()).put("port", listener.port());
        }
        ArrayNode directories = json.putArray("logDirs");
        broker.directories().forEach(directory -> directories.add(directory.toString()));
        return json;
    }

    private static ObjectNode topic(TopicImage topic) {
        ObjectNode json = NODES.objectNode();
        json.put("name", topic.name()).put("topicId", topic.id().toString());
        ArrayNode partitions = json.putArray("partitions");
        for (Map.Entry<Integer, PartitionRegistration> entry : new TreeMap<>(topic.partitions()).entrySet()) {
            PartitionRegistration partition = entry.getValue();
            ObjectNode one = partitions.addObject().put("partition", entry.getKey()).put("leader", partition.leader);
            numbers(one.putArray("replicas"), partition.replicas);
            numbers(one.putArray("isr"), partition.isr);
            numbers(one.putArray("eligibleLeaderReplicas"), partition.elr);
            numbers(one.putArray("lastKnownElr"), partition.lastKnownElr);
            one.put("leaderEpoch", partition.leaderEpoch).put("partitionEpoch", partition.partitionEpoch);
        }
        return json;
    }

    private static void numbers(ArrayNode array, int[] numbers) {
        for (int number : numbers) {
            array.add(number);
        }
    }

    private static ObjectNode config(ConfigResource resource, ConfigurationImage data) {
        ObjectNode json = NODES.objectNode();
        json.put("type", resource.type().name()).put("name", resource.name());
        ObjectNode configs = json.putObject("configs");
        new TreeMap<>(data.toMap()).forEach(configs::put);
        return json;
    }
}

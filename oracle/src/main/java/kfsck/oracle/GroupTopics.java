package kfsck.oracle;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Consumer and share groups, so that the coordinators write their internal topics. */
final class GroupTopics {
    private final Clients clients;
    private final Dice dice;

    GroupTopics(Clients clients, Dice dice) {
        this.clients = clients;
        this.dice = dice.named("groups");
    }

    void consume(String topic) throws Exception {
        consume(topic, "group-classic." + dice.between(0, 99), "classic");
        consume(topic, "group-new." + dice.between(0, 99), "consumer");
        alterAndDelete(topic, "group-by-hand-" + dice.between(0, 99));
    }

    private void consume(String topic, String group, String protocol) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", clients.bootstrap(), "group.id", group,
            "group.protocol", protocol, "auto.offset.reset", "earliest", "enable.auto.commit", "false");
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            Await.until(group + " to get records", () -> !consumer.poll(Duration.ofMillis(200)).isEmpty());
            consumer.commitSync();
            consumer.poll(Duration.ofMillis(50));
            consumer.commitSync();
        }
    }

    /** Offsets set by an administrator, one with text beside it, then a tombstone for each. */
    private void alterAndDelete(String topic, String group) throws Exception {
        clients.admin().alterConsumerGroupOffsets(group, Map.of(
            new TopicPartition(topic, 0), new OffsetAndMetadata(dice.between(0, 9), "größe"),
            new TopicPartition(topic, 1), new OffsetAndMetadata(dice.between(0, 9)))).all().get();
        clients.admin().deleteConsumerGroups(List.of(group)).all().get();
    }

    void share(String topic) throws Exception {
        String group = "group.share-" + dice.between(0, 99);
        clients.admin().incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group),
            List.of(new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"),
                AlterConfigOp.OpType.SET)))).all().get();
        Map<String, Object> settings = Map.of("bootstrap.servers", clients.bootstrap(), "group.id", group);
        try (var consumer = new KafkaShareConsumer<>(settings, new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            Await.until(group + " to get records", () -> !consumer.poll(Duration.ofMillis(200)).isEmpty());
            consumer.commitSync();
        }
    }
}

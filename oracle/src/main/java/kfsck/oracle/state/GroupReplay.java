package kfsck.oracle.state;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import kfsck.oracle.Dice;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.common.runtime.CoordinatorExecutor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoaderImpl;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorTimer;
import org.apache.kafka.coordinator.group.Group;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;
import org.apache.kafka.coordinator.group.GroupCoordinatorShard;
import org.apache.kafka.coordinator.group.OffsetAndMetadata;
import org.apache.kafka.coordinator.group.classic.ClassicGroup;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.timeline.SnapshotRegistry;

/** The shard of a real group coordinator, loaded from a partition by the real loader; it says what it believes. */
public final class GroupReplay implements CoordinatorPlayback<CoordinatorRecord> {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final TopicPartition PARTITION = new TopicPartition("__consumer_offsets", 0);

    private final GroupCoordinatorShard shard = shard();
    private final Dice places;
    private final PrintWriter lines;

    private GroupReplay(Dice places, PrintWriter lines) {
        this.places = places;
        this.lines = lines;
    }

    /** A line for the end, and one for some of the offsets between batches. */
    public static void answer(Path partition, Dice places, PrintWriter lines) throws Exception {
        FixedTime time = new FixedTime(BatchBytes.FIRST_TIME);
        UnifiedLog log = RealLoad.open(partition, new LogConfig(Map.of()), LoadSettings.DEFAULT, time, false);
        GroupReplay replay = new GroupReplay(places, lines);
        try (var loader = new CoordinatorLoaderImpl<>(time, partitionOf -> Optional.of(log),
            partitionOf -> Optional.of(log.logEndOffset()), new GroupCoordinatorRecordSerde(), 1 << 16, 1)) {
            loader.load(PARTITION, replay).get();
        }
        lines.println(replay.json(null));
        log.removeLogMetrics();
        RealLoad.stop(log);
    }

    private static GroupCoordinatorShard shard() {
        ConfigDef definition = new ConfigDef(GroupCoordinatorConfig.CONFIG_DEF);
        ShareGroupConfig.CONFIG_DEF.configKeys().values().forEach(definition::define);
        AbstractConfig defaults = new AbstractConfig(definition, Map.of(), false);
        GroupCoordinatorConfig config = new GroupCoordinatorConfig(defaults);
        LogContext context = new LogContext();
        GroupCoordinatorShard.Builder builder = new GroupCoordinatorShard.Builder(config, new GroupConfigManager(config, new ShareGroupConfig(defaults)));
        builder.withAuthorizerPlugin(Optional.empty());
        builder.withLogContext(context).withSnapshotRegistry(new SnapshotRegistry(context))
            .withTime(new FixedTime(BatchBytes.FIRST_TIME)).withTimer(idle(CoordinatorTimer.class))
            .withExecutor(idle(CoordinatorExecutor.class)).withCoordinatorMetrics(new GroupCoordinatorMetrics())
            .withTopicPartition(PARTITION);
        return builder.build();
    }

    /** What a coordinator plans to do later is not done. */
    @SuppressWarnings("unchecked")
    private static <T> T idle(Class<?> kind) {
        return (T) Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind},
            (proxy, method, arguments) -> method.getReturnType() == boolean.class ? Boolean.FALSE : null);
    }

    @Override
    public void replay(long offset, long producer, short epoch, CoordinatorRecord record) {
        shard.replay(offset, producer, epoch, record);
    }

    @Override
    public void replayEndTransactionMarker(long producer, short epoch, TransactionResult result) {
        shard.replayEndTransactionMarker(producer, epoch, result);
    }

    @Override
    public void updateLastWrittenOffset(long offset) {
        if (places.percent(5)) {
            lines.println(json(offset));
        }
    }

    @Override
    public void updateLastCommittedOffset(long offset) {
    }

    private ObjectNode json(Long at) {
        Object manager = field(shard, "groupMetadataManager");
        Map<String, Group> groups = new TreeMap<>(GroupReplay.<Map<String, Group>>field(manager, "groups"));
        Map<String, Map<String, Map<Integer, OffsetAndMetadata>>> offsets =
            field(field(field(shard, "offsetMetadataManager"), "offsets"), "offsetsByGroup");
        TreeSet<String> ids = new TreeSet<>(groups.keySet());
        ids.addAll(offsets.keySet());
        ObjectNode answer = NODES.objectNode().put("at", at);
        ArrayNode list = answer.putArray("groups");
        for (String id : ids) {
            ObjectNode shown = list.addObject().put("groupId", id);
            Group group = groups.get(id);
            shown.put("type", group == null ? null : group.type().toString());
            shown.put("state", group == null ? null : group.stateAsString());
            // Without a record of its own, as a commit makes one.
            shown.put("isSimple", group instanceof ClassicGroup classic && classic.isSimpleGroup());
            ArrayNode committed = shown.putArray("offsets");
            new TreeMap<>(offsets.getOrDefault(id, Map.of())).forEach((topic, partitions) ->
                new TreeMap<>(partitions).forEach((number, offset) -> put(committed.addObject(), topic, number, offset)));
        }
        return answer;
    }

    private static void put(ObjectNode shown, String topic, int partition, OffsetAndMetadata offset) {
        shown.put("topicPartition", topic + "-" + partition).put("committedOffset", offset.committedOffset)
            .put("leaderEpoch", boxed(offset.leaderEpoch)).put("metadata", offset.metadata)
            .put("commitTimestamp", offset.commitTimestampMs).put("expireTimestamp", boxed(offset.expireTimestampMs));
    }

    private static Integer boxed(OptionalInt number) {
        return number.isPresent() ? Integer.valueOf(number.getAsInt()) : null;
    }

    private static Long boxed(OptionalLong number) {
        return number.isPresent() ? Long.valueOf(number.getAsLong()) : null;
    }

    @SuppressWarnings("unchecked")
    private static <T> T field(Object of, String name) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return (T) field.get(of);
        } catch (ReflectiveOperationException fault) {
            throw new IllegalStateException(fault);
        }
    }
}

package kfsck.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;

/** What is left of data that goes: DeleteRecords, deleted topics, directories no topic owns. */
final class VanishingTopics {
    private final Clients clients;
    private final Dice dice;
    private final Path logDirectory;

    VanishingTopics(Clients clients, Dice dice, Path logDirectory) {
        this.clients = clients;
        this.dice = dice;
        this.logDirectory = logDirectory;
    }

    /** The first deletes its files at once, the second keeps them as .deleted, the third loses all it has. */
    void writeTrimmed() throws Exception {
        write("trimmed", "internal.segment.bytes=1500", "file.delete.delay.ms=0");
        write("trimmed.kept", "internal.segment.bytes=1500");
        write("expired_all", "internal.segment.bytes=1500", "file.delete.delay.ms=0");
    }

    private void write(String topic, String... settings) throws Exception {
        clients.createTopic(topic, 1, settings);
        Dice own = dice.named(topic);
        Content content = new Content(own);
        var producer = clients.idempotent(own.pick(PlainTopics.CODECS));
        for (int i = own.between(10, 14); i > 0; i--) {
            Clients.sendBatch(producer, topic, 0, own.between(3, 7), content);
        }
    }

    /** Somewhere behind the start of the second segment, so that the first has to go. */
    void trim(String topic) throws Exception {
        String second;
        try (var files = Files.list(logDirectory.resolve(topic + "-0"))) {
            second = files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".log"))
                .sorted().skip(1).findFirst().orElseThrow();
        }
        long base = Long.parseLong(second.substring(0, second.indexOf('.')));
        deleteBefore(topic, base + dice.named("trim" + topic).between(0, 8));
    }

    /** Time retention takes even the active segment, which leaves an empty one that does not begin at 0. */
    void expire(String topic) throws Exception {
        Path old = logDirectory.resolve(topic + "-0");
        clients.admin().incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic),
            List.of(new AlterConfigOp(new ConfigEntry("retention.ms", "1000"), AlterConfigOp.OpType.SET)))).all().get();
        Await.until(topic + " to be empty", () -> {
            try (var files = Files.list(old)) {
                List<Path> logs = files.filter(file -> file.toString().endsWith(".log")).toList();
                return logs.size() == 1 && Files.size(logs.get(0)) == 0;
            }
        });
    }

    private void deleteBefore(String topic, long offset) throws Exception {
        Path first = logDirectory.resolve(topic + "-0").resolve("00000000000000000000.log");
        clients.admin().deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset)))
            .all().get();
        Await.until("the first segment of " + topic + " to go", () -> !Files.exists(first));
    }

    void deleteTopic() throws Exception {
        clients.createTopic("gone.topic", 2);
        Content content = new Content(dice.named("gone.topic"));
        var producer = clients.idempotent("none");
        Clients.sendBatch(producer, "gone.topic", 0, dice.between(1, 5), content);
        Clients.sendBatch(producer, "gone.topic", 1, dice.between(1, 5), content);
        clients.admin().deleteTopics(List.of("gone.topic")).all().get();
        Await.until("gone.topic to be renamed", () -> directories("-delete") == 2);
    }

    /** A partition of a topic the cluster does not know; the next start marks it as stray. */
    static void plantStray(Path logDirectory, Dice dice) throws IOException {
        Path stray = logDirectory.resolve("left.over-5");
        // Of one partition, so that dice cannot have left it empty.
        FileCopies.copy(logDirectory.resolve("epochs_of-leaders-0"), stray);
        Files.writeString(stray.resolve("partition.metadata"),
            "version: 0\ntopic_id: " + new Uuid(dice.anyLong() >>> 1, dice.anyLong()));
    }

    void awaitStray() throws Exception {
        Await.until("left.over-5 to be marked stray", () -> directories("-stray") == 1);
    }

    private long directories(String ending) throws IOException {
        try (var entries = Files.list(logDirectory)) {
            return entries.filter(entry -> entry.getFileName().toString().endsWith(ending)).count();
        }
    }
}

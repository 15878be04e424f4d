package kfsck.oracle;

import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.Uuid;

/** Three boots of one broker with clean stops: transaction.version 1, then 2, then the last touches. */
final class MainScenario {
    private final Path directory;
    private final Dice dice;
    private final int scale;
    private final DescribedProducers described;

    MainScenario(Path directory, Dice dice, int scale, DescribedProducers described) {
        this.directory = directory;
        this.dice = dice;
        this.scale = scale;
        this.described = described;
    }

    void run() throws Exception {
        Node.format(directory, new Uuid(dice.anyLong() >>> 1, dice.anyLong()).toString(), 1);
        boot(this::first);
        boot(this::second);
        VanishingTopics.plantStray(directory, dice);
        boot(this::third);
    }

    private interface Act {
        void play(Clients clients) throws Exception;
    }

    private void boot(Act act) throws Exception {
        try (Node node = Node.start(directory); Clients clients = new Clients(node.bootstrap())) {
            act.play(clients);
        }
    }

    private void first(Clients clients) throws Exception {
        PlainTopics plain = new PlainTopics(clients, dice.named("boot1"), scale);
        plain.create();
        plain.writePlain();
        plain.writeCodecs();
        plain.writeLogAppendTime();
        plain.writeIdempotent();
        plain.writeEpoch();
        new NumberTopics(clients, dice).write();
        TransactionTopics transactions = new TransactionTopics(clients, dice.named("boot1"), scale);
        transactions.create("txn-v1", 1);
        transactions.write("txn-v1", 1, "one");
        transactions.create("txn-both", 1);
        transactions.write("txn-both", 1, "one");
        transactions.fence("txn-both", "one");
        CompactedTopics compacted = new CompactedTopics(clients, dice, directory);
        compacted.create();
        compacted.write(CompactedTopics.GONE, "one");
        compacted.awaitCleaned(CompactedTopics.GONE);
    }

    private void second(Clients clients) throws Exception {
        clients.admin().updateFeatures(Map.of("transaction.version",
            new FeatureUpdate((short) 2, FeatureUpdate.UpgradeType.UPGRADE)), new UpdateFeaturesOptions()).all().get();
        new PlainTopics(clients, dice.named("boot2"), scale).writeEpoch();
        TransactionTopics transactions = new TransactionTopics(clients, dice.named("boot2"), scale);
        transactions.create("txn-v2", 2);
        transactions.write("txn-v2", 2, "two");
        transactions.write("txn-both", 1, "two");
        transactions.fence("txn-both", "two");
        transactions.create("txn-open", 1);
        transactions.leaveOpen("txn-open", "two");
        CompactedTopics compacted = new CompactedTopics(clients, dice, directory);
        compacted.write(CompactedTopics.HORIZON, "two");
        compacted.write(CompactedTopics.GONE, "two");
        VanishingTopics vanishing = new VanishingTopics(clients, dice, directory);
        vanishing.writeTrimmed();
        vanishing.trim("trimmed");
        GroupTopics groups = new GroupTopics(clients, dice);
        groups.consume("plain");
        groups.share("idem");
        compacted.awaitHorizon();
        compacted.awaitCleaned(CompactedTopics.GONE);
    }

    private void third(Clients clients) throws Exception {
        VanishingTopics vanishing = new VanishingTopics(clients, dice, directory);
        vanishing.awaitStray();
        new PlainTopics(clients, dice.named("boot3"), scale).writeEpoch();
        TransactionTopics transactions = new TransactionTopics(clients, dice.named("boot3"), scale);
        transactions.write("txn-open", 1, "three");
        transactions.leaveOpen("txn-open", "three");
        vanishing.trim("trimmed.kept");
        vanishing.expire("expired_all");
        vanishing.deleteTopic();
        described.ask(clients.admin(), "main");
    }
}

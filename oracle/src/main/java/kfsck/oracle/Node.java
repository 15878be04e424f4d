package kfsck.oracle;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.utils.Time;

/** The one-node KRaft broker: formatting its directory, starting it on loopback, stopping it cleanly. */
final class Node implements AutoCloseable {
    private final KafkaRaftServer server;
    private final String bootstrap;

    private Node(KafkaRaftServer server, String bootstrap) {
        this.server = server;
        this.bootstrap = bootstrap;
    }

    /** Kafka's own storage tool does it, as a one-voter dynamic quorum so that voter records get written. */
    static void format(Path directory, String clusterId, int transactionVersion) throws IOException {
        Path config = Files.createTempFile("kfsck-format", ".properties");
        try {
            try (var out = Files.newOutputStream(config)) {
                properties(directory, freePort(), freePort()).store(out, null);
            }
            String[] arguments = {"format", "--config", config.toString(), "--cluster-id", clusterId, "--standalone",
                "--feature", "transaction.version=" + transactionVersion};
            var said = new ByteArrayOutputStream();
            if (StorageTool.execute(arguments, new PrintStream(said)) != 0) {
                throw new IOException("formatting " + directory + " failed: " + said);
            }
        } finally {
            Files.delete(config);
        }
    }

    static Node start(Path directory) throws IOException {
        int port = freePort();
        Properties properties = properties(directory, port, freePort());
        KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(properties, false), Time.SYSTEM);
        server.startup();
        return new Node(server, "127.0.0.1:" + port);
    }

    String bootstrap() {
        return bootstrap;
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Properties properties(Path directory, int port, int controllerPort) {
        List<String> lines = new ArrayList<>(List.of(
            "process.roles=broker,controller",
            "node.id=1",
            "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
            "advertised.listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
            "controller.listener.names=CONTROLLER",
            "controller.quorum.bootstrap.servers=127.0.0.1:" + controllerPort,
            "log.dirs=" + directory.toAbsolutePath()));
        lines.addAll(SMALL_AND_QUICK);
        Properties properties = new Properties();
        for (String line : lines) {
            int equals = line.indexOf('=');
            properties.setProperty(line.substring(0, equals), line.substring(equals + 1));
        }
        return properties;
    }

    /** Few partitions and small indexes keep the corpus small; short waits keep the making of it short. */
    private static final List<String> SMALL_AND_QUICK = List.of(
        "auto.create.topics.enable=false",
        "broker.session.timeout.ms=20000",
        "default.replication.factor=1",
        "group.initial.rebalance.delay.ms=0",
        "log.cleaner.backoff.ms=200",
        "log.cleaner.dedupe.buffer.size=2097152",
        "log.index.interval.bytes=1024",
        "log.index.size.max.bytes=4096",
        "log.initial.task.delay.ms=100",
        "log.retention.check.interval.ms=500",
        "log.retention.ms=-1",
        "log.roll.hours=876000",
        "log.segment.delete.delay.ms=86400000",
        "metadata.log.max.record.bytes.between.snapshots=6000",
        "metadata.max.idle.interval.ms=5000",
        "min.insync.replicas=1",
        "offsets.topic.num.partitions=3",
        "offsets.topic.replication.factor=1",
        "server.max.startup.time.ms=60000",
        "share.coordinator.state.topic.min.isr=1",
        "share.coordinator.state.topic.num.partitions=2",
        "share.coordinator.state.topic.replication.factor=1",
        "transaction.max.timeout.ms=3600000",
        "transaction.state.log.min.isr=1",
        "transaction.state.log.num.partitions=3",
        "transaction.state.log.replication.factor=1");
}

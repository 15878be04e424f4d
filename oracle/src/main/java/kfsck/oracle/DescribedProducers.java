package kfsck.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.common.TopicPartition;

/** What `Admin.describeProducers` says of every partition: the answer of a running broker, right before it stops. */
final class DescribedProducers {
    private final List<String> rows = new ArrayList<>();

    /** Asks the broker whose directory lies at {@code folder} of the corpus. */
    void ask(Admin admin, String folder) throws Exception {
        List<TopicPartition> partitions = new ArrayList<>();
        var names = admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
        admin.describeTopics(names).allTopicNames().get().forEach((name, topic) ->
            topic.partitions().forEach(each -> partitions.add(new TopicPartition(name, each.partition()))));
        var described = new TreeMap<String, List<ProducerState>>();
        admin.describeProducers(partitions).all().get()
            .forEach((partition, state) -> described.put(partition.toString(), state.activeProducers()));
        described.forEach((partition, producers) -> producers.forEach(producer ->
            rows.add(row(folder + "/" + partition, producer))));
    }

    private static String row(String path, ProducerState producer) {
        return String.join("\t", path, Long.toString(producer.producerId()), Integer.toString(producer.producerEpoch()),
            Integer.toString(producer.lastSequence()), Long.toString(producer.lastTimestamp()),
            Integer.toString(producer.coordinatorEpoch().orElse(-1)),
            Long.toString(producer.currentTransactionStartOffset().orElse(-1)));
    }

    void write(Path file) throws IOException {
        if (rows.size() < 10) {
            throw new IOException("only " + rows.size() + " producers described");
        }
        Files.write(file, rows);
    }
}

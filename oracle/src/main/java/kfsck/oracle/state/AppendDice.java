package kfsck.oracle.state;

import java.util.ArrayList;
import java.util.List;
import kfsck.oracle.Dice;

/** Random appends: a leader's, a replica's and a coordinator's, in groups; good ones with bad ones between. */
final class AppendDice {
    private final Dice dice;
    private final List<String> lines = new ArrayList<>();
    private final List<ProducerDice> producers = new ArrayList<>();
    private final boolean throughLog;
    private final boolean verification;
    private final int oddity;
    private final int transactionVersion;

    AppendDice(Dice dice) {
        this.dice = dice;
        throughLog = dice.percent(55);
        verification = dice.percent(40);
        oddity = dice.pick(List.of(0, 5, 10, 30));
        transactionVersion = dice.pick(List.of(0, 1, 2, 2));
    }

    String script() {
        lines.add("log by=" + (throughLog ? "log" : "manager") + " verification=" + verification
            + (dice.percent(20) ? " expiration=" + dice.between(1_000, 30_000) : ""));
        for (int i = dice.between(1, 5); i > 0; i--) {
            producers.add(new ProducerDice(dice, i * 11L, BatchBytes.FIRST_TIME + dice.between(0, 5_000)));
        }
        boolean isReplica = dice.percent(35);
        for (int left = dice.between(5, 30); left > 0; left--) {
            if (dice.percent(12)) {
                beside();
            } else if (isReplica || dice.percent(4)) {
                replicate();
            } else {
                lead();
            }
        }
        return String.join("\n", lines) + "\n";
    }

    private void beside() {
        switch (dice.between(0, 5)) {
            case 0 -> lines.add("advance ms=" + dice.between(1, 20_000));
            case 1 -> lines.add("expire");
            case 2 -> lines.add(throughLog ? "start to=" + dice.between(0, 30) : "expire");
            case 3, 4 -> lines.add(throughLog ? "highwatermark" : "expire");
            default -> lines.add(throughLog ? "roll" : "advance ms=5");
        }
    }

    /** A fetch brings several batches of several producers. */
    private void replicate() {
        lines.add("chunk origin=replication leader=9");
        int leader = dice.between(0, 4);
        for (int i = dice.between(1, 5); i > 0; i--) {
            leader += dice.percent(10) ? 1 : 0;
            leader = dice.percent(oddity / 5) ? dice.pick(List.of(0, 12, 9)) : leader;
            ProducerDice producer = dice.pick(producers);
            String line = dice.percent(oddity) ? producer.odd() : producer.next();
            lines.add((dice.percent(oddity / 10) ? producer.fatal() : line) + " leader=" + leader);
        }
    }

    private void lead() {
        ProducerDice producer = dice.pick(producers);
        int version = dice.percent(oddity / 5) ? dice.pick(List.of(-1, 0, 1, 2)) : transactionVersion;
        if (producer.isTransactional() && (producer.isOpen() ? dice.percent(40) : dice.percent(5))) {
            coordinate(producer, version);
            return;
        }
        boolean guarded = verification && producer.isTransactional() && !producer.isOpen() && !dice.percent(oddity);
        if (guarded || dice.percent(3)) {
            lines.add("verify pid=" + producer.id() + " epoch=" + producer.epoch() + " seq=" + (dice.percent(90)
                ? producer.sequence() : dice.between(0, 9)) + " bump=" + (version == 2));
        }
        // A request brings one batch a partition.
        lines.add("chunk origin=client" + (guarded ? " guard=" + producer.id() : ""));
        // A leader checks records first; what it would refuse there says nothing about producers.
        lines.add(dice.percent(oddity) ? oddData(producer) : maybeRepeated(producer));
    }

    private String oddData(ProducerDice producer) {
        return throughLog ? producer.oddData() : producer.odd();
    }

    private String maybeRepeated(ProducerDice producer) {
        List<String> data = lines.stream().filter(line -> line.startsWith("data") && !line.contains("stored=")
            && !line.contains("delta=") && !line.contains("max=") && !line.contains("time=")).toList();
        int back = dice.between(1, 8);
        return dice.percent(8 + oddity / 2) && data.size() >= back ? data.get(data.size() - back) : producer.data();
    }

    private void coordinate(ProducerDice producer, int version) {
        lines.add("chunk origin=coordinator tv=" + version);
        if (throughLog) {
            lines.add(dice.percent(oddity) ? producer.oddMarker() : producer.marker());
        } else {
            lines.add(dice.percent(oddity) ? producer.odd() : producer.marker());
        }
        if (dice.percent(10) && !throughLog) {
            lines.add(producer.marker());
        }
    }
}

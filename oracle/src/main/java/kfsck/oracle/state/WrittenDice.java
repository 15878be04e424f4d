package kfsck.oracle.state;

import java.util.ArrayList;
import java.util.List;
import kfsck.oracle.Dice;

/** Random fetches of a replica in small segments with small indexes: what it leaves on disk is the question. */
final class WrittenDice {
    private final Dice dice;
    private final List<String> lines = new ArrayList<>();
    private final List<ProducerDice> producers = new ArrayList<>();
    private final int interval;
    private int leader;

    WrittenDice(Dice dice) {
        this.dice = dice;
        interval = dice.pick(List.of(0, 100, 400, 1_000, 4_096));
    }

    String script() {
        lines.add("log end=" + (dice.percent(75) ? "closed" : "killed") + " segment=" + dice.between(700, 5_000)
            + " interval=" + interval + " index=" + dice.pick(List.of(36, 60, 120, 1_200, 4_096)));
        for (int i = dice.between(1, 6); i > 0; i--) {
            producers.add(new ProducerDice(dice, i * 11L, BatchBytes.FIRST_TIME + dice.between(0, 5_000)));
        }
        if (dice.percent(15)) {
            lines.add("begin to=" + dice.pick(List.of(1L, 60L, 5_000_000_000L)));
            fetch();
        }
        for (int left = dice.between(0, 40); left > 0; left--) {
            if (dice.percent(10)) {
                lines.add(dice.percent(40) ? "roll" : "restart");
            }
            // A broker rolls when it appends: of one that was killed before that nothing is asked.
            fetch();
        }
        return String.join("\n", lines) + "\n";
    }

    /** What a broker refuses leaves it in a state of its own: no fetch needs two entries of an index or more. */
    private void fetch() {
        lines.add("chunk origin=replication leader=99");
        int batches = interval < 400 ? 1 : dice.pick(List.of(1, 1, 2, 3));
        for (int i = 0; i < batches; i++) {
            leader += dice.percent(5) ? dice.between(1, 3) : 0;
            lines.add(dice.pick(producers).next() + " leader=" + leader + beside(i == 0));
        }
    }

    private String beside(boolean isFirst) {
        if (isFirst && dice.percent(5)) {
            return " gap=" + dice.pick(List.of(1L, 3L, 1_000L, 1_500_000_000L, 3_000_000_000L));
        }
        // A producer whose clock is wrong; no older than what a load forgets.
        return dice.percent(5) ? " max=" + (BatchBytes.FIRST_TIME + dice.between(0, 90_000)) : "";
    }
}

package kfsck.oracle.state;

import java.util.ArrayList;
import java.util.List;
import kfsck.oracle.Dice;

/** A random log, mostly as brokers write them, with the files beside it mostly as brokers leave them. */
final class LogDice {
    private final Dice dice;
    private final List<String> lines = new ArrayList<>();
    private final List<ProducerDice> producers = new ArrayList<>();
    private final int oddity;
    private final int fatality;
    private final boolean clean;
    private int leaderEpoch;
    /** About where the log ends: a script's offsets are known for certain only when it is carried out. */
    private long end;
    private final long first;

    LogDice(Dice dice) {
        this.dice = dice;
        oddity = dice.pick(List.of(0, 0, 3, 8, 8, 20, 50));
        fatality = dice.pick(List.of(0, 0, 0, 1, 1, 4));
        clean = dice.percent(45);
        first = dice.percent(70) ? 0 : dice.pick(List.of(7L, 1_000L, (1L << 31) - 5, 1L << 40));
        end = first;
        leaderEpoch = dice.between(0, 3);
    }

    String script() {
        for (int i = dice.between(1, 6); i > 0; i--) {
            producers.add(new ProducerDice(dice, id(i), BatchBytes.FIRST_TIME + dice.between(0, 5_000)));
        }
        lines.add("segment base=" + first);
        for (int left = dice.between(5, 60); left > 0; left--) {
            batch();
            if (dice.percent(8)) {
                roll();
            }
        }
        finish();
        return String.join("\n", lines) + "\n";
    }

    private long id(int number) {
        return dice.percent(90) ? number * 11L
            : dice.pick(List.of(0L, Long.MAX_VALUE, (long) Integer.MAX_VALUE + number, 1L << 31));
    }

    private void batch() {
        ProducerDice producer = dice.pick(producers);
        String line;
        if (dice.percent(fatality)) {
            line = producer.fatal();
        } else if (dice.percent(oddity)) {
            line = dice.percent(75) ? producer.odd() : beside();
        } else {
            line = dice.percent(5) ? "data count=" + dice.between(1, 3) + " ts=" + (BatchBytes.FIRST_TIME + 100)
                : producer.next();
        }
        lines.add(line + leader());
        end += advance(line);
    }

    /** Batches of nobody, or of somebody a broker keeps no state of. */
    private String beside() {
        return switch (dice.between(0, 7)) {
            case 0 -> "data pid=" + dice.pick(List.of(-2, -7, -1_000_000)) + " epoch=0 seq=0 txn="
                + dice.percent(40) + " count=" + dice.between(1, 3);
            case 1 -> "message magic=1 count=" + dice.between(1, 3);
            case 2 -> "message magic=1 codec=gzip count=" + dice.between(1, 3);
            case 3 -> "barrier layout=" + dice.pick(List.of("a", "b"));
            case 4 -> "control type=" + dice.pick(List.of(2, 3, 4, 5, 6, 337, -1));
            case 5 -> "empty control=true txn=false delta=0";
            case 6 -> "marker pid=-5 epoch=0 type=abort";
            default -> "empty delta=" + dice.between(0, 5);
        };
    }

    private String leader() {
        if (dice.percent(4)) {
            leaderEpoch += dice.between(1, 2);
            return " leader=" + leaderEpoch;
        }
        if (dice.percent(oddity / 10)) {
            leaderEpoch = dice.pick(List.of(-1, 0, Math.max(0, leaderEpoch - 1)));
            return " leader=" + leaderEpoch;
        }
        return "";
    }

    private static long advance(String line) {
        ScriptLine parsed = new ScriptLine(line);
        long count = parsed.number("first", 0) + parsed.number("count", 1);
        return parsed.number("gap", 0) + parsed.number("delta", count - 1) + 1;
    }

    private void roll() {
        if (dice.percent(3)) {
            lines.add("cut bytes=" + dice.between(1, 100));
        }
        lines.add("segment");
        if (dice.percent(75)) {
            snapshot("snapshot");
        }
        damageCompanions();
    }

    private void snapshot(String line) {
        boolean odd = dice.percent(6);
        String fault = odd ? dice.pick(List.of(" crc=bad", " tail=46", " cut=1", " cut=50", " version=2",
            " version=0", " entries=none")) : "";
        lines.add(line + fault);
        ProducerDice one = dice.pick(producers);
        if (dice.percent(5)) {
            lines.add("alter pid=" + one.id() + dice.pick(List.of(" epoch=" + dice.between(-1, 9),
                " last=" + dice.between(-1, 99), " offset=-1", " offset=" + (end + 50), " txn=" + first,
                " txn=" + (end + 1), " txn=-1", " coord=" + dice.between(-1, 99), " ts=-1", " delta=9")));
        }
        if (dice.percent(4)) {
            long id = dice.percent(60) ? dice.pick(List.of(-1L, -9L, 900L, 901L)) : one.id();
            lines.add("entry pid=" + id + " epoch=" + dice.between(0, 4) + " last=" + dice.between(-1, 30) + " offset="
                + dice.longBetween(-1, end) + (dice.percent(40) ? " txn=" + dice.longBetween(first, end) : ""));
        }
    }

    private void damageCompanions() {
        if (dice.percent(4)) {
            lines.add("missing file=" + dice.pick(List.of("index", "timeindex", "txnindex")));
        }
    }

    private void finish() {
        if (clean ? dice.percent(85) : dice.percent(10)) {
            snapshot("snapshot");
        }
        if (dice.percent(5)) {
            snapshot("snapshot at=" + dice.longBetween(first, end + 20));
        }
        damageCompanions();
        if (dice.percent(clean ? 2 : 25)) {
            lines.add(dice.pick(List.of("cut bytes=" + dice.between(1, 150), "zeros bytes=" + dice.between(1, 200),
                "raw hex=ffffffffffffffff000000", "data pid=11 epoch=0 seq=0 crc=bad")));
        }
        if (dice.percent(5)) {
            lines.add("epochs entries=" + dice.pick(List.of("none", "", "0:" + first, "0:" + first + ",4:"
                + (end + 3), "3:" + (first + 2))));
        }
        // A swap file without its index is not left by any broker, and gets an index of zeros when it is opened.
        if (dice.percent(4) && lines.stream().noneMatch(line -> line.startsWith("missing"))) {
            lines.add(dice.pick(List.of("swap", "swap beside=true", "swap base=" + first,
                "file name=00000000000000000003.log.deleted hex=00", "file name=00000000000000000003.index hex=",
                "file name=00000000000000000000.log.cleaned hex=00")));
        }
        lines.add("load clean=" + clean + " start=" + start() + " recovery=" + recovery() + " now=" + now()
            + (dice.percent(25) ? " expiration=" + dice.between(0, 20_000) : ""));
    }

    private long start() {
        int kind = dice.between(0, 99);
        return kind < 65 ? first : kind < 95 ? dice.longBetween(first, end) : kind < 97 ? 0 : end + 100;
    }

    private long recovery() {
        return clean || dice.percent(30) ? end : dice.percent(40) ? 0 : dice.longBetween(first, end);
    }

    private long now() {
        return BatchBytes.FIRST_TIME + dice.between(0, 60_000) + (dice.percent(10) ? 100_000_000L : 0);
    }
}

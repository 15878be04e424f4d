package kfsck.oracle.state;

import java.util.List;
import kfsck.oracle.Dice;

/** A producer that writes as a good one does, and now and then as none should; each call gives a line of a script. */
final class ProducerDice {
    private final Dice dice;
    private final long id;
    private final boolean transactional;
    private final boolean bumpsEpoch;
    private int epoch;
    private int sequence;
    private int coordinatorEpoch;
    private boolean open;
    private int lastCount = 1;
    private long clock;

    ProducerDice(Dice dice, long id, long clock) {
        this.dice = dice;
        this.id = id;
        this.clock = clock;
        transactional = dice.percent(70);
        bumpsEpoch = dice.percent(50);
        epoch = dice.percent(8) ? dice.pick(List.of(32_767, 32_766, 5)) : dice.between(0, 2);
        sequence = dice.percent(12) ? Integer.MAX_VALUE - dice.between(0, 12) : 0;
        coordinatorEpoch = dice.between(0, 5);
    }

    long id() {
        return id;
    }

    boolean isOpen() {
        return open;
    }

    boolean isTransactional() {
        return transactional;
    }

    int epoch() {
        return epoch;
    }

    int sequence() {
        return sequence;
    }

    private long tick() {
        clock += dice.percent(10) ? -dice.between(0, 500) : dice.between(0, 2_000);
        return clock;
    }

    /** What a good producer writes next. */
    String next() {
        if (transactional && (open ? dice.percent(35) : dice.percent(6))) {
            return marker();
        }
        return data();
    }

    String data() {
        return data(dice.between(1, 4), dice.percent(6) ? " codec=" + dice.pick(List.of("gzip", "snappy", "lz4",
            "zstd")) : "");
    }

    private String data(int count, String more) {
        lastCount = count;
        String line = line(epoch, sequence, count, transactional, more);
        open = transactional;
        sequence = plus(sequence, count);
        return line;
    }

    private String line(int atEpoch, int atSequence, int count, boolean txn, String more) {
        return "data pid=" + id + " epoch=" + atEpoch + " seq=" + atSequence + (count == 1 ? "" : " count=" + count)
            + (txn ? " txn=true" : "") + " ts=" + tick() + more;
    }

    String marker() {
        if (dice.percent(5)) {
            coordinatorEpoch++;
        }
        boolean bump = bumpsEpoch && epoch < Short.MAX_VALUE;
        if (bump) {
            newEpoch(epoch + 1);
        }
        open = false;
        return marker(epoch, coordinatorEpoch, "");
    }

    private void newEpoch(int next) {
        epoch = next;
        sequence = 0;
    }

    private String marker(int atEpoch, int coordinator, String more) {
        return "marker pid=" + id + " epoch=" + atEpoch + " type=" + (dice.percent(50) ? "abort" : "commit")
            + " coord=" + coordinator + " ts=" + tick() + more;
    }

    /** What should not be there, but is taken when a log is read back. */
    String odd() {
        return switch (dice.between(0, 3)) {
            case 0 -> oddData();
            case 1 -> oddMarker();
            default -> oddBatch();
        };
    }

    /** Epochs and sequences that a leader refuses, in batches that are sound in themselves. */
    String oddData() {
        switch (dice.between(0, 5)) {
            case 0 -> {
                open = transactional;
                return line(Math.max(0, epoch - 1), dice.percent(50) ? sequence : 0, 1, transactional, "");
            }
            case 1 -> sequence = plus(sequence, dice.between(1, 9));
            case 2 -> {
                sequence = minus(sequence, lastCount);
                return data(lastCount, "");
            }
            case 3 -> sequence = minus(sequence, dice.between(1, 3));
            case 4 -> {
                newEpoch(Math.min(Short.MAX_VALUE, epoch + dice.between(1, 2)));
                sequence = dice.between(1, 3);
            }
            default -> newEpoch(Math.min(Short.MAX_VALUE, epoch + dice.between(1, 2)));
        }
        return data(dice.between(1, 4), "");
    }

    /** Markers that a coordinator should not write. */
    String oddMarker() {
        open = false;
        return switch (dice.between(0, 3)) {
            case 0 -> marker(Math.max(0, epoch - dice.between(1, 2)), coordinatorEpoch, "");
            case 1 -> marker(epoch, coordinatorEpoch - dice.between(1, 2), "");
            case 2 -> marker(epoch, coordinatorEpoch, "");
            default -> marker(epoch, coordinatorEpoch, " version=" + dice.pick(List.of(1, 2, 5)));
        };
    }

    private String oddBatch() {
        return switch (dice.between(0, 9)) {
            case 0 -> "empty pid=" + id + " epoch=" + epoch + " control=true txn=true seq=-1 ts=" + tick();
            case 1 -> emptied();
            case 2 -> data(dice.between(1, 3), " first=" + dice.between(1, 2) + " delta=" + dice.between(4, 9));
            case 3 -> data(dice.between(1, 3), " gap=" + dice.pick(List.of(1, 3, 40, 1_000)));
            case 4 -> data(dice.between(1, 3), " time=append");
            case 5 -> data(dice.between(2, 4), " step=" + dice.pick(List.of(7, -3, 5_000)));
            case 6 -> data(1, " max=" + dice.pick(List.of(-1L, 0L, clock + 90_000_000L)));
            case 7 -> data(dice.between(1, 3), " horizon=" + (clock - 5_000));
            case 8 -> {
                open = false;
                yield marker(epoch, coordinatorEpoch, dice.pick(List.of(" max=5", " time=append", " codec=gzip",
                    " txn=false")));
            }
            default -> data(dice.between(1, 3), " stored=" + dice.between(0, 5));
        };
    }

    /** As the cleaner leaves the last batch of a producer. */
    private String emptied() {
        int count = dice.between(1, 4);
        String line = "empty pid=" + id + " epoch=" + epoch + " seq=" + sequence + " delta=" + (count - 1) + " ts="
            + tick() + (transactional ? " txn=true" : "");
        open = transactional;
        sequence = plus(sequence, count);
        return line;
    }

    /** What a broker dies of when it reads it. */
    String fatal() {
        return switch (dice.between(0, 6)) {
            case 0 -> line(epoch, sequence, 1, !transactional, "");
            case 1 -> "control pid=" + id + " epoch=" + epoch + " type=" + dice.pick(List.of(2, 5, 6, 7, 337, -1))
                + " ts=" + tick();
            case 2 -> marker(epoch, coordinatorEpoch, " value=null");
            case 3 -> marker(epoch, coordinatorEpoch, " version=-1");
            case 4 -> marker(epoch, coordinatorEpoch, " value=" + dice.pick(List.of("00", "0000", "000000",
                "0000000000")));
            case 5 -> "barrier layout=" + dice.pick(List.of("a", "b")) + " pid=" + id + " epoch=" + epoch + " ts="
                + tick();
            default -> "control pid=" + id + " epoch=" + epoch + " keyversion=" + dice.pick(List.of(-1, 1, 3))
                + " type=" + dice.pick(List.of(0, 1, 7)) + " ts=" + tick();
        };
    }

    private static int plus(int sequence, int more) {
        return (int) ((sequence + (long) more) % (1L << 31));
    }

    private static int minus(int sequence, int less) {
        return (int) Math.floorMod(sequence - (long) less, 1L << 31);
    }
}

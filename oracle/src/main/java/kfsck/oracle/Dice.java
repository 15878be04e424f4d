package kfsck.oracle;

import java.util.List;
import java.util.Random;

/**
 * Every choice the oracle makes comes from here, so that a seed stands for one corpus.
 * {@link #named} gives each topic its own stream: adding a topic must not change the others.
 */
public final class Dice {
    private final long seed;
    private final Random random;

    public Dice(long seed) {
        this.seed = seed;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 0x632BE59BD9B4E019L);
    }

    public Dice named(String name) {
        return new Dice(seed * 31 + name.hashCode() * 0x100000001B3L);
    }

    /** A number from low to high, both included. */
    public int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    public long longBetween(long low, long high) {
        return low + Math.floorMod(random.nextLong(), high - low + 1);
    }

    public long anyLong() {
        return random.nextLong();
    }

    public boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    public <T> T pick(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    public byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}

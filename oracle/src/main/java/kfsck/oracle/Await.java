package kfsck.oracle;

import java.util.concurrent.TimeoutException;

/** Waits for something a broker does in its own time; gives up loudly. */
final class Await {
    interface Condition {
        boolean holds() throws Exception;
    }

    private Await() {
    }

    static void until(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + 240_000_000_000L;
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException("waited 240 s for: " + what);
            }
            Thread.sleep(50);
        }
    }
}

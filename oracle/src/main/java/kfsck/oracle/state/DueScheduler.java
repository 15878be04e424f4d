package kfsck.oracle.state;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.Scheduler;

/** Runs at once what is due at once and never what is due later: deletions stay renamed, nothing expires by itself. */
final class DueScheduler implements Scheduler {
    /** A log that closes cancels what it has planned. */
    private static final ScheduledFuture<?> DONE = done();

    private static ScheduledFuture<?> done() {
        var never = new ScheduledThreadPoolExecutor(0);
        ScheduledFuture<?> planned = never.schedule(() -> { }, 1, TimeUnit.DAYS);
        never.shutdownNow();
        planned.cancel(false);
        return planned;
    }

    @Override
    public void startup() {
    }

    @Override
    public void shutdown() {
    }

    @Override
    public ScheduledFuture<?> schedule(String name, Runnable task, long delay, long period) {
        if (delay == 0 && period < 0) {
            task.run();
        }
        return DONE;
    }

    @Override
    public void resizeThreadPool(int threads) {
    }
}

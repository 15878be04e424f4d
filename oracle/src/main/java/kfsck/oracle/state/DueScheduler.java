package kfsck.oracle.state;

import java.util.concurrent.ScheduledFuture;
import org.apache.kafka.server.util.Scheduler;

/** Runs at once what is due at once and never what is due later: deletions stay renamed, nothing expires by itself. */
final class DueScheduler implements Scheduler {
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
        return null;
    }

    @Override
    public void resizeThreadPool(int threads) {
    }
}

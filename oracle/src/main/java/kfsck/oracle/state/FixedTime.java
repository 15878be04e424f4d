package kfsck.oracle.state;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;

/** A clock that stands until a script moves it. */
final class FixedTime implements Time {
    private long now;

    FixedTime(long now) {
        this.now = now;
    }

    void advance(long milliseconds) {
        now += milliseconds;
    }

    @Override
    public long milliseconds() {
        return now;
    }

    @Override
    public long nanoseconds() {
        return TimeUnit.MILLISECONDS.toNanos(now);
    }

    @Override
    public void sleep(long milliseconds) {
        advance(milliseconds);
    }

    @Override
    public void waitObject(Object object, Supplier<Boolean> condition, long deadline) {
        throw new UnsupportedOperationException("nothing is waited for");
    }
}

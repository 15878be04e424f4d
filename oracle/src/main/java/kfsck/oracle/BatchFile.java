package kfsck.oracle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** A new segment file, written in big pieces. */
final class BatchFile implements AutoCloseable {
    private final FileChannel channel;
    private final ByteBuffer pending = ByteBuffer.allocateDirect(4 << 20);
    private long size;

    BatchFile(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    long size() {
        return size;
    }

    void append(MemoryRecords records) throws IOException {
        ByteBuffer batch = records.buffer().duplicate();
        if (batch.remaining() > pending.remaining()) {
            drain();
        }
        size += batch.remaining();
        pending.put(batch);
    }

    private void drain() throws IOException {
        pending.flip();
        while (pending.hasRemaining()) {
            channel.write(pending);
        }
        pending.clear();
    }

    @Override
    public void close() throws IOException {
        drain();
        channel.close();
    }
}

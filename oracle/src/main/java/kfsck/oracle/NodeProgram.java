package kfsck.oracle;

import java.io.IOException;
import java.nio.file.Path;

/** A broker in its own process, made to be killed. It dies by itself when its parent is gone or it cannot start. */
public final class NodeProgram {
    private NodeProgram() {
    }

    public static void main(String[] arguments) {
        Thread watch = new Thread(NodeProgram::dieWithParent, "watch-parent");
        watch.setDaemon(true);
        watch.start();
        try {
            System.out.println(Node.start(Path.of(arguments[0])).bootstrap());
            System.out.flush();
        } catch (Throwable fault) {
            fault.printStackTrace();
            // Its threads would keep a half started broker alive.
            Runtime.getRuntime().halt(1);
        }
    }

    /** The parent never writes: the end of the stream is the only word. */
    private static void dieWithParent() {
        try {
            while (System.in.read() >= 0) {
                // Nothing is said.
            }
        } catch (IOException closed) {
            // As good as the end.
        }
        Runtime.getRuntime().halt(1);
    }
}

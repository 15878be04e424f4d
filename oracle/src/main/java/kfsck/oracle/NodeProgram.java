package kfsck.oracle;

import java.io.IOException;
import java.nio.file.Path;

/** A broker in its own process, made to be killed. It dies by itself when its parent is gone. */
public final class NodeProgram {
    private NodeProgram() {
    }

    public static void main(String[] arguments) throws IOException {
        Node node = Node.start(Path.of(arguments[0]));
        System.out.println(node.bootstrap());
        System.out.flush();
        while (System.in.read() >= 0) {
            // The parent never writes: the end of the stream is the only word.
        }
        Runtime.getRuntime().halt(1);
    }
}

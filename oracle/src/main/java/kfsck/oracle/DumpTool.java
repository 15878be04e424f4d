package kfsck.oracle;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.utils.internals.Exit;
import org.apache.kafka.tools.DumpLogSegments;

/** Runs the real dump tool inside this process and keeps all it says, as if it had had a process of its own. */
public final class DumpTool {
    public record Answer(byte[] out, byte[] err, int status) {
    }

    private static final class ExitCalled extends RuntimeException {
        private final int status;

        ExitCalled(int status) {
            this.status = status;
        }
    }

    private DumpTool() {
    }

    public static Answer run(List<String> arguments) {
        PrintStream realOut = System.out;
        PrintStream realErr = System.err;
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        System.setOut(new PrintStream(out, false, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, false, StandardCharsets.UTF_8));
        Exit.setExitProcedure((status, message) -> {
            throw new ExitCalled(status);
        });
        try {
            int status = status(arguments);
            System.out.flush();
            System.err.flush();
            return new Answer(out.toByteArray(), err.toByteArray(), status);
        } finally {
            Exit.resetExitProcedure();
            System.setOut(realOut);
            System.setErr(realErr);
        }
    }

    private static int status(List<String> arguments) {
        try {
            DumpLogSegments.main(arguments.toArray(new String[0]));
            return 0;
        } catch (ExitCalled exit) {
            return exit.status;
        } catch (Throwable uncaught) {
            // What the Java launcher does with it; our own frames are cut off, the tool's main is the last.
            cutTrace(uncaught);
            System.err.print("Exception in thread \"main\" ");
            uncaught.printStackTrace();
            return 1;
        }
    }

    private static void cutTrace(Throwable thrown) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            StackTraceElement[] trace = each.getStackTrace();
            for (int i = 0; i < trace.length; i++) {
                if (trace[i].getClassName().equals("org.apache.kafka.tools.DumpLogSegments")
                    && trace[i].getMethodName().equals("main")) {
                    each.setStackTrace(java.util.Arrays.copyOf(trace, i + 1));
                    break;
                }
            }
        }
    }
}

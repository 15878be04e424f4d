package kfsck.oracle;

/** How every program here ends: a fault is shown and is a status of 1, whatever threads a broker left running. */
public final class Program {
    /** The command line is wrong. */
    public static final class Usage extends RuntimeException {
        public Usage(String message) {
            super(message);
        }
    }

    public interface Body {
        void run() throws Exception;
    }

    private Program() {
    }

    public static void run(Body body) {
        try {
            body.run();
            System.exit(0);
        } catch (Usage usage) {
            System.err.println("oracle: " + usage.getMessage());
            System.exit(2);
        } catch (Throwable fault) {
            fault.printStackTrace();
            System.exit(1);
        }
    }
}

package kfsck.oracle.state;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What Kafka's LogLoader says in the broker's log, by log directory: of what it does with segments it tells nowhere else. */
final class LoaderWords {
    private static final String LOADER = "org.apache.kafka.storage.internals.log.LogLoader";
    private static final Pattern LINE = Pattern.compile("\\[LogLoader partition=[^ ]+, dir=(.*?)\\] (.*)");
    private final Map<String, List<String>> said = new ConcurrentHashMap<>();

    /** To be called before anything of Kafka is. */
    static LoaderWords listen() {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
        System.setProperty("org.slf4j.simpleLogger.log." + LOADER, "info");
        LoaderWords words = new LoaderWords();
        PrintStream real = System.err;
        System.setErr(new PrintStream(words.new Lines(real), true, StandardCharsets.UTF_8));
        return words;
    }

    /** What was said of the logs in a directory, in its order. */
    List<String> of(Path directory) {
        return said.getOrDefault(directory.toString(), List.of());
    }

    /** Keeps the loader's lines and passes on what is none of the logger's. */
    private final class Lines extends ByteArrayOutputStream {
        private final PrintStream real;

        Lines(PrintStream real) {
            this.real = real;
        }

        @Override
        public synchronized void flush() {
            String text = toString(StandardCharsets.UTF_8);
            int end = text.lastIndexOf('\n') + 1;
            if (end == 0) {
                return;
            }
            for (String line : text.substring(0, end).split("\n")) {
                Matcher matcher = LINE.matcher(line);
                if (matcher.find()) {
                    said.computeIfAbsent(matcher.group(1), key -> new ArrayList<>()).add(matcher.group(2));
                } else if (!line.startsWith("\tat ") && !line.startsWith("org.apache.kafka")) {
                    real.println(line);
                }
            }
            reset();
            byte[] rest = text.substring(end).getBytes(StandardCharsets.UTF_8);
            write(rest, 0, rest.length);
        }
    }
}

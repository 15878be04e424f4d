package kfsck.oracle;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The command line of a verb: names with values, and bare switches. Anything unknown ends the program. */
public final class Options {
    private final Map<String, String> values = new HashMap<>();

    public Options(String[] arguments, List<String> names, List<String> switches) {
        for (int i = 0; i < arguments.length; i++) {
            if (switches.contains(arguments[i])) {
                values.put(arguments[i], "");
            } else if (names.contains(arguments[i]) && i + 1 < arguments.length) {
                values.put(arguments[i], arguments[++i]);
            } else {
                throw new Program.Usage("unknown option, or one without its value: " + arguments[i]);
            }
        }
    }

    public String required(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new Program.Usage("missing option: " + name);
        }
        return value;
    }

    public String or(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }
}

package kfsck.oracle.state;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** One line of a script: the name of an operation, then names with values. A name nobody asks for is an error. */
final class ScriptLine {
    private final String text;
    private final String operation;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final Set<String> asked = new HashSet<>();

    ScriptLine(String text) {
        this.text = text;
        String[] words = text.trim().split("\\s+");
        operation = words[0];
        for (int i = 1; i < words.length; i++) {
            int sign = words[i].indexOf('=');
            if (sign < 1 || values.put(words[i].substring(0, sign), words[i].substring(sign + 1)) != null) {
                throw new IllegalArgumentException("not a name with a value, or a second one: " + text);
            }
        }
    }

    String operation() {
        return operation;
    }

    String text() {
        return text;
    }

    boolean has(String name) {
        asked.add(name);
        return values.containsKey(name);
    }

    String text(String name, String otherwise) {
        asked.add(name);
        return values.getOrDefault(name, otherwise);
    }

    long number(String name, long otherwise) {
        String value = text(name, null);
        return value == null ? otherwise : Long.parseLong(value);
    }

    int integer(String name, int otherwise) {
        return Math.toIntExact(number(name, otherwise));
    }

    short shortNumber(String name, int otherwise) {
        long value = number(name, otherwise);
        if (value != (short) value) {
            throw new IllegalArgumentException(name + " has more than 16 bits: " + text);
        }
        return (short) value;
    }

    boolean flag(String name, boolean otherwise) {
        return switch (text(name, Boolean.toString(otherwise))) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(name + " is true or false: " + text);
        };
    }

    /** Called behind the last question. */
    void allAsked() {
        for (String name : values.keySet()) {
            if (!asked.contains(name)) {
                throw new IllegalArgumentException(operation + " has no " + name + ": " + text);
            }
        }
    }
}

package kfsck.oracle.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;

/** Writes an answer so that a person can read it: a line for each thing that is told. */
final class AnswerFile {
    /** What lies deeper goes onto one line. */
    private static final int DEPTH = 2;

    private AnswerFile() {
    }

    static void write(Path file, ObjectNode answer) throws IOException {
        StringBuilder text = new StringBuilder();
        append(text, answer, 0);
        Files.writeString(file, text.append('\n'));
    }

    private static void append(StringBuilder text, JsonNode value, int depth) {
        boolean isOneLine = value.isEmpty() || depth > DEPTH || depth == DEPTH && value.isObject();
        if (isOneLine) {
            text.append(value);
            return;
        }
        String comma = "\n";
        text.append(value.isObject() ? '{' : '[');
        for (Iterator<JsonNode> elements = value.elements(); value.isArray() && elements.hasNext();) {
            text.append(comma).append("  ".repeat(depth + 1)).append(elements.next());
            comma = ",\n";
        }
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            text.append(comma).append("  ".repeat(depth + 1)).append('"').append(field.getKey()).append("\": ");
            append(text, field.getValue(), depth + 1);
            comma = ",\n";
        }
        text.append('\n').append("  ".repeat(depth)).append(value.isObject() ? '}' : ']');
    }
}

package kfsck.oracle.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;

/** Writes an answer with a line for each of its fields, and one for each element of an array. */
final class AnswerFile {
    private AnswerFile() {
    }

    static void write(Path file, ObjectNode answer) throws IOException {
        StringBuilder text = new StringBuilder("{");
        String comma = "";
        for (Map.Entry<String, JsonNode> field : answer.properties()) {
            text.append(comma).append("\n\"").append(field.getKey()).append("\": ");
            appendValue(text, field.getValue());
            comma = ",";
        }
        Files.writeString(file, text.append("\n}\n"));
    }

    private static void appendValue(StringBuilder text, JsonNode value) {
        if (!value.isArray() || value.isEmpty()) {
            text.append(value);
            return;
        }
        text.append('[');
        for (Iterator<JsonNode> elements = value.iterator(); elements.hasNext();) {
            text.append("\n  ").append(elements.next()).append(elements.hasNext() ? "," : "");
        }
        text.append("\n]");
    }
}

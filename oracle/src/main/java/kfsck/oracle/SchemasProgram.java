package kfsck.oracle;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The verb schemas: what the message schemas inside Kafka's jars say of records, as Rust tables without their sentences. */
public final class SchemasProgram {
    /** Jars with schemas of records; the others have none, or only requests and responses. */
    private static final List<String> JARS = List.of("clients", "group-coordinator", "metadata", "raft",
        "share-coordinator", "storage", "transaction-coordinator");
    private static final Pattern JAR = Pattern.compile(".*/kafka-(.*)-(\\d+\\.\\d+\\.\\d+)\\.jar");
    private static final Map<String, List<JsonNode>> READ = new HashMap<>();
    private static final ObjectMapper READER = new ObjectMapper().enable(JsonParser.Feature.ALLOW_COMMENTS);

    private SchemasProgram() {
    }

    public static void main(String[] arguments) {
        Program.run(() -> {
            Path out = Path.of(new Options(arguments, List.of("--out"), List.of()).required("--out"));
            Files.createDirectories(out);
            for (String jar : JARS) {
                String table = new SchemaTable(jar, find(jar).group(2), schemas(jar)).text();
                Files.writeString(out.resolve(jar.replace('-', '_') + ".rs"), table);
            }
        });
    }

    /** The path of a jar: its name is group 1, its version group 2. */
    private static Matcher find(String jar) {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Matcher found = JAR.matcher(entry);
            if (found.matches() && found.group(1).equals(jar)) {
                return found;
            }
        }
        throw new IllegalStateException("no jar kafka-" + jar + " on the class path");
    }

    /** The schemas in a jar of what lies in files, by type and name. */
    static synchronized List<JsonNode> schemas(String jar) throws IOException {
        List<JsonNode> known = READ.get(jar);
        if (known == null) {
            known = read(jar);
            READ.put(jar, known);
        }
        return known;
    }

    private static List<JsonNode> read(String jar) throws IOException {
        List<JsonNode> found = new ArrayList<>();
        try (ZipFile zip = new ZipFile(find(jar).group())) {
            for (ZipEntry entry : zip.stream().filter(entry -> entry.getName().endsWith(".json")).toList()) {
                try (InputStream stream = zip.getInputStream(entry)) {
                    JsonNode schema = READER.readTree(stream);
                    if (SchemaTable.GROUPS.containsKey(schema.path("type").asText())) {
                        found.add(schema);
                    }
                }
            }
        }
        found.sort(Comparator.comparing((JsonNode schema) -> schema.path("apiKey").asInt(-1))
            .thenComparing(schema -> schema.get("name").asText()));
        return found;
    }
}

package kfsck.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * Random messages of a schema: extremes, nulls, defaults, tags. The values are drawn as JSON, which Kafka's generated
 * converter makes a message of, so that it alone says what a version holds.
 */
final class MessageDice {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    /** Only such that Java 17 prints with the fewest digits. */
    private static final List<Double> DOUBLES = List.of(0.0, -0.0, 1.0, -1.5, 0.001, 0.05, 9_999_999.0, 1e7, 1e21, 1e-5,
        123_456.789, Double.MAX_VALUE, Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY);
    private static final List<String> TEXTS = List.of("", "topic", "größe", "\"\\/\b\f\n\r\t\u0000\u001f\u007f\u0085\u2028",
        "\u4e16\u754c \ud83d\ude00", "a.b-c_d");

    private final Dice dice;

    MessageDice(Dice dice) {
        this.dice = dice;
    }

    /** A message of a class in a package, which is also where its converter lies. */
    ApiMessage draw(String place, JsonNode schema, short version) throws ReflectiveOperationException {
        Map<String, JsonNode> structures = new HashMap<>();
        schema.path("commonStructs").forEach(structure -> structures.put(structure.get("name").asText(), structure));
        ObjectNode values = fields(schema.path("fields"), structures, version);
        Class<?> converter = Class.forName(place + "." + schema.get("name").asText() + "JsonConverter");
        ApiMessage message = (ApiMessage) converter.getMethod("read", JsonNode.class, short.class)
            .invoke(null, values, version);
        if (contains(schema.get("flexibleVersions").asText(), version) && dice.percent(20)) {
            for (int tag = dice.between(1, 3); tag > 0; tag--) {
                message.unknownTaggedFields().add(0, new RawTaggedField(100 * tag * tag * tag, dice.bytes(dice.between(0, 9))));
            }
        }
        return message;
    }

    private static boolean contains(String versions, int version) {
        int[] range = SchemaTable.versions(versions);
        return range != null && range[0] <= version && version <= range[1];
    }

    private ObjectNode fields(JsonNode fields, Map<String, JsonNode> structures, short version) {
        ObjectNode values = NODES.objectNode();
        for (JsonNode field : fields) {
            String name = Character.toLowerCase(field.get("name").asText().charAt(0)) + field.get("name").asText().substring(1);
            boolean tagged = contains(field.path("taggedVersions").asText("none"), version);
            if (!contains(field.get(field.has("versions") ? "versions" : "taggedVersions").asText(), version)
                || tagged && dice.percent(40)) {
                continue;
            }
            boolean nullable = contains(field.path("nullableVersions").asText("none"), version);
            values.set(name, nullable && dice.percent(30) ? NODES.nullNode()
                : value(field, field.get("type").asText(), structures, version));
        }
        return values;
    }

    private JsonNode value(JsonNode field, String type, Map<String, JsonNode> structures, short version) {
        if (type.startsWith("[]")) {
            ArrayNode list = NODES.arrayNode();
            int most = dice.percent(3) ? 150 : 4;
            for (int i = dice.between(0, most); i > 0; i--) {
                list.add(value(field, type.substring(2), structures, version));
            }
            return list;
        }
        return switch (type) {
            case "bool" -> NODES.booleanNode(dice.percent(50));
            case "int8" -> NODES.numberNode((int) number(Byte.MIN_VALUE, Byte.MAX_VALUE));
            case "int16" -> NODES.numberNode((int) number(Short.MIN_VALUE, Short.MAX_VALUE));
            case "uint16" -> NODES.numberNode((int) number(0, 65_535));
            case "int32" -> NODES.numberNode((int) number(Integer.MIN_VALUE, Integer.MAX_VALUE));
            case "uint32" -> NODES.numberNode(number(0, 4_294_967_295L));
            case "int64" -> NODES.numberNode(number(Long.MIN_VALUE, Long.MAX_VALUE));
            case "float64" -> NODES.numberNode(dice.percent(50) ? dice.pick(DOUBLES) : Double.valueOf(dice.between(-9999, 9999)));
            case "uuid" -> NODES.textNode((dice.percent(20) ? Uuid.ZERO_UUID : new Uuid(dice.anyLong(), dice.anyLong())).toString());
            case "string" -> NODES.textNode(dice.percent(3) ? "x".repeat(dice.percent(95) ? dice.between(120, 300) : dice.between(120, 32_767)) : dice.pick(TEXTS));
            case "bytes" -> NODES.binaryNode(dice.bytes(dice.between(0, dice.percent(5) ? 300 : 7)));
            default -> fields(structures.getOrDefault(type, field).path("fields"), structures, version);
        };
    }

    private long number(long low, long high) {
        return switch (dice.between(0, 5)) {
            case 0 -> low;
            case 1 -> high;
            case 2 -> 0;
            case 3 -> Math.max(low, -1);
            case 4 -> Math.min(high, dice.between(0, 300));
            default -> low == Long.MIN_VALUE ? dice.anyLong() : dice.longBetween(low, high);
        };
    }
}

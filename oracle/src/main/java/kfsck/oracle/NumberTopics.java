package kfsck.oracle;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Keys and values that are big-endian numbers, for the numeric decoder classes of the dump tool. */
final class NumberTopics {
    private final Clients clients;
    private final Dice dice;

    NumberTopics(Clients clients, Dice dice) {
        this.clients = clients;
        this.dice = dice.named("numbers");
    }

    void write() throws Exception {
        writeTopic("numbers.int", () -> ByteBuffer.allocate(4).putInt(anyInt()).array());
        writeTopic("numbers.long", () -> ByteBuffer.allocate(8).putLong(anyLong()).array());
        writeTopic("numbers.double", () -> ByteBuffer.allocate(8).putDouble(anyDouble()).array());
    }

    private interface Number {
        byte[] bytes();
    }

    private void writeTopic(String topic, Number number) throws Exception {
        clients.createTopic(topic, 1);
        Content times = new Content(dice.named(topic));
        var producer = clients.idempotent(dice.pick(PlainTopics.CODECS));
        for (int batch = dice.between(2, 4); batch > 0; batch--) {
            List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
            for (int i = dice.between(10, 30); i > 0; i--) {
                byte[] key = dice.percent(10) ? null : number.bytes();
                byte[] value = dice.percent(10) ? null : number.bytes();
                records.add(new ProducerRecord<>(topic, 0, times.timestamp(), key, value));
            }
            Clients.send(producer, records);
        }
    }

    private int anyInt() {
        return switch (dice.between(0, 4)) {
            case 0 -> dice.pick(List.of(0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE));
            case 1 -> dice.between(-200, 200);
            default -> (int) dice.anyLong();
        };
    }

    private long anyLong() {
        return switch (dice.between(0, 4)) {
            case 0 -> dice.pick(List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE));
            case 1 -> dice.between(-200, 200);
            default -> dice.anyLong() >> dice.between(0, 40);
        };
    }

    /**
     * Double.toString of Java 17 now and then prints more digits than needed (JDK-4511638, mended in 19), and
     * kfsck prints the shortest. Only values on which both agree are kept, so the golden is right for both.
     */
    private double anyDouble() {
        while (true) {
            double candidate = candidate();
            if (!Double.isFinite(candidate) || candidate == 0 || printsShortest(candidate)) {
                return candidate;
            }
        }
    }

    private double candidate() {
        return switch (dice.between(0, 7)) {
            case 0 -> dice.pick(List.of(0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY,
                Double.MAX_VALUE, Double.MIN_NORMAL, 1e-3, 1e7, 9999999.999, 0.00099999, 1e21, 1e22, 1e23, 2e-3));
            case 1 -> dice.between(-1_000_000, 1_000_000);
            case 2 -> dice.between(-1_000_000, 1_000_000) / 1000.0;
            case 3 -> dice.between(1, 9999) * Math.pow(10, dice.between(-300, 300));
            case 4 -> dice.anyLong();
            default -> Double.longBitsToDouble(dice.anyLong());
        };
    }

    private static boolean printsShortest(double value) {
        BigDecimal printed = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        BigDecimal exact = new BigDecimal(value);
        int digits = printed.precision();
        boolean nearest = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN)).compareTo(printed) == 0;
        return nearest && (digits == 1
            || !returns(exact, digits - 1, RoundingMode.FLOOR, value)
            && !returns(exact, digits - 1, RoundingMode.CEILING, value));
    }

    private static boolean returns(BigDecimal exact, int digits, RoundingMode mode, double value) {
        return exact.round(new MathContext(digits, mode)).doubleValue() == value;
    }
}

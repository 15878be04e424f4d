package kfsck.oracle;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Keys and values that are big-endian numbers, for the numeric decoder classes of the dump tool. */
final class NumberTopics {
    private static final List<Integer> INTS = List.of(0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE);
    private static final List<Long> LONGS = List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32);

    /** Kept below only where Java 17 prints as Java 19 does; around 0.001 and 10000000 the notation changes. */
    private static final List<Double> DOUBLES = Stream.of(0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY, Double.MAX_VALUE, Double.MIN_NORMAL, 1e-3, 1e7, 9999999.999, 0.00099999, 1e21, 1e22,
        1e23, 2e-3, 1.0, -1.5, 123456789012.0).filter(NumberTopics::printsAlike).toList();

    private final Clients clients;
    private final Dice dice;

    NumberTopics(Clients clients, Dice dice) {
        this.clients = clients;
        this.dice = dice.named("numbers");
    }

    void write() throws Exception {
        writeTopic("numbers.int", INTS.stream().map(NumberTopics::bytes).toList(), () -> bytes(anyInt()));
        writeTopic("numbers.long", LONGS.stream().map(NumberTopics::bytes).toList(), () -> bytes(anyLong()));
        writeTopic("numbers.double", DOUBLES.stream().map(NumberTopics::bytes).toList(), () -> bytes(anyDouble()));
    }

    private interface Number {
        byte[] bytes();
    }

    private static byte[] bytes(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(8).putLong(number).array();
    }

    private static byte[] bytes(double number) {
        return ByteBuffer.allocate(8).putDouble(number).array();
    }

    /** The special numbers all come once as a key and once as a value, whatever the dice say. */
    private void writeTopic(String topic, List<byte[]> special, Number number) throws Exception {
        clients.createTopic(topic, 1);
        Content times = new Content(dice.named(topic));
        var producer = clients.idempotent(dice.pick(PlainTopics.CODECS));
        List<ProducerRecord<byte[], byte[]>> specials = new ArrayList<>();
        for (int i = 0; i < special.size(); i++) {
            byte[] value = special.get(special.size() - 1 - i);
            specials.add(new ProducerRecord<>(topic, 0, times.timestamp(), special.get(i), value));
        }
        Clients.send(producer, specials);
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
            case 0 -> dice.pick(INTS);
            case 1 -> dice.between(-200, 200);
            default -> (int) dice.anyLong();
        };
    }

    private long anyLong() {
        return switch (dice.between(0, 4)) {
            case 0 -> dice.pick(LONGS);
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
            if (printsAlike(candidate)) {
                return candidate;
            }
        }
    }

    private double candidate() {
        return switch (dice.between(0, 7)) {
            case 0, 1 -> dice.between(-1_000_000, 1_000_000);
            case 2 -> dice.between(-1_000_000, 1_000_000) / 1000.0;
            case 3 -> dice.between(1, 9999) * Math.pow(10, dice.between(-300, 300));
            case 4 -> dice.anyLong();
            default -> Double.longBitsToDouble(dice.anyLong());
        };
    }

    private static boolean printsAlike(double value) {
        return !Double.isFinite(value) || value == 0 || printsShortest(value);
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

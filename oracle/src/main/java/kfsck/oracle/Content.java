package kfsck.oracle;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Keys, values, headers and times of the records: everyday ones beside those that trip a reader. */
final class Content {
    /** Where a decoder of UTF-8 may choose another number of replacement characters. */
    private static final List<byte[]> NOT_UTF8 = List.of(
        hex("80"), hex("bfbfbf"), hex("c3"), hex("e282"), hex("f09f98"), hex("c0af"), hex("c1bf"), hex("e080af"),
        hex("f08080af"), hex("eda080"), hex("edbfbf"), hex("eda0bdedb880"), hex("f4908080"), hex("f5808080"),
        hex("f888808080"), hex("fc8480808080"), hex("fe"), hex("ff"), hex("c328"), hex("e28228"), hex("e228a1"),
        hex("f0288cbc"), hex("f09028bc"), hex("f0289028"), hex("ed"), hex("eda0"), hex("ed9fbf"), hex("ee8080"));

    private static final List<String> TEXTS = List.of(
        "a", "order", "ключ", "snow-☃", "😀", "tab\there", "line\nbreak", "cr\rhere", "nul\0here", "\uFFFD", "\uFEFFbom",
        "| offset: 5 CreateTime: 1",
        "key: x payload: y", "\"quoted\\\"", "\u001b[31m", "é", "e\u0301");

    private static final List<String> HEADER_KEYS = List.of(
        "trace-id", "trace-id", "source", "größe", "ключ", "", "a,b", "[x]", "emoji-😀", "with space", "new\nline");

    private final Dice dice;
    private long clock;

    Content(Dice dice) {
        this.dice = dice;
        this.clock = 1_450_000_000_000L + dice.longBetween(0, 200_000_000_000L);
    }

    byte[] key() {
        return switch (dice.between(0, 9)) {
            case 0 -> null;
            case 1 -> new byte[0];
            case 2 -> odd();
            case 3 -> text(dice.pick(TEXTS));
            default -> text("key-" + dice.between(0, 40));
        };
    }

    byte[] value() {
        return switch (dice.between(0, 11)) {
            case 0 -> null;
            case 1 -> new byte[0];
            case 2, 3 -> odd();
            case 4 -> text(dice.pick(TEXTS).repeat(dice.between(1, 3)));
            case 5 -> dice.bytes(dice.between(1, 48));
            case 6 -> text(json());
            default -> text("value-" + dice.between(0, 1_000_000));
        };
    }

    String json() {
        return "{\"id\":" + dice.between(0, 99_999) + ",\"kind\":\"" + dice.pick(List.of("paid", "sent", "lost"))
            + "\",\"amount\":" + dice.between(1, 9_999) + ".5,\"ok\":" + dice.percent(50) + "}";
    }

    Header[] headers() {
        if (dice.percent(60)) {
            return new Header[0];
        }
        List<Header> headers = new ArrayList<>();
        for (int i = dice.between(1, 5); i > 0; i--) {
            byte[] value = dice.percent(25) ? null : dice.percent(25) ? odd() : text("v" + dice.between(0, 9));
            headers.add(new RecordHeader(dice.pick(HEADER_KEYS), value));
        }
        return headers.toArray(new Header[0]);
    }

    /** Mostly forward, now and then back, as clocks of several machines do; all past, as brokers refuse the future. */
    long timestamp() {
        clock += dice.percent(10) ? -dice.between(0, 5_000) : dice.between(0, 900);
        return clock;
    }

    private byte[] odd() {
        byte[] left = text("x".repeat(dice.between(0, 2)));
        byte[] middle = dice.pick(NOT_UTF8);
        byte[] right = dice.percent(50) ? dice.bytes(dice.between(0, 12)) : text("é");
        return joined(joined(left, middle), right);
    }

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] joined(byte[] left, byte[] right) {
        byte[] all = java.util.Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, all, left.length, right.length);
        return all;
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }
}

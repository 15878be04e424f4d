package org.apache.kafka.tools.api;

import org.apache.kafka.common.serialization.DoubleDeserializer;

/**
 * Kafka 4.4.0 has no decoder for doubles beside those for ints and longs. This one, built the same way, is on
 * the oracle's classpath under the name kfsck accepts, as the tool loads any decoder class it is given.
 */
public final class DoubleDecoder implements Decoder<Double> {
    private final DoubleDeserializer deserializer = new DoubleDeserializer();

    @Override
    public Double fromBytes(byte[] bytes) {
        return deserializer.deserialize(null, bytes);
    }
}

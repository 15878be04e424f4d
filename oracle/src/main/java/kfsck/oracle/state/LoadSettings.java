package kfsck.oracle.state;

import java.util.ArrayList;
import java.util.List;

/** How a broker comes to a directory: what its checkpoint files say, and when. `missing` are files to take away. */
record LoadSettings(boolean clean, long logStart, long recoveryPoint, long now, int expiration,
    List<String> missing) {
    static final LoadSettings DEFAULT = of(new ScriptLine("load"), List.of());

    static LoadSettings of(ScriptLine line, List<String> missing) {
        return new LoadSettings(line.flag("clean", true), line.number("start", 0), line.number("recovery", 0),
            line.number("now", BatchBytes.FIRST_TIME), line.integer("expiration", 86_400_000), missing);
    }

    LoadSettings without(String name) {
        List<String> more = new ArrayList<>(missing);
        more.add(name);
        return new LoadSettings(clean, logStart, recoveryPoint, now, expiration, more);
    }
}

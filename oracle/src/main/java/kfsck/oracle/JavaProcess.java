package kfsck.oracle;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another of our programs in a process of its own, for what one process cannot do: be killed, or have another home. */
final class JavaProcess {
    private JavaProcess() {
    }

    static ProcessBuilder of(Class<?> program, Path directory, List<String> javaFlags, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8"));
        command.addAll(javaFlags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).directory(directory.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT);
    }
}

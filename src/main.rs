//! The `kfsck` binary.

fn main() {}

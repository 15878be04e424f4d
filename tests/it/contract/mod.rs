//! What every release keeps of the command line: scripts and hands rely on it.

mod check;
mod cluster_findings;
mod colors;
mod commands;
mod decoders;
mod explain;
mod filters;
mod indexes;
mod inputs;
mod limits;
mod lost_commits;
mod odd_snapshots;
mod order;
mod partition_copies;
mod producer_findings;
mod producer_ids;
mod producers;
mod repair_lines;
mod snapshot_comparison;
mod snapshots;
mod spooled;
mod starts;
mod wording;

pub(crate) use commands::make_fifo;

/// Every command passes the contract of all commands.
macro_rules! every_command {
    ($($name:ident: $args:expr;)*) => {
        $(mod $name {
            use crate::contract::commands;

            const ARGS: &[&str] = &$args;

            #[test]
            fn help_goes_to_stdout_and_has_three_examples() {
                commands::help(ARGS);
            }

            #[test]
            fn version() {
                commands::version(ARGS);
            }

            #[test]
            fn a_wrong_option_ends_with_2_before_anything_is_read() {
                commands::wrong_option(ARGS);
            }

            #[test]
            fn help_fits_a_narrow_terminal() {
                commands::narrow_help(ARGS);
            }
        })*

        /// The commands that this contract knows.
        const COMMANDS: &[&[&str]] = &[$(&$args),*];
    };
}

/// Every command that prints something of its own passes the contract of streams.
macro_rules! printing_commands {
    ($($name:ident: $args:expr;)*) => {
        $(mod $name {
            use crate::contract::commands;

            #[test]
            fn a_reader_that_went_away_is_no_error() {
                commands::closed_pipe(&$args);
            }

            #[test]
            fn a_closed_stdout_is_no_error() {
                commands::closed_stdout(&$args);
            }

            #[test]
            fn a_full_disk_is_told_with_the_name_of_the_stream() {
                commands::full_device(&$args);
            }
        })*
    };
}

/// Every command that reads files passes the contract of inputs.
macro_rules! reading_commands {
    ($($name:ident: $args:expr;)*) => {
        $(mod $name {
            use crate::contract::inputs;

            const ARGS: &[&str] = &$args;

            #[test]
            fn no_path_is_wrong_usage() {
                inputs::no_path(ARGS);
            }

            #[test]
            fn a_missing_file_ends_with_3_and_hides_no_other() {
                inputs::missing(ARGS);
            }

            #[test]
            fn a_directory_without_kafka_files_ends_with_3() {
                inputs::empty_directory(ARGS);
            }

            #[test]
            fn a_fifo_is_read_like_a_file() {
                inputs::fifo(ARGS);
            }

            #[test]
            fn devices_and_empty_files_hold_nothing() {
                inputs::nothing_inside(ARGS);
            }

            #[test]
            fn what_may_not_be_read_ends_with_3_and_hides_no_other() {
                inputs::unreadable(ARGS);
            }

            #[test]
            fn links_in_a_circle_end() {
                inputs::links_in_a_circle(ARGS);
            }

            #[test]
            fn inputs_stay_as_they_are() {
                inputs::untouched(ARGS);
            }

            #[test]
            fn a_read_only_directory_is_enough() {
                inputs::read_only_directory(ARGS);
            }

            #[test]
            fn odd_names() {
                inputs::odd_names(ARGS);
            }

            #[test]
            fn exit_zero_changes_only_1() {
                inputs::exit_zero(ARGS);
            }
        })*
    };
}

mod all {
    every_command! {
        dump_log: ["dump-log"];
        inspect_snapshot: ["inspect-snapshot"];
        producers: ["producers"];
        txns: ["txns"];
        repair: ["repair"];
        pid: ["pid"];
        simulate_chain: ["simulate-chain"];
        check: ["check"];
        explain: ["explain"];
        compare: ["compare"];
        cluster: ["cluster"];
        groups: ["groups"];
        completions: ["completions"];
        man: ["man"];
    }

    /// A new command comes with its line above.
    #[test]
    fn no_command_is_left_out() {
        crate::contract::commands::are_all(&[], COMMANDS);
    }
}

mod of_repair {
    every_command! {
        log: ["repair", "log"];
        index: ["repair", "index"];
        snapshot: ["repair", "snapshot"];
        pids: ["repair", "pids"];
        barrier: ["repair", "barrier"];
        abort: ["repair", "abort"];
    }

    /// A new command comes with its line above.
    #[test]
    fn no_command_is_left_out() {
        crate::contract::commands::are_all(&["repair"], COMMANDS);
    }
}

mod of_pid {
    every_command! {
        map: ["pid", "map"];
        explain: ["pid", "explain"];
        odds: ["pid", "odds"];
    }

    /// A new command comes with its line above.
    #[test]
    fn no_command_is_left_out() {
        crate::contract::commands::are_all(&["pid"], COMMANDS);
    }
}

mod printing {
    printing_commands! {
        dump_log: ["dump-log", "--format", "jsonl", "testdata/kafka/main"];
        inspect_snapshot: ["inspect-snapshot", "-q", "testdata/kafka/main"];
        inspect_json: ["inspect-snapshot", "-q", "--format", "json", "testdata/kafka/main"];
        producers: ["producers", "-q", "testdata/kafka/main"];
        producers_json: ["producers", "-q", "--format", "json", "testdata/kafka/main"];
        txns: ["txns", "--all", "testdata/kafka/main/txn-v2-1"];
        repair: ["repair", "index", "-q", "--dry-run", "testdata/kafka/main/idem-0"];
        repair_json: ["repair", "index", "--dry-run", "--format=json", "testdata/kafka/legacy"];
        pid_map: ["pid", "map", "--pid", "5", "--cluster-id", "7YlvJLFmRy2ZQ9tBN3Ofiw"];
        pid_explain: ["pid", "explain", "-7"];
        pid_odds: ["pid", "odds", "--clusters", "5"];
        simulate_chain: ["simulate-chain", "--builtin", "all"];
        simulate_chain_json: ["simulate-chain", "--builtin", "all", "--format", "json"];
        simulate_chain_trace: ["simulate-chain", "--builtin", "chain", "--trace"];
        simulate_chain_list: ["simulate-chain", "--list"];
        check: ["check", "testdata/kafka/main/idem-0"];
        check_json: ["check", "--format", "json", "testdata/kafka/main/idem-0"];
        explain: ["explain"];
        explain_json: ["explain", "--format", "json"];
        compare: ["compare", "testdata/kafka/main/plain-0", "testdata/kafka/main/plain-0"];
        compare_json: ["compare", "--format", "json", "testdata/kafka/main/idem-0",
            "testdata/kafka/main/idem-0"];
        cluster: ["cluster", "testdata/kafka/main"];
        cluster_json: ["cluster", "--format", "json", "testdata/kafka/main"];
        groups: ["groups", "testdata/kafka/main"];
        groups_json: ["groups", "--format", "json", "testdata/kafka/main"];
        completions: ["completions", "bash"];
        man: ["man"];
        help: ["help", "dump-log"];
    }
}

mod reading {
    reading_commands! {
        dump_log: ["dump-log"];
        producers: ["producers"];
        txns: ["txns"];
    }
}

# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kfsck_global_optspecs
    string join \n color= q/quiet exit-zero no-mmap h/help V/version
end

function __fish_kfsck_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_kfsck_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_kfsck_using_subcommand
    set -l cmd (__fish_kfsck_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c kfsck -n "__fish_kfsck_needs_command" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_needs_command" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_needs_command" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_needs_command" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_needs_command" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "dump-log" -d 'Print Kafka\'s files as kafka-dump-log does, and read on after damage'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "inspect-snapshot" -d 'Show producer snapshots, judge them, and compare them with the log'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "producers" -d 'Show what a broker would know of each producer after reading a partition'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "txns" -d 'Show open transactions, whether they hang, and the command that aborts them'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "repair" -d 'Make a damaged partition sound again, as a plan that says first what is kept and what is lost'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "pid" -d 'Map producer ids as mirroring designs do, explain ids, compute odds of collisions'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "simulate-chain" -d 'Run scenarios of mirrored clusters under each design of producer ids, and show what breaks'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "check" -d 'Check whole partitions: log, indexes, snapshots, checkpoints, and what a broker will do'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "explain" -d 'Tell what a finding means, how it comes about, what a broker does with it, and what to do'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "compare" -d 'Compare two logs of one partition: a mirror with its source, or two replicas'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "cluster" -d 'Show the cluster as its metadata log tells it: brokers, topics, features, configurations'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "groups" -d 'Show groups of consumers with the offsets that they have committed, and how far they lag'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "man" -d 'Print the manual page, or write the pages of all commands'
complete -c kfsck -n "__fish_kfsck_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l files -d 'Files and directories, separated by commas; read before PATHs' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l max-bytes -d 'Stop before the first batch that reaches beyond the first N bytes of a log' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l max-message-size -d 'When an .index is checked: the largest batch that an entry may point to, in bytes' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l key-decoder-class -d 'How keys are shown; implies --print-data-log' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l value-decoder-class -d 'How values are shown; takes what --key-decoder-class takes' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l format -d '`kafka`: the text of kafka-dump-log; `jsonl`: one JSON object a line' -r -f -a "kafka\t''
jsonl\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l max-record-bytes -d 'Tell a record above N bytes as damage instead of decoding it' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l threads -d 'Threads that decode and format, 64 at most [default: one for each processor]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l producer-id -d 'Only batches of these producers; negative ids are written as they are' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l producer-epoch -d 'Only batches of this producer epoch' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l leader-epoch -d 'Only batches of this leader epoch' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l start-offset -d 'Only batches that reach this offset, and of their records those at or above it' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l end-offset -d 'Only batches that begin at or below this offset, and records at or below it' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l start-time -d 'Only batches and records of this time or later: ISO-8601, or milliseconds since 1970' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l end-time -d 'Only batches and records of this time or earlier' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l limit -d 'Show at most N batches of each file' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l deep-iteration -d 'Print a line for each record'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l print-data-log -d 'Print keys and values too; implies --deep-iteration'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l verify-index-only -d 'Check indexes against the log without printing their entries'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l index-sanity-check -d 'Make only the check of indexes that a broker makes when it starts'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l skip-record-metadata -d 'Print keys and values alone; a control record is an empty line'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l offsets-decoder -d 'Decode the records of __consumer_offsets; implies --print-data-log'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l transaction-log-decoder -d 'Decode the records of __transaction_state; implies --print-data-log'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l cluster-metadata-decoder -d 'Decode the records of __cluster_metadata and its snapshots; implies --print-data-log'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l remote-log-metadata-decoder -d 'Decode the records of __remote_log_metadata; implies --print-data-log'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l share-group-state-decoder -d 'Decode the records of __share_group_state; implies --print-data-log'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l mirror-state-decoder -d 'Decode the records of __mirror_state, in every layout that the prototypes of Cluster Mirroring (KIP-1279) wrote; implies --print-data-log'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l transactional -d 'Only batches of transactions'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l control -d 'Only control batches'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand dump-log" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -l log -d 'Compare with the log of this partition directory; without PATH, inspect its snapshots' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -l format -d '`text`: tables and sentences; `kafka`: the text of kafka-dump-log, nothing compared; `json`: one JSON document' -r -f -a "text\t''
kafka\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -l rules -d 'Whose producer state' -r -f -a "stock\t'Kafka 4.4.0: a barrier (control type 7) is ignored, ids below 0 have no state'
barrier\t'The barrier design (KIP-1279): a barrier clears every producer and its open transaction'
mapped\t'As designs need that map producer ids: every id but -1 has state, a barrier clears'
fork\t'The barrier design with the holes of its prototype'"
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -l producer-id -d 'Only these producers; negative ids are written as they are' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -l top -d 'Show at most N producers, or `all` [default: 20 in text, all elsewhere]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -l expire-after -d 'Leave out producers that were silent for MS milliseconds or longer, as a broker with this producer.id.expiration.ms does; an open transaction keeps its producer' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -l now -d 'The time of --expire-after: ISO-8601, or milliseconds since 1970 [default: the clock\'s]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand inspect-snapshot" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l at -d 'The state before this offset: batches that end below it' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l rules -d 'Whose producer state' -r -f -a "stock\t'Kafka 4.4.0: a barrier (control type 7) is ignored, ids below 0 have no state'
barrier\t'The barrier design (KIP-1279): a barrier clears every producer and its open transaction'
mapped\t'As designs need that map producer ids: every id but -1 has state, a barrier clears'
fork\t'The barrier design with the holes of its prototype'"
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l producer-id -d 'Only these producers; negative ids are written as they are' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l top -d 'Show at most N producers of each partition, or `all` [default: 20 in text, all in JSON]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l sort -d 'What comes first' -r -f -a "open-first\t'Open transactions, the oldest first; then the latest to write'
producer-id\t'The lowest id'
epoch\t'The highest epoch'
last-offset\t'The highest last offset'
last-timestamp\t'The latest time'"
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l expire-after -d 'Leave out producers that were silent for MS milliseconds or longer, as a broker with this producer.id.expiration.ms does; an open transaction keeps its producer' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l now -d 'The time of --expire-after: ISO-8601, or milliseconds since 1970 [default: the clock\'s]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand producers" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l at-time -d 'What was open at this time: ISO-8601, or milliseconds since 1970; with --coordinators what they knew, and no logs' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l top -d 'Show at most N open transactions of each partition, the oldest, N that ended, and N ids' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l rules -d 'Whose producer state' -r -f -a "stock\t'Kafka 4.4.0: a barrier (control type 7) is ignored, ids below 0 have no state'
barrier\t'The barrier design (KIP-1279): a barrier clears every producer and its open transaction'
mapped\t'As designs need that map producer ids: every id but -1 has state, a barrier clears'
fork\t'The barrier design with the holes of its prototype'"
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l now -d 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: --at-time or the clock]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l expire-after -d 'Leave producers out of JSON that were silent for MS milliseconds or longer before that time, as a broker with this producer.id.expiration.ms does; an open transaction keeps its producer' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l max-transaction-timeout -d 'The cluster\'s transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l transaction-log -d 'A partition of __transaction_state, or a log directory that holds some; may be repeated' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l transaction-log-partitions -d 'The cluster\'s transaction.state.log.num.partitions [default: found out, if it can be]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l producer-id -d 'Only transactions of these producers; negative ids are written as they are' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l producer-epoch -d 'Only transactions of this producer epoch' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l transactional-id -d 'Only transactions of the producer that this id uses now; needs __transaction_state' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l all -d 'Show transactions that ended, too'
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l stats -d 'Count transactions that ended; show percentiles of their sizes and durations'
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l coordinators -d 'Show what __transaction_state knows of each transactional id, too'
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand txns" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -f -a "log" -d 'Take out of the log what cannot be read'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -f -a "index" -d 'Build offset, time and transaction indexes anew where they are missing or wrong'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -f -a "snapshot" -d 'Rebuild or change producer snapshots'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -f -a "pids" -d 'Give batches other producer ids, in the log, its indexes and its snapshots'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -f -a "barrier" -d 'Append the barrier that a mirror should have written when it stopped (MIRROR_PID_RESET)'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -f -a "abort" -d 'Append the ABORT that a hanging transaction waits for'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and not __fish_seen_subcommand_from log index snapshot pids barrier abort help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l output -d 'Write the result to DIR/TOPIC-PARTITION' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l index-interval-bytes -d 'The topic\'s index.interval.bytes: how far apart the entries of new indexes lie at least' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l now -d 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l truncate -d 'End the log in front of the first damage, as a broker\'s recovery does'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l salvage -d 'Keep every sound batch, also behind damage; for the last copy that is left'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l force -d 'Cut the log also where segments of it lie in remote storage'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l in-place -d 'Change the partition where it lies'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l dry-run -d 'Only show the plan'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from log" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -l output -d 'Write the result to DIR/TOPIC-PARTITION' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -l index-interval-bytes -d 'The topic\'s index.interval.bytes: how far apart the entries of new indexes lie at least' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -l now -d 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -l in-place -d 'Change the partition where it lies'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -l dry-run -d 'Only show the plan'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from index" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l at -d 'Write the one at OFFSET, where a segment begins, instead of the one at the end' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l drop-pid -d 'Take a producer out of every snapshot; refused while it has a transaction open' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l remap -d 'Give a producer another id in every snapshot' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l to-version -d 'Write version 1, of every release, or 2, of a fork of the bit-field design' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l set-source -d 'Name the cluster that a producer was mirrored from; version 2 only' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l rules -d 'Whose producer state' -r -f -a "stock\t'Kafka 4.4.0: a barrier (control type 7) is ignored, ids below 0 have no state'
barrier\t'The barrier design (KIP-1279): a barrier clears every producer and its open transaction'
mapped\t'As designs need that map producer ids: every id but -1 has state, a barrier clears'
fork\t'The barrier design with the holes of its prototype'"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l output -d 'Write the result to DIR/TOPIC-PARTITION' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l index-interval-bytes -d 'The topic\'s index.interval.bytes: how far apart the entries of new indexes lie at least' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l now -d 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l rebuild -d 'Write the snapshot at the log\'s end from the log, and make all others true'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l force -d 'Take new ids all the same that a controller gives out'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l in-place -d 'Change the partition where it lies'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l dry-run -d 'Only show the plan'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from snapshot" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l remap -d 'Give all batches of a producer another id' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l unmap -d 'Undo what a mirroring draft made of ids' -r -f -a "negate\t'-(id + 2)'
bit-field\t'Sign, 32 bits of the cluster\'s id, low 31 bits of the id'"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l map -d 'Map ids from 0 up as a mirroring draft does' -r -f -a "bit-field\t'Sign, 32 bits of the cluster\'s id, low 31 bits of the id'"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l cluster-id -d 'The source cluster\'s id; with --unmap bit-field only its region is undone' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l split -d 'Tell the batches of two writers apart that share this id, and give the second another' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l new-id -d 'The second writer\'s new id' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l writers -d 'How many writers may share the id; without it, as few as the log needs' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l assign -d 'Say who wrote the batch at an offset: writer 0, 1, ..' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l transaction-log -d 'A partition of __transaction_state, or a log directory that holds some; may be repeated' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l output -d 'Write the result to DIR/TOPIC-PARTITION' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l index-interval-bytes -d 'The topic\'s index.interval.bytes: how far apart the entries of new indexes lie at least' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l now -d 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l force -d 'Do it where segments lie in remote storage, and with new ids that a controller gives out'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l in-place -d 'Change the partition where it lies'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l dry-run -d 'Only show the plan'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from pids" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l source-cluster-id -d 'The cluster that was mirrored, for layout a' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l layout -d 'The layout of the barrier\'s value [default: a with --source-cluster-id, else b]' -r -f -a "a\t'With the source cluster\'s id'
b\t'Without'"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l rules -d 'Whose producer state' -r -f -a "stock\t'Kafka 4.4.0: a barrier (control type 7) is ignored, ids below 0 have no state'
barrier\t'The barrier design (KIP-1279): a barrier clears every producer and its open transaction'
mapped\t'As designs need that map producer ids: every id but -1 has state, a barrier clears'
fork\t'The barrier design with the holes of its prototype'"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l timestamp -d 'The batch\'s time: ISO-8601, or milliseconds since 1970 [default: the clock]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l cluster-metadata -d 'The directory __cluster_metadata-0, or the log directory that holds it: names the replicas' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l output -d 'Write the result to DIR/TOPIC-PARTITION' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l index-interval-bytes -d 'The topic\'s index.interval.bytes: how far apart the entries of new indexes lie at least' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l now -d 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l all-replicas-stopped -d 'Confirm that no broker runs that has a replica of the partition'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l in-place -d 'Change the partition where it lies'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l dry-run -d 'Only show the plan'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from barrier" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l producer-id -d 'Whose transaction' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l transaction-log -d 'A partition of __transaction_state, or a log directory that holds some; may be repeated' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l transaction-log-partitions -d 'The cluster\'s transaction.state.log.num.partitions [default: found out, if it can be]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l max-transaction-timeout -d 'The cluster\'s transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l timestamp -d 'The batch\'s time: ISO-8601, or milliseconds since 1970 [default: the clock]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l cluster-metadata -d 'The directory __cluster_metadata-0, or the log directory that holds it: names the replicas' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l output -d 'Write the result to DIR/TOPIC-PARTITION' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l index-interval-bytes -d 'The topic\'s index.interval.bytes: how far apart the entries of new indexes lie at least' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l now -d 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l force -d 'Abort whatever coordinators say, but for a commit that is decided'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l all-replicas-stopped -d 'Confirm that no broker runs that has a replica of the partition'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l in-place -d 'Change the partition where it lies'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l dry-run -d 'Only show the plan'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from abort" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from help" -f -a "log" -d 'Take out of the log what cannot be read'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from help" -f -a "index" -d 'Build offset, time and transaction indexes anew where they are missing or wrong'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from help" -f -a "snapshot" -d 'Rebuild or change producer snapshots'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from help" -f -a "pids" -d 'Give batches other producer ids, in the log, its indexes and its snapshots'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from help" -f -a "barrier" -d 'Append the barrier that a mirror should have written when it stopped (MIRROR_PID_RESET)'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from help" -f -a "abort" -d 'Append the ABORT that a hanging transaction waits for'
complete -c kfsck -n "__fish_kfsck_using_subcommand repair; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and not __fish_seen_subcommand_from map explain odds" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and not __fish_seen_subcommand_from map explain odds" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and not __fish_seen_subcommand_from map explain odds" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and not __fish_seen_subcommand_from map explain odds" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and not __fish_seen_subcommand_from map explain odds" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and not __fish_seen_subcommand_from map explain odds" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and not __fish_seen_subcommand_from map explain odds" -f -a "map" -d 'Print what a mapping makes of a producer id'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and not __fish_seen_subcommand_from map explain odds" -f -a "explain" -d 'Print everything that a producer id can be'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and not __fish_seen_subcommand_from map explain odds" -f -a "odds" -d 'Compute how likely two of some clusters share a region of bit-field ids'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -l pid -d 'The producer\'s id on the source cluster; also 0x and 16 hexadecimal digits' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -l cluster-id -d 'The source cluster\'s id: 22 characters of URL-safe base 64, a UUID, or 32 hex digits' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -l strategy -d 'The mapping' -r -f -a "negate\t'-(id + 2), of every id'
negate-idempotent\t'-(id + 2), of ids from 0 up'
bit-field\t'Sign, 32 bits of the cluster\'s id, low 31 bits of the producer\'s; of ids from 0 up'"
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -l salt -d 'Added to the cluster\'s region, as after a collision; bit-field only' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from map" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from explain" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from explain" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from explain" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from explain" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from explain" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from explain" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from explain" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from odds" -l clusters -d 'How many source clusters there are' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from odds" -l probability -d 'The probability to be reached, above 0 and at most 1' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from odds" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from odds" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from odds" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from odds" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from odds" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from odds" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from odds" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand pid; and __fish_seen_subcommand_from odds" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l builtin -d 'Scenarios that come with the program, or `all`' -r -f -a "all\t''
chain-negation\t''
chain-local-producer\t''
same-epoch-wrong-sequence\t''
different-epochs\t''
transaction-interleave\t''
source-reassignment\t''
hash-collision\t''
active-passive\t''
failback\t''
fan-out\t''
fan-in\t''
chain\t''
open-transaction-at-stop\t''
barrier-same-chunk\t''
unclean-recovery\t''
missing-barrier\t''
retry-across-stop\t''
salt-after-expiry\t''
salt-after-election\t''
salt-false-collision\t''
salt-unseen-collision\t''
failed-abort-at-stop\t''
truncated-barrier\t''
negative-ids-on-stock\t''
split-transaction\t''
abort-after-commit\t''
repeated-barrier\t''
free-text-cluster-id\t''
replaced-source\t''
copied-back\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l strategy -d 'What becomes of producer ids; several, or all' -r -f -a "all\t'Every strategy (the default)'
verbatim\t'Batches are stored as they are'
negate\t'-(id + 2), of every id'
negate-idempotent\t'-(id + 2), of ids from 0 up'
bit-field\t'32 bits of the source cluster\'s id beside 31 bits of the producer\'s'
bit-field-salt\t'The same; a collision with producer state that another source is tagged on is salted'
bit-field-random-salt\t'The same; salts are random and are kept in `__mirror_state`'
barrier\t'Batches are stored as they are, MIRROR_PID_RESET ends their producers\' state'"
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l rules -d 'Whose producer state all brokers have; several, or all [default: mapped for negations and bit-field, else barrier]' -r -f -a "all\t'Every rule set'
stock\t'Kafka 4.4.0: a barrier (control type 7) is ignored, ids below 0 have no state'
barrier\t'The barrier design (KIP-1279): a barrier clears every producer and its open transaction'
mapped\t'As designs need that map producer ids: every id but -1 has state, a barrier clears'
fork\t'The barrier design with the holes of its prototype'"
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l seed -d 'The seed of what is random: the same seed gives the same bytes' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l expect -d 'End with 1 unless every run comes out like this' -r -f -a "safe\t'No harm'"
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l write-logs -d 'Write each run\'s replicas as log directories below DIR, as brokers would leave them' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l explore -d 'Run so many random scenarios of each design, from --seed on, and shrink what does harm' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l exhaustive -d 'Run every schedule of up to so many steps of small models, shortest first; 1 to 12' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l list -d 'List the scenarios that come with the program'
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l trace -d 'Tell each run step by step'
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l diagram -d 'Draw the run as a Mermaid sequence diagram; needs one scenario and one design'
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand simulate-chain" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l depth -d 'How deep to look; each looks at all that the ones before it do' -r -f -a "framing\t'Headers of batches, and control records'
crc\t'Checksums'
records\t'Each record, decompressed'
rewrite\t'Each batch is written anew and compared'"
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l only -d 'Only findings of these codes' -r -f -a "crc-mismatch\t''
zero-tail\t''
truncated-tail\t''
garbage\t''
bad-batch-header\t''
unknown-codec\t''
payload-undecodable\t''
payload-too-large\t''
record-malformed\t''
record-count-mismatch\t''
batch-not-canonical\t''
max-timestamp-mismatch\t''
future-timestamp\t''
offset-regression\t''
offset-overflow\t''
segment-gap\t''
segment-overlap\t''
name-mismatch\t''
leader-epoch-regression\t''
sequence-gap\t''
sequence-repeat\t''
sequence-overlap\t''
marker-old-epoch\t''
epoch-regression\t''
coordinator-epoch-regression\t''
non-transactional-in-transaction\t''
marker-malformed\t''
hanging-transaction\t''
negative-producer-id\t''
pid-collision\t''
barrier-malformed\t''
barrier-repeated\t''
barrier-open-transaction\t''
barrier-missing\t''
snapshot-corrupt\t''
snapshot-missing\t''
snapshot-mismatch\t''
snapshot-before-barrier\t''
snapshot-stray\t''
index-corrupt\t''
index-mismatch\t''
index-missing\t''
time-index-mismatch\t''
txn-index-mismatch\t''
txn-index-missing\t''
leader-epoch-checkpoint-mismatch\t''
checkpoint-corrupt\t''
checkpoint-mismatch\t''
partition-metadata-mismatch\t''
duplicate-partition\t''
leftover-file\t''
stray-file\t''
start-blocked\t''
internal-record-undecodable\t''
producer-id-not-issued\t''
coordinator-mismatch\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l ignore -d 'No findings of these codes' -r -f -a "crc-mismatch\t''
zero-tail\t''
truncated-tail\t''
garbage\t''
bad-batch-header\t''
unknown-codec\t''
payload-undecodable\t''
payload-too-large\t''
record-malformed\t''
record-count-mismatch\t''
batch-not-canonical\t''
max-timestamp-mismatch\t''
future-timestamp\t''
offset-regression\t''
offset-overflow\t''
segment-gap\t''
segment-overlap\t''
name-mismatch\t''
leader-epoch-regression\t''
sequence-gap\t''
sequence-repeat\t''
sequence-overlap\t''
marker-old-epoch\t''
epoch-regression\t''
coordinator-epoch-regression\t''
non-transactional-in-transaction\t''
marker-malformed\t''
hanging-transaction\t''
negative-producer-id\t''
pid-collision\t''
barrier-malformed\t''
barrier-repeated\t''
barrier-open-transaction\t''
barrier-missing\t''
snapshot-corrupt\t''
snapshot-missing\t''
snapshot-mismatch\t''
snapshot-before-barrier\t''
snapshot-stray\t''
index-corrupt\t''
index-mismatch\t''
index-missing\t''
time-index-mismatch\t''
txn-index-mismatch\t''
txn-index-missing\t''
leader-epoch-checkpoint-mismatch\t''
checkpoint-corrupt\t''
checkpoint-mismatch\t''
partition-metadata-mismatch\t''
duplicate-partition\t''
leftover-file\t''
stray-file\t''
start-blocked\t''
internal-record-undecodable\t''
producer-id-not-issued\t''
coordinator-mismatch\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l top -d 'In text, show at most N findings of each kind in each partition [default: 10]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l threads -d 'Threads that check, a partition each, 64 at most [default: one for each processor]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l rules -d 'Whose producer state' -r -f -a "stock\t'Kafka 4.4.0: a barrier (control type 7) is ignored, ids below 0 have no state'
barrier\t'The barrier design (KIP-1279): a barrier clears every producer and its open transaction'
mapped\t'As designs need that map producer ids: every id but -1 has state, a barrier clears'
fork\t'The barrier design with the holes of its prototype'"
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l now -d 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l expire-after -d 'The brokers\' producer.id.expiration.ms: after so much silence a producer may begin anew' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l max-transaction-timeout -d 'The cluster\'s transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l max-record-bytes -d 'Tell a record above N bytes as damage instead of decoding it' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand check" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand explain" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand explain" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand explain" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand explain" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand explain" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand explain" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand explain" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand compare" -l restore-to -d 'Write the union of both to DIR/<topic-partition>, which must not be there yet' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand compare" -l now -d 'The time by which a union is judged: ISO-8601, or milliseconds since 1970 [default: the clock]' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand compare" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand compare" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand compare" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand compare" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand compare" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand compare" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand compare" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand cluster" -l at-offset -d 'As it was when the metadata log ended at this offset' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand cluster" -l format -d '`text`: tables and sentences; `json`: one JSON document' -r -f -a "text\t''
json\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand cluster" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand cluster" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand cluster" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand cluster" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand cluster" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand cluster" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand cluster" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand groups" -l group-id -d 'Only this group; may be given several times' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand groups" -l at-time -d 'As it was at this time: ISO-8601, or milliseconds since 1970' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand groups" -l at-offset -d 'As it was when the log of the one partition that is given ended at this offset' -r
complete -c kfsck -n "__fish_kfsck_using_subcommand groups" -l format -d '`text`: tables; `json`: one JSON document; `csv`: group,topic,partition,offset' -r -f -a "text\t''
json\t''
csv\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand groups" -l wide-integers -d 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings' -r -f -a "number\t''
string\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand groups" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand groups" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand groups" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand groups" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand groups" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand groups" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand completions" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand completions" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand completions" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand completions" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand completions" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand man" -l output -d 'Write kfsck.1 and a page a command into DIR, which is made if need be' -r -F
complete -c kfsck -n "__fish_kfsck_using_subcommand man" -l color -d 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kfsck -n "__fish_kfsck_using_subcommand man" -s q -l quiet -d 'No notes on stderr, only damage and errors'
complete -c kfsck -n "__fish_kfsck_using_subcommand man" -l exit-zero -d 'End with 0 where the exit code would be 1'
complete -c kfsck -n "__fish_kfsck_using_subcommand man" -l no-mmap -d 'Read files piece by piece instead of mapping them into memory'
complete -c kfsck -n "__fish_kfsck_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kfsck -n "__fish_kfsck_using_subcommand man" -s V -l version -d 'Print version'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "dump-log" -d 'Print Kafka\'s files as kafka-dump-log does, and read on after damage'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "inspect-snapshot" -d 'Show producer snapshots, judge them, and compare them with the log'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "producers" -d 'Show what a broker would know of each producer after reading a partition'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "txns" -d 'Show open transactions, whether they hang, and the command that aborts them'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "repair" -d 'Make a damaged partition sound again, as a plan that says first what is kept and what is lost'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "pid" -d 'Map producer ids as mirroring designs do, explain ids, compute odds of collisions'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "simulate-chain" -d 'Run scenarios of mirrored clusters under each design of producer ids, and show what breaks'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "check" -d 'Check whole partitions: log, indexes, snapshots, checkpoints, and what a broker will do'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "explain" -d 'Tell what a finding means, how it comes about, what a broker does with it, and what to do'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "compare" -d 'Compare two logs of one partition: a mirror with its source, or two replicas'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "cluster" -d 'Show the cluster as its metadata log tells it: brokers, topics, features, configurations'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "groups" -d 'Show groups of consumers with the offsets that they have committed, and how far they lag'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "man" -d 'Print the manual page, or write the pages of all commands'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and not __fish_seen_subcommand_from dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and __fish_seen_subcommand_from repair" -f -a "log" -d 'Take out of the log what cannot be read'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and __fish_seen_subcommand_from repair" -f -a "index" -d 'Build offset, time and transaction indexes anew where they are missing or wrong'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and __fish_seen_subcommand_from repair" -f -a "snapshot" -d 'Rebuild or change producer snapshots'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and __fish_seen_subcommand_from repair" -f -a "pids" -d 'Give batches other producer ids, in the log, its indexes and its snapshots'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and __fish_seen_subcommand_from repair" -f -a "barrier" -d 'Append the barrier that a mirror should have written when it stopped (MIRROR_PID_RESET)'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and __fish_seen_subcommand_from repair" -f -a "abort" -d 'Append the ABORT that a hanging transaction waits for'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and __fish_seen_subcommand_from pid" -f -a "map" -d 'Print what a mapping makes of a producer id'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and __fish_seen_subcommand_from pid" -f -a "explain" -d 'Print everything that a producer id can be'
complete -c kfsck -n "__fish_kfsck_using_subcommand help; and __fish_seen_subcommand_from pid" -f -a "odds" -d 'Compute how likely two of some clusters share a region of bit-field ids'

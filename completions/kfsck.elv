
use builtin;
use str;

set edit:completion:arg-completer[kfsck] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'kfsck'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'kfsck'= {
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand dump-log 'Print Kafka''s files as kafka-dump-log does, and read on after damage'
            cand inspect-snapshot 'Show producer snapshots, judge them, and compare them with the log'
            cand producers 'Show what a broker would know of each producer after reading a partition'
            cand txns 'Show open transactions, whether they hang, and the command that aborts them'
            cand repair 'Make a damaged partition sound again, as a plan that says first what is kept and what is lost'
            cand pid 'Map producer ids as mirroring designs do, explain ids, compute odds of collisions'
            cand simulate-chain 'Run scenarios of mirrored clusters under each design of producer ids, and show what breaks'
            cand check 'Check whole partitions: log, indexes, snapshots, checkpoints, and what a broker will do'
            cand explain 'Tell what a finding means, how it comes about, what a broker does with it, and what to do'
            cand compare 'Compare two logs of one partition: a mirror with its source, or two replicas'
            cand cluster 'Show the cluster as its metadata log tells it: brokers, topics, features, configurations'
            cand groups 'Show groups of consumers with the offsets that they have committed, and how far they lag'
            cand completions 'Print a completion script for a shell'
            cand man 'Print the manual page, or write the pages of all commands'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kfsck;dump-log'= {
            cand --files 'Files and directories, separated by commas; read before PATHs'
            cand --max-bytes 'Stop before the first batch that reaches beyond the first N bytes of a log'
            cand --max-message-size 'When an .index is checked: the largest batch that an entry may point to, in bytes'
            cand --key-decoder-class 'How keys are shown; implies --print-data-log'
            cand --value-decoder-class 'How values are shown; takes what --key-decoder-class takes'
            cand --format '`kafka`: the text of kafka-dump-log; `jsonl`: one JSON object a line'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --max-record-bytes 'Tell a record above N bytes as damage instead of decoding it'
            cand --threads 'Threads that decode and format, 64 at most [default: one for each processor]'
            cand --producer-id 'Only batches of these producers; negative ids are written as they are'
            cand --producer-epoch 'Only batches of this producer epoch'
            cand --leader-epoch 'Only batches of this leader epoch'
            cand --start-offset 'Only batches that reach this offset, and of their records those at or above it'
            cand --end-offset 'Only batches that begin at or below this offset, and records at or below it'
            cand --start-time 'Only batches and records of this time or later: ISO-8601, or milliseconds since 1970'
            cand --end-time 'Only batches and records of this time or earlier'
            cand --limit 'Show at most N batches of each file'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand --deep-iteration 'Print a line for each record'
            cand --print-data-log 'Print keys and values too; implies --deep-iteration'
            cand --verify-index-only 'Check indexes against the log without printing their entries'
            cand --index-sanity-check 'Make only the check of indexes that a broker makes when it starts'
            cand --skip-record-metadata 'Print keys and values alone; a control record is an empty line'
            cand --offsets-decoder 'Decode the records of __consumer_offsets; implies --print-data-log'
            cand --transaction-log-decoder 'Decode the records of __transaction_state; implies --print-data-log'
            cand --cluster-metadata-decoder 'Decode the records of __cluster_metadata and its snapshots; implies --print-data-log'
            cand --remote-log-metadata-decoder 'Decode the records of __remote_log_metadata; implies --print-data-log'
            cand --share-group-state-decoder 'Decode the records of __share_group_state; implies --print-data-log'
            cand --mirror-state-decoder 'Decode the records of __mirror_state, in every layout that the prototypes of Cluster Mirroring (KIP-1279) wrote; implies --print-data-log'
            cand --transactional 'Only batches of transactions'
            cand --control 'Only control batches'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;inspect-snapshot'= {
            cand --log 'Compare with the log of this partition directory; without PATH, inspect its snapshots'
            cand --format '`text`: tables and sentences; `kafka`: the text of kafka-dump-log, nothing compared; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --rules 'Whose producer state'
            cand --producer-id 'Only these producers; negative ids are written as they are'
            cand --top 'Show at most N producers, or `all` [default: 20 in text, all elsewhere]'
            cand --expire-after 'Leave out producers that were silent for MS milliseconds or longer, as a broker with this producer.id.expiration.ms does; an open transaction keeps its producer'
            cand --now 'The time of --expire-after: ISO-8601, or milliseconds since 1970 [default: the clock''s]'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;producers'= {
            cand --at 'The state before this offset: batches that end below it'
            cand --rules 'Whose producer state'
            cand --producer-id 'Only these producers; negative ids are written as they are'
            cand --top 'Show at most N producers of each partition, or `all` [default: 20 in text, all in JSON]'
            cand --sort 'What comes first'
            cand --expire-after 'Leave out producers that were silent for MS milliseconds or longer, as a broker with this producer.id.expiration.ms does; an open transaction keeps its producer'
            cand --now 'The time of --expire-after: ISO-8601, or milliseconds since 1970 [default: the clock''s]'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;txns'= {
            cand --at-time 'What was open at this time: ISO-8601, or milliseconds since 1970; with --coordinators what they knew, and no logs'
            cand --top 'Show at most N open transactions of each partition, the oldest, N that ended, and N ids'
            cand --rules 'Whose producer state'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --now 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: --at-time or the clock]'
            cand --expire-after 'Leave producers out of JSON that were silent for MS milliseconds or longer before that time, as a broker with this producer.id.expiration.ms does; an open transaction keeps its producer'
            cand --max-transaction-timeout 'The cluster''s transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds'
            cand --transaction-log 'A partition of __transaction_state, or a log directory that holds some; may be repeated'
            cand --transaction-log-partitions 'The cluster''s transaction.state.log.num.partitions [default: found out, if it can be]'
            cand --producer-id 'Only transactions of these producers; negative ids are written as they are'
            cand --producer-epoch 'Only transactions of this producer epoch'
            cand --transactional-id 'Only transactions of the producer that this id uses now; needs __transaction_state'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand --all 'Show transactions that ended, too'
            cand --stats 'Count transactions that ended; show percentiles of their sizes and durations'
            cand --coordinators 'Show what __transaction_state knows of each transactional id, too'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;repair'= {
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand log 'Take out of the log what cannot be read'
            cand index 'Build offset, time and transaction indexes anew where they are missing or wrong'
            cand snapshot 'Rebuild or change producer snapshots'
            cand pids 'Give batches other producer ids, in the log, its indexes and its snapshots'
            cand barrier 'Append the barrier that a mirror should have written when it stopped (MIRROR_PID_RESET)'
            cand abort 'Append the ABORT that a hanging transaction waits for'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kfsck;repair;log'= {
            cand --output 'Write the result to DIR/TOPIC-PARTITION'
            cand --index-interval-bytes 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least'
            cand --now 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand --truncate 'End the log in front of the first damage, as a broker''s recovery does'
            cand --salvage 'Keep every sound batch, also behind damage; for the last copy that is left'
            cand --force 'Cut the log also where segments of it lie in remote storage'
            cand --in-place 'Change the partition where it lies'
            cand --dry-run 'Only show the plan'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;repair;index'= {
            cand --output 'Write the result to DIR/TOPIC-PARTITION'
            cand --index-interval-bytes 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least'
            cand --now 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand --in-place 'Change the partition where it lies'
            cand --dry-run 'Only show the plan'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;repair;snapshot'= {
            cand --at 'Write the one at OFFSET, where a segment begins, instead of the one at the end'
            cand --drop-pid 'Take a producer out of every snapshot; refused while it has a transaction open'
            cand --remap 'Give a producer another id in every snapshot'
            cand --to-version 'Write version 1, of every release, or 2, of a fork of the bit-field design'
            cand --set-source 'Name the cluster that a producer was mirrored from; version 2 only'
            cand --rules 'Whose producer state'
            cand --output 'Write the result to DIR/TOPIC-PARTITION'
            cand --index-interval-bytes 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least'
            cand --now 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand --rebuild 'Write the snapshot at the log''s end from the log, and make all others true'
            cand --force 'Take new ids all the same that a controller gives out'
            cand --in-place 'Change the partition where it lies'
            cand --dry-run 'Only show the plan'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;repair;pids'= {
            cand --remap 'Give all batches of a producer another id'
            cand --unmap 'Undo what a mirroring draft made of ids'
            cand --map 'Map ids from 0 up as a mirroring draft does'
            cand --cluster-id 'The source cluster''s id; with --unmap bit-field only its region is undone'
            cand --split 'Tell the batches of two writers apart that share this id, and give the second another'
            cand --new-id 'The second writer''s new id'
            cand --writers 'How many writers may share the id; without it, as few as the log needs'
            cand --assign 'Say who wrote the batch at an offset: writer 0, 1, ..'
            cand --transaction-log 'A partition of __transaction_state, or a log directory that holds some; may be repeated'
            cand --output 'Write the result to DIR/TOPIC-PARTITION'
            cand --index-interval-bytes 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least'
            cand --now 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand --force 'Do it where segments lie in remote storage, and with new ids that a controller gives out'
            cand --in-place 'Change the partition where it lies'
            cand --dry-run 'Only show the plan'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;repair;barrier'= {
            cand --source-cluster-id 'The cluster that was mirrored, for layout a'
            cand --layout 'The layout of the barrier''s value [default: a with --source-cluster-id, else b]'
            cand --rules 'Whose producer state'
            cand --timestamp 'The batch''s time: ISO-8601, or milliseconds since 1970 [default: the clock]'
            cand --cluster-metadata 'The directory __cluster_metadata-0, or the log directory that holds it: names the replicas'
            cand --output 'Write the result to DIR/TOPIC-PARTITION'
            cand --index-interval-bytes 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least'
            cand --now 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand --all-replicas-stopped 'Confirm that no broker runs that has a replica of the partition'
            cand --in-place 'Change the partition where it lies'
            cand --dry-run 'Only show the plan'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;repair;abort'= {
            cand --producer-id 'Whose transaction'
            cand --transaction-log 'A partition of __transaction_state, or a log directory that holds some; may be repeated'
            cand --transaction-log-partitions 'The cluster''s transaction.state.log.num.partitions [default: found out, if it can be]'
            cand --max-transaction-timeout 'The cluster''s transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds'
            cand --timestamp 'The batch''s time: ISO-8601, or milliseconds since 1970 [default: the clock]'
            cand --cluster-metadata 'The directory __cluster_metadata-0, or the log directory that holds it: names the replicas'
            cand --output 'Write the result to DIR/TOPIC-PARTITION'
            cand --index-interval-bytes 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least'
            cand --now 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand --force 'Abort whatever coordinators say, but for a commit that is decided'
            cand --all-replicas-stopped 'Confirm that no broker runs that has a replica of the partition'
            cand --in-place 'Change the partition where it lies'
            cand --dry-run 'Only show the plan'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;repair;help'= {
            cand log 'Take out of the log what cannot be read'
            cand index 'Build offset, time and transaction indexes anew where they are missing or wrong'
            cand snapshot 'Rebuild or change producer snapshots'
            cand pids 'Give batches other producer ids, in the log, its indexes and its snapshots'
            cand barrier 'Append the barrier that a mirror should have written when it stopped (MIRROR_PID_RESET)'
            cand abort 'Append the ABORT that a hanging transaction waits for'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kfsck;repair;help;log'= {
        }
        &'kfsck;repair;help;index'= {
        }
        &'kfsck;repair;help;snapshot'= {
        }
        &'kfsck;repair;help;pids'= {
        }
        &'kfsck;repair;help;barrier'= {
        }
        &'kfsck;repair;help;abort'= {
        }
        &'kfsck;repair;help;help'= {
        }
        &'kfsck;pid'= {
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand map 'Print what a mapping makes of a producer id'
            cand explain 'Print everything that a producer id can be'
            cand odds 'Compute how likely two of some clusters share a region of bit-field ids'
        }
        &'kfsck;pid;map'= {
            cand --pid 'The producer''s id on the source cluster; also 0x and 16 hexadecimal digits'
            cand --cluster-id 'The source cluster''s id: 22 characters of URL-safe base 64, a UUID, or 32 hex digits'
            cand --strategy 'The mapping'
            cand --salt 'Added to the cluster''s region, as after a collision; bit-field only'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;pid;explain'= {
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;pid;odds'= {
            cand --clusters 'How many source clusters there are'
            cand --probability 'The probability to be reached, above 0 and at most 1'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;simulate-chain'= {
            cand --builtin 'Scenarios that come with the program, or `all`'
            cand --strategy 'What becomes of producer ids; several, or all'
            cand --rules 'Whose producer state all brokers have; several, or all [default: mapped for negations and bit-field, else barrier]'
            cand --seed 'The seed of what is random: the same seed gives the same bytes'
            cand --expect 'End with 1 unless every run comes out like this'
            cand --write-logs 'Write each run''s replicas as log directories below DIR, as brokers would leave them'
            cand --explore 'Run so many random scenarios of each design, from --seed on, and shrink what does harm'
            cand --exhaustive 'Run every schedule of up to so many steps of small models, shortest first; 1 to 12'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand --list 'List the scenarios that come with the program'
            cand --trace 'Tell each run step by step'
            cand --diagram 'Draw the run as a Mermaid sequence diagram; needs one scenario and one design'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;check'= {
            cand --depth 'How deep to look; each looks at all that the ones before it do'
            cand --only 'Only findings of these codes'
            cand --ignore 'No findings of these codes'
            cand --top 'In text, show at most N findings of each kind in each partition [default: 10]'
            cand --threads 'Threads that check, a partition each, 64 at most [default: one for each processor]'
            cand --rules 'Whose producer state'
            cand --now 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]'
            cand --expire-after 'The brokers'' producer.id.expiration.ms: after so much silence a producer may begin anew'
            cand --max-transaction-timeout 'The cluster''s transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds'
            cand --max-record-bytes 'Tell a record above N bytes as damage instead of decoding it'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;explain'= {
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;compare'= {
            cand --restore-to 'Write the union of both to DIR/<topic-partition>, which must not be there yet'
            cand --now 'The time by which a union is judged: ISO-8601, or milliseconds since 1970 [default: the clock]'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;cluster'= {
            cand --at-offset 'As it was when the metadata log ended at this offset'
            cand --format '`text`: tables and sentences; `json`: one JSON document'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;groups'= {
            cand --group-id 'Only this group; may be given several times'
            cand --at-time 'As it was at this time: ISO-8601, or milliseconds since 1970'
            cand --at-offset 'As it was when the log of the one partition that is given ended at this offset'
            cand --format '`text`: tables; `json`: one JSON document; `csv`: group,topic,partition,offset'
            cand --wide-integers 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;completions'= {
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;man'= {
            cand --output 'Write kfsck.1 and a page a command into DIR, which is made if need be'
            cand --color 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE'
            cand -q 'No notes on stderr, only damage and errors'
            cand --quiet 'No notes on stderr, only damage and errors'
            cand --exit-zero 'End with 0 where the exit code would be 1'
            cand --no-mmap 'Read files piece by piece instead of mapping them into memory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kfsck;help'= {
            cand dump-log 'Print Kafka''s files as kafka-dump-log does, and read on after damage'
            cand inspect-snapshot 'Show producer snapshots, judge them, and compare them with the log'
            cand producers 'Show what a broker would know of each producer after reading a partition'
            cand txns 'Show open transactions, whether they hang, and the command that aborts them'
            cand repair 'Make a damaged partition sound again, as a plan that says first what is kept and what is lost'
            cand pid 'Map producer ids as mirroring designs do, explain ids, compute odds of collisions'
            cand simulate-chain 'Run scenarios of mirrored clusters under each design of producer ids, and show what breaks'
            cand check 'Check whole partitions: log, indexes, snapshots, checkpoints, and what a broker will do'
            cand explain 'Tell what a finding means, how it comes about, what a broker does with it, and what to do'
            cand compare 'Compare two logs of one partition: a mirror with its source, or two replicas'
            cand cluster 'Show the cluster as its metadata log tells it: brokers, topics, features, configurations'
            cand groups 'Show groups of consumers with the offsets that they have committed, and how far they lag'
            cand completions 'Print a completion script for a shell'
            cand man 'Print the manual page, or write the pages of all commands'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kfsck;help;dump-log'= {
        }
        &'kfsck;help;inspect-snapshot'= {
        }
        &'kfsck;help;producers'= {
        }
        &'kfsck;help;txns'= {
        }
        &'kfsck;help;repair'= {
            cand log 'Take out of the log what cannot be read'
            cand index 'Build offset, time and transaction indexes anew where they are missing or wrong'
            cand snapshot 'Rebuild or change producer snapshots'
            cand pids 'Give batches other producer ids, in the log, its indexes and its snapshots'
            cand barrier 'Append the barrier that a mirror should have written when it stopped (MIRROR_PID_RESET)'
            cand abort 'Append the ABORT that a hanging transaction waits for'
        }
        &'kfsck;help;repair;log'= {
        }
        &'kfsck;help;repair;index'= {
        }
        &'kfsck;help;repair;snapshot'= {
        }
        &'kfsck;help;repair;pids'= {
        }
        &'kfsck;help;repair;barrier'= {
        }
        &'kfsck;help;repair;abort'= {
        }
        &'kfsck;help;pid'= {
            cand map 'Print what a mapping makes of a producer id'
            cand explain 'Print everything that a producer id can be'
            cand odds 'Compute how likely two of some clusters share a region of bit-field ids'
        }
        &'kfsck;help;pid;map'= {
        }
        &'kfsck;help;pid;explain'= {
        }
        &'kfsck;help;pid;odds'= {
        }
        &'kfsck;help;simulate-chain'= {
        }
        &'kfsck;help;check'= {
        }
        &'kfsck;help;explain'= {
        }
        &'kfsck;help;compare'= {
        }
        &'kfsck;help;cluster'= {
        }
        &'kfsck;help;groups'= {
        }
        &'kfsck;help;completions'= {
        }
        &'kfsck;help;man'= {
        }
        &'kfsck;help;help'= {
        }
    ]
    $completions[$command]
}


using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'kfsck' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'kfsck'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'kfsck' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('dump-log', 'dump-log', [CompletionResultType]::ParameterValue, 'Print Kafka''s files as kafka-dump-log does, and read on after damage')
            [CompletionResult]::new('inspect-snapshot', 'inspect-snapshot', [CompletionResultType]::ParameterValue, 'Show producer snapshots, judge them, and compare them with the log')
            [CompletionResult]::new('producers', 'producers', [CompletionResultType]::ParameterValue, 'Show what a broker would know of each producer after reading a partition')
            [CompletionResult]::new('txns', 'txns', [CompletionResultType]::ParameterValue, 'Show open transactions, whether they hang, and the command that aborts them')
            [CompletionResult]::new('repair', 'repair', [CompletionResultType]::ParameterValue, 'Make a damaged partition sound again, as a plan that says first what is kept and what is lost')
            [CompletionResult]::new('pid', 'pid', [CompletionResultType]::ParameterValue, 'Map producer ids as mirroring designs do, explain ids, compute odds of collisions')
            [CompletionResult]::new('simulate-chain', 'simulate-chain', [CompletionResultType]::ParameterValue, 'Run scenarios of mirrored clusters under each design of producer ids, and show what breaks')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check whole partitions: log, indexes, snapshots, checkpoints, and what a broker will do')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Tell what a finding means, how it comes about, what a broker does with it, and what to do')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two logs of one partition: a mirror with its source, or two replicas')
            [CompletionResult]::new('cluster', 'cluster', [CompletionResultType]::ParameterValue, 'Show the cluster as its metadata log tells it: brokers, topics, features, configurations')
            [CompletionResult]::new('groups', 'groups', [CompletionResultType]::ParameterValue, 'Show groups of consumers with the offsets that they have committed, and how far they lag')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page, or write the pages of all commands')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kfsck;dump-log' {
            [CompletionResult]::new('--files', '--files', [CompletionResultType]::ParameterName, 'Files and directories, separated by commas; read before PATHs')
            [CompletionResult]::new('--max-bytes', '--max-bytes', [CompletionResultType]::ParameterName, 'Stop before the first batch that reaches beyond the first N bytes of a log')
            [CompletionResult]::new('--max-message-size', '--max-message-size', [CompletionResultType]::ParameterName, 'When an .index is checked: the largest batch that an entry may point to, in bytes')
            [CompletionResult]::new('--key-decoder-class', '--key-decoder-class', [CompletionResultType]::ParameterName, 'How keys are shown; implies --print-data-log')
            [CompletionResult]::new('--value-decoder-class', '--value-decoder-class', [CompletionResultType]::ParameterName, 'How values are shown; takes what --key-decoder-class takes')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`kafka`: the text of kafka-dump-log; `jsonl`: one JSON object a line')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--max-record-bytes', '--max-record-bytes', [CompletionResultType]::ParameterName, 'Tell a record above N bytes as damage instead of decoding it')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode and format, 64 at most [default: one for each processor]')
            [CompletionResult]::new('--producer-id', '--producer-id', [CompletionResultType]::ParameterName, 'Only batches of these producers; negative ids are written as they are')
            [CompletionResult]::new('--producer-epoch', '--producer-epoch', [CompletionResultType]::ParameterName, 'Only batches of this producer epoch')
            [CompletionResult]::new('--leader-epoch', '--leader-epoch', [CompletionResultType]::ParameterName, 'Only batches of this leader epoch')
            [CompletionResult]::new('--start-offset', '--start-offset', [CompletionResultType]::ParameterName, 'Only batches that reach this offset, and of their records those at or above it')
            [CompletionResult]::new('--end-offset', '--end-offset', [CompletionResultType]::ParameterName, 'Only batches that begin at or below this offset, and records at or below it')
            [CompletionResult]::new('--start-time', '--start-time', [CompletionResultType]::ParameterName, 'Only batches and records of this time or later: ISO-8601, or milliseconds since 1970')
            [CompletionResult]::new('--end-time', '--end-time', [CompletionResultType]::ParameterName, 'Only batches and records of this time or earlier')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most N batches of each file')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('--deep-iteration', '--deep-iteration', [CompletionResultType]::ParameterName, 'Print a line for each record')
            [CompletionResult]::new('--print-data-log', '--print-data-log', [CompletionResultType]::ParameterName, 'Print keys and values too; implies --deep-iteration')
            [CompletionResult]::new('--verify-index-only', '--verify-index-only', [CompletionResultType]::ParameterName, 'Check indexes against the log without printing their entries')
            [CompletionResult]::new('--index-sanity-check', '--index-sanity-check', [CompletionResultType]::ParameterName, 'Make only the check of indexes that a broker makes when it starts')
            [CompletionResult]::new('--skip-record-metadata', '--skip-record-metadata', [CompletionResultType]::ParameterName, 'Print keys and values alone; a control record is an empty line')
            [CompletionResult]::new('--offsets-decoder', '--offsets-decoder', [CompletionResultType]::ParameterName, 'Decode the records of __consumer_offsets; implies --print-data-log')
            [CompletionResult]::new('--transaction-log-decoder', '--transaction-log-decoder', [CompletionResultType]::ParameterName, 'Decode the records of __transaction_state; implies --print-data-log')
            [CompletionResult]::new('--cluster-metadata-decoder', '--cluster-metadata-decoder', [CompletionResultType]::ParameterName, 'Decode the records of __cluster_metadata and its snapshots; implies --print-data-log')
            [CompletionResult]::new('--remote-log-metadata-decoder', '--remote-log-metadata-decoder', [CompletionResultType]::ParameterName, 'Decode the records of __remote_log_metadata; implies --print-data-log')
            [CompletionResult]::new('--share-group-state-decoder', '--share-group-state-decoder', [CompletionResultType]::ParameterName, 'Decode the records of __share_group_state; implies --print-data-log')
            [CompletionResult]::new('--mirror-state-decoder', '--mirror-state-decoder', [CompletionResultType]::ParameterName, 'Decode the records of __mirror_state, in every layout that the prototypes of Cluster Mirroring (KIP-1279) wrote; implies --print-data-log')
            [CompletionResult]::new('--transactional', '--transactional', [CompletionResultType]::ParameterName, 'Only batches of transactions')
            [CompletionResult]::new('--control', '--control', [CompletionResultType]::ParameterName, 'Only control batches')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;inspect-snapshot' {
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'Compare with the log of this partition directory; without PATH, inspect its snapshots')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `kafka`: the text of kafka-dump-log, nothing compared; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Whose producer state')
            [CompletionResult]::new('--producer-id', '--producer-id', [CompletionResultType]::ParameterName, 'Only these producers; negative ids are written as they are')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'Show at most N producers, or `all` [default: 20 in text, all elsewhere]')
            [CompletionResult]::new('--expire-after', '--expire-after', [CompletionResultType]::ParameterName, 'Leave out producers that were silent for MS milliseconds or longer, as a broker with this producer.id.expiration.ms does; an open transaction keeps its producer')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time of --expire-after: ISO-8601, or milliseconds since 1970 [default: the clock''s]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;producers' {
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'The state before this offset: batches that end below it')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Whose producer state')
            [CompletionResult]::new('--producer-id', '--producer-id', [CompletionResultType]::ParameterName, 'Only these producers; negative ids are written as they are')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'Show at most N producers of each partition, or `all` [default: 20 in text, all in JSON]')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'What comes first')
            [CompletionResult]::new('--expire-after', '--expire-after', [CompletionResultType]::ParameterName, 'Leave out producers that were silent for MS milliseconds or longer, as a broker with this producer.id.expiration.ms does; an open transaction keeps its producer')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time of --expire-after: ISO-8601, or milliseconds since 1970 [default: the clock''s]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;txns' {
            [CompletionResult]::new('--at-time', '--at-time', [CompletionResultType]::ParameterName, 'What was open at this time: ISO-8601, or milliseconds since 1970; with --coordinators what they knew, and no logs')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'Show at most N open transactions of each partition, the oldest, N that ended, and N ids')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Whose producer state')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: --at-time or the clock]')
            [CompletionResult]::new('--expire-after', '--expire-after', [CompletionResultType]::ParameterName, 'Leave producers out of JSON that were silent for MS milliseconds or longer before that time, as a broker with this producer.id.expiration.ms does; an open transaction keeps its producer')
            [CompletionResult]::new('--max-transaction-timeout', '--max-transaction-timeout', [CompletionResultType]::ParameterName, 'The cluster''s transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds')
            [CompletionResult]::new('--transaction-log', '--transaction-log', [CompletionResultType]::ParameterName, 'A partition of __transaction_state, or a log directory that holds some; may be repeated')
            [CompletionResult]::new('--transaction-log-partitions', '--transaction-log-partitions', [CompletionResultType]::ParameterName, 'The cluster''s transaction.state.log.num.partitions [default: found out, if it can be]')
            [CompletionResult]::new('--producer-id', '--producer-id', [CompletionResultType]::ParameterName, 'Only transactions of these producers; negative ids are written as they are')
            [CompletionResult]::new('--producer-epoch', '--producer-epoch', [CompletionResultType]::ParameterName, 'Only transactions of this producer epoch')
            [CompletionResult]::new('--transactional-id', '--transactional-id', [CompletionResultType]::ParameterName, 'Only transactions of the producer that this id uses now; needs __transaction_state')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show transactions that ended, too')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Count transactions that ended; show percentiles of their sizes and durations')
            [CompletionResult]::new('--coordinators', '--coordinators', [CompletionResultType]::ParameterName, 'Show what __transaction_state knows of each transactional id, too')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;repair' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'Take out of the log what cannot be read')
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Build offset, time and transaction indexes anew where they are missing or wrong')
            [CompletionResult]::new('snapshot', 'snapshot', [CompletionResultType]::ParameterValue, 'Rebuild or change producer snapshots')
            [CompletionResult]::new('pids', 'pids', [CompletionResultType]::ParameterValue, 'Give batches other producer ids, in the log, its indexes and its snapshots')
            [CompletionResult]::new('barrier', 'barrier', [CompletionResultType]::ParameterValue, 'Append the barrier that a mirror should have written when it stopped (MIRROR_PID_RESET)')
            [CompletionResult]::new('abort', 'abort', [CompletionResultType]::ParameterValue, 'Append the ABORT that a hanging transaction waits for')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kfsck;repair;log' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to DIR/TOPIC-PARTITION')
            [CompletionResult]::new('--index-interval-bytes', '--index-interval-bytes', [CompletionResultType]::ParameterName, 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('--truncate', '--truncate', [CompletionResultType]::ParameterName, 'End the log in front of the first damage, as a broker''s recovery does')
            [CompletionResult]::new('--salvage', '--salvage', [CompletionResultType]::ParameterName, 'Keep every sound batch, also behind damage; for the last copy that is left')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Cut the log also where segments of it lie in remote storage')
            [CompletionResult]::new('--in-place', '--in-place', [CompletionResultType]::ParameterName, 'Change the partition where it lies')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show the plan')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;repair;index' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to DIR/TOPIC-PARTITION')
            [CompletionResult]::new('--index-interval-bytes', '--index-interval-bytes', [CompletionResultType]::ParameterName, 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('--in-place', '--in-place', [CompletionResultType]::ParameterName, 'Change the partition where it lies')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show the plan')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;repair;snapshot' {
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Write the one at OFFSET, where a segment begins, instead of the one at the end')
            [CompletionResult]::new('--drop-pid', '--drop-pid', [CompletionResultType]::ParameterName, 'Take a producer out of every snapshot; refused while it has a transaction open')
            [CompletionResult]::new('--remap', '--remap', [CompletionResultType]::ParameterName, 'Give a producer another id in every snapshot')
            [CompletionResult]::new('--to-version', '--to-version', [CompletionResultType]::ParameterName, 'Write version 1, of every release, or 2, of a fork of the bit-field design')
            [CompletionResult]::new('--set-source', '--set-source', [CompletionResultType]::ParameterName, 'Name the cluster that a producer was mirrored from; version 2 only')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Whose producer state')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to DIR/TOPIC-PARTITION')
            [CompletionResult]::new('--index-interval-bytes', '--index-interval-bytes', [CompletionResultType]::ParameterName, 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('--rebuild', '--rebuild', [CompletionResultType]::ParameterName, 'Write the snapshot at the log''s end from the log, and make all others true')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Take new ids all the same that a controller gives out')
            [CompletionResult]::new('--in-place', '--in-place', [CompletionResultType]::ParameterName, 'Change the partition where it lies')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show the plan')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;repair;pids' {
            [CompletionResult]::new('--remap', '--remap', [CompletionResultType]::ParameterName, 'Give all batches of a producer another id')
            [CompletionResult]::new('--unmap', '--unmap', [CompletionResultType]::ParameterName, 'Undo what a mirroring draft made of ids')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'Map ids from 0 up as a mirroring draft does')
            [CompletionResult]::new('--cluster-id', '--cluster-id', [CompletionResultType]::ParameterName, 'The source cluster''s id; with --unmap bit-field only its region is undone')
            [CompletionResult]::new('--split', '--split', [CompletionResultType]::ParameterName, 'Tell the batches of two writers apart that share this id, and give the second another')
            [CompletionResult]::new('--new-id', '--new-id', [CompletionResultType]::ParameterName, 'The second writer''s new id')
            [CompletionResult]::new('--writers', '--writers', [CompletionResultType]::ParameterName, 'How many writers may share the id; without it, as few as the log needs')
            [CompletionResult]::new('--assign', '--assign', [CompletionResultType]::ParameterName, 'Say who wrote the batch at an offset: writer 0, 1, ..')
            [CompletionResult]::new('--transaction-log', '--transaction-log', [CompletionResultType]::ParameterName, 'A partition of __transaction_state, or a log directory that holds some; may be repeated')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to DIR/TOPIC-PARTITION')
            [CompletionResult]::new('--index-interval-bytes', '--index-interval-bytes', [CompletionResultType]::ParameterName, 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Do it where segments lie in remote storage, and with new ids that a controller gives out')
            [CompletionResult]::new('--in-place', '--in-place', [CompletionResultType]::ParameterName, 'Change the partition where it lies')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show the plan')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;repair;barrier' {
            [CompletionResult]::new('--source-cluster-id', '--source-cluster-id', [CompletionResultType]::ParameterName, 'The cluster that was mirrored, for layout a')
            [CompletionResult]::new('--layout', '--layout', [CompletionResultType]::ParameterName, 'The layout of the barrier''s value [default: a with --source-cluster-id, else b]')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Whose producer state')
            [CompletionResult]::new('--timestamp', '--timestamp', [CompletionResultType]::ParameterName, 'The batch''s time: ISO-8601, or milliseconds since 1970 [default: the clock]')
            [CompletionResult]::new('--cluster-metadata', '--cluster-metadata', [CompletionResultType]::ParameterName, 'The directory __cluster_metadata-0, or the log directory that holds it: names the replicas')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to DIR/TOPIC-PARTITION')
            [CompletionResult]::new('--index-interval-bytes', '--index-interval-bytes', [CompletionResultType]::ParameterName, 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('--all-replicas-stopped', '--all-replicas-stopped', [CompletionResultType]::ParameterName, 'Confirm that no broker runs that has a replica of the partition')
            [CompletionResult]::new('--in-place', '--in-place', [CompletionResultType]::ParameterName, 'Change the partition where it lies')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show the plan')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;repair;abort' {
            [CompletionResult]::new('--producer-id', '--producer-id', [CompletionResultType]::ParameterName, 'Whose transaction')
            [CompletionResult]::new('--transaction-log', '--transaction-log', [CompletionResultType]::ParameterName, 'A partition of __transaction_state, or a log directory that holds some; may be repeated')
            [CompletionResult]::new('--transaction-log-partitions', '--transaction-log-partitions', [CompletionResultType]::ParameterName, 'The cluster''s transaction.state.log.num.partitions [default: found out, if it can be]')
            [CompletionResult]::new('--max-transaction-timeout', '--max-transaction-timeout', [CompletionResultType]::ParameterName, 'The cluster''s transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds')
            [CompletionResult]::new('--timestamp', '--timestamp', [CompletionResultType]::ParameterName, 'The batch''s time: ISO-8601, or milliseconds since 1970 [default: the clock]')
            [CompletionResult]::new('--cluster-metadata', '--cluster-metadata', [CompletionResultType]::ParameterName, 'The directory __cluster_metadata-0, or the log directory that holds it: names the replicas')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to DIR/TOPIC-PARTITION')
            [CompletionResult]::new('--index-interval-bytes', '--index-interval-bytes', [CompletionResultType]::ParameterName, 'The topic''s index.interval.bytes: how far apart the entries of new indexes lie at least')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Abort whatever coordinators say, but for a commit that is decided')
            [CompletionResult]::new('--all-replicas-stopped', '--all-replicas-stopped', [CompletionResultType]::ParameterName, 'Confirm that no broker runs that has a replica of the partition')
            [CompletionResult]::new('--in-place', '--in-place', [CompletionResultType]::ParameterName, 'Change the partition where it lies')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show the plan')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;repair;help' {
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'Take out of the log what cannot be read')
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Build offset, time and transaction indexes anew where they are missing or wrong')
            [CompletionResult]::new('snapshot', 'snapshot', [CompletionResultType]::ParameterValue, 'Rebuild or change producer snapshots')
            [CompletionResult]::new('pids', 'pids', [CompletionResultType]::ParameterValue, 'Give batches other producer ids, in the log, its indexes and its snapshots')
            [CompletionResult]::new('barrier', 'barrier', [CompletionResultType]::ParameterValue, 'Append the barrier that a mirror should have written when it stopped (MIRROR_PID_RESET)')
            [CompletionResult]::new('abort', 'abort', [CompletionResultType]::ParameterValue, 'Append the ABORT that a hanging transaction waits for')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kfsck;repair;help;log' {
            break
        }
        'kfsck;repair;help;index' {
            break
        }
        'kfsck;repair;help;snapshot' {
            break
        }
        'kfsck;repair;help;pids' {
            break
        }
        'kfsck;repair;help;barrier' {
            break
        }
        'kfsck;repair;help;abort' {
            break
        }
        'kfsck;repair;help;help' {
            break
        }
        'kfsck;pid' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('map', 'map', [CompletionResultType]::ParameterValue, 'Print what a mapping makes of a producer id')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Print everything that a producer id can be')
            [CompletionResult]::new('odds', 'odds', [CompletionResultType]::ParameterValue, 'Compute how likely two of some clusters share a region of bit-field ids')
            break
        }
        'kfsck;pid;map' {
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'The producer''s id on the source cluster; also 0x and 16 hexadecimal digits')
            [CompletionResult]::new('--cluster-id', '--cluster-id', [CompletionResultType]::ParameterName, 'The source cluster''s id: 22 characters of URL-safe base 64, a UUID, or 32 hex digits')
            [CompletionResult]::new('--strategy', '--strategy', [CompletionResultType]::ParameterName, 'The mapping')
            [CompletionResult]::new('--salt', '--salt', [CompletionResultType]::ParameterName, 'Added to the cluster''s region, as after a collision; bit-field only')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;pid;explain' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;pid;odds' {
            [CompletionResult]::new('--clusters', '--clusters', [CompletionResultType]::ParameterName, 'How many source clusters there are')
            [CompletionResult]::new('--probability', '--probability', [CompletionResultType]::ParameterName, 'The probability to be reached, above 0 and at most 1')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;simulate-chain' {
            [CompletionResult]::new('--builtin', '--builtin', [CompletionResultType]::ParameterName, 'Scenarios that come with the program, or `all`')
            [CompletionResult]::new('--strategy', '--strategy', [CompletionResultType]::ParameterName, 'What becomes of producer ids; several, or all')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Whose producer state all brokers have; several, or all [default: mapped for negations and bit-field, else barrier]')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'The seed of what is random: the same seed gives the same bytes')
            [CompletionResult]::new('--expect', '--expect', [CompletionResultType]::ParameterName, 'End with 1 unless every run comes out like this')
            [CompletionResult]::new('--write-logs', '--write-logs', [CompletionResultType]::ParameterName, 'Write each run''s replicas as log directories below DIR, as brokers would leave them')
            [CompletionResult]::new('--explore', '--explore', [CompletionResultType]::ParameterName, 'Run so many random scenarios of each design, from --seed on, and shrink what does harm')
            [CompletionResult]::new('--exhaustive', '--exhaustive', [CompletionResultType]::ParameterName, 'Run every schedule of up to so many steps of small models, shortest first; 1 to 12')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the scenarios that come with the program')
            [CompletionResult]::new('--trace', '--trace', [CompletionResultType]::ParameterName, 'Tell each run step by step')
            [CompletionResult]::new('--diagram', '--diagram', [CompletionResultType]::ParameterName, 'Draw the run as a Mermaid sequence diagram; needs one scenario and one design')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;check' {
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'How deep to look; each looks at all that the ones before it do')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Only findings of these codes')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'No findings of these codes')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'In text, show at most N findings of each kind in each partition [default: 10]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that check, a partition each, 64 at most [default: one for each processor]')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Whose producer state')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]')
            [CompletionResult]::new('--expire-after', '--expire-after', [CompletionResultType]::ParameterName, 'The brokers'' producer.id.expiration.ms: after so much silence a producer may begin anew')
            [CompletionResult]::new('--max-transaction-timeout', '--max-transaction-timeout', [CompletionResultType]::ParameterName, 'The cluster''s transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds')
            [CompletionResult]::new('--max-record-bytes', '--max-record-bytes', [CompletionResultType]::ParameterName, 'Tell a record above N bytes as damage instead of decoding it')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;explain' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;compare' {
            [CompletionResult]::new('--restore-to', '--restore-to', [CompletionResultType]::ParameterName, 'Write the union of both to DIR/<topic-partition>, which must not be there yet')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time by which a union is judged: ISO-8601, or milliseconds since 1970 [default: the clock]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;cluster' {
            [CompletionResult]::new('--at-offset', '--at-offset', [CompletionResultType]::ParameterName, 'As it was when the metadata log ended at this offset')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables and sentences; `json`: one JSON document')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;groups' {
            [CompletionResult]::new('--group-id', '--group-id', [CompletionResultType]::ParameterName, 'Only this group; may be given several times')
            [CompletionResult]::new('--at-time', '--at-time', [CompletionResultType]::ParameterName, 'As it was at this time: ISO-8601, or milliseconds since 1970')
            [CompletionResult]::new('--at-offset', '--at-offset', [CompletionResultType]::ParameterName, 'As it was when the log of the one partition that is given ended at this offset')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, '`text`: tables; `json`: one JSON document; `csv`: group,topic,partition,offset')
            [CompletionResult]::new('--wide-integers', '--wide-integers', [CompletionResultType]::ParameterName, 'In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;man' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write kfsck.1 and a page a command into DIR, which is made if need be')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No notes on stderr, only damage and errors')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'End with 0 where the exit code would be 1')
            [CompletionResult]::new('--no-mmap', '--no-mmap', [CompletionResultType]::ParameterName, 'Read files piece by piece instead of mapping them into memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kfsck;help' {
            [CompletionResult]::new('dump-log', 'dump-log', [CompletionResultType]::ParameterValue, 'Print Kafka''s files as kafka-dump-log does, and read on after damage')
            [CompletionResult]::new('inspect-snapshot', 'inspect-snapshot', [CompletionResultType]::ParameterValue, 'Show producer snapshots, judge them, and compare them with the log')
            [CompletionResult]::new('producers', 'producers', [CompletionResultType]::ParameterValue, 'Show what a broker would know of each producer after reading a partition')
            [CompletionResult]::new('txns', 'txns', [CompletionResultType]::ParameterValue, 'Show open transactions, whether they hang, and the command that aborts them')
            [CompletionResult]::new('repair', 'repair', [CompletionResultType]::ParameterValue, 'Make a damaged partition sound again, as a plan that says first what is kept and what is lost')
            [CompletionResult]::new('pid', 'pid', [CompletionResultType]::ParameterValue, 'Map producer ids as mirroring designs do, explain ids, compute odds of collisions')
            [CompletionResult]::new('simulate-chain', 'simulate-chain', [CompletionResultType]::ParameterValue, 'Run scenarios of mirrored clusters under each design of producer ids, and show what breaks')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check whole partitions: log, indexes, snapshots, checkpoints, and what a broker will do')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Tell what a finding means, how it comes about, what a broker does with it, and what to do')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two logs of one partition: a mirror with its source, or two replicas')
            [CompletionResult]::new('cluster', 'cluster', [CompletionResultType]::ParameterValue, 'Show the cluster as its metadata log tells it: brokers, topics, features, configurations')
            [CompletionResult]::new('groups', 'groups', [CompletionResultType]::ParameterValue, 'Show groups of consumers with the offsets that they have committed, and how far they lag')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page, or write the pages of all commands')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kfsck;help;dump-log' {
            break
        }
        'kfsck;help;inspect-snapshot' {
            break
        }
        'kfsck;help;producers' {
            break
        }
        'kfsck;help;txns' {
            break
        }
        'kfsck;help;repair' {
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'Take out of the log what cannot be read')
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Build offset, time and transaction indexes anew where they are missing or wrong')
            [CompletionResult]::new('snapshot', 'snapshot', [CompletionResultType]::ParameterValue, 'Rebuild or change producer snapshots')
            [CompletionResult]::new('pids', 'pids', [CompletionResultType]::ParameterValue, 'Give batches other producer ids, in the log, its indexes and its snapshots')
            [CompletionResult]::new('barrier', 'barrier', [CompletionResultType]::ParameterValue, 'Append the barrier that a mirror should have written when it stopped (MIRROR_PID_RESET)')
            [CompletionResult]::new('abort', 'abort', [CompletionResultType]::ParameterValue, 'Append the ABORT that a hanging transaction waits for')
            break
        }
        'kfsck;help;repair;log' {
            break
        }
        'kfsck;help;repair;index' {
            break
        }
        'kfsck;help;repair;snapshot' {
            break
        }
        'kfsck;help;repair;pids' {
            break
        }
        'kfsck;help;repair;barrier' {
            break
        }
        'kfsck;help;repair;abort' {
            break
        }
        'kfsck;help;pid' {
            [CompletionResult]::new('map', 'map', [CompletionResultType]::ParameterValue, 'Print what a mapping makes of a producer id')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Print everything that a producer id can be')
            [CompletionResult]::new('odds', 'odds', [CompletionResultType]::ParameterValue, 'Compute how likely two of some clusters share a region of bit-field ids')
            break
        }
        'kfsck;help;pid;map' {
            break
        }
        'kfsck;help;pid;explain' {
            break
        }
        'kfsck;help;pid;odds' {
            break
        }
        'kfsck;help;simulate-chain' {
            break
        }
        'kfsck;help;check' {
            break
        }
        'kfsck;help;explain' {
            break
        }
        'kfsck;help;compare' {
            break
        }
        'kfsck;help;cluster' {
            break
        }
        'kfsck;help;groups' {
            break
        }
        'kfsck;help;completions' {
            break
        }
        'kfsck;help;man' {
            break
        }
        'kfsck;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}

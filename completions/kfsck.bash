_kfsck() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="kfsck"
                ;;
            kfsck,check)
                cmd="kfsck__subcmd__check"
                ;;
            kfsck,cluster)
                cmd="kfsck__subcmd__cluster"
                ;;
            kfsck,compare)
                cmd="kfsck__subcmd__compare"
                ;;
            kfsck,completions)
                cmd="kfsck__subcmd__completions"
                ;;
            kfsck,dump-log)
                cmd="kfsck__subcmd__dump__subcmd__log"
                ;;
            kfsck,explain)
                cmd="kfsck__subcmd__explain"
                ;;
            kfsck,groups)
                cmd="kfsck__subcmd__groups"
                ;;
            kfsck,help)
                cmd="kfsck__subcmd__help"
                ;;
            kfsck,inspect-snapshot)
                cmd="kfsck__subcmd__inspect__subcmd__snapshot"
                ;;
            kfsck,man)
                cmd="kfsck__subcmd__man"
                ;;
            kfsck,pid)
                cmd="kfsck__subcmd__pid"
                ;;
            kfsck,producers)
                cmd="kfsck__subcmd__producers"
                ;;
            kfsck,repair)
                cmd="kfsck__subcmd__repair"
                ;;
            kfsck,simulate-chain)
                cmd="kfsck__subcmd__simulate__subcmd__chain"
                ;;
            kfsck,txns)
                cmd="kfsck__subcmd__txns"
                ;;
            kfsck__subcmd__help,check)
                cmd="kfsck__subcmd__help__subcmd__check"
                ;;
            kfsck__subcmd__help,cluster)
                cmd="kfsck__subcmd__help__subcmd__cluster"
                ;;
            kfsck__subcmd__help,compare)
                cmd="kfsck__subcmd__help__subcmd__compare"
                ;;
            kfsck__subcmd__help,completions)
                cmd="kfsck__subcmd__help__subcmd__completions"
                ;;
            kfsck__subcmd__help,dump-log)
                cmd="kfsck__subcmd__help__subcmd__dump__subcmd__log"
                ;;
            kfsck__subcmd__help,explain)
                cmd="kfsck__subcmd__help__subcmd__explain"
                ;;
            kfsck__subcmd__help,groups)
                cmd="kfsck__subcmd__help__subcmd__groups"
                ;;
            kfsck__subcmd__help,help)
                cmd="kfsck__subcmd__help__subcmd__help"
                ;;
            kfsck__subcmd__help,inspect-snapshot)
                cmd="kfsck__subcmd__help__subcmd__inspect__subcmd__snapshot"
                ;;
            kfsck__subcmd__help,man)
                cmd="kfsck__subcmd__help__subcmd__man"
                ;;
            kfsck__subcmd__help,pid)
                cmd="kfsck__subcmd__help__subcmd__pid"
                ;;
            kfsck__subcmd__help,producers)
                cmd="kfsck__subcmd__help__subcmd__producers"
                ;;
            kfsck__subcmd__help,repair)
                cmd="kfsck__subcmd__help__subcmd__repair"
                ;;
            kfsck__subcmd__help,simulate-chain)
                cmd="kfsck__subcmd__help__subcmd__simulate__subcmd__chain"
                ;;
            kfsck__subcmd__help,txns)
                cmd="kfsck__subcmd__help__subcmd__txns"
                ;;
            kfsck__subcmd__help__subcmd__pid,explain)
                cmd="kfsck__subcmd__help__subcmd__pid__subcmd__explain"
                ;;
            kfsck__subcmd__help__subcmd__pid,map)
                cmd="kfsck__subcmd__help__subcmd__pid__subcmd__map"
                ;;
            kfsck__subcmd__help__subcmd__pid,odds)
                cmd="kfsck__subcmd__help__subcmd__pid__subcmd__odds"
                ;;
            kfsck__subcmd__help__subcmd__repair,abort)
                cmd="kfsck__subcmd__help__subcmd__repair__subcmd__abort"
                ;;
            kfsck__subcmd__help__subcmd__repair,barrier)
                cmd="kfsck__subcmd__help__subcmd__repair__subcmd__barrier"
                ;;
            kfsck__subcmd__help__subcmd__repair,index)
                cmd="kfsck__subcmd__help__subcmd__repair__subcmd__index"
                ;;
            kfsck__subcmd__help__subcmd__repair,log)
                cmd="kfsck__subcmd__help__subcmd__repair__subcmd__log"
                ;;
            kfsck__subcmd__help__subcmd__repair,pids)
                cmd="kfsck__subcmd__help__subcmd__repair__subcmd__pids"
                ;;
            kfsck__subcmd__help__subcmd__repair,snapshot)
                cmd="kfsck__subcmd__help__subcmd__repair__subcmd__snapshot"
                ;;
            kfsck__subcmd__pid,explain)
                cmd="kfsck__subcmd__pid__subcmd__explain"
                ;;
            kfsck__subcmd__pid,map)
                cmd="kfsck__subcmd__pid__subcmd__map"
                ;;
            kfsck__subcmd__pid,odds)
                cmd="kfsck__subcmd__pid__subcmd__odds"
                ;;
            kfsck__subcmd__repair,abort)
                cmd="kfsck__subcmd__repair__subcmd__abort"
                ;;
            kfsck__subcmd__repair,barrier)
                cmd="kfsck__subcmd__repair__subcmd__barrier"
                ;;
            kfsck__subcmd__repair,help)
                cmd="kfsck__subcmd__repair__subcmd__help"
                ;;
            kfsck__subcmd__repair,index)
                cmd="kfsck__subcmd__repair__subcmd__index"
                ;;
            kfsck__subcmd__repair,log)
                cmd="kfsck__subcmd__repair__subcmd__log"
                ;;
            kfsck__subcmd__repair,pids)
                cmd="kfsck__subcmd__repair__subcmd__pids"
                ;;
            kfsck__subcmd__repair,snapshot)
                cmd="kfsck__subcmd__repair__subcmd__snapshot"
                ;;
            kfsck__subcmd__repair__subcmd__help,abort)
                cmd="kfsck__subcmd__repair__subcmd__help__subcmd__abort"
                ;;
            kfsck__subcmd__repair__subcmd__help,barrier)
                cmd="kfsck__subcmd__repair__subcmd__help__subcmd__barrier"
                ;;
            kfsck__subcmd__repair__subcmd__help,help)
                cmd="kfsck__subcmd__repair__subcmd__help__subcmd__help"
                ;;
            kfsck__subcmd__repair__subcmd__help,index)
                cmd="kfsck__subcmd__repair__subcmd__help__subcmd__index"
                ;;
            kfsck__subcmd__repair__subcmd__help,log)
                cmd="kfsck__subcmd__repair__subcmd__help__subcmd__log"
                ;;
            kfsck__subcmd__repair__subcmd__help,pids)
                cmd="kfsck__subcmd__repair__subcmd__help__subcmd__pids"
                ;;
            kfsck__subcmd__repair__subcmd__help,snapshot)
                cmd="kfsck__subcmd__repair__subcmd__help__subcmd__snapshot"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        kfsck)
            opts="-q -h -V --color --quiet --exit-zero --no-mmap --help --version dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__check)
            opts="-q -h -V --depth --only --ignore --top --threads --rules --now --expire-after --max-transaction-timeout --max-record-bytes --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --depth)
                    COMPREPLY=($(compgen -W "framing crc records rewrite" -- "${cur}"))
                    return 0
                    ;;
                --only)
                    COMPREPLY=($(compgen -W "crc-mismatch zero-tail truncated-tail garbage bad-batch-header unknown-codec payload-undecodable payload-too-large record-malformed record-count-mismatch batch-not-canonical max-timestamp-mismatch future-timestamp offset-regression offset-overflow segment-gap segment-overlap name-mismatch leader-epoch-regression sequence-gap sequence-repeat sequence-overlap marker-old-epoch epoch-regression coordinator-epoch-regression non-transactional-in-transaction marker-malformed hanging-transaction negative-producer-id pid-collision barrier-malformed barrier-repeated barrier-open-transaction barrier-missing snapshot-corrupt snapshot-missing snapshot-mismatch snapshot-before-barrier snapshot-stray index-corrupt index-mismatch index-missing time-index-mismatch txn-index-mismatch txn-index-missing leader-epoch-checkpoint-mismatch checkpoint-corrupt checkpoint-mismatch partition-metadata-mismatch duplicate-partition leftover-file stray-file start-blocked internal-record-undecodable producer-id-not-issued coordinator-mismatch" -- "${cur}"))
                    return 0
                    ;;
                --ignore)
                    COMPREPLY=($(compgen -W "crc-mismatch zero-tail truncated-tail garbage bad-batch-header unknown-codec payload-undecodable payload-too-large record-malformed record-count-mismatch batch-not-canonical max-timestamp-mismatch future-timestamp offset-regression offset-overflow segment-gap segment-overlap name-mismatch leader-epoch-regression sequence-gap sequence-repeat sequence-overlap marker-old-epoch epoch-regression coordinator-epoch-regression non-transactional-in-transaction marker-malformed hanging-transaction negative-producer-id pid-collision barrier-malformed barrier-repeated barrier-open-transaction barrier-missing snapshot-corrupt snapshot-missing snapshot-mismatch snapshot-before-barrier snapshot-stray index-corrupt index-mismatch index-missing time-index-mismatch txn-index-mismatch txn-index-missing leader-epoch-checkpoint-mismatch checkpoint-corrupt checkpoint-mismatch partition-metadata-mismatch duplicate-partition leftover-file stray-file start-blocked internal-record-undecodable producer-id-not-issued coordinator-mismatch" -- "${cur}"))
                    return 0
                    ;;
                --top)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rules)
                    COMPREPLY=($(compgen -W "stock barrier mapped fork" -- "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expire-after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-transaction-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-record-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__cluster)
            opts="-q -h -V --at-offset --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --at-offset)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__compare)
            opts="-q -h -V --restore-to --now --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --restore-to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__completions)
            opts="-q -h -V --color --quiet --exit-zero --no-mmap --help --version bash elvish fish powershell zsh"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__dump__subcmd__log)
            opts="-q -h -V --files --deep-iteration --print-data-log --verify-index-only --index-sanity-check --max-bytes --max-message-size --skip-record-metadata --key-decoder-class --value-decoder-class --offsets-decoder --transaction-log-decoder --cluster-metadata-decoder --remote-log-metadata-decoder --share-group-state-decoder --mirror-state-decoder --format --wide-integers --max-record-bytes --threads --producer-id --producer-epoch --transactional --control --leader-epoch --start-offset --end-offset --start-time --end-time --limit --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --files)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-message-size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --key-decoder-class)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --value-decoder-class)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "kafka jsonl" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --max-record-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --producer-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --producer-epoch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --leader-epoch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --start-offset)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --end-offset)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --start-time)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --end-time)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__explain)
            opts="-q -h -V --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version crc-mismatch zero-tail truncated-tail garbage bad-batch-header unknown-codec payload-undecodable payload-too-large record-malformed record-count-mismatch batch-not-canonical max-timestamp-mismatch future-timestamp offset-regression offset-overflow segment-gap segment-overlap name-mismatch leader-epoch-regression sequence-gap sequence-repeat sequence-overlap marker-old-epoch epoch-regression coordinator-epoch-regression non-transactional-in-transaction marker-malformed hanging-transaction negative-producer-id pid-collision barrier-malformed barrier-repeated barrier-open-transaction barrier-missing snapshot-corrupt snapshot-missing snapshot-mismatch snapshot-before-barrier snapshot-stray index-corrupt index-mismatch index-missing time-index-mismatch txn-index-mismatch txn-index-missing leader-epoch-checkpoint-mismatch checkpoint-corrupt checkpoint-mismatch partition-metadata-mismatch duplicate-partition leftover-file stray-file start-blocked internal-record-undecodable producer-id-not-issued coordinator-mismatch"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__groups)
            opts="-q -h -V --group-id --at-time --at-offset --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --group-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --at-time)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --at-offset)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json csv" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help)
            opts="dump-log inspect-snapshot producers txns repair pid simulate-chain check explain compare cluster groups completions man help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__check)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__cluster)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__compare)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__completions)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__dump__subcmd__log)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__explain)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__groups)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__inspect__subcmd__snapshot)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__man)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__pid)
            opts="map explain odds"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__pid__subcmd__explain)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__pid__subcmd__map)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__pid__subcmd__odds)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__producers)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__repair)
            opts="log index snapshot pids barrier abort"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__repair__subcmd__abort)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__repair__subcmd__barrier)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__repair__subcmd__index)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__repair__subcmd__log)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__repair__subcmd__pids)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__repair__subcmd__snapshot)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__simulate__subcmd__chain)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__help__subcmd__txns)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__inspect__subcmd__snapshot)
            opts="-q -h -V --log --format --wide-integers --rules --producer-id --top --expire-after --now --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --log)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text kafka json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --rules)
                    COMPREPLY=($(compgen -W "stock barrier mapped fork" -- "${cur}"))
                    return 0
                    ;;
                --producer-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --top)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expire-after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__man)
            opts="-q -h -V --output --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__pid)
            opts="-q -h -V --color --quiet --exit-zero --no-mmap --help --version map explain odds"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__pid__subcmd__explain)
            opts="-q -h -V --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__pid__subcmd__map)
            opts="-q -h -V --pid --cluster-id --strategy --salt --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --pid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cluster-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --strategy)
                    COMPREPLY=($(compgen -W "negate negate-idempotent bit-field" -- "${cur}"))
                    return 0
                    ;;
                --salt)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__pid__subcmd__odds)
            opts="-q -h -V --clusters --probability --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --clusters)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --probability)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__producers)
            opts="-q -h -V --at --rules --producer-id --top --sort --expire-after --now --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --at)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rules)
                    COMPREPLY=($(compgen -W "stock barrier mapped fork" -- "${cur}"))
                    return 0
                    ;;
                --producer-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --top)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "open-first producer-id epoch last-offset last-timestamp" -- "${cur}"))
                    return 0
                    ;;
                --expire-after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair)
            opts="-q -h -V --color --quiet --exit-zero --no-mmap --help --version log index snapshot pids barrier abort help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__abort)
            opts="-q -h -V --producer-id --transaction-log --transaction-log-partitions --max-transaction-timeout --force --timestamp --cluster-metadata --all-replicas-stopped --output --in-place --dry-run --index-interval-bytes --now --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --producer-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --transaction-log)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --transaction-log-partitions)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-transaction-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --timestamp)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cluster-metadata)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --index-interval-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__barrier)
            opts="-q -h -V --source-cluster-id --layout --rules --timestamp --cluster-metadata --all-replicas-stopped --output --in-place --dry-run --index-interval-bytes --now --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --source-cluster-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --layout)
                    COMPREPLY=($(compgen -W "a b" -- "${cur}"))
                    return 0
                    ;;
                --rules)
                    COMPREPLY=($(compgen -W "stock barrier mapped fork" -- "${cur}"))
                    return 0
                    ;;
                --timestamp)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cluster-metadata)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --index-interval-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__help)
            opts="log index snapshot pids barrier abort help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__help__subcmd__abort)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__help__subcmd__barrier)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__help__subcmd__index)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__help__subcmd__log)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__help__subcmd__pids)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__help__subcmd__snapshot)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__index)
            opts="-q -h -V --output --in-place --dry-run --index-interval-bytes --now --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --index-interval-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__log)
            opts="-q -h -V --truncate --salvage --force --output --in-place --dry-run --index-interval-bytes --now --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --index-interval-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__pids)
            opts="-q -h -V --remap --unmap --map --cluster-id --split --new-id --writers --assign --transaction-log --force --output --in-place --dry-run --index-interval-bytes --now --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --remap)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --unmap)
                    COMPREPLY=($(compgen -W "negate bit-field" -- "${cur}"))
                    return 0
                    ;;
                --map)
                    COMPREPLY=($(compgen -W "bit-field" -- "${cur}"))
                    return 0
                    ;;
                --cluster-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --split)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --new-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --writers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --assign)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --transaction-log)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --index-interval-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__repair__subcmd__snapshot)
            opts="-q -h -V --rebuild --at --drop-pid --remap --to-version --set-source --force --rules --output --in-place --dry-run --index-interval-bytes --now --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --at)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --drop-pid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --remap)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --to-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --set-source)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rules)
                    COMPREPLY=($(compgen -W "stock barrier mapped fork" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --index-interval-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__simulate__subcmd__chain)
            opts="-q -h -V --builtin --list --strategy --rules --seed --expect --trace --diagram --write-logs --explore --exhaustive --format --wide-integers --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --builtin)
                    COMPREPLY=($(compgen -W "all chain-negation chain-local-producer same-epoch-wrong-sequence different-epochs transaction-interleave source-reassignment hash-collision active-passive failback fan-out fan-in chain open-transaction-at-stop barrier-same-chunk unclean-recovery missing-barrier retry-across-stop salt-after-expiry salt-after-election salt-false-collision salt-unseen-collision failed-abort-at-stop truncated-barrier negative-ids-on-stock split-transaction abort-after-commit repeated-barrier free-text-cluster-id replaced-source copied-back" -- "${cur}"))
                    return 0
                    ;;
                --strategy)
                    COMPREPLY=($(compgen -W "all verbatim negate negate-idempotent bit-field bit-field-salt bit-field-random-salt barrier" -- "${cur}"))
                    return 0
                    ;;
                --rules)
                    COMPREPLY=($(compgen -W "all stock barrier mapped fork" -- "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect)
                    COMPREPLY=($(compgen -W "safe" -- "${cur}"))
                    return 0
                    ;;
                --write-logs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --exhaustive)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kfsck__subcmd__txns)
            opts="-q -h -V --all --stats --coordinators --at-time --top --rules --format --wide-integers --now --expire-after --max-transaction-timeout --transaction-log --transaction-log-partitions --producer-id --producer-epoch --transactional-id --color --quiet --exit-zero --no-mmap --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --at-time)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --top)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rules)
                    COMPREPLY=($(compgen -W "stock barrier mapped fork" -- "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --wide-integers)
                    COMPREPLY=($(compgen -W "number string" -- "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expire-after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-transaction-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --transaction-log)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --transaction-log-partitions)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --producer-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --producer-epoch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --transactional-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _kfsck -o nosort -o bashdefault -o default kfsck
else
    complete -F _kfsck -o bashdefault -o default kfsck
fi

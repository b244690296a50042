#!/bin/sh
# Runs fuzzers one after the other: run.sh FOLDER-OF-THE-PROGRAMS NAME…
# FUZZ_SECONDS (default 30) bounds each. What is found grows in FOLDER/corpus; the seeds beside this script stay as
# they are. A crash ends the run, and its input lies in FOLDER/crashes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
shift
seconds=${FUZZ_SECONDS:-30}
for name in "$@"; do
    mkdir -p "$build/corpus/$name" "$build/crashes"
    echo "fuzz_$name: $seconds s"
    "$build/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/crashes/$name-" "$build/corpus/$name" "$here/corpus/$name" 2>"$build/$name.log" || {
        tail -60 "$build/$name.log" >&2
        echo "fuzz_$name found something: $build/crashes" >&2
        exit 1
    }
    grep -E 'stat::number_of_executed_units|stat::average_exec_per_sec' "$build/$name.log" || true
done

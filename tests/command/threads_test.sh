#!/usr/bin/env bash
# mechanics: --threads 1 is one thread: no library starts another, where every image goes through
# OpenCV, and a model through OpenBLAS and FAISS. So is the default of a process that may use one
# processor.
# Usage: threads_test.sh LEAFGLYPH INJECT_FAULT
set -euo pipefail
leafglyph=$1 counter=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache CUDA_VISIBLE_DEVICES=
# started ARGUMENT...: how many threads the command starts; the fault is one that never comes.
started() {
  rm -f "$work/count"
  LD_PRELOAD=$counter LEAFGLYPH_FAULT=pthread_create:1000000 LEAFGLYPH_FAULT_COUNT=$work/count \
    "$leafglyph" "$@" --quiet >/dev/null
  cat "$work/count"
}
generate=(leaf generate --species 4 --leaves 10 --seed 5)
train=(leaf train --config leaf --data "$work/leaves" --model "$work/model")
failed=0
check() { [ "$1" -eq "$2" ] || { echo "$3: $1 threads were started, not $2"; failed=1; }; }
check "$(started "${generate[@]}" --out "$work/leaves" --threads 1)" 0 "leaf generate --threads 1"
check "$(started "${train[@]}" --threads 1)" 0 "leaf train --threads 1"
check "$(started leaf classify --model "$work/model" "$work"/leaves/*/0001.png --threads 1)" 0 \
  "leaf classify --threads 1"
taskset -cp "$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')" $$ >/dev/null
check "$(started "${train[@]}")" 0 "leaf train on one processor"
check "$(started leaf classify --model "$work/model" "$work"/leaves/*/0001.png)" 0 \
  "leaf classify on one processor"
# The counter counts.
check "$(started "${generate[@]}" --out "$work/more" --threads 4)" 3 "leaf generate --threads 4"
exit $failed

#!/usr/bin/env bash
# regression: where OpenBLAS takes the processor for an old one, the command starts once more with
# OPENBLAS_CORETYPE set; a value of the user's own stands.
# Usage: old_openblas_test.sh COMMAND LIBRARY
set -euo pipefail
command=$1 library=$2

if ! grep -qw avx2 /proc/cpuinfo; then echo "this processor is an old one"; exit 0; fi
want=Haswell
grep -qw avx512f /proc/cpuinfo && want=SkylakeX

unset OPENBLAS_CORETYPE
found=$(LD_PRELOAD=$library "$command" doctor | grep '^BLAS')
[[ $found == *"OPENBLAS_CORETYPE=$want" ]] || { echo "started with: $found"; exit 1; }

own=$(LD_PRELOAD=$library OPENBLAS_CORETYPE=Nehalem "$command" doctor | grep '^BLAS')
[[ $own == *"OPENBLAS_CORETYPE=Nehalem" ]] || { echo "the user's own became: $own"; exit 1; }

# Arguments, input and the exit code pass through.
set +e
LD_PRELOAD=$library "$command" no-such-command 2>/dev/null
code=$?
set -e
[ $code = 2 ] || { echo "exit code $code instead of 2"; exit 1; }

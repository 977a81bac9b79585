#!/usr/bin/env bash
# mechanics: on a system that is not tested the scripts say so and go on.
# Usage: system_test.sh ROOT
set -euo pipefail
fail() { echo "$*" >&2; exit 1; }
source "$1/tools/setup/common.sh"
[ "$(system_field ID)" = "$(sed -n 's/^ID="\?\([^"]*\)"\?$/\1/p' /etc/os-release)" ] || fail "ID is '$(system_field ID)'"
[ -z "$(system_field NO_SUCH_FIELD)" ] || fail "there is a field that nobody knows"

# said ID [VERSION]: what the scripts say on such a system.
said() {
  (declare -A fields=([ID]=$1 [VERSION_ID]=${2:-} [PRETTY_NAME]="$1 ${2:-of tomorrow}")
   system_field() { printf %s "${fields[$1]:-}"; }
   warn_if_untested 2>&1)
}
for release in 12 13; do [ -z "$(said debian $release)" ] || fail "Debian $release is not tested: $(said debian $release)"; done
[[ $(said debian 14) == *"debian 14 is not tested, only Debian 12 and 13"* ]] || fail "Debian 14: $(said debian 14)"
[[ $(said debian) == *"debian of tomorrow is not tested"* ]] || fail "testing, which has no number: $(said debian)"
[[ $(said ubuntu 24.04) == *"ubuntu 24.04 is not tested"* ]] || fail "Ubuntu: $(said ubuntu 24.04)"

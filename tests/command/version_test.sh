#!/usr/bin/env bash
# oracle: the version of releases and of the commits between them, in a repository made for it, and
# how Debian orders them.
# Usage: version_test.sh ROOT
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git() { command git -c user.name=tester -c user.email=tester@localhost -c commit.gpgsign=false "$@"; }
fail() { echo "$*" >&2; exit 1; }
# is TEXT [OPTION]: checks what the script prints.
is() { local printed; printed=$(tools/release/version "${@:2}"); [ "$printed" = "$1" ] || fail "it printed '$printed', not '$1'"; }
set_version() { printf 'cmake_minimum_required(VERSION 3.24)\nproject(leafglyph VERSION %s LANGUAGES CXX)\n# %s\n' "$1" "$2" > CMakeLists.txt; }
commit() { git add -A && git commit -q --allow-empty -m "$1"; git rev-parse --short=10 HEAD; }

mkdir -p "$work/sources/tools/release" "$work/sources/tools/setup"
cp "$root/tools/release/version" "$work/sources/tools/release/"
cp "$root/tools/setup/common.sh" "$work/sources/tools/setup/"
cd "$work/sources"
set_version 1.2.3 ''
is 1.2.3                                   # neither a repository nor a file VERSION
git init -q
commit release >/dev/null
is 1.2.3
first=$(commit one)
is "1.2.3+1.g$first"
set_version 1.2.3 'another line'           # which the version does not depend on
second=$(commit two)
is "1.2.3+2.g$second"
is 1.2.3 --released
git clone -q --depth 1 "file://$PWD" "$work/shallow"
(cd "$work/shallow" && is "1.2.3+0.g$second")
set_version 1.3.0 'another line'
commit release >/dev/null
is 1.3.0
echo 1.2.3+7.gabc > VERSION                # in a source archive
is 1.2.3+7.gabc
rm VERSION
mv .git/HEAD .git/gone                     # a repository that git cannot read
is 1.3.0+0.unknown

ascending=(1.2.3 1.2.3+0.unknown 1.2.3+1.gfff 1.2.3+9.gaaa 1.2.3+10.g000 1.2.4 1.3.0)
for ((i = 1; i < ${#ascending[@]}; ++i)); do
  dpkg --compare-versions "${ascending[i]}" gt "${ascending[i - 1]}" || fail "${ascending[i]} is not above ${ascending[i - 1]}"
done
grep -qx "version: $("$root/tools/release/version" --released)" "$root/CITATION.cff" || fail "CITATION.cff has another version"

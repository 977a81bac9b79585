#!/usr/bin/env bash
# Tests tools/setup/fetch_flavia on archives of 1,907 tiny files: whole, damaged, incomplete and foreign
# ones, a broken download and one that cannot be had.
# Usage: fetch_flavia_test.sh SCRIPT
set -uo pipefail
fetch=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect CODE WORDS ARGUMENT...: the script ends with CODE and says WORDS.
expect() {
  local code=$1 words=$2 status=0
  shift 2
  "$fetch" "$@" >"$work/out" 2>"$work/err" || status=$?
  if [ "$status" -ne "$code" ] || ! grep -qF -- "$words" "$work/err"; then
    echo "FAILED: $* ended with $status instead of $code, or did not say '$words':"
    cat "$work/err"
    failures=$((failures + 1))
  fi
}
# hold CONDITION...: a test(1) expression that must be true.
hold() { test "$@" || { echo "FAILED: $*"; failures=$((failures + 1)); }; }
pack() { tar --create --bzip2 --file "$1" --directory "$work" Leaves; }

mkdir "$work/Leaves"
(cd "$work/Leaves" && printf '\xff\xd8\xff\xe0leaf\xff\xd9' | tee $(
  for range in '1001 1616' '2001 2612' '2616 2675' '3001 3563' '3566 3621'; do
    seq -f '%.0f.jpg' $range; done) >/dev/null)
pack "$work/whole.tar.bz2"

expect 0 '1,907 images of 32 species' --archive "$work/whole.tar.bz2" --to "$work/a/flavia"
hold "$(find "$work/a/flavia" -name '*.jpg' | wc -l)" -eq 1907
hold "$(ls -A "$work/a")" = flavia
expect 0 'already' --to "$work/a/flavia"
rm "$work/a/flavia/2675.jpg"
expect 1 '1 of the 1,907 images are missing (2675' --archive "$work/whole.tar.bz2" --to "$work/a/flavia"

head -c "$(($(wc -c <"$work/whole.tar.bz2") / 2))" "$work/whole.tar.bz2" >"$work/half.tar.bz2"
echo 'not an archive' >"$work/text.tar.bz2"
expect 4 'is damaged' --archive "$work/half.tar.bz2" --to "$work/b/flavia"
expect 4 'is damaged' --archive "$work/text.tar.bz2" --to "$work/b/flavia"
expect 3 'does not exist' --archive "$work/none.tar.bz2" --to "$work/b/flavia"
hold -f "$work/half.tar.bz2"

# A broken download goes on; one that cannot be had leaves nothing but what it got.
mkdir "$work/c"
cp "$work/half.tar.bz2" "$work/c/Leaves.tar.bz2.part"
expect 0 'going on with the' --url "file://$work/whole.tar.bz2" --to "$work/c/flavia"
hold "$(ls -A "$work/c")" = flavia
expect 3 'the download failed' --url "file://$work/none.tar.bz2" --to "$work/d/flavia"
hold ! -e "$work/d/flavia"
# A damaged download is deleted, so that the next run gets it again.
expect 4 'it was deleted' --url "file://$work/text.tar.bz2" --to "$work/d/flavia"
expect 0 '1,907 images' --url "file://$work/whole.tar.bz2" --to "$work/d/flavia"

rm "$work/Leaves/1234.jpg"
pack "$work/incomplete.tar.bz2"
expect 4 '1 of the 1,907 images are missing (1234' --archive "$work/incomplete.tar.bz2" --to "$work/b/flavia"
echo 'no image' >"$work/Leaves/1234.jpg"
pack "$work/text.tar.bz2"
expect 4 'are not JPEG images (1234.jpg)' --archive "$work/text.tar.bz2" --to "$work/b/flavia"
cp "$work/Leaves/1235.jpg" "$work/Leaves/1234.jpg"
cp "$work/Leaves/1235.jpg" "$work/Leaves/2614.jpg"
pack "$work/foreign.tar.bz2"
expect 4 'belong to no species (2614)' --archive "$work/foreign.tar.bz2" --to "$work/b/flavia"
hold -z "$(ls -A "$work/b")"

expect 1 'cannot be written' --archive "$work/whole.tar.bz2" --to /proc/leaves/flavia
expect 2 'unknown argument' --folder x
expect 2 'needs a value' --archive
[ "$failures" -eq 0 ] && echo 'tools/setup/fetch_flavia: all as expected'
exit "$((failures > 0))"

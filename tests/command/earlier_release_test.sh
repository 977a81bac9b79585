#!/usr/bin/env bash
# regression: what release 0.1.0 wrote (release_0_1_0/, from commit 785b804). Its moment files and
# splits are read, with the images that it gave; its models are refused with what to do, and may be
# replaced. It had no feature stores.
# Usage: earlier_release_test.sh LEAFGLYPH FOLDER
set -euo pipefail
leafglyph=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$folder"/. "$work"
cd "$work"
fail() { echo "$*" >&2; exit 1; }

for family in zernike legendre; do
  "$leafglyph" moments reconstruct $family.npy --out again.npy
  cmp again.npy ${family}_again.npy || fail "the image of $family.npy is another one"
done
if "$leafglyph" moments reconstruct zernike.csv --out csv.npy 2>refusal; then fail "a table was read"; fi
grep -q 'moments are read from .npy files' refusal || fail "nothing is said of tables: $(cat refusal)"
"$leafglyph" leaf evaluate --config leaf.yaml --splits splits.json | grep -qF "2 splits of splits.json" || fail "the splits were not used"

wanted='use the LeafGlyph that wrote it, or train the model again'
# refused COMMAND...: ends with code 4 and one line that says what to do.
refused() {
  local code=0
  "$leafglyph" "$@" >out 2>error || code=$?
  [ $code -eq 4 ] && [ ! -s out ] && [ "$(wc -l <error)" -eq 1 ] && grep -qF "$wanted" error || fail "leafglyph $* ended with $code: $(cat out error)"
}
refused leaf info leaf.model
refused leaf classify --model leaf.model image.png
refused leaf add leaf.model oak .
"$leafglyph" leaf train --config leaf.yaml --model leaf.model --quiet >/dev/null
"$leafglyph" leaf info leaf.model >/dev/null

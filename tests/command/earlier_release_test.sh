#!/usr/bin/env bash
# regression: what earlier releases wrote is read and gives the images and answers that it gave
# there, or is refused with what to do. release_0_1_0/, from commit 785b804, has moment files, splits
# and a model, which is refused and may be replaced; release_0_2_0/, from commit c067a2b3, also a
# feature store, an index, and sums, which are refused.
# Usage: earlier_release_test.sh LEAFGLYPH FOLDER_0_1_0 FOLDER_0_2_0
set -euo pipefail
leafglyph=$1 first=$2 second=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$first" "$work/first"
cp -r "$second" "$work/second"
fail() { echo "$*" >&2; exit 1; }
# refused WANTED COMMAND...: ends with code 4 and one line that has WANTED.
refused() {
  local code=0 wanted=$1
  shift
  "$leafglyph" "$@" >out 2>error || code=$?
  [ $code -eq 4 ] && [ ! -s out ] && [ "$(wc -l <error)" -eq 1 ] && grep -qF "$wanted" error || fail "leafglyph $* ended with $code: $(cat out error)"
}

for folder in "$work/first" "$work/second"; do
  cd "$folder"
  for family in zernike legendre; do
    "$leafglyph" moments reconstruct $family.npy --out again.npy
    cmp again.npy ${family}_again.npy || fail "the image of $family.npy is another one"
  done
  "$leafglyph" leaf evaluate --config leaf.yaml --splits splits.json | grep -qF "2 splits of splits.json" || fail "the splits were not used"
done

cd "$work/first"
if "$leafglyph" moments reconstruct zernike.csv --out csv.npy 2>refusal; then fail "a table was read"; fi
grep -q 'moments are read from .npy files' refusal || fail "nothing is said of tables: $(cat refusal)"
wanted='use the LeafGlyph that wrote it, or train the model again'
refused "$wanted" leaf info leaf.model
refused "$wanted" leaf classify --model leaf.model image.png
refused "$wanted" leaf add leaf.model oak .
"$leafglyph" leaf train --config leaf.yaml --model leaf.model --quiet >/dev/null
"$leafglyph" leaf info leaf.model >/dev/null

cd "$work/second"
"$leafglyph" leaf generate --out queries --species 2 --leaves 1 --seed 2 --quiet >/dev/null
# same FILE COLUMNS COMMAND...: those columns of what is printed are those of the file.
same() {
  local file=$1 columns=$2
  shift 2
  "$leafglyph" "$@" | cut -d, -f"$columns" | cmp - "$file" || fail "leafglyph $* gives another $file"
}
same classes.csv 1,2 leaf classify --model leaf.model --csv - queries/*/*.png
same neighbours.csv 1,2,4,5 index search leaves.index --top 2 --csv - queries/*/*.png
same rows.csv 1- features export leaves.store --csv -
"$leafglyph" leaf train --config leaf.yaml --features leaves.store --model stored.model --quiet >/dev/null
refused 'or make it again with leaf sums' leaf train --config plda.yaml --features leaves.store --sums leaves.sums --model summed.model

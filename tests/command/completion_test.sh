#!/usr/bin/env bash
# What the completions offer: commands, options, values, in every shell that is here.
# Usage: completion_test.sh COMMAND
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
for shell in bash zsh fish; do "$1" completion $shell > "$work/$shell" || exit 1; done

# expect SHELL LINE WORD...: each word is offered at the end of the line.
expect() {
  local shell=$1 line=$2 offered word
  shift 2
  offered=$(offers_in_"$shell" "$line")
  for word; do
    grep -qx -- "$word" <<<"$offered" && continue
    echo "FAILED: $shell does not offer '$word' for '$line' but: $(tr '\n' ' ' <<<"$offered")"
    failures=$((failures + 1))
  done
}
offers_in_bash() {
  bash -c 'source "$1"; read -ra COMP_WORDS <<<"$2"; [[ $2 == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _leafglyph; printf "%s\n" "${COMPREPLY[@]}"' - "$work/bash" "$1"
}
offers_in_fish() {
  HOME=$work fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$work/fish" "$1" | cut -f 1
}

shells=(bash)
command -v fish >/dev/null && shells+=(fish)
cd "$work" || exit 1
for shell in "${shells[@]}"; do
  expect $shell 'leafglyph ' leaf glyph moments doctor help
  expect $shell 'leafglyph leaf cl' classify
  expect $shell 'leafglyph leaf train --co' --config
  expect $shell 'leafglyph leaf train --config ' leaf leaf_tuned
  expect $shell 'leafglyph glyph similar --draw ' braille blocks
  expect $shell 'leafglyph moments compute photo.png --device c' cpu cuda
done
bash -n "$work/bash" || failures=$((failures + 1))
if command -v zsh >/dev/null; then
  zsh -n "$work/zsh" || failures=$((failures + 1))
  # The function with the two that offer words standing in for those of zsh.
  offered=$(zsh -f -c 'compadd() { shift; print -l -- $@ }; _files() {}
    _describe() { print -l -- ${(P)@[-1]%%:*} }
    words=(leafglyph leaf ""); CURRENT=3; source '"$work/zsh"'
    words=(leafglyph glyph similar --draw ""); CURRENT=5; _leafglyph')
  for word in train classify braille; do
    grep -qx -- $word <<<"$offered" || { echo "FAILED: zsh does not offer $word but: $offered"; failures=$((failures + 1)); }
  done
fi
exit $((failures > 0))

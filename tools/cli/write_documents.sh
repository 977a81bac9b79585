#!/bin/sh
# Writes the manual pages, as Debian packs them, and the completions that the command prints.
# Usage: write_documents.sh COMMAND MANUAL_FOLDER COMPLETIONS_FOLDER
set -eu
"$1" help --man-pages "$2"
gzip -9n "$2"/*.1
for shell in bash zsh fish; do "$1" completion $shell > "$3/$shell"; done

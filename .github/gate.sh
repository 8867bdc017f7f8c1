#!/usr/bin/env bash
# The gate of action.yml: audits one data file with ratingpriv, and ends with its exit code.
#
# Every input is an environment variable and becomes words of the command line, never shell text. An option and
# its value are one word (--k=5), so that a value is never taken for an option; accept, args and sensitive are lists,
# a line a word. What is printed may quote names from the data: GitHub's workflow commands are off meanwhile.
set -euo pipefail

words=(audit)
option() {
    if [ -n "$2" ]; then words+=("$1=$2"); fi
}

option --codebook "${INPUT_CODEBOOK:-}"
option --k "${INPUT_K:-}"
option --epsilon "${INPUT_EPSILON:-}"
option --l "${INPUT_L:-}"
option --at-most "${INPUT_AT_MOST:-}"
while IFS= read -r line; do
    option --sensitive "$line"
done <<<"${INPUT_SENSITIVE:-}"
while IFS= read -r line; do
    option --accept "$line"
done <<<"${INPUT_ACCEPT:-}"

folder=$(mktemp -d "${RUNNER_TEMP:?}/ratingpriv.XXXXXX")
junit=${INPUT_JUNIT:-$folder/ratingpriv.xml}
case $junit in *$'\n'*) echo "junit: found a line end, expected the name of a file" >&2; exit 2 ;; esac
option --junit "$junit"
while IFS= read -r line; do
    if [ -n "$line" ]; then words+=("$line"); fi
done <<<"${INPUT_ARGS:-}"
if [ -n "${INPUT_DATA:-}" ]; then words+=(-- "$INPUT_DATA"); fi

code=0
"${RATINGPRIV:-ratingpriv}" "${words[@]}" >"$folder/page.txt" 2>"$folder/notes.txt" || code=$?

token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
cat "$folder/notes.txt" "$folder/page.txt"
echo
echo "::$token::"

{
    echo "exit-code=$code"
    echo "verdict=$(head -n 1 "$folder/page.txt")"
    if [ -f "$junit" ]; then echo "junit=$junit"; fi
} >>"${GITHUB_OUTPUT:-/dev/null}"
{
    printf '### ratingpriv\n\n'
    sed 's/^/    /' "$folder/page.txt"  # a block of code: nothing in it is Markdown
    if [ "$code" -gt 1 ]; then sed 's/^/    /' "$folder/notes.txt"; fi
    echo
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$code"

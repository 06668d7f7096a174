#!/usr/bin/env bash
# Checks whether a listing is still Live or gated, and whether its tools, as last read, are those pinned. Needs curl and jq.
#
#   bash registry-watch.sh             checks once
#   bash registry-watch.sh --publish   publishes it again first, and waits while it is queued
#
# Exit code: 0 Live or gated, 1 another state, not published or other tools, 2 wrong usage, 3 the registry gave no usable answer.
# With ISSUE_FILE=<path>, the reasons are also written to this file as Markdown.
set -euo pipefail

settings=${SETTINGS:-$(dirname "$0")/registry-watch.json}
wait_seconds=${WAIT_SECONDS:-900}
poll_seconds=${POLL_SECONDS:-10}
publish=false
case "${1:-}" in
  '') ;;
  --publish) publish=true ;;
  *) echo "usage: $0 [--publish]" >&2; exit 2 ;;
esac
if ! jq --exit-status '.registry and .listing_id' "$settings" >/dev/null 2>&1; then
  echo "jq is missing, or $settings does not contain registry and listing_id" >&2
  exit 2
fi
registry=$(jq -r .registry "$settings")
listing=$(jq -r .listing_id "$settings")
name=$(jq -r '.name // .listing_id' "$settings")

answered=$(mktemp)
trap 'rm -f "$answered"' EXIT

# answer <HTTP codes> <jq filter> <path> [<body>]: prints the JSON answer. The script ends if the code is another one, or
# if the filter does not accept the answer.
answer() {
  local code options=(--silent --show-error --max-time 30 --retry 2 --retry-max-time 60 --header 'accept: application/json')
  if [ $# -gt 3 ]; then options+=(--header 'content-type: application/json' --data "$4"); fi
  # To a file, because a retry would append its answer to the output.
  code=$(curl "${options[@]}" --output "$answered" --write-out '%{http_code}' "$registry$3") || code=000
  if ! [[ $code =~ ^($1)$ ]] || ! jq --exit-status "$2" "$answered" >/dev/null 2>&1; then
    echo "no usable answer from $registry$3 (HTTP $code)" >&2
    exit 3
  fi
  cat "$answered"
}

# failed <report>: prints the reasons, writes them for the issue, and ends the script.
failed() {
  printf 'Listing %s\n%s\n' "$name" "$1"
  if [ -n "${ISSUE_FILE:-}" ]; then printf '%s\n' "$1" >"$ISSUE_FILE"; fi
  exit 1
}

# Only 404 and 410 mean that there is no such listing. Other errors say nothing about it.
status() {
  answer '200|404|410' '.lane // .code | type == "string"' "/api/listings/status?id=$(jq -rn --arg id "$listing" '$id | @uri')"
}

if "$publish"; then
  body=$(jq -c '.publish // empty' "$settings")
  if [ -z "$body" ]; then
    echo "$settings does not contain what to publish" >&2
    exit 2
  fi
  published=$(answer '2..|400|403|409|410|422' '.ok or .code' /api/publish "$body")
  if [ "$(jq -r '.ok // false' <<<"$published")" != true ]; then
    failed "The registry did not publish it: $(jq -r '.detail // .code // "no reason"' <<<"$published")"
  fi
fi

# A listing that was published again can be queued until it was probed.
deadline=$((SECONDS + wait_seconds))
found=$(status)
while "$publish" && [ "$(jq -r .lane <<<"$found")" = queued ] && [ "$SECONDS" -lt "$deadline" ]; do
  sleep "$poll_seconds"
  found=$(status)
done

# The server chose a part of the texts: no commands of a workflow, no mentions and no Markdown.
as_code='def code: gsub("[\u0060[:cntrl:]]"; " ") | gsub("##\\["; "## [") | "\u0060\(.)\u0060"; '
report=
add() { report+="$1"$'\n'; }
lane=$(jq -r '.lane // "not listed"' <<<"$found")
case "$lane" in
  active | gated) ;;
  *)
    add "The listing is not Live: \`$lane\`."
    add ''
    add "$(jq -r "$as_code"'.reasons[]? | "- `\(.code)`: \(.seen | code) **Fix:** \(.fix | code)"' <<<"$found")"
    ;;
esac

pin=$(jq -r '.tools_hash // empty' "$settings")
if [ -n "$pin" ]; then
  pins=$(jq -nc --arg id "$listing" --arg hash "$pin" '{pins: [{listing_id: $id, hash: $hash}]}')
  checked=$(answer 200 '.pins[0].state | type == "string"' /api/pins/check "$pins")
  state=$(jq -r '.pins[0].state' <<<"$checked")
  case "$state" in
    holds) ;;
    changed)
      add "The tools are not those of the pin \`$pin\`. If you changed them, set \`tools_hash\` in \`registry-watch.json\`; else look for an intruder."
      add ''
      add "$(jq -r "$as_code"'.pins[0] | "- now: `\(.current_hash)`", (.changes[]? | "- \(.tool | code): \(.kind), severity \(.severity)")' <<<"$checked")"
      ;;
    *)
      # A listing that is not Live is reported with its own reasons.
      if [ -z "$report" ]; then
        echo "the registry cannot say whether the tools changed: $state" >&2
        exit 3
      fi
      ;;
  esac
fi

if [ -n "$report" ]; then
  failed "$report"$'\n'"Evidence: $registry/api/listings/status?id=$listing"
fi
echo "Listing $name: $lane"

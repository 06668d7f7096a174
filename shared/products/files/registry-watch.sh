#!/usr/bin/env bash
# Checks whether a listing is still Live, and whether its tools are still those that were pinned. Needs curl and jq.
#
#   bash registry-watch.sh             checks once
#   bash registry-watch.sh --publish   publishes it again first, for example after a deployment, and waits for the probe
#
# Exit code: 0 all is well, 1 not Live or other tools, 2 wrong usage, 3 the registry did not answer.
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
  echo "$settings does not contain registry and listing_id" >&2
  exit 2
fi
registry=$(jq -r .registry "$settings")
listing=$(jq -r .listing_id "$settings")
name=$(jq -r '.name // .listing_id' "$settings")

# call <path> [<body>]: prints the JSON answer, also that of an error.
call() {
  local options=(--silent --show-error --max-time 30 --retry 2 --header 'accept: application/json')
  if [ $# -gt 1 ]; then options+=(--header 'content-type: application/json' --data "$2"); fi
  curl "${options[@]}" "$registry$1"
}

# answer <path> [<body>]: like call, but ends the script if there is no JSON.
answer() {
  local json
  if ! json=$(call "$@") || ! jq --exit-status type >/dev/null 2>&1 <<<"$json"; then
    echo "no answer from $registry$1" >&2
    exit 3
  fi
  printf '%s\n' "$json"
}

status() {
  answer "/api/listings/status?id=$(jq -rn --arg id "$listing" '$id | @uri')"
}

if "$publish"; then
  body=$(jq -c '.publish // empty' "$settings")
  if [ -z "$body" ]; then
    echo "$settings does not contain what to publish" >&2
    exit 2
  fi
  published=$(answer /api/publish "$body")
  if [ "$(jq -r '.ok // false' <<<"$published")" != true ]; then
    echo "not published: $(jq -r '.detail // .code // "no reason"' <<<"$published")"
    exit 1
  fi
fi

# A listing that was published again is queued until it was probed.
deadline=$((SECONDS + wait_seconds))
found=$(status)
while "$publish" && [ "$(jq -r .lane <<<"$found")" = queued ] && [ "$SECONDS" -lt "$deadline" ]; do
  sleep "$poll_seconds"
  found=$(status)
done

report=
add() { report+="$1"$'\n'; }
lane=$(jq -r '.lane // "not listed"' <<<"$found")
case "$lane" in
  active | gated) ;;
  *)
    add "The listing is not Live: \`$lane\`."
    add ''
    add "$(jq -r '.reasons[]? | "- `\(.code)`: \(.seen) **Fix:** \(.fix)"' <<<"$found")"
    ;;
esac

pin=$(jq -r '.tools_hash // empty' "$settings")
if [ -n "$pin" ]; then
  pins=$(jq -nc --arg id "$listing" --arg hash "$pin" '{pins: [{listing_id: $id, hash: $hash}]}')
  checked=$(answer /api/pins/check "$pins")
  # Until a probe has read the tools, nothing is known about them.
  if [ "$(jq -r '.pins[0].state // "unknown"' <<<"$checked")" = changed ]; then
    add "The tools are not those of the pin \`$pin\`. If you changed them, set \`tools_hash\` in \`registry-watch.json\`; else look for an intruder."
    add ''
    add "$(jq -r '.pins[0] | "- now: `\(.current_hash)`", (.changes[]? | "- `\(.tool)`: \(.kind), severity \(.severity)")' <<<"$checked")"
  fi
fi

if [ -z "$report" ]; then
  echo "$name: $lane"
  exit 0
fi
report+=$'\n'"Evidence: $registry/api/listings/status?id=$listing"$'\n'
printf '%s\n%s' "$name" "$report"
if [ -n "${ISSUE_FILE:-}" ]; then printf '%s' "$report" >"$ISSUE_FILE"; fi
exit 1

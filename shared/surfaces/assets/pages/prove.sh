#!/usr/bin/env bash
# Proves that you own a listing, and acts on it. Needs OpenSSL 3 and curl.
#   bash prove.sh bind
#   bash prove.sh rename "New name"
set -euo pipefail
registry='{registry}'
listing='{listing}'
key=${KEY:-registry-key.pem}   # an Ed25519 key
act=${1:?bind, withdraw, restore, rename, reprobe, reclaim, read_feedback or opt_in}
name=${2-}

call() {
  curl -sS "$registry/api/products/first-principles" -H 'content-type: application/json' -d @- <<< "$1"
}
# A string of the answer in $answer.
field() {
  printf '%s' "$answer" | sed -nE "s/.*\"$1\": ?\"(([^\"\\]|\\\\.)*)\".*/\1/p" | sed 's/\\"/"/g'
}

request="\"listing_id\": \"$listing\""
if [ "$act" = bind ]; then
  request="\"action\": \"bind_identity\", $request"
else
  request="\"action\": \"manage_listing\", \"act\": \"$act\", $request"
fi
if [ -n "$name" ]; then
  request="$request, \"name\": \"$(printf '%s' "$name" | sed 's/["\\]/\\&/g')\""
fi

# 1. Get a challenge.
answer=$(call "{$request}")
nonce=$(field nonce)
[ -n "$nonce" ] || { printf '%s\n' "$answer" >&2; exit 1; }

# 2. Sign its text. The text has no line feed at the end.
challenge=$(mktemp)
trap 'rm -f "$challenge"' EXIT
printf '%b' "$(field text)" > "$challenge"
# Never sign a text of another registry, or one for another act or listing.
word=$act
[ "$act" != bind ] || word=bind_identity
signed="$registry
$word $listing${name:+ to $name}
$nonce"
if [ "$(head -n 3 "$challenge")" != "$signed" ] || [ "$(grep -c '' "$challenge")" != 4 ]; then
  echo 'The registry returned another text than the challenge for this act. Nothing was signed.' >&2
  exit 1
fi
signature=$(openssl pkeyutl -sign -rawin -inkey "$key" -in "$challenge" | openssl base64 -A)

# 3. Send the same call with the signature.
answer=$(call "{$request, \"nonce\": \"$nonce\", \"signature\": \"$signature\"}")
printf '%s\n' "$answer"
case $answer in *'"bound":true'* | *'"done":true'*) ;; *) exit 1 ;; esac

#!/bin/sh
# The development vector server in place of Qdrant. It listens on loopback alone, and nginx stands before it.
set -eu
umask 077
mkdir -p storage/bridge
printf '%s' "$QDRANT__SERVICE__API_KEY" >storage/bridge/api_key
nginx
exec python -m footnote_bridge --data storage/bridge --port 6334

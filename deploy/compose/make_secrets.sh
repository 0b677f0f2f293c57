#!/bin/sh
# Makes the secrets of docker-compose.yml in .secrets, once. What is there already stays.
set -eu
cd "$(dirname "$0")/../.."
umask 077
mkdir -p .secrets
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
for name in postgres_password redis_password qdrant_api_key objects_password grafana_password service_secret master_key; do
    [ -s ".secrets/$name" ] || random >".secrets/$name"
done
# Nothing in them means: not set. settings.env takes other settings, a line for each.
for name in credentials_key chat_api_key fast_api_key transcribe_api_key vision_api_key reranker_http_key web_search_key \
    vault_token otlp_headers settings.env; do
    [ -e ".secrets/$name" ] || : >".secrets/$name"
done
for name in chat_fallbacks stream_redis_urls; do
    [ -e ".secrets/$name" ] || echo '[]' >".secrets/$name"
done
read_secret() { cat ".secrets/$1"; }
write() { printf '%s\n' "$2" >".secrets/$1"; }
write database_url "postgresql://footnote:$(read_secret postgres_password)@postgres:5432/footnote"
write redis_url "redis://:$(read_secret redis_password)@redis:6379/0"
write blob_options "{\"endpoint\": \"http://objects:9000\", \"access_key_id\": \"footnote\", \"secret_access_key\": \"$(read_secret objects_password)\", \"region\": \"us-east-1\", \"allow_http\": \"true\", \"virtual_hosted_style_request\": \"false\"}"
# The files are mounted one by one and read by users of containers. The folder keeps other people of this machine out.
chmod 700 .secrets
chmod 644 .secrets/*
echo "The secrets are in .secrets. Let nobody else into this folder."

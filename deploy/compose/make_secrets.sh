#!/bin/sh
# Makes the secrets of docker-compose.yml in .secrets, once. What is there already stays.
set -eu
cd "$(dirname "$0")/../.."
umask 077
mkdir -p .secrets
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
for name in postgres_password redis_password qdrant_api_key objects_password grafana_password service_secret; do
    [ -s ".secrets/$name" ] || random >".secrets/$name"
done
read_secret() { cat ".secrets/$1"; }
cat >.secrets/footnote.env <<EOF
export FOOTNOTE_DATABASE_URL='postgresql://footnote:$(read_secret postgres_password)@postgres:5432/footnote'
export FOOTNOTE_REDIS_URL='redis://:$(read_secret redis_password)@redis:6379/0'
export FOOTNOTE_QDRANT_API_KEY='$(read_secret qdrant_api_key)'
export FOOTNOTE_SERVICE_SECRET='$(read_secret service_secret)'
export FOOTNOTE_BLOB_OPTIONS='{"endpoint": "http://objects:9000", "access_key_id": "footnote", "secret_access_key": "$(read_secret objects_password)", "region": "us-east-1", "allow_http": "true", "virtual_hosted_style_request": "false"}'
EOF
# The files are mounted one by one and read by users of containers. The folder keeps other people of this machine out.
chmod 700 .secrets
chmod 644 .secrets/*
echo "The secrets are in .secrets. Let nobody else into this folder."

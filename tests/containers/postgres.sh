#!/bin/sh
# PostgreSQL of Debian under the settings of the image `postgres`: user, database, the password or a file with it.
set -eu
for found in /usr/lib/postgresql/*/bin; do PATH=$found:$PATH; done
data=/var/lib/postgresql/data
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
mkdir -p "$data"
chown postgres:postgres "$data"
chmod 700 "$data"
if [ ! -s "$data/PG_VERSION" ]; then
    if [ -z "${POSTGRES_PASSWORD_FILE:-}" ]; then
        POSTGRES_PASSWORD_FILE=/tmp/password
        printf '%s\n' "$POSTGRES_PASSWORD" >"$POSTGRES_PASSWORD_FILE"
        chmod 644 "$POSTGRES_PASSWORD_FILE"
    fi
    as_postgres initdb --pgdata "$data" --username "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" \
        --auth-local trust --auth-host scram-sha-256 --encoding UTF8 --locale C
    echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
    as_postgres pg_ctl start --wait --pgdata "$data" --options "-c listen_addresses=''"
    as_postgres createdb --username "$POSTGRES_USER" "$POSTGRES_DB"
    as_postgres pg_ctl stop --wait --pgdata "$data"
fi
exec setpriv --reuid postgres --regid postgres --clear-groups postgres -D "$data" -c 'listen_addresses=*'

#!/bin/sh
# What the official image does at its start, as far as docker-compose.yml depends on it: an empty folder becomes a database
# of POSTGRES_USER with POSTGRES_PASSWORD, by a first server that listens on the socket alone.
set -eu
mkdir -p /var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password="$(mktemp)"
  printf '%s\n' "$POSTGRES_PASSWORD" > "$password"
  initdb --username="$POSTGRES_USER" --pwfile="$password" --auth-host=scram-sha-256 --auth-local=trust --encoding=UTF8
  rm "$password"
  printf 'host all all all scram-sha-256\n' >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --options='-c listen_addresses=' start
  createdb --username="$POSTGRES_USER" "$POSTGRES_USER" 2> /dev/null || true
  pg_ctl --wait --mode=fast stop
fi
exec "$@" -c listen_addresses='*'

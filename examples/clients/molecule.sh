#!/bin/sh
# Submits a SMILES with curl, waits for the job and prints one of its files.
# Usage: molecule.sh {mol_base_url} SMILES [KEY]     e.g. molecule.sh http://127.0.0.1:8080/acpype CCO GMX_top
set -eu
base=$1 smiles=$2 key=${3:-GMX_top}

answer=$(curl -fsS -X POST "$base/api" -H 'Content-Type: application/json' -d @- <<JSON
{"inputFile": null, "file_name": "from curl", "token": "tokenof10c", "charge_method": "bcc",
 "net_charge": null, "atom_type": "gaff2", "email": null, "smiles": "$smiles"}
JSON
)
id=$(printf '%s' "$answer" | sed 's/.*"hash_id":"\([0-9A-Za-z]*\)".*/\1/')

while [ "$(curl -sS -o /dev/null -w '%{http_code}' "$base/api/queue/$id/")" = 202 ]; do sleep 1; done
curl -fsS "$base/api/$id/" |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["results"][0][sys.argv[1]])' "$key"

#!/bin/sh
# Uploads a FASTA file with curl, waits for the prediction and prints it as CSV.
# Usage: prediction.sh {base_url} TOKEN FILE     e.g. prediction.sh http://127.0.0.1:8080 my-own-secret in.fasta
set -eu
api=$1/online_predictors/api token=$2 file=$3

answer=$(curl -fsS -X POST "$api/submit/single-sequence/" \
  -F "token=$token" -F 'predictor_type=dynamine' -F "fasta_file=@$file")
id=$(printf '%s' "$answer" | sed 's/.*"request_id":"\([0-9a-f-]*\)".*/\1/')

while [ "$(curl -sS -o /dev/null -w '%{http_code}' "$api/results/$id/")" = 202 ]; do sleep 1; done
curl -fsS "$api/results/$id/download/?format=csv" -H "X-Service-Token: $token"

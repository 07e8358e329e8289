#!/bin/sh
# Makes the certificates of the tests again: a CA of its own, and a server that is service.test and 127.0.0.1.
# They protect nothing: their keys are public, and no program outside of the tests trusts them.
set -eu
cd "$(dirname "$0")"
days=36500
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days $days \
  -subj '/CN=CA of the hundredfold tests' -keyout ca-key.pem -out ca.pem
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
  -subj '/CN=service.test' -keyout service-key.pem -out service.csr
printf 'subjectAltName=DNS:service.test,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' >extensions
openssl x509 -req -in service.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days $days \
  -extfile extensions -out service.pem
rm -f ca-key.pem ca.srl service.csr extensions

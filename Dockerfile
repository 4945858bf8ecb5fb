# syntax=docker/dockerfile:1

FROM node:22-bookworm-slim AS build
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
# better-sqlite3 is the one dependency that has to build; no other package's install script runs.
# nodedir: the headers come with the base image, nothing is fetched for them.
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && npm_config_nodedir=/usr/local npm_config_build_from_source=true npm rebuild better-sqlite3
COPY rolldown.config.ts ./
COPY src ./src
# The image holds nothing of the simulated core: its packages are the optional ones.
RUN npm run build && npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE schema.sql ./
COPY config ./config
RUN install --directory --owner=node --group=node /data
USER node
VOLUME /data
EXPOSE 8080
# The daemon must listen on 0.0.0.0:8080 without TLS of its own; another choice needs another check.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve", "--config", "/etc/counterfoil/config.json"]

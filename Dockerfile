# A release names the base image by digest (the release workflow looks it up and refuses a tag):
#   docker build --build-arg NODE_IMAGE=node:24-slim@sha256:… .
ARG NODE_IMAGE=node:24-slim

# Build: the lockfile decides every version; the development tools and what no code loads stay behind.
FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY deploy deploy
RUN npm run build && npm prune --omit=dev && node deploy/prune-image.mjs node_modules

# git: bulk reads of objects, ssh:// and file:// remotes.
FROM ${NODE_IMAGE}
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git openssh-client \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /src/package.json ./
COPY --from=build /src/node_modules node_modules
COPY --from=build /src/dist dist
# For `gitfleet demo`.
COPY fleet-repo-example fleet-repo-example
RUN ln -s /app/dist/main.js /usr/local/bin/gitfleet && chmod +x dist/main.js \
 && mkdir /var/lib/gitfleet && chown 1000:1000 /var/lib/gitfleet
USER 1000:1000
VOLUME /var/lib/gitfleet
EXPOSE 8080
ENTRYPOINT ["gitfleet"]
CMD ["run", "--help"]

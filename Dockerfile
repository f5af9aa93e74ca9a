# Build: the lockfile decides every version; the development tools stay behind.
FROM node:24-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev

# git: bulk reads of objects, ssh:// and file:// remotes.
FROM node:24-slim
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

# `aca worker` in a container, as an ordinary user:
#
#   docker build -t aca-worker -f examples/docker/worker.Dockerfile examples/docker
#
# The image contains the standalone binary, git, and bubblewrap as the sandbox of tasks, which needs the settings of
# examples/kubernetes/workers.yaml; add to it what the checks of your tasks need. It can be built from the first release
# on: ai-code-assistant is not published on npm yet.
FROM node:22-slim AS install
ARG VERSION=0.1.0
RUN npm install -g --no-audit --no-fund "ai-code-assistant@${VERSION}" \
  && mv /usr/local/lib/node_modules/ai-code-assistant/node_modules/ai-code-assistant-linux-*/aca /aca

FROM debian:12-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
COPY --from=install /aca /usr/local/bin/aca
RUN useradd --create-home --uid 1000 aca
ENV AI_ASSISTANT_NO_UPDATE_CHECK=1
USER aca
ENTRYPOINT ["aca"]
CMD ["worker"]

# Stands in for redis:7-bookworm: the same user, folder, port and programs.
ARG BASE
FROM ${BASE}
RUN groupadd --gid 999 redis \
    && useradd --no-log-init --uid 999 --gid 999 --home-dir /data redis \
    && apt-get update \
    && apt-get install -y --no-install-recommends redis-server \
    && apt-get clean && rm -rf /var/lib/apt/lists/* \
    && install -d -o redis -g redis /data
VOLUME /data
WORKDIR /data
CMD ["redis-server"]

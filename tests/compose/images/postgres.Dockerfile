# Stands in for postgres:15-bookworm: the same user, folders, port and start, as far as docker-compose.yml counts on them.
ARG BASE
FROM ${BASE}
RUN groupadd --gid 999 postgres \
    && useradd --no-log-init --uid 999 --gid 999 --home-dir /var/lib/postgresql --shell /bin/bash postgres \
    && apt-get update \
    && apt-get install -y --no-install-recommends postgresql-common \
    && sed -i 's/^#create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
    && apt-get install -y --no-install-recommends postgresql-15 \
    && apt-get clean && rm -rf /var/lib/apt/lists/* \
    && install -d -o postgres -g postgres -m 3777 /var/run/postgresql \
    && install -d -o postgres -g postgres -m 1777 /var/lib/postgresql/data
ENV PATH=$PATH:/usr/lib/postgresql/15/bin \
    PGDATA=/var/lib/postgresql/data
COPY postgres-start /usr/local/bin/docker-entrypoint.sh
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]

# Stands in for python:3.11-slim-bookworm: the same Debian and the same minor version of Python, from Debian's own packages.
ARG BASE
FROM ${BASE}
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv \
    && apt-get clean && rm -rf /var/lib/apt/lists/*
CMD ["python3"]

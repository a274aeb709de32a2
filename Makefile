# The only front door. `make help` lists what there is.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo test format lint types unit contract airflow security proof live faults explore mutants fuzz interop compose chain warehouse browser compatibility bench docs pages coverage lock wheel release clean

# Every Airflow task is a process: without compiled modules each compiles this project anew.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
ERAS ?= 3
SCHEDULES ?= 10000
BOUND ?= small
MUTANTS ?= 80
CASES ?= 2000
JOBS ?= 3
# SQLite waits for the disk at each commit. These suites have their files in memory, where there is room for them.
MEMORY := $(shell [ -w /dev/shm ] && [ "$$(df -Pm /dev/shm | awk 'END {print $$4}')" -gt 4000 ] && echo /dev/shm)
test unit contract airflow security proof coverage live: export TMPDIR := $(or $(MEMORY),$(TMPDIR),/tmp)
TESTS := $(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9 -]+:.*## / {printf "  %-28s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/ready ## Build .venv from requirements.lock and install this project into it

.venv/ready: requirements.lock pyproject.toml setup.sh
	@PYTHON=$(PYTHON) ./setup.sh

demo: setup ## Airflow pays eras of a simulated network (ERAS=3; KEEP=0 ends after the last era, KEEP=1 continues also without a terminal)
	@ERAS=$(ERAS) KEEP=$(KEEP) $(BIN)/python -m demo

test: setup ## Format check, lint, strict types, and the unit, contract, airflow and security tests (JOBS=3 side by side)
	@$(BIN)/ruff format --check --quiet . || { echo "Not formatted; run: make format"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy & types=$$!; $(TESTS) && tests=0 || tests=$$?; wait $$types; exit $$tests

format: setup ## Format the code and fix what the linter can
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

lint: setup ## Check the format and lint
	@$(BIN)/ruff format --check . && $(BIN)/ruff check .

types: setup ## Check the types
	@$(BIN)/mypy

unit contract airflow security proof: setup ## One layer of the tests
	@$(TESTS) tests/$@

faults: setup ## 10,000 random schedules of faults, crashes and simultaneous runs; a naive payer must be caught (SCHEDULES=n)
	@$(BIN)/python -m tests.proof.harness --payer naive --schedules 50
	@$(BIN)/python -m tests.proof.harness --schedules $(SCHEDULES)

explore: setup ## The payout rules in every reachable state, the engine beside the model, and each assumption left out (BOUND=small, medium or large)
	@$(BIN)/python -m tests.proof.explore --bound $(BOUND)

mutants: setup ## Each payout rule changed, one at a time; exploring or a unit test must find the change (MUTANTS=n random ones, or MUTANTS=all)
	@$(BIN)/python -m tests.proof.explore.mutants $(if $(filter-out all,$(MUTANTS)),--count $(MUTANTS))

fuzz: setup ## Hostile input for every decoder (CASES=2000 for each, SEED=n)
	@CASES=$(CASES) $(BIN)/pytest tests/security/test_hostile_input.py $(if $(SEED),--hypothesis-seed=$(SEED))

interop: setup ## The published JavaScript client against the simulator, and signatures both ways (needs Node.js and npm)
	@$(BIN)/pytest tests/interop

live: setup ## Whole Airflows with kills, faults, outages, Celery; in CI: kills and e2e (ONLY="kills e2e" for some, ERAS=n SEED=n for the soak; installs Debian's postgresql, redis-server)
	@ERAS=$(if $(filter-out file,$(origin ERAS)),$(ERAS)) SEED=$(SEED) $(BIN)/pytest $(if $(ONLY),$(ONLY:%=tests/live/test_%.py),tests/live)

compose: setup ## The image, docker-compose.yml and examples/docker on a real Docker engine (installs Debian's docker.io, docker-compose, debootstrap)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/compose/requirements.lock
	@$(BIN)/pytest tests/compose

chain: setup ## Eras and election windows read from a real runtime's node (needs Node.js and npm)
	@$(BIN)/pytest tests/chain

warehouse: setup .venv-warehouse/ready .venv-object-stores/ready .venv-sql/ready ## Exports in a real S3 server, read again by DuckDB and pandas; dbt, SQL checks, Grafana's queries, Prometheus' rules, OpenLineage (installs Debian's postgresql, prometheus)
	@$(BIN)/pytest tests/warehouse

.venv-warehouse/ready: tests/warehouse/requirements.lock
	@$(UV) venv --quiet --clear --python $(PYTHON) .venv-warehouse
	@$(UV) pip install --quiet --require-hashes --python .venv-warehouse/bin/python -r tests/warehouse/requirements.lock
	@touch $@

.venv-object-stores/ready: tests/warehouse/object_stores.lock
	@rm -rf .venv-object-stores
	@$(UV) pip install --quiet --no-deps --require-hashes --python $(BIN)/python --target .venv-object-stores -r tests/warehouse/object_stores.lock
	@touch $@

.venv-sql/ready: tests/warehouse/sql.lock
	@rm -rf .venv-sql
	@$(UV) pip install --quiet --no-deps --require-hashes --python $(BIN)/python --target .venv-sql -r tests/warehouse/sql.lock
	@touch $@

browser: setup ## The Staking page: its modules, then in a real Chromium (installs Debian's chromium; needs Node.js and npm)
	@$(BIN)/pytest tests/browser

compatibility: setup ## The tests with every supported Airflow and every installed Python, into docs/compatibility.md (AIRFLOW="3.3.0", PYTHONS="3.12" for some)
	@$(BIN)/python -m release.compatibility --airflow $(AIRFLOW) --python $(PYTHONS) --jobs $(JOBS) && ended=0 || ended=$$?; $(MAKE) --no-print-directory pages; exit $$ended

bench: setup ## Speed and memory beside peers and limits, into benchmarks/RESULTS.md (needs Node.js and npm; installs Debian's postgresql, redis-server; ROWS=era,hostile,growth,growth-ledger for some)
	@$(BIN)/python -m benchmarks $(if $(ROWS),--rows $(ROWS))

docs: setup .venv-docs/ready ## Build the documentation into site/, strictly
	@# Not --quiet: mkdocs would then not count its warnings, and --strict would let them pass.
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --site-dir site

.venv-docs/ready: docs/requirements.lock
	@$(UV) venv --quiet --clear --python $(PYTHON) .venv-docs
	@$(BIN)/python -m pip --python .venv-docs install --quiet --disable-pip-version-check --require-hashes --no-compile -r docs/requirements.lock
	@touch $@

pages: setup ## Write the generated parts of docs/
	@AIRFLOW_HOME="$$(mktemp -d)" $(BIN)/python -W ignore -m docs.tools.generate

coverage: setup ## Unit, contract, airflow and security tests with branch coverage
	@$(BIN)/pytest tests/unit tests/contract tests/airflow tests/security --cov --cov-report=term-missing:skip-covered

wheel: setup ## Build the wheel into dist/
	@$(UV) build --wheel --no-build-isolation --python $(BIN)/python --out-dir dist

release: export PACKAGE_REPOSITORY := $(REPOSITORY)
release: export PACKAGE_DOCUMENTATION := $(DOCUMENTATION)
release: setup .venv-release/ready ## Build the package twice, try it in a plain Airflow, and fill dist/ (REPOSITORY=https://... for its links; AUDIT=required)
	@$(BIN)/pytest --quiet tests/release
	@$(BIN)/python -m release $(if $(AUDIT),--audit $(AUDIT))

.venv-release/ready: release/requirements.lock
	@$(PYTHON) -m venv --clear .venv-release
	@.venv-release/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r release/requirements.lock
	@touch $@

lock: setup ## Resolve requirements.lock anew from pyproject.toml
	@UV_CUSTOM_COMMAND="make lock" $(UV) pip compile pyproject.toml --group dev --extra postgres --extra celery --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --quiet --output-file requirements.lock
	@UV_CUSTOM_COMMAND="make lock" $(UV) pip compile docs/requirements.in --constraint requirements.lock --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --quiet --output-file docs/requirements.lock
	@UV_CUSTOM_COMMAND="make lock" $(UV) pip compile release/requirements.in --constraint requirements.lock --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --quiet --output-file release/requirements.lock
	@UV_CUSTOM_COMMAND="make lock" $(UV) pip compile tests/compose/requirements.in --constraint requirements.lock --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --quiet --output-file tests/compose/requirements.lock
	@UV_CUSTOM_COMMAND="make lock" $(UV) pip compile tests/warehouse/requirements.in --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --quiet --output-file tests/warehouse/requirements.lock
	@UV_CUSTOM_COMMAND="make lock" $(UV) pip compile tests/warehouse/object_stores.in --no-deps --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --quiet --output-file tests/warehouse/object_stores.lock
	@UV_CUSTOM_COMMAND="make lock" $(UV) pip compile tests/warehouse/sql.in --no-deps --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --quiet --output-file tests/warehouse/sql.lock

clean: ## Remove what was built
	@rm -rf .venv .venv-docs .venv-release .venv-warehouse .venv-object-stores .venv-sql .compatibility site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage

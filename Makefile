# The only front door. `make help` lists what there is.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo test format explore faults mutants fuzz interop live browser compose warehouse bench compatibility wheel docs lock clean

# Every Airflow task is a process: without compiled modules each compiles this project anew.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
BIN := .venv/bin
# uv does not read pip's settings: it gets the index that pip uses, unless it has been given one.
INDEX = $(or $(UV_DEFAULT_INDEX),$(PIP_INDEX_URL),$(shell $(BIN)/python -m pip config get global.index-url 2>/dev/null))
UV = $(if $(INDEX),UV_DEFAULT_INDEX=$(INDEX)) $(BIN)/uv
ifdef PIP_CERT
export SSL_CERT_FILE ?= $(PIP_CERT)
endif
JOBS ?= 2
POSTGRESQL = ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { apt-get update -qq && apt-get install -qq --no-install-recommends postgresql; }
# SQLite waits for the disk at each commit. The tests have their files in memory, where there is room for them.
MEMORY := $(shell [ -w /dev/shm ] && [ "$$(df -Pm /dev/shm | awk 'END {print $$4}')" -gt 4000 ] && echo /dev/shm)
test live wheel: export TMPDIR := $(or $(MEMORY),$(TMPDIR),/tmp)

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/ready ## Build .venv from requirements.lock and install this project into it

.venv/ready: requirements.lock pyproject.toml setup.sh
	@PYTHON=$(PYTHON) ./setup.sh

demo: setup ## Airflow pays eras of a simulated network (ERAS=3; KEEP=0 then ends it)
	@ERAS=$(or $(ERAS),3) KEEP=$(KEEP) $(BIN)/python -m demo

test: setup ## Format, lint, types and the quick tests (ONLY=tests/unit, ARGS=--cov, JOBS=2)
	@$(BIN)/ruff format --check --quiet . || { echo "Not formatted; run: make format"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy & types=$$!; $(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(ONLY) $(ARGS) && tests=0 || tests=$$?; \
		wait $$types; exit $$tests

format: setup ## Format the code and fix what the linter can
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

explore: setup ## The payout rules in every reachable state (BOUND=drawn, small, medium or large)
	@$(BIN)/python -m tests.proof.explore --bound $(or $(BOUND),small)

faults: setup ## Random faults and crashes; a naive payer must be caught (SCHEDULES=10000, SEED=n, LEDGER=postgresql installs it)
	@$(if $(filter postgresql,$(LEDGER)),$(POSTGRESQL))
	@$(BIN)/python -m tests.proof.harness $(if $(LEDGER),--ledger $(LEDGER)) \
		--schedules $(or $(SCHEDULES),$(if $(filter postgresql,$(LEDGER)),500,10000))

mutants: setup ## Rules changed one at a time; a test must find each (MUTANTS=n or all, SEED=n)
	@$(BIN)/python -m tests.proof.mutants $(if $(filter-out all,$(or $(MUTANTS),80)),--count $(or $(MUTANTS),80))

fuzz: setup ## Hostile input for every decoder (CASES=2000 for each, SEED=n)
	@CASES=$(or $(CASES),2000) $(BIN)/pytest tests/security/test_hostile_input.py

interop: setup ## The published JavaScript client, a real chain's runtime (CHAIN=0; needs npm)
	@$(BIN)/pytest tests/interop $(if $(filter 0,$(CHAIN)),,tests/chain)

live: setup ## Whole Airflows, kills and outages (ONLY="kills e2e"; installs postgresql, redis)
	@ERAS=$(ERAS) SEED=$(SEED) POINTS=$(POINTS) $(BIN)/pytest $(if $(ONLY),$(ONLY:%=tests/live/test_%.py),tests/live)

browser: setup ## The Staking page, in Chromium too (CORE=1; needs Node.js, npm; installs chromium)
	@$(BIN)/pytest tests/browser $(if $(CORE),-m core)

compose: setup ## Image and composition on Docker (installs docker.io, docker-compose, debootstrap)
	@$(BIN)/pytest tests/compose

warehouse: setup .venv-warehouse/ready .venv-providers/ready ## Object stores, dbt, Grafana, OpenLineage (installs postgresql, prometheus)
	@$(BIN)/pytest tests/warehouse

bench: setup ## Speed beside peers and limits, into benchmarks/RESULTS.md (ROWS=era,status)
	@cd benchmarks && npm install --no-package-lock --ignore-scripts --no-audit --no-fund --silent
	@npm install --prefix benchmarks/node_modules/.metadata --ignore-scripts --no-audit --no-fund --silent @polkadot/types-support@16.5.6
	@$(POSTGRESQL)
	@$(BIN)/python -m benchmarks $(ROWS)

compatibility: setup ## Tests with other releases (AIRFLOW="3.3.0 newest", PYTHONS="3.11 3.12")
	@$(if $(INDEX),UV_DEFAULT_INDEX=$(INDEX)) AIRFLOW="$(AIRFLOW)" PYTHONS="$(PYTHONS)" JOBS=$(JOBS) PATH="$(CURDIR)/$(BIN):$$PATH" \
		$(BIN)/nox --envdir .compatibility

wheel: export PACKAGE_REPOSITORY := $(REPOSITORY)
wheel: export PACKAGE_DOCUMENTATION := $(DOCUMENTATION)
wheel: export SOURCE_DATE_EPOCH := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),1577836800)
wheel: BUILD = $(BIN)/uv build --quiet --no-build-isolation --python $(BIN)/python --clear
wheel: setup ## Build and check the package into dist/ (LOWEST=0: the locked versions only; REPOSITORY=)
	@$(BUILD) --out-dir dist && $(BUILD) --sdist --wheel --out-dir .venv/again && diff --recursive dist .venv/again
	@$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz && $(BIN)/check-wheel-contents dist/*.whl
	@$(BIN)/uv venv --quiet --clear .venv/bill && $(UV) pip install --quiet --python .venv/bill --constraint requirements.lock -r pyproject.toml
	@$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --mc-type library --output-reproducible --validate \
		--output-file dist/bill-of-materials.cdx.json .venv/bill
	@cd dist && sha256sum -- * >SHA256SUMS && cat SHA256SUMS
	@UV_DEFAULT_INDEX=$(INDEX) $(BIN)/pytest tests/release $(if $(filter 0,$(LOWEST)),-k "not lowest")

docs: setup ## Write the generated pages, and build the documentation into site/ (LINKS=own or all tries its links)
	@AIRFLOW_HOME="$$(mktemp -d)" $(BIN)/python -W ignore -m docs.tools.generate
	@# Not --quiet: mkdocs would then not count its warnings, and --strict would let them pass.
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --site-dir site
	@$(if $(LINKS),$(UV) tool run --quiet linkchecker==10.6.0 --no-status --no-warnings $(if $(filter all,$(LINKS)),--check-extern) site/index.html)

.venv-providers/ready: tests/providers.lock
	@rm -rf .venv-providers
	@$(UV) pip install --quiet --no-deps --require-hashes --python $(BIN)/python --target .venv-providers -r $<
	@touch $@

.venv-warehouse/ready: tests/warehouse/requirements.lock
	@$(UV) venv --quiet --clear --python $(PYTHON) .venv-warehouse
	@$(UV) pip install --quiet --require-hashes --python .venv-warehouse/bin/python -r $<
	@touch $@

lock: COMPILE = $(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock" --quiet
lock: setup ## Resolve all lock files anew
	@$(COMPILE) pyproject.toml --group dev --extra postgres --extra celery --output-file requirements.lock
	@$(COMPILE) tests/providers.in --no-deps --output-file tests/providers.lock
	@$(COMPILE) tests/warehouse/requirements.in --output-file tests/warehouse/requirements.lock
	@cd tests/npm && npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund

clean: ## Remove what was built
	@rm -rf .venv .venv-* .compatibility site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage

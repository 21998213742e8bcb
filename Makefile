# Bare `make` lists the verbs. Each verb sets up what it needs, so any of them works on a fresh clone.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

JOBS ?= 2
BIN := .venv/bin
PYTHON ?= $(firstword $(foreach name,python3.11 python3 python3.12 python3.13 python,\
	$(shell $(name) -c 'import sys; sys.version_info >= (3, 11) and print("$(name)")' 2>/dev/null)))

# What is compiled once is kept: some hundred tests start the program anew, and would compile it each time.
unexport PYTHONDONTWRITEBYTECODE

PIP_FLAGS := --quiet --quiet --disable-pip-version-check --no-input
CODE := src tests conftest.py $(wildcard benchmarks tools examples checker)

.PHONY: help setup fmt lint lint-style lint-types lint-test-types lint-layers test test-fast test-deep mutants docs site bench bench-data bench-peers demo wheel try-wheel coverage requirements clean

help: ## list the verbs
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r verb does; do printf '  make %-13s %s\n' "$$verb" "$$does"; done

setup: .venv/.ready ## make .venv and install what is pinned in requirements/dev.txt

fmt: .venv/.ready ## format the code and apply the fixes that are safe
	$(BIN)/ruff check --fix-only --exit-zero $(CODE)
	$(BIN)/ruff format $(CODE)

lint: .venv/.ready ## ruff, mypy --strict, and the layers (side by side: half a minute)
	@$(MAKE) --no-print-directory --jobs $(JOBS) --output-sync=target lint-types lint-test-types lint-style lint-layers

lint-style: .venv/.ready
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

lint-types: .venv/.ready
	$(BIN)/mypy

# With a cache of its own: two that run side by side must not write one.
lint-test-types: .venv/.ready
	cd tests && ../$(BIN)/mypy --config-file mypy.ini .

lint-layers: .venv/.ready
	$(BIN)/lint-imports --no-logo

test: lint .venv/.spark ## everything that must pass: lint, then all tests and documents (some 12 minutes on two cores, and one more to set up)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --ignore tests/conformance
	$(BIN)/python -m pytest tests/conformance

test-fast: .venv/.ready ## the quick tests only (about a minute); says which took more than a second, and should be marked slow
	HYPOTHESIS_PROFILE=fast $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow" --durations=10 --durations-min=1

test-deep: .venv/.spark ## 10,000 examples per property (hours)
	HYPOTHESIS_PROFILE=deep $(BIN)/python -m pytest -n $(JOBS) --dist worksteal --ignore tests/conformance

mutants: .venv/.ready ## change the mathematics in one place after the other, and see that a test fails (within 20 minutes)
	$(BIN)/python tools/mutants.py

docs: .venv/.ready ## write the generated pages and the notebooks of the documentation
	$(BIN)/python tools/make_docs.py
	$(BIN)/python tools/notebooks.py

site: .venv/.ready ## the documentation as a site, in out/site (no network)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "Written: out/site. Open out/site/index.html."

bench: .venv-bench/.ready ## measure what the README claims, beside its peers
	.venv-bench/bin/python -m benchmarks

bench-data: .venv/.ready ## 50 million rows of Parquet: the release against the bare query (1 GB on disk for a while)
	$(BIN)/python -m benchmarks.data

bench-peers: .venv/.ready ## counts and sums of a million rows beside other libraries, each in an environment of its own
	$(BIN)/python -m benchmarks.peers

demo: .venv/.ready ## the bundled register from end to end: answers, check, release, verify
	$(BIN)/dalenius demo

wheel: .venv/.ready ## build wheels, source archives and a bill of materials into dist/
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m build --no-isolation --outdir dist checker

	$(BIN)/python tools/sbom.py dist/dalenius.cdx.json

try-wheel: wheel ## install the wheel on every Python that is here, and run the demo without a network
	$(BIN)/python tools/try_wheel.py dist

coverage: .venv/.ready ## which lines the quick tests run (no gate)
	HYPOTHESIS_PROFILE=fast $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow" --cov=src/dalenius --cov-report=term:skip-covered

requirements: .venv/.ready ## compile requirements/*.txt anew from pyproject.toml
	$(COMPILE) --output-file requirements/runtime.txt
	$(COMPILE) --group dev --output-file requirements/dev.txt
	$(COMPILE) --group bench --output-file requirements/bench.txt
	$(subst pyproject.toml,,$(COMPILE)) --group spark --output-file requirements/spark.txt

clean: ## remove what make made
	rm -rf .venv .venv-bench .venv-peers-* dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# Hashes, one file for every platform, and no address of a registry or a machine.
COMPILE := $(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate --no-emit-index-url

.venv/.ready: requirements/dev.txt pyproject.toml
	$(call environment,.venv,requirements/dev.txt)

# Spark, on top of what is there: 430 MB, and only where there is Java. Its tests say why if they are skipped.
.venv/.spark: requirements/spark.txt .venv/.ready
	@if command -v java >/dev/null; then \
		echo "Installing $< into .venv (430 MB, a minute or two the first time)"; \
		$(BIN)/python -m pip install $(PIP_FLAGS) --require-hashes --no-deps -r $< \
			|| echo "Spark cannot be installed here: its tests will be skipped."; \
	else \
		echo "There is no Java: the tests on Spark will be skipped."; \
	fi
	@touch $@

.venv-bench/.ready: requirements/bench.txt pyproject.toml
	$(call environment,.venv-bench,requirements/bench.txt)

# $(call environment,FOLDER,REQUIREMENTS): exactly the pinned packages, then the project itself on top.
define environment
	@if [ -z "$(PYTHON)" ]; then \
		echo "dalenius needs Python 3.11 or newer, and found none as python3.11, python3, python3.12 or python3.13." >&2; \
		echo "Install one, or name it: make setup PYTHON=/path/to/python3" >&2; \
		exit 1; \
	fi
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	@echo "Installing $(2) into $(1) (a minute or two the first time)"
	@$(1)/bin/python -m pip install $(PIP_FLAGS) --require-hashes -r $(2)
	@$(1)/bin/python -m pip install $(PIP_FLAGS) --no-deps --no-build-isolation --no-index -e .
	@touch $@
endef

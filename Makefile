# Two commands start from a bare checkout:  make demo   and   make test
# Every path here is relative, so that a checkout may live under a path with spaces.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTEST_ARGS ?=
# The files in which a mark is written: to look through all tests for it takes half a minute.
marked = $$(grep -rlw --include='test_*.py' 'mark\.$(1)' tests)
# Two workers; the tests that need a Neo4j server stay together on one of them, which starts each server once.
WORKERS ?= 2
OLDEST := .venv-oldest

# An environment knows its own place: a copied or moved checkout must not run the code of the old one.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
STALE := stale
endif

.DEFAULT_GOAL := help
.PHONY: help demo test test-deep test-oldest test-spark test-gds test-calendar test-browser coverage coverage-report fuzz crash crash-server mutants notebooks pictures figures lint format typecheck imports package-test test-nojit bench docs case-studies clean stale

help: ## Say what can be made
	@echo "make demo          two-minute tour: synthesise a survey, audit it, ask it in Cypher, explain"
	@echo "make test          the whole test suite            (PYTEST_ARGS='-k hamming' for a part of it)"
	@echo "make test-deep     the same with ten times as many random examples"
	@echo "make test-oldest   the tests that need no server, on the oldest supported versions"
	@echo "make coverage      make test, counting which lines and branches it reaches, held to a floor"
	@echo "make coverage-report   the same of what was counted last (make test COVERAGE=1)"
	@echo "make mutants       break what decides a verdict in small ways; the tests have to notice   (N=100 SEED=0 MODULE=audit.risk)"
	@echo "make notebooks     execute the notebooks of examples/notebooks   (NAMES='survey figure' for some of them)"
	@echo "make test-spark    what runs on Apache Spark, in sessions and a cluster of this machine (needs Java 17 or later)"
	@echo "make test-calendar the tests that need a Neo4j server, on the calendar release (needs Java 25, Maven)"
	@echo "make test-gds      the queries by way of Graph Data Science, on a Neo4j server that has it (needs Java 17 or 21, Maven)"
	@echo "make test-browser  pages and Neo4j Browser in a headless Chromium (make pictures keeps the pictures of docker/README.md)"
	@echo "make fuzz          odd and damaged inputs of every kind: each ends with a message (N=10000 SEED=1 KINDS=wide,long)"
	@echo "make figures       the papers' figures again, into docs/figures   (FIGURES_DATA='--data ml-100k=FOLDER')"
	@echo "make docs          the documentation as a site, into .cache/site/html, and its examples run; a warning, a broken link or another output fails"
	@echo "make case-studies  the commands of docs/case-studies on real data; fails when a number has moved"
	@echo "make lint          ruff: rules and formatting      (make format repairs the formatting)"
	@echo "make typecheck     mypy --strict"
	@echo "make imports       import-linter: who may import whom"
	@echo "make package-test  build the wheel, install it elsewhere, use it"
	@echo "make test-nojit    the small tests with the compiler off"
	@echo "make crash         kill -9, full and failing disks at every call of every command that writes (N=20 SEED=1)"
	@echo "make crash-server  a Neo4j server whose connections break at every message, and that is killed         (N=4)"
	@echo "make bench         benchmarks; results go to benchmarks/RESULTS.md"
	@echo "make clean         remove the environment and everything that was built"

# The stamp is written last and removed first: an install that was interrupted is not taken for a complete one
# but started anew. hatchling comes with the dev group, so building needs no second download.
$(STAMP): pyproject.toml constraints.txt $(STALE)
	@python=$$(.ci/find-python) || exit 1; \
	if [ -e $(STAMP) ] && [ -z "$(STALE)" ]; then rm $(STAMP); \
	else rm -rf $(VENV); echo "Making $(VENV) with $$python"; "$$python" -m venv $(VENV) || exit 1; fi
	@echo "Installing ratingpriv and what it needs (the first time this takes a minute or two)"
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet --upgrade -c constraints.txt pip
	@$(BIN)/python -m pip install --quiet -c constraints.txt --group dev
	@$(BIN)/python -m pip install --quiet -c constraints.txt --no-build-isolation -e .
	@$(BIN)/python -m compileall -q ratingpriv loaders/ratingpriv_loaders
	@pwd -P > $(STAMP)

demo: $(STAMP)
	@$(BIN)/ratingpriv demo

# All but what has a command of its own: the examples of the pages (docs), the wheel (package-test), Spark, GDS, a second
# release of Neo4j (test-calendar), the browser.
test: $(STAMP)
	$(BIN)/python -m pytest --ignore=tests/browser -m "not documentation and not packaging and not spark and not gds and not calendar" -n $(WORKERS) --dist loadgroup $(if $(COVERAGE),--cov --cov-report=) $(PYTEST_ARGS)

test-deep: $(STAMP)
	RATINGPRIV_TEST_DEPTH=10 $(BIN)/python -m pytest --ignore=tests/browser -m "not spark and not gds" -n $(WORKERS) --dist loadgroup $(PYTEST_ARGS)

# Made anew each time, by the oldest Python that is supported (PYTHON=... names one): newer ones have no wheels of these.
test-oldest:
	@python=$$(PYTHON="$${PYTHON:-python3.12}" .ci/find-python) || exit 1; rm -rf $(OLDEST) && "$$python" -m venv $(OLDEST)
	@$(OLDEST)/bin/python -m pip --disable-pip-version-check install --quiet --upgrade -c constraints.txt pip
	@$(OLDEST)/bin/python -m pip install --quiet -c constraints-oldest.txt --group dev
	@$(OLDEST)/bin/python -m pip install --quiet -c constraints-oldest.txt --no-build-isolation -e .
	$(OLDEST)/bin/python -m pytest --ignore=tests/browser -m "not server and not packaging and not spark and not gds" -n $(WORKERS) $(PYTEST_ARGS)

coverage: $(STAMP)
	@$(MAKE) --no-print-directory test COVERAGE=1
	@$(MAKE) --no-print-directory coverage-report

# The floor of all lines, of the last run with COVERAGE=1, which .ci/run makes anyway. Then every line and branch of what
# decides what is written and what is valid, by the tests of these rooms alone: counting branches takes a third more time.
BRANCHES := tests/test_errors.py tests/test_files.py tests/graph/test_binding.py tests/queries/test_refusals.py tests/anonymize/release tests/cli/test_verify.py tests/cli/test_anonymize.py tests/cli/test_utility.py
coverage-report: $(STAMP)
	$(BIN)/python -m coverage report --skip-covered --sort=cover
	$(BIN)/python -m pytest $(BRANCHES) -m "not server" -n $(WORKERS) --cov --cov-config=tests/branches.ini --cov-report=term-missing

# axe-core, if .ci/install-axe put it there
AXE := .cache/axe/axe.min.js
test-browser: $(STAMP)
	$(if $(wildcard $(AXE)),RATINGPRIV_AXE=$(AXE)) $(BIN)/python -m pytest tests/browser $(PYTEST_ARGS)

# Spark's Python package is some 450 MB: nothing else needs it. Each worker has a session of two threads, which mostly waits.
test-spark: $(STAMP)
	@$(BIN)/python -m pip install --quiet -c constraints.txt --group spark
	$(BIN)/python -m pytest $(call marked,spark) -m spark --cov -n $(WORKERS) --dist worksteal --cov-config=tests/spark/coverage.ini --cov-report=term:skip-covered $(PYTEST_ARGS)

# One worker: its tests share a server.
test-calendar: $(STAMP)
	$(BIN)/python -m pytest --ignore=tests/browser -m calendar $(PYTEST_ARGS)

test-gds: $(STAMP)
	$(BIN)/python -m pytest $(call marked,gds) -m gds $(PYTEST_ARGS)

# Every module of tests/fuzz that declares a kind; FUZZ_ARGS='--again KIND:SEED:I' repeats one attempt.
fuzz: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m fuzz --n $(or $(N),10000) --seed $(or $(SEED),1) --kinds '$(KINDS)' $(FUZZ_ARGS)

# What decides a verdict or a claim, broken in N small ways (N=all: in every one); MODULE=audit.risk for one module.
mutants: $(STAMP)
	@$(BIN)/python -m pip install --quiet -c constraints.txt --group mutants
	PYTHONPATH=tests $(BIN)/python -W ignore::DeprecationWarning -m mutants --n $(or $(N),100) --seed $(or $(SEED),0) $(addprefix --module ,$(MODULE))

# MovieLens from RATINGPRIV_TEST_DATA, the embedded store unless NEO4J_URI is set; KEEP=FOLDER keeps them with outputs.
notebooks: $(STAMP)
	@$(BIN)/python -m pip install --quiet -c constraints.txt --group notebooks
	PYTHONPATH=tests $(BIN)/python -m notebooks $(NAMES) $(addprefix --keep ,$(KEEP))

pictures: $(STAMP)
	RATINGPRIV_SCREENSHOTS=docker/pictures $(BIN)/python -m pytest tests/browser

# On the data of FIGURES_DATA='--data NAME=PATH ...': about an hour on a quiet machine.
figures: $(STAMP)
	$(BIN)/ratingpriv reproduce all $(FIGURES_DATA) -o docs/figures --force

# Nothing is fetched for it but, the first time, what builds it.
docs: $(STAMP)
	@$(BIN)/python -m pip install --quiet -c constraints.txt --group docs
	@cd docs && ../$(BIN)/python -m website.build
	$(BIN)/python -m pytest $(call marked,documentation) -m documentation -n $(WORKERS) --dist loadgroup $(PYTEST_ARGS)

# In the folder RATINGPRIV_TEST_DATA (default: ../shared/data). A few minutes; no part of make test.
case-studies: $(STAMP)
	RATINGPRIV_CASE_STUDIES=1 $(BIN)/python -m pytest tests/house/test_case_studies.py $(PYTEST_ARGS)

lint: $(STAMP)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

format: $(STAMP)
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

typecheck: $(STAMP)
	$(BIN)/python -m mypy --strict
	$(BIN)/python -m mypy --strict tests/house/public_api.py

imports: $(STAMP)
	$(BIN)/lint-imports --no-logo --cache-dir .cache/import-linter

package-test: $(STAMP)
	$(BIN)/python -m pytest $(call marked,packaging) -m packaging $(PYTEST_ARGS)

test-nojit: $(STAMP)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m small -n $(WORKERS) $(PYTEST_ARGS)

# N: points for each command and fault, drawn by SEED; else all, which takes an hour. CRASH_ARGS='--only anonymize --faults kill'
crash: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m crash -n $(or $(N),0) --seed $(or $(SEED),0) $(CRASH_ARGS)

# The same for a Neo4j server: its connections break at every message, and it is killed in the middle of a load.
crash-server: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m crash.neo4j -n $(or $(N),0) --seed $(or $(SEED),0)

bench: $(STAMP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(OLDEST) .coverage .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist demo-output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Two commands start from a bare checkout:  make demo   and   make test
# Every path here is relative, so that a checkout may live under a path with spaces.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TOOLS := $(VENV)/.developing
PYTEST := $(BIN)/python -m pytest
PYTEST_ARGS ?=
# Two workers; the tests that need a Neo4j server stay together on one of them, which starts each server once.
WORKERS ?= 2
# The files in which a mark is written: to look through all tests for it takes half a minute.
marked = $$(grep -rlw --include='test_*.py' 'mark\.$(1)' tests)
# Compiled kernels are known by their contents: one place serves every checkout of a machine.
export NUMBA_CACHE_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ratingpriv-tests/kernels
# Some machines forbid Python to keep what it compiled: every process of every test would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE
PROGRAM := PYTHONPATH=tests:tests/support:tests/tools $(BIN)/python

# An environment knows its own place: a copied or moved checkout must not run the code of the old one.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
STALE := stale
endif

.DEFAULT_GOAL := help
.PHONY: branches help help-all demo check quick test test-all test-deep test-oldest test-spark test-gds test-calendar test-browser test-nojit coverage-report costs fuzz guard house crash mutants notebooks pictures figures lint format typecheck imports package-test bench docs case-studies clean stale

help: ## what is made most
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'
help-all: ## and all the rest
	@sed -n 's/^\([a-z-]*\):.* ##* \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

# The stamps are written last and removed first: an install that was interrupted is not taken for a complete one but
# started anew. hatchling is installed first, so that building needs no second download.
$(STAMP): pyproject.toml constraints.txt $(STALE)
	@python=$$(.ci/find-python) || exit 1; rm -f $(TOOLS); \
	if [ -e $(STAMP) ] && [ -z "$(STALE)" ]; then rm $(STAMP); \
	else rm -rf $(VENV); echo "Making $(VENV) with $$python"; "$$python" -m venv $(VENV) || exit 1; fi
	@echo "Installing ratingpriv and what it needs (the first time this takes a minute)"
	@.ci/install $(VENV) -c constraints.txt hatchling
	@.ci/install $(VENV) -c constraints.txt --no-build-isolation -e .
	@pwd -P > $(STAMP)

$(TOOLS): $(STAMP)
	@echo "Installing what the tests need"
	@.ci/install $(VENV) -c constraints.txt --group dev
	@touch $(TOOLS)

demo: $(STAMP) ## two-minute tour: synthesise a survey, audit it, ask it in Cypher, explain
	@env -u NUMBA_CACHE_DIR $(BIN)/ratingpriv demo

# What turns CI red most often and takes seconds: rules of form. Before every commit, and first in .ci/run.
check: $(TOOLS) ## rules of form: ruff, imports, house, help; under a minute, before every commit
	@$(MAKE) --no-print-directory lint imports
	$(PYTEST) tests/house tests/cli/test_help.py tests/cli/test_examples.py -m "not documentation and not packaging and not deep" $(PYTEST_ARGS)

quick: $(TOOLS) ## the tests a change since BASE=main is likely to break, what failed last first
	$(PYTEST) $$($(BIN)/python tests/tools/affected.py $(or $(BASE),main)) -m "not documentation and not packaging and not spark and not gds and not server and not deep" -n $(WORKERS) --ff --maxfail 10 $(PYTEST_ARGS)

# What decides whether the product works. The rules of form are make check's; what has a command of its own, or costs
# more than it finds (deep), is make test-all's.
test: $(TOOLS) ## whether the product works, on both stores (PYTEST_ARGS='-k hamming' for a part of it)
	$(PYTEST) --ignore=tests/browser --ignore=tests/house -m "not documentation and not packaging and not spark and not gds and not calendar and not deep" -n $(WORKERS) --dist loadgroup $(if $(COVERAGE),--cov --cov-report=) $(PYTEST_ARGS)

test-all: test-deep test-nojit coverage-report test-calendar test-gds test-spark test-browser docs package-test notebooks case-studies test-oldest ## everything, an hour or two: before a release, and every night

test-deep: $(TOOLS) ### make test and the deep tier, ten times the random examples, in random order (ORDER=7 repeats one)
	RATINGPRIV_TEST_DEPTH=10 RATINGPRIV_TEST_ORDER=$(or $(ORDER),$$(date +%s)) $(PYTEST) --ignore=tests/browser -m "not documentation and not packaging and not spark and not gds and not calendar" -n $(WORKERS) --dist loadgroup $(PYTEST_ARGS)

OLDEST := .venv-oldest
# Made anew each time, by the oldest Python that is supported (PYTHON=... names one): newer ones have no wheels of these.
test-oldest: ### the tests that need no server, on the oldest supported versions
	@python=$$(PYTHON="$${PYTHON:-python3.12}" .ci/find-python) || exit 1; rm -rf $(OLDEST) && "$$python" -m venv $(OLDEST)
	@.ci/install $(OLDEST) -c constraints-oldest.txt --group dev
	@.ci/install $(OLDEST) -c constraints-oldest.txt --no-build-isolation -e .
	$(OLDEST)/bin/python -m pytest --ignore=tests/browser -m "not server and not packaging and not spark and not gds" -n $(WORKERS) $(PYTEST_ARGS)

# Every line and branch of what decides what is written and what is valid, by the tests of these rooms; and the floor of
# all lines, where the last make test counted them (COVERAGE=1).
BRANCHES := tests/base/test_errors.py tests/base/test_files.py tests/graph/test_binding.py tests/queries/test_refusals.py tests/anonymize/release tests/anonymize/swapping tests/anonymize/suppression/test_blank.py tests/cli/test_verify.py tests/cli/test_swap.py tests/cli/test_anonymize.py tests/cli/test_utility.py
branches: ### the tests whose branches are counted, by name (for .ci/run)
	@echo $(BRANCHES)

coverage-report: $(TOOLS) ### lines that the last make test COVERAGE=1 reached; branches of what decides what is written
	if [ -e .coverage ]; then $(BIN)/python -m coverage report --skip-covered --sort=cover && rm -f .coverage .coverage.*; fi
	mkdir -p .cache && rm -f .cache/branches*
	$(PYTEST) $(BRANCHES) -m "not server" -n $(WORKERS) --cov --cov-config=tests/branches.ini --cov-report=term-missing

# axe-core, if .ci/install-axe put it there
AXE := .cache/axe/axe.min.js
test-browser: $(TOOLS) ### pages and Neo4j Browser in a headless Chromium
	$(if $(wildcard $(AXE)),RATINGPRIV_AXE=$(AXE)) $(PYTEST) tests/browser $(PYTEST_ARGS)

# Spark's Python package is some 450 MB: nothing else needs it. Each worker has a session of two threads, which mostly waits.
test-spark: $(TOOLS) ### what runs on Apache Spark, in sessions and a cluster of this machine (Java 17 or later)
	@.ci/install $(VENV) -c constraints.txt --group spark
	$(PYTEST) $(call marked,spark) -m spark --cov -n $(WORKERS) --dist worksteal --cov-config=tests/spark/coverage.ini --cov-report=term:skip-covered $(PYTEST_ARGS)

# One worker: its tests share a server.
test-calendar: $(TOOLS) ### what needs a Neo4j server, on the calendar release (Java 25, Maven)
	$(PYTEST) tests/graph tests/loaders/graph tests/parity tests/queries tests/cli -m calendar $(PYTEST_ARGS)

test-gds: $(TOOLS) ### the queries by way of Graph Data Science, on a Neo4j server that has it (Java 17 or 21, Maven)
	$(PYTEST) $(call marked,gds) -m gds $(PYTEST_ARGS)

test-nojit: $(TOOLS) ### the tests of kernels with the compiler off: Python checks every index
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(call marked,small) -m "small and not deep" -n $(WORKERS) $(PYTEST_ARGS)

package-test: $(TOOLS) ### build the wheel, install it elsewhere, use it
	$(PYTEST) $(call marked,packaging) -m packaging $(PYTEST_ARGS)

costs: $(TOOLS) ### write tests/costs.json anew: what the tests of make test cost, in CPU seconds
	rm -rf .cache/costs
	for order in 1 2; do RATINGPRIV_TEST_ORDER=$$order RATINGPRIV_TEST_COSTS=.cache/costs $(MAKE) --no-print-directory test; done
	$(BIN)/python tests/support/costs.py .cache/costs

fuzz: $(TOOLS) ### odd and damaged inputs of every kind: each ends with a message (N=10000 SEED=1 KINDS=d.csv,tables)
	FUZZ_N=$(or $(N),10000) FUZZ_SEED=$(or $(SEED),1) FUZZ_KINDS='$(KINDS)' $(PYTEST) tests/tools/fuzz -k attempts -n $(WORKERS) --maxfail 20 -rP $(FUZZ_ARGS) | grep -v '^[-_=]'

# Against the recording of BASE in .cache/guard, made there once; ONLY='audit*' for some of the scenarios.
guard: $(TOOLS) ### what 200 command lines print and write, compared with BASE=main field by field (JOBS=1 ONLY=)
	$(BIN)/python tests/tools/guard.py $(or $(BASE),main) --jobs $(or $(JOBS),2) --only '$(or $(ONLY),*)'

house: $(TOOLS) ### rooms, arrows, circles and sizes beside their bars
	$(PROGRAM) -m house.figures

# On a copy of the last commit; some three seconds a mutant.
mutants: $(TOOLS) ### break a module in small ways, by Cosmic Ray; the tests have to notice (MODULE=audit/k_epsilon TESTS=tests/audit/test_k_epsilon.py)
	@.ci/install $(VENV) -c constraints.txt --group mutants
	rm -rf .cache/mutants && git clone --quiet . .cache/mutants
	printf '[cosmic-ray]\nmodule-path = "ratingpriv/%s.py"\ntimeout = 60.0\nexcluded-modules = []\ntest-command = "python -m pytest -x -q %s"\n[cosmic-ray.distributor]\nname = "local"\n' '$(MODULE)' '$(TESTS)' > .cache/mutants/mutants.toml
	cd .cache/mutants && export PATH="$(CURDIR)/$(BIN):$$PATH" PYTHONPATH="$$PWD:$$PWD/loaders" NUMBA_DISABLE_JIT=1 && cosmic-ray init mutants.toml mutants.sqlite && cosmic-ray exec mutants.toml mutants.sqlite && cr-report --surviving-only --show-diff mutants.sqlite

# N: points for each command and fault, drawn by SEED; else all, which takes an hour. CRASH_ARGS='-k "anonymize and kill"'
crash: $(TOOLS) ### kill -9, full and failing disks at every call of every command that writes (N=20 SEED=1)
	CRASH_N=$(or $(N),1000000) CRASH_SEED=$(or $(SEED),0) $(PYTEST) tests/tools/crash -n $(WORKERS) $(CRASH_ARGS)

# MovieLens from RATINGPRIV_TEST_DATA, the embedded store unless NEO4J_URI is set; KEEP=FOLDER keeps them with outputs.
notebooks: $(TOOLS) ### execute the notebooks of examples/notebooks (NAMES='survey figure' for some)
	@.ci/install $(VENV) -c constraints.txt --group notebooks
	$(PROGRAM) -m notebooks $(NAMES) $(addprefix --keep ,$(KEEP))

pictures: $(TOOLS) ### the pictures of README and docker/README.md again, from the running Browser, and its saved queries
	PYTHONPATH=. $(BIN)/python tests/tools/favorites.py
	RATINGPRIV_SCREENSHOTS=docker/pictures $(PYTEST) tests/browser

# On the data of FIGURES_DATA='--data NAME=PATH ...': about an hour on a quiet machine.
figures: $(STAMP) ### the papers' figures again, into docs/figures (FIGURES_DATA='--data ml-100k=FOLDER')
	$(BIN)/ratingpriv reproduce all $(FIGURES_DATA) -o docs/figures --force

# Nothing is fetched for it but, the first time, what builds it.
docs: $(TOOLS) ## the documentation as a site, into .cache/site/html; its examples are run
	@.ci/install $(VENV) -c constraints.txt --group docs
	@cd docs && ../$(BIN)/python -m website.build
	$(PYTEST) $(call marked,documentation) -m documentation -n $(WORKERS) --dist loadgroup $(PYTEST_ARGS)

# In the folder RATINGPRIV_TEST_DATA (default: ../shared/data). A few minutes.
case-studies: $(TOOLS) ### the commands of docs/case-studies on real data; fails when a number has moved
	RATINGPRIV_CASE_STUDIES=1 $(PYTEST) tests/house/test_case_studies.py $(PYTEST_ARGS)

lint: $(TOOLS) ## ruff: rules and formatting (make format repairs the formatting)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

format: $(TOOLS) ### repair what ruff can
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

typecheck: $(TOOLS) ## mypy --strict
	$(BIN)/python -m mypy --strict
	$(BIN)/python -m mypy --strict tests/house/public_api.py

imports: $(TOOLS) ### import-linter: who may import whom
	$(BIN)/lint-imports --no-logo --cache-dir .cache/import-linter

bench: $(TOOLS) ## benchmarks; results go to benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

clean: ## remove the environment and everything that was built
	rm -rf $(VENV) $(OLDEST) .coverage .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist demo-output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What a developer runs. `make help` lists it.

# The first Python that is new enough; python3 is an older one on some systems that have a newer beside it.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && exit; \
	done; echo python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup demo test chaos lint bench accuracy fuzz schemas typescript

help: ## list the targets
	@sed -n 's/^\([a-z][a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

setup: $(STAMP) ## build the environment in .venv; a second run is instant
	@echo "$(BIN)/coatcheck is ready"

demo: $(STAMP) ## real commands with large output through the whole pipeline, on bundled servers
	@$(BIN)/python -m demo

# Three at a time, each with servers of its own: most of a test's time is waiting. What is compiled is kept, whatever
# the environment says of it: tests start hundreds of processes, each of which would compile all its modules again.
TESTS := pytest -n 3 --dist loadfile --no-loadscope-reorder -p tests.support.blending

test: lint ## lint, types, and every test, on real servers
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m $(TESTS)

chaos: $(STAMP) ## kill workers, storage and NATS under a load, in full; SEED=n repeats a run
	@seed=$${SEED:-$$(date +%s)}; echo "SEED=$$seed"; \
	SEED=$$seed $(BIN)/python -m pytest -s tests/chaos/full_chaos.py

lint: $(STAMP) ## format, lint and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

# The agent runs as it stands; TypeScript itself, which only reads its types, comes from npm.
typescript: $(STAMP) ## the types of the tests' TypeScript agent; needs npm and its registry
	@cd tests/typescript && npm ci --loglevel error && npx tsc --project .

schemas: $(STAMP) ## JSON Schema, AsyncAPI, the users of deploy/nats and docs/configuration.md, anew from what they tell of
	@$(BIN)/python -m generate

fuzz: $(STAMP) ## look for results that the synopsis does not bear, SECONDS=60 or as long as you like
	@$(BIN)/python -c "import atheris" 2>/dev/null || \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fuzz]' -c constraints.txt
	@$(BIN)/python -m fuzz $${SECONDS:-60}
	@$(BIN)/python -m accuracy --prefixes $${SECONDS:-60}

bench: $(STAMP) ## throughput and latency, each beside its floor measured in the same run
	@$(BIN)/python -m benchmarks

accuracy: $(STAMP) ## how often the synopsis is right, on the held half of a labelled corpus of this machine's texts
	@$(BIN)/python -m accuracy

$(STAMP): pyproject.toml constraints.txt
	@deploy/check-python $(PYTHON)
	@$(BIN)/python -c "import pip" 2>/dev/null || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' -c constraints.txt
	@touch $@

# Every target makes and reuses .venv by itself; Python 3.11+ and make are all it takes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GAME ?=
# A file is one process's: what its tests compile or set up (a server, a browser) is made once, not by each process.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: setup setup-dev play check test test-long lint lint-pages bench clean docs docs-serve

# What playing needs; what tests and training need besides (torch, a browser's driver, linters).
# Targets below need the files, not these words: who asks for a set-up is told how to go on.
setup: $(VENV)/.ready
	@echo "hansu is in $(VENV): source $(BIN)/activate, then hansu; or make play"
setup-dev: $(VENV)/.ready-dev
	@echo "what tests and training need is in $(VENV): source $(BIN)/activate, or make check"

$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "hansu needs Python 3.11 or newer; this is %s. Try: make PYTHON=python3.12 ..." % sys.version.split()[0])'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing hansu into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	@echo "installing what tests and training need into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,train]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps kaggle-environments==1.33.2 \
		|| echo "no kaggle-environments: the test that plays there is skipped" # needs little of what it asks for
	@touch $@

play: $(VENV)/.ready
	@$(BIN)/hansu serve $(GAME)

test: $(VENV)/.ready-dev
	$(PYTEST)

# The linters and the quick tests, for people at work; `make test` is what counts.
check: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(PYTEST) -m "not long and not slow"

test-long: $(VENV)/.ready-dev
	$(PYTEST) -m ""

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory lint-pages; \
	else echo "there is no npm: the scripts of the web app were not checked"; fi

# The scripts of the web app: types (tsc --checkJs) and eslint. Only development needs npm.
lint-pages: node_modules/.package-lock.json
	npm run --silent lint

node_modules/.package-lock.json: package.json package-lock.json
	npm ci --silent --no-audit --no-fund
	@touch $@

bench: $(VENV)/.ready-dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@for file in $(filter-out benchmarks/measure.py,$(wildcard benchmarks/*.py)); do \
		echo "== $$file"; $(BIN)/python $$file || exit 1; done

# The documentation site, into build/site; docs-serve shows it while one writes.
docs: $(VENV)/.ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@$(BIN)/mkdocs build --quiet && echo "the site lies in build/site"

docs-serve: $(VENV)/.ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@$(BIN)/mkdocs serve

clean:
	rm -rf $(VENV) node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis

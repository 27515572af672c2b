# `make demo` shows the headline case; `make test` passes the tests. Both make their own environment from nothing.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint types unit wheel generate clean

demo: $(STAMP)
	@$(BIN)/kvaudit demo; code=$$?; if [ $$code -ne 1 ]; then echo "demo: expected exit code 1, got $$code"; exit 1; fi

test: lint types unit wheel

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

# The files that are generated: rules/rule.schema.json, docs/rules.md, the README's transcript.
generate: $(STAMP)
	$(BIN)/python -m tests.generate

clean:
	rm -rf $(VENV) .venv-wheel dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis

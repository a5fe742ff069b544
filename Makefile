# Needs git, make and Python 3.11 or newer with venv; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO_ARGS ?=
TEST_ARGS ?=

.PHONY: help demo test lint typecheck lock screenshots clean
help:  ## what can be made
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*##/\t/'

demo: $(READY)  ## set up and play a recorded session
	@$(BIN)/python -m companion demo $(DEMO_ARGS)

test: $(READY) chromium lint typecheck  ## set up and run every check
	@$(BIN)/python -m pytest $(TEST_ARGS)

lint: $(READY)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

typecheck: $(READY)
	@$(BIN)/mypy

.PHONY: chromium
chromium:
	@sh scripts/chromium

screenshots: $(READY)  ## the pictures in docs/screenshots, from the browser tests
	@COMPANION_SCREENSHOTS=1 $(BIN)/python -m pytest tests/browser

lock: $(READY)  ## write both requirements files anew from pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-annotate --custom-compile-command "make lock" \
	    --extra vision --extra dev pyproject.toml -o requirements.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-annotate --custom-compile-command "make lock" \
	    -c requirements.txt pyproject.toml -o requirements-pi.txt

$(READY): requirements.txt pyproject.toml scripts/setup
	@PYTHON=$(PYTHON) sh scripts/setup $(VENV)
	@touch $@

clean:  ## remove the environment and the demo's data
	rm -rf $(VENV) var

# Needs git, make and Python 3.11 or newer with venv; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
OLDER := .venv-opencv4
DEMO_ARGS ?=
TEST_ARGS ?=
PARTS := tests-browser tests-rest opencv4 tests-reader

.PHONY: help demo test lint typecheck openapi lock screenshots clean
help:  ## what can be made
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*##/\t/'

demo: $(READY)  ## set up and play a recorded session
	@$(BIN)/python -m companion demo $(DEMO_ARGS)

test: $(READY) chromium lint typecheck  ## set up and run every check
ifeq ($(TEST_ARGS),)
	@$(MAKE) --no-print-directory --jobs=$(words $(PARTS)) $(PARTS)
else
	@$(BIN)/python -m pytest $(TEST_ARGS)
endif

# All at once, on however few processors: the browser's part waits for pages, so the others give
# way to it, and the reader's, the longest, less than the rest. OpenCV's own threads would only wait.
$(PARTS): export OPENCV_FOR_THREADS_NUM := 1
.PHONY: $(PARTS)
tests-browser: $(READY)
	@$(BIN)/python -m pytest --quiet tests/browser
tests-rest: $(READY)
	@nice $(BIN)/python -m pytest --quiet --ignore tests/browser --ignore tests/vision
tests-reader: $(READY)
	@nice -n 8 $(BIN)/python -m pytest --quiet tests/vision

# The reader on the older OpenCV a Pi has; the main environment has the newest. What takes long
# and tells there nothing more, as further stations read whole, is marked `once`.
opencv4: $(OLDER)/.ready
	@nice $(OLDER)/bin/python -m pytest --quiet --noconftest -m "not once" tests/vision

$(OLDER)/.ready: requirements-opencv4.txt scripts/setup
	@PYTHON=$(PYTHON) sh scripts/setup $(OLDER) requirements-opencv4.txt
	@touch $@

lint: $(READY)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

typecheck: $(READY)
	@$(BIN)/mypy

.PHONY: chromium
chromium:
	@sh scripts/chromium

screenshots: $(READY) chromium  ## docs/screenshots: every page and state, taken anew
	@rm -f docs/screenshots/*
	@COMPANION_SCREENSHOTS=1 $(BIN)/python -m pytest tests/browser/test_tour.py -k pictures

openapi: $(READY)  ## write docs/openapi.json anew
	@$(BIN)/python -c 'from companion.web import openapi; print(openapi.text(), end="")' >docs/openapi.json

.PHONY: catalogue
catalogue: $(READY)  ## bring the translations up to the source and compile them
	@$(BIN)/python -m companion.web.catalogue

lock: $(READY)  ## write the requirements files anew
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-annotate --custom-compile-command "make lock" \
	    --extra vision --extra mdns --extra dev pyproject.toml -o requirements.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-annotate --custom-compile-command "make lock" \
	    --extra mdns -c requirements.txt pyproject.toml -o requirements-pi.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-annotate --custom-compile-command "make lock" \
	    requirements-opencv4.in -o requirements-opencv4.txt

$(READY): requirements.txt pyproject.toml scripts/setup
	@PYTHON=$(PYTHON) sh scripts/setup $(VENV)
	@touch $@

clean:  ## remove the environment and the demo's data
	rm -rf $(VENV) $(OLDER) var

# Two commands for a newcomer: `make demo` and `make test`. `make help` lists the rest.
PYTHON ?= python3
VENV ?= .venv
STRICT ?= 0
DEMO_OUT ?= worldtape-demo

.DEFAULT_GOAL := help
.PHONY: help demo dev check format test bench clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:[^#]*##/\t/' | expand -t 10

demo: $(VENV)/.run ## record, curate and build a small corpus from real sessions, in ./worldtape-demo
	$(VENV)/bin/worldtape demo --out $(DEMO_OUT)

dev: $(VENV)/.dev ## an editable environment with everything that development needs

check: $(VENV)/.dev ## the fast checks: ruff, import-linter, mypy
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/lint-imports
	$(VENV)/bin/mypy

format: $(VENV)/.dev ## format the code
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

test: ## set everything up and test the built wheel (STRICT=1: what is missing fails)
	STRICT=$(STRICT) PYTHON=$(PYTHON) bash .ci/test

bench: $(VENV)/.dev ## every benchmark in full (minutes each)
	@for one in benchmarks/*.py; do $(VENV)/bin/python $$one || exit 1; done

clean: ## remove what the targets made
	rm -rf .venv .venv-wheel build dist *.egg-info src/*.egg-info .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis $(DEMO_OUT)

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV) || { $(PYTHON) -m pip install -q virtualenv && $(PYTHON) -m virtualenv -q $(VENV); }
	$(VENV)/bin/python -m pip install -q --upgrade pip

$(VENV)/.run: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(VENV)/bin/pip install -q -c constraints.txt -e '.[search]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(VENV)/bin/pip install -q -c constraints.txt -e '.[all]' --group dev
	@touch $@ $(VENV)/.run

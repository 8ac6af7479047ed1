# `make demo` and `make test` need Python 3.11 or newer, git and make; they set up everything else in .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin

.PHONY: demo test lint unit integration golden bench lock proto clean

.venv/.ready: requirements.lock pyproject.toml
	@echo "Setting up .venv, once; this takes some minutes."
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# Prepares examples/incident, shows what Argo CD or Flux would apply, and serves a committed copy of an example.
demo: .venv/.ready
	$(BIN)/kagent-render render examples/incident
	$(BIN)/kagent-render check examples/incident
	@echo; echo "What Argo CD or Flux apply:"; $(BIN)/kubectl kustomize examples/incident/rendered | grep '^  name:'
	@examples/demo.sh $(BIN)

test: lint unit integration

lint: .venv/.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# The ActorTemplates that the unit tests write are kept, for the integration tests to judge by the CRD.
unit integration: export ACTOR_TEMPLATES_WRITTEN := build/actortemplates

unit: .venv/.ready
	rm -rf $(ACTOR_TEMPLATES_WRITTEN)
	$(BIN)/pytest -n auto -m "not process and not server and not oracle and not fuzz"

# Whole processes that wait, are killed or are measured; then the servers of kagent-apply's tests, each with ports
# and folders of its own. At last what needs a machine to itself, one after the other: real servers, reference
# implementations built with Go where there is one, and a minute of random archives.
integration: .venv/.ready
	$(BIN)/pytest -n auto -m "process and not server and not oracle and not fuzz"
	$(BIN)/pytest -n auto --dist loadfile -m "server or oracle or fuzz" tests/apply
	$(BIN)/pytest -m "server or oracle or fuzz" --ignore=tests/apply

# Records the output of tests/golden again, for both targets and for a reviewer to read, and what pages show of it.
golden: .venv/.ready
	$(BIN)/pytest tests/golden/test_golden.py tests/golden/test_targets.py --snapshot-update
	$(BIN)/python -m tests.docs.target_table

bench: .venv/.ready
	$(BIN)/python -m bench

# Pins every dependency again, with hashes; of those, the action installs what the program itself needs.
lock:
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --extra dev \
		--no-emit-index-url --output-file requirements.lock pyproject.toml build-requirements.txt
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --no-emit-index-url \
		--constraint requirements.lock --output-file action/requirements.lock pyproject.toml build-requirements.txt

# Has protoc write the messages of Substrate and of kagent again, out of proto/.
proto: .venv/.ready
	$(BIN)/python -m tests.target.generation

clean:
	rm -rf build .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis

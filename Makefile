# Two commands do everything on a machine with Python >= 3.11 and make: `make run` and `make test`.
# ARGS goes on to the command, and PYTHON chooses the interpreter: make run ARGS="--port 9000", make test ARGS="-k windows".
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: setup run test check bench lock clean

setup: $(STAMP)

$(STAMP): requirements/dev.txt pyproject.toml scripts/setup
	@PYTHON='$(PYTHON)' scripts/setup "$(VENV)"
	@touch $@

run: setup
	@$(BIN)/recuerdo serve $(ARGS)

test: setup
	@scripts/browser
	@$(BIN)/pytest $(ARGS)

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

bench: setup
	$(BIN)/python -m benchmarks $(ARGS)

# Pinned versions without any index or download address, so that any mirror serves.
lock: setup
	$(BIN)/uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
		--no-emit-index-url --no-emit-find-links --no-annotate --no-header --quiet --output-file requirements/dev.txt

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis

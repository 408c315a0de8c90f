# Two commands do everything on a machine with Python >= 3.11 and make: `make run` and `make test`.
# ARGS goes on to the command, PYTHON chooses the interpreter, and JOBS says how many tests run at the same moment:
# make run ARGS="--port 9000", make test ARGS="-k windows" JOBS=1.
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 6

# Hundreds of processes of a test run import the same modules: where nothing may be kept, each compiles them anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup tools run test soak image-test docs check lint types security sbom release-check bench reference eval tagger questions notes comparisons sdk-integration agents-suite langgraph-suite lock clean

setup: $(VENV)/.ready-dev

# What serving needs is a small part of what the tests need.
$(VENV)/.ready-%: requirements/%.txt pyproject.toml scripts/setup
	@PYTHON='$(PYTHON)' scripts/setup "$(VENV)" $<
	@touch $@
# Its versions are those of the tests and more.
	@[ $* != bench ] || touch $(VENV)/.ready-dev

run: $(VENV)/.ready-run
	@$(BIN)/recuerdo serve $(ARGS)

# What tests need beside Python; each fetches for itself, and computes little.
tools: setup
	@scripts/browser & scripts/javascript & scripts/helm $(VENV) & wait

test: tools
	@scripts/tests $(BIN)/pytest --numprocesses $(JOBS) --dist worksteal $(ARGS)

# Schedules of the cache simulator that no test run plays, and trials of real servers; SEEDS=from:to and
# TRIALS=from:to choose them.
SEEDS ?= 500:1000000
TRIALS ?= 3:33

soak: setup
	@RECUERDO_TEST_ERASURES=1000 $(BIN)/pytest --timeout 0 tests/memories/test_erase_everything.py $(ARGS)
	@RECUERDO_TEST_KILLS=30 $(BIN)/pytest --timeout 0 tests/runs/test_waits_and_restarts.py $(ARGS)
	@RECUERDO_TEST_RUNS=50 $(BIN)/pytest --timeout 0 tests/runs/test_run_takeover.py $(ARGS)
	@RECUERDO_TEST_FLOOD=300 $(BIN)/pytest --timeout 0 tests/cli/test_slow_callers.py $(ARGS)
	@RECUERDO_TEST_CROWD=2000 $(BIN)/pytest --timeout 0 tests/faults/test_overload.py $(ARGS)
	@RECUERDO_TEST_ROUNDS=300 $(BIN)/pytest --timeout 0 tests/faults/test_sqlite_kill.py $(ARGS)
	@RECUERDO_TEST_LIVES=300 $(BIN)/pytest --timeout 0 tests/faults/test_reads_while_made_anew.py $(ARGS)
	@RECUERDO_TEST_ATTEMPTS=10000 $(BIN)/pytest --timeout 0 tests/server/test_private_documents.py $(ARGS)
	@RECUERDO_TEST_STOPS=100 $(BIN)/pytest --timeout 0 tests/cli/test_stops_under_load.py $(ARGS)
	@RECUERDO_TEST_STRANGERS=100000 $(BIN)/pytest --timeout 0 tests/server/test_http_strangers.py $(ARGS)
	@RECUERDO_TEST_TEXTS=8 $(BIN)/pytest --timeout 0 tests/linear $(ARGS)
	@RECUERDO_TEST_MESSAGES=1 $(BIN)/pytest --timeout 0 tests/memories/test_tagger.py \
		tests/memories/test_cross_encoder.py tests/memories/test_extract_labelled.py \
		tests/memories/test_answer_type.py tests/agents/test_ranking.py $(ARGS)
	@RECUERDO_TEST_BYTES=40000 $(BIN)/pytest --timeout 0 tests/faults/test_hostile_bytes.py $(ARGS)
	@RECUERDO_TEST_SCHEMA_CASES=200 $(BIN)/pytest --timeout 0 tests/server/test_http_schema.py $(ARGS)
	@RECUERDO_TEST_TRIALS=$(TRIALS) $(BIN)/pytest --timeout 0 tests/checker $(ARGS)
	@RECUERDO_TEST_EXAMPLES=20 $(BIN)/pytest --timeout 0 tests/contracts/test_history_machines.py \
		tests/contracts/test_cached_contracts.py tests/contracts/test_postgres_contracts.py \
		tests/mongodb/test_mongodb_storage.py tests/windowing/test_windowing_properties.py \
		tests/memories/test_extract_rules.py $(ARGS)
	@RECUERDO_TEST_TURN_SEEDS=200:20000 $(BIN)/pytest --timeout 0 tests/simulation/test_simulation_turns.py $(ARGS)
	@RECUERDO_TEST_WAIT_SEEDS=200:100000 $(BIN)/pytest --timeout 0 tests/simulation/test_simulation_waits.py $(ARGS)
	@RECUERDO_TEST_SEEDS=$(SEEDS) $(BIN)/pytest --numprocesses $(JOBS) --maxfail 1 tests/simulation/test_simulation_schedules.py $(ARGS)

# The steps of the Dockerfile, carried out in a folder, since tests have no Docker.
image-test: setup
	@RECUERDO_TEST_IMAGE=1 $(BIN)/pytest tests/deploy/test_image.py $(ARGS)

check: lint types security

lint: $(VENV)/.ready-bench
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready-bench
	$(BIN)/basedpyright

security: $(VENV)/.ready-bench
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml src
	@scripts/advisories $(VENV)

# What is installed to serve, with hashes and licences, as CycloneDX has it.
sbom: $(VENV)/.ready-bench
	@mkdir -p dist
	$(BIN)/cyclonedx-py requirements requirements/hashed/run.txt --pyproject pyproject.toml \
		--output-reproducible --output-file dist/recuerdo.cdx.json

# The wheel and the sdist, checked and installed as their users do, in each Python that can be had here.
release-check: setup
	@scripts/release-check $(VENV)

# The documentation as a site, in dist/site. To read it: python -m http.server --directory dist/site
docs: setup
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

bench: $(VENV)/.ready-bench
	$(BIN)/python -m benchmarks $(ARGS)

# LangGraph's development server, which `make bench ARGS=runs` measures beside where it is there.
reference: setup
	@scripts/reference $(VENV)

# How good memory is (benchmarks/evaluation.py), on labelled sets of which half is held out. Data that is not ours to ship
# is named: make eval LOCOMO=path/to/locomo10.json BEAM=path/to/BEAM/chats/100K
# MADIAL=path/to/MADial-Bench; ARGS="beam" evaluates one section.
eval: $(VENV)/.ready-bench
	$(BIN)/python -m benchmarks.evaluation $(if $(LOCOMO),--locomo $(LOCOMO)) $(if $(BEAM),--beam $(BEAM)) \
		$(if $(MADIAL),--madial $(MADIAL)) $(ARGS)

# The tagger of what users tell of themselves, trained anew on training/data, with PyTorch.
tagger: $(VENV)/.ready-bench
	$(BIN)/python -m pip install --quiet --requirement training/requirements.txt --constraint requirements/bench.txt
	$(BIN)/python -m training.train $(ARGS)
	$(BIN)/python -m training.report

# What tells which kind of memory a question asks for, trained anew over the tagger.
questions: $(VENV)/.ready-bench
	$(BIN)/python -m training.questions $(ARGS)

# What is worth a note. Trained anew, without PyTorch.
notes: $(VENV)/.ready-bench
	$(BIN)/python -m training.notes $(ARGS)

# What compares a text with sentences: answers to questions, and what a message ends. Trained anew, with PyTorch.
comparisons: $(VENV)/.ready-bench
	$(BIN)/python -m pip install --quiet --requirement training/requirements.txt --constraint requirements/bench.txt
	$(BIN)/python -m training.comparisons $(ARGS)

# LangGraph's own integration tests of its SDK, which are not ours to ship, against `recuerdo serve`:
# make sdk-integration LANGGRAPH_SRC=path/to/a/checkout/of/langgraph
sdk-integration: setup
	@scripts/sdk-integration $(VENV) "$(LANGGRAPH_SRC)" $(ARGS)

# LangGraph's own tests that take a checkpointer, with its in-memory saver and with ours:
# make langgraph-suite LANGGRAPH_SRC=path/to/a/checkout/of/langgraph
langgraph-suite: setup
	@scripts/langgraph-suite $(VENV) "$(LANGGRAPH_SRC)" --numprocesses $(JOBS) $(ARGS)

# The OpenAI Agents SDK's own tests of sessions, with ours: make agents-suite AGENTS_SRC=path/to/openai-agents-python
agents-suite: setup
	@scripts/agents-suite $(VENV) "$(AGENTS_SRC)" $(ARGS)

# Pinned versions without any index or download address, so that any mirror serves.
COMPILE = $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --quiet \
	--no-emit-index-url --no-emit-find-links --no-annotate --no-header

lock: setup
	$(COMPILE) --all-extras --group dev --output-file requirements/dev.txt
	$(COMPILE) --all-extras --group dev --group bench --group security --constraints requirements/dev.txt --output-file requirements/bench.txt
	$(COMPILE) --extra all --constraints requirements/dev.txt --output-file requirements/run.txt
	$(COMPILE) --extra all --constraints requirements/dev.txt --generate-hashes --output-file requirements/hashed/run.txt
	echo hatchling | $(subst pyproject.toml,-,$(COMPILE)) --generate-hashes --output-file requirements/hashed/build.txt

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis

# Each target calls commands that the README documents; `scripts/setup` brings what the machine lacks.
BIN := .venv/bin

.PHONY: demo lab build test bench

demo: .venv/.run-ready
	$(BIN)/autograder demo

lab: .venv/.run-ready
	$(BIN)/jupyter lab --notebook-dir=. $(if $(filter 0,$(shell id -u)),--allow-root)

build: .venv/.run-ready
	$(BIN)/autograder build

test: .venv/.test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -q
	LMKIT_BUDGET=grading OMP_NUM_THREADS=1 $(BIN)/pytest -q -p no:cacheprovider --nbval --nbval-sanitize-with tests/nbval.cfg solutions
	LMKIT_BUDGET=grading OMP_NUM_THREADS=2 $(BIN)/pytest -q -p no:cacheprovider --nbval --nbval-sanitize-with tests/nbval.cfg solutions

bench: .venv/.test-ready
	$(BIN)/python benchmarks/judge.py
	$(BIN)/python benchmarks/grading.py compare
	$(BIN)/python benchmarks/grading.py curve
	$(BIN)/python benchmarks/grading.py cluster
	$(BIN)/python benchmarks/kills.py 100
	$(BIN)/python benchmarks/ngrams.py
	$(BIN)/python benchmarks/mutants.py --all
	$(BIN)/python benchmarks/attacks.py
	$(BIN)/python benchmarks/kitchen_exact.py
	$(BIN)/python benchmarks/kitchen.py
	$(BIN)/python benchmarks/transformer.py

.venv/.run-ready: pyproject.toml scripts/setup
	scripts/setup run
	touch $@

.venv/.test-ready: pyproject.toml scripts/setup
	scripts/setup test
	touch $@ .venv/.run-ready

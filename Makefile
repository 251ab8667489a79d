# Each target calls commands that the README documents; `scripts/setup` brings what the machine lacks.
BIN := .venv/bin
# Many tests wait for a time-out: others run meanwhile. tests/conftest.py says which begin and which go together.
BESIDE := -n 3 --dist loadfile --no-loadscope-reorder
# References are built with a thread for each core and all that the processor can do. `make test` runs them with one thread
# and the oldest instructions: so it shows here, and not on somebody's other processor, whether these decide a digit.
OLD_CPU := ATEN_CPU_CAPABILITY=default MKL_ENABLE_INSTRUCTIONS=SSE4_2 ONEDNN_MAX_CPU_ISA=SSE41 OPENBLAS_CORETYPE=Nehalem \
  NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
NBVAL := -n 2 --dist loadfile -p no:cacheprovider --nbval --nbval-sanitize-with tests/nbval.cfg solutions

# The panel's bundle is committed: only who changes panel/ needs npm.
CORE := import jupyterlab, pathlib; print(pathlib.Path(jupyterlab.__file__).with_name("staging"))

.PHONY: demo lab build panel site test test-all bench

demo: .venv/.run-ready
	$(BIN)/autograder demo

lab: .venv/.run-ready
	$(BIN)/autograder start
	$(BIN)/jupyter lab --ServerApp.root_dir=work work/00_start.ipynb $(if $(filter 0,$(shell id -u)),--allow-root)

build: .venv/.run-ready
	$(BIN)/autograder build

panel: .venv/.run-ready
	cd panel && npm ci --ignore-scripts --no-audit --no-fund --silent
	cd panel && npm run --silent build -- --core-path "$$(../$(BIN)/python -c '$(CORE)')" .

site: .venv/.site-ready
	$(BIN)/autograder site site

test: .venv/.test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -q $(BESIDE)
	$(OLD_CPU) LMKIT_BUDGET=grading LMKIT_DEVICE=cpu OMP_NUM_THREADS=1 $(BIN)/pytest -q $(NBVAL)

test-all: test .venv/.site-ready
	LMKIT_BUDGET=grading LMKIT_DEVICE=cpu OMP_NUM_THREADS=2 $(BIN)/pytest -q $(NBVAL)
	$(BIN)/pytest -q $(BESIDE) -m thorough

bench: .venv/.test-ready
	$(BIN)/python -m benchmarks.judge
	$(BIN)/python -m benchmarks.grading compare
	$(BIN)/python -m benchmarks.grading curve
	$(BIN)/python -m benchmarks.grading cluster
	$(BIN)/python -m benchmarks.kills 100
	$(BIN)/python -m benchmarks.ngrams
	$(BIN)/python -m benchmarks.mutants --all
	$(BIN)/python -m benchmarks.attacks
	$(BIN)/python -m benchmarks.smoothing
	$(BIN)/python -m benchmarks.kitchen_exact
	$(BIN)/python -m benchmarks.kitchen
	$(BIN)/python -m benchmarks.scoreboard
	$(BIN)/python -m benchmarks.transformer
	$(BIN)/python -m benchmarks.vectors
	$(BIN)/python -m benchmarks.masked

# The panel is copied into .venv: a new bundle must be copied anew.
.venv/.run-ready: pyproject.toml autograder/pyproject.toml autograder/panel/labextension/package.json scripts/setup
	scripts/setup run
	touch $@

.venv/.test-ready: pyproject.toml autograder/pyproject.toml scripts/setup
	scripts/setup test
	touch $@ .venv/.run-ready

.venv/.site-ready: pyproject.toml autograder/pyproject.toml scripts/setup
	scripts/setup site
	touch $@ .venv/.run-ready .venv/.test-ready

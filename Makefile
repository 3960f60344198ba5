# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := train,dicom,cluster,test
# Two libraries that both take every core slow each other down; tests run side by side instead.
export OMP_NUM_THREADS ?= 1

.PHONY: demo test lint format bench results reproduce-motion system clean

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[$(EXTRAS)]"
	touch $@

demo: $(VENV)/.installed
	$(BIN)/python -m haustra.demo

test: $(VENV)/.installed system lint
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Page tests need a browser. As root it is installed when missing; otherwise those tests are skipped and say why.
system:
	@if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null \
		|| echo "chromium could not be installed: page tests will be skipped"; fi

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks

# The sections of docs/RESULTS.md that take minutes; the others are named in benchmarks/results_page.py.
results: $(VENV)/.installed
	$(BIN)/python -m benchmarks.results_page place speed

# The paper's motion rows: hours. COHORT and WORK say where recordings and runs are kept.
COHORT ?= cohort
WORK ?= runs/motion
reproduce-motion: $(VENV)/.installed
	$(BIN)/haustra simulate cohort --out $(COHORT)
	$(BIN)/python -m benchmarks.reproduce_motion $(COHORT) $(WORK)

clean:
	rm -rf $(VENV) build dist demo-out

# Two commands do everything on a fresh machine: `make demo` and `make test`; each installs what it needs.
PYTHON ?= python3
VENV := .venv
DEMO_VENV := .venv-demo
# Where an environment has its programs.
ifeq ($(OS),Windows_NT)
PROGRAMS := Scripts
else
PROGRAMS := bin
endif
BIN := $(VENV)/$(PROGRAMS)
DEMO_BIN := $(DEMO_VENV)/$(PROGRAMS)
EXTRAS := train,simulate,evaluate,dicom,dicom-sr,app,datasets,cluster,docs,test
# Two libraries that both take every core slow each other down; tests run side by side instead.
export OMP_NUM_THREADS ?= 1

.PHONY: demo test test-newest mutants fuzz kills lint format docs release bench bench-cohort results reproduce \
	reproduce-motion reproduce-localisation proof system clean

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[$(EXTRAS)]"
	touch $@

# The demo needs the package alone: no torch, no test tools. Nothing is installed that is not the file it was locked as.
$(DEMO_VENV)/.installed: pyproject.toml locked/base.txt
	$(PYTHON) -m venv $(DEMO_VENV)
	$(DEMO_BIN)/python -m pip install --require-hashes --only-binary :all: --requirement locked/base.txt
	$(DEMO_BIN)/python -m pip install --no-deps --editable .
	touch $@

demo: $(DEMO_VENV)/.installed
	$(DEMO_BIN)/python -m haustra.demo

test: $(VENV)/.installed system lint
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The wheel with the newest versions of everything it needs, in a clean environment of every Python we support.
PYTHONS ?= $(or $(wildcard $(HOME)/.pyenv/versions/3.1[123].*/bin/python),python3.11 python3.12 python3.13)
test-newest:
	$(PYTHON) tests/newest.py $(PYTHONS)

# Small changes of the code that no test notices, SAMPLE of each module at most; `make mutants MODULES="path anatomy"`.
SAMPLE ?= 40
mutants: $(VENV)/.installed
	nice -n 15 $(BIN)/python tests/mutants.py --sample $(SAMPLE) $(MODULES)

# A hundred kills at random moments, and a cohort of two hundred with kills, a full and a slow disk, corrupt files: hours.
KILLS ?= 100
kills: $(VENV)/.installed
	nice -n 15 $(BIN)/python tests/faults/kills.py --count $(KILLS)
	nice -n 15 $(BIN)/python tests/faults/cohort_of_faults.py --count 200

# Damaged files of every kind, strangers' folders and videos; how many ended how. SEED makes others.
SEED ?= 1
fuzz: $(VENV)/.installed
	cd tests/faults && nice -n 15 $(CURDIR)/$(BIN)/python -m fuzz --seed $(SEED) --files 3000 --folders 300 --videos 1000

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The site of docs/ in build/site: reference pages from the code, then the pages. Open build/site/index.html.
docs: $(VENV)/.installed
	$(BIN)/python -m tools.site

# Wheel and source distribution in dist/, and every check that needs no upload; CONTRIBUTING.md has the other steps.
release: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt build twine
	rm -rf build/lib build/bdist.* dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python tests/release.py dist
	$(BIN)/python -m tools.supply bom --out dist/haustra.cdx.json

# Page tests need a browser. As root it is installed when missing; otherwise those tests are skipped and say why.
system:
	@if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null \
		|| echo "chromium could not be installed: page tests will be skipped"; fi

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks

# A real Dask scheduler whose worker and then itself is killed, a second local worker, a thousand recordings: an hour.
bench-cohort: $(VENV)/.installed
	$(BIN)/python -m benchmarks cohort_dask_long cohort_long cohort_many_long

# The recorded results that take minutes; `python -m benchmarks.results_page --help` names the others.
results: $(VENV)/.installed
	$(BIN)/python -m benchmarks.results_page place speed

# COHORT and WORK say where recordings and runs are kept.
COHORT ?= cohort
WORK ?= runs
# Every table and figure of the paper, on recordings that are made first: SCALE=small is for a first look, SCALE=full takes
# many hours. Stopped, it goes on where it was. Writes docs/results and its pictures.
SCALE ?= small
reproduce: $(VENV)/.installed
	$(BIN)/python -m benchmarks.reproduce $(SCALE) --work $(WORK)/reproduce-$(SCALE)

# The paper's motion rows (about four CPU hours) and its accuracy table (about one and a half), by commands of their own.
reproduce-motion: $(VENV)/.installed
	$(BIN)/haustra simulate cohort --only set1 --seconds 90 --size 256x256 --out $(COHORT)/set1
	$(BIN)/python -m benchmarks.results_page motion motion_paper --cohort $(COHORT) --work $(WORK)

reproduce-localisation: $(VENV)/.installed
	$(BIN)/haustra simulate cohort --only set3 --seconds 180 --size 256x256 --out $(COHORT)/set3
	$(BIN)/python -m benchmarks.results_page localisation --cohort $(COHORT) --work $(WORK)

# The blind proof (benchmarks/proof): renders and locates what is missing; stopped, it goes on. RECORDINGS=N: the first N.
# DATA=folder: your own recordings with known locations instead.
proof: $(VENV)/.installed
	$(BIN)/python -m benchmarks.proof --work $(WORK)/proof $(if $(DATA),--data $(DATA)) \
		$(if $(RECORDINGS),--recordings $(RECORDINGS))

clean:
	rm -rf $(VENV) $(DEMO_VENV) build dist demo-out

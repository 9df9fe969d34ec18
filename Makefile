# SPDX-License-Identifier: GPL-2.0-or-later
# A thin front for meson and ninja: everything is built in $(BUILD).

BUILD ?= build
PREFIX ?= /usr/local
DEMO = $(BUILD)/demo.db
# Columns walked in the wrong order: 122 MB of doubles, a few seconds. The cache whose misses are
# shown holds neither a column nor what the rows leave behind; larger ones hold the column's lines.
DEMO_ARGS ?= 4000
DEMO_CACHE ?= 32K

.PHONY: all build deps demo quick check check-all coverage bench install uninstall clean

all: build

$(BUILD)/build.ninja:
	@for tool in meson ninja; do command -v $$tool >/dev/null || \
		{ echo "make: $$tool is missing; 'make deps' installs what it takes to build, 'scripts/deps.sh --list' names it" >&2; exit 1; }; done
	meson setup $(BUILD) --prefix $(PREFIX)

build: $(BUILD)/build.ninja
	ninja -C $(BUILD)

deps:
	@scripts/deps.sh

demo: deps
	@$(MAKE) --no-print-directory build
	$(BUILD)/dwell record -o $(DEMO) -- $(BUILD)/examples/column-walk $(DEMO_ARGS)
	$(BUILD)/dwell report -i $(DEMO) --size $(DEMO_CACHE)
	$(BUILD)/dwell curve -i $(DEMO)
	$(BUILD)/dwell annotate -i $(DEMO) --size $(DEMO_CACHE) column-walk.c

# Both print each result, and '<n> passed, <n> failed' as the last line.
check: deps
	@scripts/check.py --build $(BUILD) $(CHECK_ARGS)

# Unit tests and house checks, in less than a minute.
quick: build
	@scripts/check.py --build $(BUILD) --quick $(CHECK_ARGS)

# Which lines the unit tests and those of the command line run, in a build of its own.
coverage: deps
	@scripts/coverage.py --build $(BUILD)-coverage

check-all:
	@scripts/deps.sh --all
	@scripts/check.py --build $(BUILD) --all $(CHECK_ARGS)

# PARTS="record memory" measures only these; see scripts/bench.sh.
bench:
	@scripts/deps.sh --all
	@$(MAKE) --no-print-directory build
	@scripts/bench.sh $(BUILD) $(PARTS)

# PREFIX=FOLDER says where to, also after a build for another one; DESTDIR is put in front.
install: build
ifneq ($(origin PREFIX),file)
	meson configure $(BUILD) --prefix $(PREFIX)
	ninja -C $(BUILD)
endif
	meson install -C $(BUILD) --no-rebuild

uninstall: $(BUILD)/build.ninja
	ninja -C $(BUILD) uninstall

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-coverage

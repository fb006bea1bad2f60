# gpuwiz - which cloud GPUs to rent for a language model.  `make help` lists the targets.

VERSION := 1.0.0

BUILD ?= build
PREFIX ?= /usr/local
bindir ?= $(PREFIX)/bin
datadir ?= $(PREFIX)/share
mandir ?= $(datadir)/man
PKG_CONFIG ?= pkg-config
INSTALL ?= install
CFLAGS ?= -O2 -g

# What a build and a test need: a command or pkg-config module, then the Debian package it is in.
BUILD_NEEDS := cmd:$(firstword $(CC)):gcc cmd:pkg-config:pkg-config cmd:msgfmt:gettext \
               file:/usr/include/stdio.h:libc6-dev \
               pc:ncursesw:libncurses-dev pc:yaml-0.1:libyaml-dev
TEST_NEEDS := pc:cmocka:libcmocka-dev pc:vterm:libvterm-dev cmd:tmux:tmux cmd:mandoc:mandoc \
              file:/lib/terminfo/t/tmux-256color,/usr/share/terminfo/t/tmux-256color:ncurses-base

# ---- sources ---------------------------------------------------------------------------------

SOURCES := $(sort $(wildcard src/base/*.c src/data/*.c src/engine/*.c src/report/*.c))
MAIN_SOURCES := $(sort $(wildcard src/*.c))
UI_SOURCES := $(sort $(wildcard ui/*.c))
TESTS := $(sort $(wildcard tests/test_*.c))
TEST_SUPPORT := $(sort $(filter-out $(TESTS),$(wildcard tests/*.c)))
DATA := $(sort $(wildcard data/*.yaml data/lessons/*.yaml))
CATALOGUES := $(patsubst data/%.po,$(BUILD)/%.mo,$(sort $(wildcard data/*.po)))

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIBRARY := $(BUILD)/libgpuwiz.a
PROGRAM := $(BUILD)/gpuwiz
TEST_PROGRAMS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TESTS))

# ---- flags (those of the environment are added to, never replaced) -----------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wformat=2 -Wstrict-prototypes \
            -Wmissing-prototypes -Wvla
HARDENING := -fstack-protector-strong -fPIE $(if $(findstring -O0,$(CFLAGS))$(SANITIZE),,-D_FORTIFY_SOURCE=2)
ALL_CPPFLAGS = -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=700 -Isrc -I. \
               -DGPUWIZ_VERSION='"$(VERSION)"' -DGPUWIZ_DATADIR='"$(datadir)/gpuwiz"' $(CPPFLAGS)
ALL_CFLAGS = -std=c17 $(WARNINGS) $(HARDENING) '-ffile-prefix-map=$(CURDIR)=.' $(CFLAGS) $(SANITIZE)
ALL_LDFLAGS = -pie -Wl,-z,relro -Wl,-z,now $(LDFLAGS) $(SANITIZE)

# ---- what is missing --------------------------------------------------------------------------
# config.mk holds pkg-config's answers. Making it installs what is missing when the goal is one that
# promises so (run, test, ...) and the package manager may be used; else it prints the exact line.

INSTALLING_GOALS := run test check accuracy fit bench check-asan check-valgrind screenshots fuzz
QUIET_GOALS := help clean uninstall dist
GOALS := $(or $(MAKECMDGOALS),all)
CONFIG := $(BUILD)/config.mk
NEEDS := $(BUILD_NEEDS) $(if $(filter fuzz,$(GOALS)),cmd:clang:clang) $(if $(filter-out all run install build $(PROGRAM),$(GOALS)),$(TEST_NEEDS))

ifneq ($(filter-out $(QUIET_GOALS),$(GOALS)),)
# a config made for a build alone lacks what the tests need
ifneq ($(wildcard $(CONFIG)),)
ifneq ($(filter $(TEST_NEEDS),$(NEEDS)),)
ifeq ($(shell grep -c '^VTERM_LIBS := -' $(CONFIG)),0)
$(shell rm -f $(CONFIG))
endif
endif
endif
include $(CONFIG)
endif

all: $(PROGRAM)

$(CONFIG): Makefile
	@mkdir -p $(BUILD)
	@missing=; \
	have() { case $$1 in \
	    cmd) command -v "$$2" >/dev/null 2>&1;; \
	    pc) $(PKG_CONFIG) --exists "$$2" 2>/dev/null;; \
	    file) for f in $$(echo "$$2" | tr , ' '); do [ -e "$$f" ] && return 0; done; return 1;; \
	esac; }; \
	for need in $(NEEDS); do \
	    kind=$${need%%:*}; rest=$${need#*:}; what=$${rest%:*}; package=$${rest##*:}; \
	    have $$kind "$$what" || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	    line="apt-get install -y --no-install-recommends$$missing"; \
	    root=; [ "$$(id -u)" = 0 ] || root="sudo -n"; \
	    if [ -n "$(filter $(INSTALLING_GOALS),$(GOALS))" ] && command -v apt-get >/dev/null 2>&1 \
	       && { [ -z "$$root" ] || $$root true 2>/dev/null; }; then \
	        echo "installing:$$missing"; \
	        $$root apt-get update -q && DEBIAN_FRONTEND=noninteractive $$root $$line || exit 1; \
	    else \
	        echo "Missing:$$missing" >&2; \
	        echo "Install with:  sudo apt-get update && sudo $$line" >&2; \
	        exit 1; \
	    fi; \
	fi; \
	{ echo "NCURSES_CFLAGS := $$($(PKG_CONFIG) --cflags ncursesw)"; \
	  echo "PROGRAM_LIBS := $$($(PKG_CONFIG) --libs ncursesw yaml-0.1) -lm"; \
	  echo "VTERM_LIBS := $$($(PKG_CONFIG) --libs vterm cmocka 2>/dev/null)"; } > $@

# ---- build -----------------------------------------------------------------------------------

$(PROGRAM): $(call objects,$(MAIN_SOURCES)) $(call objects,$(UI_SOURCES)) $(LIBRARY)
	@echo '  LD  $@'; $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) $(PROGRAM_LIBS)

$(LIBRARY): $(call objects,$(SOURCES)) $(BUILD)/embedded.o
	@rm -f $@
	@echo '  AR  $@'; $(AR) rcs $@ $^

# ncurses wants its own feature macros; ours are a superset of them
$(BUILD)/ui/%.o: ui/%.c $(CONFIG)
	@mkdir -p $(@D)
	@echo '  CC  $<'; $(CC) $(ALL_CPPFLAGS) $(filter-out -D%,$(NCURSES_CFLAGS)) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.c $(CONFIG)
	@mkdir -p $(@D)
	@echo '  CC  $<'; $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.mo: data/%.po $(CONFIG)
	msgfmt --check-format --check-header -o $@ $<

# Every text for people: what tr() and N_() hold in the sources, and what screens show of the data
# (tests/translation/data_texts.c).
$(BUILD)/data_texts.c: $(BUILD)/tests/translation/data_texts $(DATA)
	@$< $(wildcard data/*.yaml) > $@

$(BUILD)/gpuwiz.pot: $(SOURCES) $(MAIN_SOURCES) $(UI_SOURCES) $(BUILD)/data_texts.c
	@xgettext --language=C --from-code=UTF-8 --keyword --keyword=tr --keyword=N_ --flag=tr:1:pass-c-format \
	    --add-location=file --package-name=gpuwiz --package-version=$(VERSION) -o - $^ | \
	    sed -e '/^"POT-Creation-Date:/d' -e "s|$(BUILD)/data_texts.c|data|" > $@

# takes new texts into the catalogues, for the translator
po: $(BUILD)/gpuwiz.pot
	for po in data/*.po; do \
	    msgmerge --quiet --no-fuzzy-matching --sort-by-file $$po $< | \
	    msgattrib --no-obsolete --sort-by-file -o $(BUILD)/merged.po && \
	    cp $(BUILD)/merged.po $$po && \
	    msgfmt --check --statistics -o /dev/null $$po || exit 1; done

# the data files inside the program
$(BUILD)/embedded.S: $(DATA) $(CATALOGUES) Makefile $(CONFIG)
	@{ echo '    .section .note.GNU-stack,"",%progbits'; echo '    .section .rodata'; n=0; \
	for f in $(DATA) $(CATALOGUES); do \
	    echo "f$$n: .incbin \"$$f\""; echo "e$$n: .byte 0"; \
	    echo "n$$n: .asciz \"$${f#data/}\"" | sed 's|"$(BUILD)/|"|'; n=$$((n+1)); \
	done; \
	echo '    .section .data.rel.ro,"aw"'; echo '    .balign 8'; \
	echo '    .globl embedded_files'; echo 'embedded_files:'; i=0; \
	while [ $$i -lt $$n ]; do echo "    .quad n$$i, f$$i, e$$i"; i=$$((i+1)); done; \
	echo '    .quad 0, 0, 0'; } > $@

$(BUILD)/embedded.o: $(BUILD)/embedded.S
	@$(CC) -c -o $@ $<

run: $(PROGRAM)
	@$(PROGRAM) $(ARGS)

# ---- tests -----------------------------------------------------------------------------------

TEST_OBJECTS := $(call objects,$(TEST_SUPPORT)) $(call objects,$(UI_SOURCES))

$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(TEST_OBJECTS) $(LIBRARY) | $(PROGRAM)
	@echo '  LD  $@'; $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter-out $(PROGRAM),$^) $(LDLIBS) $(VTERM_LIBS) $(PROGRAM_LIBS) -lutil

# it reads the list of all texts
$(BUILD)/tests/test_translation: | $(BUILD)/gpuwiz.pot

# All runners are run, then the failures are counted. Published figures are judged by group; report-infer,
# five reports of failures, is printed by `make accuracy` alone.
JUDGED := train infer report-train
test check: $(PROGRAM) $(TEST_PROGRAMS) $(BUILD)/tests/accuracy/accuracy
	@failed=; for t in $(TEST_PROGRAMS); do \
	    echo "== $${t##*/}"; GPUWIZ_PROGRAM=$(PROGRAM) $$t 2>&1 || failed="$$failed $${t##*/}"; \
	done; \
	for g in $(JUDGED); do echo "== accuracy $$g"; \
	    if $(BUILD)/tests/accuracy/accuracy tests/cases $$g >$(BUILD)/accuracy.txt 2>&1; \
	    then tail -1 $(BUILD)/accuracy.txt; else cat $(BUILD)/accuracy.txt; failed="$$failed accuracy-$$g"; fi; \
	done; \
	if [ -n "$$failed" ]; then echo "FAILED:$$failed"; exit 1; fi

check-asan:
	$(MAKE) test BUILD=$(BUILD)/asan SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined" CFLAGS="-O1 -g"

# ---- fuzzing: 30 seconds a target, what is found stays under build/fuzz --------------------------

FUZZ_SOURCES := $(wildcard src/base/*.c src/data/yaml*.c src/data/model_*.c) src/data/hf_config.c \
                src/data/gguf.c src/data/safetensors.c src/engine/model.c
FUZZ_SECONDS ?= 30

$(BUILD)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_SOURCES) $(BUILD)/embedded.o
	@mkdir -p $(@D)
	@echo '  LD  $@'; clang $(ALL_CPPFLAGS) -std=c17 $(WARNINGS) -O1 -g -fsanitize=fuzzer,address,undefined \
	    -fno-sanitize-recover=undefined -o $@ $^ $(PROGRAM_LIBS)

fuzz: $(BUILD)/fuzz/fuzz_yaml $(BUILD)/fuzz/fuzz_gguf
	@mkdir -p $(BUILD)/fuzz/found_yaml $(BUILD)/fuzz/found_gguf
	cd $(BUILD)/fuzz && ./fuzz_yaml -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=5 -verbosity=0 found_yaml '$(CURDIR)/tests/data/hf_configs'
	cd $(BUILD)/fuzz && ./fuzz_gguf -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=5 -verbosity=0 found_gguf '$(CURDIR)/tests/fuzz/gguf'

# ---- published figures: accuracy, and the fitting of data/engine.yaml ----------------------------

ACCURACY_PROGRAMS := $(BUILD)/tests/accuracy/accuracy $(BUILD)/tests/accuracy/fit
$(ACCURACY_PROGRAMS): $(BUILD)/tests/accuracy/%: $(BUILD)/tests/accuracy/%.o $(BUILD)/tests/accuracy/cases.o $(BUILD)/tests/accuracy/doubtful.o $(LIBRARY)
	@echo '  LD  $@'; $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) $(PROGRAM_LIBS)

accuracy: $(BUILD)/tests/accuracy/accuracy
	@$< tests/cases $(GROUP)

fit: $(BUILD)/tests/accuracy/fit
	@$< tests/cases $(GROUP)

# ---- texts of the data, for `make po` and the test of the translation --------------------------------

$(BUILD)/tests/translation/data_texts: $(BUILD)/tests/translation/data_texts.o $(LIBRARY)
	@echo '  LD  $@'; $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) $(PROGRAM_LIBS)

# ---- benchmark: ratios to a floor, in one run --------------------------------------------------

$(BUILD)/tests/bench/floor: tests/bench/floor.c $(CONFIG)
	@mkdir -p $(@D)
	@echo '  LD  $@'; $(CC) $(ALL_CPPFLAGS) $(filter-out -D%,$(NCURSES_CFLAGS)) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(PROGRAM_LIBS)

$(BUILD)/tests/bench/bench: tests/bench/bench.c tests/bench/keys.c $(call objects,$(UI_SOURCES)) $(LIBRARY)
	@mkdir -p $(@D)
	@echo '  LD  $@'; $(CC) -D_GNU_SOURCE $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) $(PROGRAM_LIBS) -lutil

bench: $(PROGRAM) $(BUILD)/tests/bench/bench $(BUILD)/tests/bench/floor
	@$(BUILD)/tests/bench/bench $(PROGRAM) $(BUILD)/tests/bench/floor $(wildcard data/*.yaml)

# ---- pictures of the README ---------------------------------------------------------------------

$(BUILD)/tests/pictures/screenshots: $(BUILD)/tests/pictures/screenshots.o $(TEST_OBJECTS) $(LIBRARY)
	@echo '  LD  $@'; $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) $(VTERM_LIBS) $(PROGRAM_LIBS) -lutil

screenshots: $(PROGRAM) $(BUILD)/tests/pictures/screenshots
	@GPUWIZ_PROGRAM=$(PROGRAM) $(BUILD)/tests/pictures/screenshots

# ---- install ---------------------------------------------------------------------------------

COMPLETIONS := bash-completion/completions/gpuwiz zsh/site-functions/_gpuwiz \
               fish/vendor_completions.d/gpuwiz.fish

INSTALLED := $(bindir)/gpuwiz $(mandir)/man1/gpuwiz.1 $(mandir)/man5/gpuwiz-data.5 \
             $(mandir)/zh_CN/man1/gpuwiz.1 $(COMPLETIONS:%=$(datadir)/%)

install: $(PROGRAM)
	for f in $(INSTALLED) $(datadir)/gpuwiz/lessons/; do $(INSTALL) -d "$(DESTDIR)$${f%/*}" || exit 1; done
	$(INSTALL) -m 755 $(PROGRAM) "$(DESTDIR)$(bindir)/gpuwiz"
	$(INSTALL) -m 644 $(wildcard data/*.yaml) $(CATALOGUES) "$(DESTDIR)$(datadir)/gpuwiz"
	$(INSTALL) -m 644 $(wildcard data/lessons/*.yaml) "$(DESTDIR)$(datadir)/gpuwiz/lessons"
	$(INSTALL) -m 644 man/gpuwiz.1 "$(DESTDIR)$(mandir)/man1"
	$(INSTALL) -m 644 man/gpuwiz-data.5 "$(DESTDIR)$(mandir)/man5"
	$(INSTALL) -m 644 man/zh_CN/gpuwiz.1 "$(DESTDIR)$(mandir)/zh_CN/man1"
	$(PROGRAM) --lang en --completions bash >"$(DESTDIR)$(datadir)/$(word 1,$(COMPLETIONS))"
	$(PROGRAM) --lang en --completions zsh >"$(DESTDIR)$(datadir)/$(word 2,$(COMPLETIONS))"
	$(PROGRAM) --lang en --completions fish >"$(DESTDIR)$(datadir)/$(word 3,$(COMPLETIONS))"

uninstall:
	rm -rf "$(DESTDIR)$(datadir)/gpuwiz"
	for f in $(INSTALLED); do rm -f "$(DESTDIR)$$f"; done

# ---- releases: the same commit gives the same bytes ----------------------------------------------

RELEASE := gpuwiz-$(VERSION)

dist:
	@mkdir -p $(BUILD)
	git archive --prefix=$(RELEASE)/ HEAD | gzip -9n >$(BUILD)/$(RELEASE).tar.gz

# Unpacks the release in a folder with a space in its name, builds and tests it there, installs it and
# takes it away again; what is left over is a mistake of uninstall.
distcheck: dist
	rm -rf "$(BUILD)/dist check"
	mkdir -p "$(BUILD)/dist check"
	tar -xzf $(BUILD)/$(RELEASE).tar.gz -C "$(BUILD)/dist check"
	$(MAKE) -C "$(BUILD)/dist check/$(RELEASE)" BUILD=build test
	$(MAKE) -C "$(BUILD)/dist check/$(RELEASE)" BUILD=build DESTDIR="$(CURDIR)/$(BUILD)/dist check/root" install
	$(MAKE) -C "$(BUILD)/dist check/$(RELEASE)" BUILD=build DESTDIR="$(CURDIR)/$(BUILD)/dist check/root" uninstall
	@left=$$(find "$(BUILD)/dist check/root" ! -type d); \
	    if [ -n "$$left" ]; then echo "uninstall leaves: $$left"; exit 1; fi
	rm -rf "$(BUILD)/dist check"

# ---- what no compiler says -------------------------------------------------------------------------

# cppcheck 2.10 is wrong about these, each looked at: members reached by their offset, a compound literal's
# size, an array that is filled as far as it is read, and a table of characters it cannot parse
CPPCHECK_WRONG := invalidPointerCast pointerSize:src/data/catalog_records.c uninitvar:ui/screen_pick.c \
                  internalAstError:ui/term.c arrayIndexOutOfBoundsCond:ui/widgets.c ctunullpointer:ui/screen_form.c

lint:
	@mandoc -Tlint man/*.1 man/*.5 man/zh_CN/*.1 | grep -v 'referenced manual not found' && exit 1 || exit 0
	@for po in data/*.po; do msgfmt --check --statistics -o /dev/null $$po || exit 1; done
	@if command -v cppcheck >/dev/null 2>&1; then \
	    cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability -Isrc -I. \
	        --suppress=missingIncludeSystem $(CPPCHECK_WRONG:%=--suppress=%) src ui; \
	else echo 'cppcheck is not installed: left out'; fi

clean:
	rm -rf $(BUILD)

help:
	@echo 'make run [ARGS=...]  install what is missing, build, start the wizard'
	@echo 'make test            install what is missing, build, run all tests'
	@echo 'make                 build $(PROGRAM)'
	@echo 'make accuracy        published figures against the engine, by group (GROUP=... one group)'
	@echo 'make fit             refit the constants of data/engine.yaml to part of them'
	@echo 'make screenshots     draw the pictures of README.md'
	@echo 'make bench           time and memory beside a floor, in one run'
	@echo 'make check-asan      the tests under AddressSanitizer and UBSan'
	@echo 'make fuzz            half a minute of hostile YAML, then of hostile .gguf (needs clang)'
	@echo 'make lint            manual pages, catalogues, and cppcheck where it is installed'
	@echo 'make install         into PREFIX=$(PREFIX) (DESTDIR= for packages); make uninstall'
	@echo 'make dist            $(BUILD)/$(RELEASE).tar.gz of the last commit'
	@echo 'make distcheck       unpack, build, test, install and uninstall that'
	@echo 'make po              take new texts into data/*.po; says how many are not translated'
	@echo 'make clean           remove $(BUILD)/'

.PHONY: all run po test check check-asan fuzz bench accuracy fit screenshots lint install uninstall \
        dist distcheck clean help
.DELETE_ON_ERROR:
.SECONDARY:

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

/* program.h - runs the built program ($GPUWIZ_PROGRAM, else build/gpuwiz) as a user would. */
#ifndef GPUWIZ_TESTS_PROGRAM_H
#define GPUWIZ_TESTS_PROGRAM_H

#include "base/strbuf.h"

/* $XDG_CONFIG_HOME of the runs that follow; "" at first, so that no overlay of the tester's own changes
 * a figure. */
extern const char *program_config_home;

/* The folder the program is started in; NULL, at first, is the one of the tests. */
extern const char *program_folder;

/* Runs the program through a shell, its standard error joined to its output, which replaces what `out`
 * held; returns the exit status. Ending by a signal fails the test. Redirections in `arguments` are
 * the shell's; "2>&1" follows them. */
int program_run(struct strbuf *out, const char *arguments);

/* Fails the test unless it leaves with `status` and prints `part`. */
void program_expect(const char *arguments, int status, const char *part);

#endif

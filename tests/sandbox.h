/* sandbox.h - a folder of its own for a test, and an environment in which nothing of the user's or
 * the system's can be found: HOME and all XDG variables point into the folder. */
#ifndef GPUWIZ_TESTS_SANDBOX_H
#define GPUWIZ_TESTS_SANDBOX_H

/* Set-up and tear-down functions of a cmocka test; the folder is removed with all that is in it. */
int sandbox_begin(void **state);
int sandbox_end(void **state);

/* The path of `name` in the folder; valid until the fourth call after this one. */
const char *sandbox_path(const char *name);

/* Writes a file, its folders included. Returns its path, as above. */
const char *sandbox_write(const char *name, const char *text);

#endif

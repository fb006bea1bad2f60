#include "tests/sandbox.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

/* Variable, and the folder inside the sandbox that it names; NULL = unset. */
static const char *const environment[][2] = {
    {"HOME", "home"},        {"XDG_CONFIG_HOME", "config"},     {"XDG_DATA_HOME", "share"},
    {"XDG_DATA_DIRS", "sys"}, {"XDG_STATE_HOME", "state"}, {"GPUWIZ_DATA", NULL}};

int sandbox_begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/gpuwiz-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++) {
        if (environment[i][1])
            setenv(environment[i][0], sandbox_path(environment[i][1]), 1);
        else
            unsetenv(environment[i][0]);
    }
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

int sandbox_end(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *sandbox_path(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *sandbox_write(const char *name, const char *text)
{
    const char *path = sandbox_path(name);
    char parent[512];
    snprintf(parent, sizeof parent, "%s", path);
    for (char *slash = parent + strlen(folder); (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(parent, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        abort();
    }
    return path;
}

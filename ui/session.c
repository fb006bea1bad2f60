/* session.c - atomic writing, and the last session. */
#include "ui/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/i18n.h"

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

bool file_write(const char *path, const char *bytes, size_t length, bool force, struct error *error)
{
    struct strbuf temporary = {0};
    bool done = false;
    if (!force && access(path, F_OK) == 0)
        return error_set(error, tr("%s exists already"), path);
    strbuf_printf(&temporary, "%s.XXXXXX", path);
    int fd = mkstemp(temporary.data);
    if (fd >= 0) {
        mode_t mask = umask(0);
        umask(mask);
        done = write_all(fd, bytes, length) && fchmod(fd, 0666 & ~mask) == 0;
        done = close(fd) == 0 && done && rename(temporary.data, path) == 0;
    }
    if (!done) {
        error_set(error, tr("%s cannot be written: %s"), path, strerror(errno));
        if (fd >= 0)
            unlink(temporary.data);
    }
    strbuf_clear(&temporary);
    return done;
}

/* The file of the last session; its folder is made when `make`. False without a home. */
static bool session_path(struct strbuf *path, bool make)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/')
        strbuf_add(path, state);
    else if (home && *home == '/')
        strbuf_printf(path, "%s/.local/state", home);
    else
        return false;
    strbuf_add(path, "/gpuwiz");
    for (char *p = path->data + 1; make && *p; p++)
        if (*p == '/') {
            *p = '\0';
            mkdir(path->data, 0777);
            *p = '/';
        }
    if (make)
        mkdir(path->data, 0700);
    strbuf_add(path, "/last.yaml");
    return true;
}

bool session_keep(const struct scenario *scenario, struct error *error)
{
    struct strbuf path = {0}, text = {0};
    bool done = false;
    if (session_path(&path, true)) {
        scenario_write(scenario, &text);
        done = file_write(path.data, strbuf_text(&text), text.length, true, error);
    } else {
        error_set(error, tr("no home folder"));
    }
    strbuf_clear(&path);
    strbuf_clear(&text);
    return done;
}

bool session_load(struct scenario *scenario, const struct catalog *catalog, struct arena *arena)
{
    struct strbuf path = {0};
    struct error ignored;
    struct scenario read = {0};
    bool done = session_path(&path, false) && access(path.data, R_OK) == 0 &&
                scenario_read(&read, path.data, catalog, arena, &ignored);
    if (done)
        memcpy(scenario, &read, sizeof read);
    strbuf_clear(&path);
    return done;
}

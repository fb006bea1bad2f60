/* session.c - the last session. */
#include "ui/session.h"

#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/i18n.h"

static const char *session_path(struct arena *arena)
{
    return file_xdg(arena, "XDG_STATE_HOME", ".local/state", "last.yaml");
}

bool session_save(const struct scenario *scenario, const char *path, bool overwrite, struct error *error)
{
    struct strbuf text = {0};
    scenario_write(scenario, &text);
    bool done = file_write(path, strbuf_text(&text), text.length, overwrite, error);
    strbuf_clear(&text);
    return done;
}

bool session_keep(const struct scenario *scenario, struct error *error)
{
    struct arena *arena = arena_new();
    const char *path = session_path(arena);
    bool done = path ? session_save(scenario, path, true, error) : error_set(error, tr("no home folder"));
    arena_free(arena);
    return done;
}

bool session_load(struct scenario *scenario, const struct catalog *catalog, struct arena *arena)
{
    const char *path = session_path(arena);
    struct error ignored;
    struct scenario read;
    memset(&read, 0, sizeof read);
    if (!path || access(path, R_OK) != 0 || !scenario_read(&read, path, catalog, arena, &ignored))
        return false;
    memcpy(scenario, &read, sizeof read);
    return true;
}

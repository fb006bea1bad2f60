/* session.c - the last session. */
#include "ui/session.h"

#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/i18n.h"
#include "ui/theme.h"

static const char *state_path(struct arena *arena, const char *name)
{
    return file_xdg(arena, "XDG_STATE_HOME", ".local/state", name);
}

int session_theme(void)
{
    struct arena *arena = arena_new();
    struct strbuf text = {0};
    struct error ignored;
    const char *path = state_path(arena, "theme");
    int theme = THEME_DEFAULT;
    if (path && file_read(path, 64, &text, &ignored))
        for (int i = 0; i < THEME_COUNT; i++) {
            size_t length = strlen(theme_names[i]);
            if (strncmp(strbuf_text(&text), theme_names[i], length) == 0 && text.data[length] == '\n')
                theme = i;
        }
    strbuf_clear(&text);
    arena_free(arena);
    return theme;
}

void session_keep_theme(int theme)
{
    struct arena *arena = arena_new();
    struct error ignored;
    const char *path = state_path(arena, "theme");
    const char *text = arena_printf(arena, "%s\n", theme_names[theme]);
    if (path)
        file_write(path, text, strlen(text), true, &ignored);
    arena_free(arena);
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
    const char *path = state_path(arena, "last.yaml");
    bool done = path ? session_save(scenario, path, true, error) : error_set(error, tr("no home folder"));
    arena_free(arena);
    return done;
}

bool session_load(struct scenario *scenario, const struct catalog *catalog, struct arena *arena)
{
    const char *path = state_path(arena, "last.yaml");
    struct error ignored;
    struct scenario read;
    memset(&read, 0, sizeof read);
    if (!path || access(path, R_OK) != 0 || !scenario_read(&read, path, catalog, arena, &ignored))
        return false;
    memcpy(scenario, &read, sizeof read);
    return true;
}

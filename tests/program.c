#include "tests/program.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tests/test.h"

const char *program_config_home = "";
const char *program_folder;

int program_run(struct strbuf *out, const char *arguments)
{
    const char *named = getenv("GPUWIZ_PROGRAM");
    char program[PATH_MAX], piece[4096];
    struct strbuf command = {0};
    assert_non_null(realpath(named ? named : "build/gpuwiz", program));
    strbuf_printf(&command,
                  "cd '%s' && env -u LANGUAGE LC_ALL=C.UTF-8 HOME=/nonexistent XDG_CONFIG_HOME=%s "
                  "XDG_DATA_HOME= SOURCE_DATE_EPOCH=1796083200 COLUMNS= '%s' %s 2>&1",
                  program_folder ? program_folder : ".", program_config_home, program, arguments);
    strbuf_reset(out);
    FILE *pipe = popen(strbuf_text(&command), "r");
    strbuf_clear(&command);
    assert_non_null(pipe);
    for (size_t n; (n = fread(piece, 1, sizeof piece, pipe)) > 0;)
        strbuf_add_n(out, piece, n);
    int status = pclose(pipe);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 3) /* a shell tells a signal as 128 and more */
        fail_msg("gpuwiz %s: died with %d\n%s", arguments, status, strbuf_text(out));
    return WEXITSTATUS(status);
}

void program_expect(const char *arguments, int status, const char *part)
{
    struct strbuf out = {0};
    int got = program_run(&out, arguments);
    if (got != status || !strstr(strbuf_text(&out), part))
        fail_msg("gpuwiz %s: status %d instead of %d, or \"%s\" is missing in:\n%s", arguments, got,
                 status, part, strbuf_text(&out));
    strbuf_clear(&out);
}

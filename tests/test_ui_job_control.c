/* What a pseudo-terminal of our own cannot show: stopping and going on under a shell, in tmux. */
#include "tests/test.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/strbuf.h"
#include "tests/sandbox.h"

static char session[64];

static void __attribute__((format(printf, 1, 2))) run(const char *format, ...)
{
    char command[1200], line[1400];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    snprintf(line, sizeof line, "tmux -L %s -f /dev/null %s 2>/dev/null", session, command);
    if (system(line) != 0)
        print_message("tmux: %s\n", command);
}

static void capture(struct strbuf *text)
{
    char line[200], bytes[512];
    snprintf(line, sizeof line, "tmux -L %s capture-pane -p", session);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    strbuf_reset(text);
    while (fgets(bytes, sizeof bytes, pipe))
        strbuf_add(text, bytes);
    pclose(pipe);
}

static bool wait_for(const char *wanted)
{
    struct strbuf text = {0};
    bool found = false;
    for (int i = 0; i < 100 && !found; i++) {
        capture(&text);
        found = strstr(strbuf_text(&text), wanted) != NULL;
        if (!found)
            usleep(50000);
    }
    if (!found)
        print_error("never shown: %s\n%s\n", wanted, strbuf_text(&text));
    strbuf_clear(&text);
    return found;
}

static void ctrl_z_gives_the_shell_back_and_fg_repaints(void **state)
{
    (void)state;
    char program[PATH_MAX], command[800];
    const char *named = getenv("GPUWIZ_PROGRAM");
    assert_non_null(realpath(named ? named : "build/gpuwiz", program));
    snprintf(session, sizeof session, "gpuwiz-test-%d", (int)getpid());
    snprintf(command, sizeof command, "env LC_ALL=C.UTF-8 HOME=%s PS1='shell> ' bash --norc --noprofile -i",
             sandbox_path("home"));
    run("new-session -d -x 80 -y 24 \"%s\"", command);
    assert_true(wait_for("shell>"));
    run("send-keys '\"%s\"' Enter", program);
    assert_true(wait_for("1 Workload"));
    run("send-keys C-z");
    assert_true(wait_for("Stopped"));
    run("send-keys \"stty -a | tr ' ;' '\\n\\n' | grep -x icanon\" Enter");
    assert_true(wait_for("\nicanon"));
    run("send-keys fg Enter");
    assert_true(wait_for("1 Workload"));
    run("resize-window -x 100 -y 30");
    assert_true(wait_for("1 Workload"));
    run("send-keys q");
    assert_true(wait_for("shell>"));
    run("kill-server");
}

TEST_MAIN(cmocka_unit_test_setup_teardown(ctrl_z_gives_the_shell_back_and_fg_repaints, sandbox_begin, sandbox_end))

/* screen.c - pty and terminal emulator around the program. */
#include "tests/test.h"

#include "tests/screen.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>
#include "base/arena.h"
#include "base/text.h"
#include "ui/event.h"

enum { QUIET_MS = 30 };

struct screen_under_test {
    VTerm *vterm;
    VTermScreen *screen;
    int rows, cols, fd;
    pid_t child;
    bool alternate, ended;
    int status;
    unsigned long bytes;
};

/* ---- starting ---- */

static int on_property(VTermProp property, VTermValue *value, void *user)
{
    if (property == VTERM_PROP_ALTSCREEN)
        ((struct screen_under_test *)user)->alternate = value->boolean;
    return 1;
}

static void on_output(const char *bytes, size_t length, void *user)
{
    const struct screen_under_test *screen = user;
    if (write(screen->fd, bytes, length) < 0)
        print_message("writing to the pty: %s\n", strerror(errno));
}

static void set_environment(const struct screen_options *options)
{
    static const char *const folders[] = {"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"};
    static const char *const gone[] = {"LINES", "COLUMNS", "NO_COLOR", "ESCDELAY", "LANG", "LANGUAGE",
                                       "LC_MESSAGES", "COLORTERM", "TMUX"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        setenv(folders[i], options->home, 1);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        unsetenv(gone[i]);
    setenv("TERM", options->term ? options->term : "xterm-256color", 1);
    setenv("LC_ALL", options->locale ? options->locale : "C.UTF-8", 1);
    setenv("SOURCE_DATE_EPOCH", "1764547200", 1); /* 2025-12-01 */
    for (const char *const *set = options->set; set && *set; set++) {
        char name[64];
        size_t length = strcspn(*set, "=");
        snprintf(name, sizeof name, "%.*s", (int)length, *set);
        if ((*set)[length + 1])
            setenv(name, *set + length + 1, 1);
        else
            unsetenv(name);
    }
}

static void run_program(const struct screen_options *options)
{
    const char *argv[32] = {"gpuwiz"};
    const char *program = getenv("GPUWIZ_PROGRAM");
    for (int i = 0; i < 30 && options->arguments && options->arguments[i]; i++)
        argv[i + 1] = options->arguments[i];
    set_environment(options);
    execv(program ? program : "build/gpuwiz", (char *const *)argv);
    _exit(127);
}

struct screen_under_test *screen_start(const struct screen_options *options)
{
    static const VTermScreenCallbacks callbacks = {.settermprop = on_property};
    struct screen_under_test *screen = xrealloc(NULL, 1, sizeof *screen);
    memset(screen, 0, sizeof *screen);
    screen->rows = options->rows ? options->rows : 24;
    screen->cols = options->cols ? options->cols : 80;
    struct winsize size = {.ws_row = (unsigned short)screen->rows, .ws_col = (unsigned short)screen->cols};
    screen->child = forkpty(&screen->fd, NULL, NULL, &size);
    assert_true(screen->child >= 0);
    if (screen->child == 0)
        run_program(options);
    screen->vterm = vterm_new(screen->rows, screen->cols);
    vterm_set_utf8(screen->vterm, !options->locale || strstr(options->locale, "UTF-8"));
    vterm_output_set_callback(screen->vterm, on_output, screen);
    screen->screen = vterm_obtain_screen(screen->vterm);
    vterm_screen_set_callbacks(screen->screen, &callbacks, screen);
    vterm_screen_enable_altscreen(screen->screen, 1);
    vterm_screen_reset(screen->screen, 1);
    return screen;
}

/* ---- reading ---- */

/* Reads once, waiting at most `ms`; false when nothing came. */
static bool pump(struct screen_under_test *screen, int ms)
{
    char bytes[16384];
    struct pollfd wait = {.fd = screen->fd, .events = POLLIN};
    if (poll(&wait, 1, ms) <= 0)
        return false;
    ssize_t got = read(screen->fd, bytes, sizeof bytes);
    if (got <= 0) {
        struct timespec pause = {.tv_nsec = 5000000};
        nanosleep(&pause, NULL); /* the program has hung up */
        return false;
    }
    screen->bytes += (unsigned long)got;
    vterm_input_write(screen->vterm, bytes, (size_t)got);
    return true;
}

void screen_settle(struct screen_under_test *screen, int ms)
{
    while (pump(screen, ms))
        continue;
}

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

bool screen_wait(struct screen_under_test *screen, const char *text, double seconds)
{
    double end = now_s() + seconds;
    while (!screen_has(screen, text)) {
        if (now_s() > end)
            return false;
        pump(screen, 20);
    }
    screen_settle(screen, 20);
    return true;
}

static void add_cell(struct screen_under_test *screen, int row, int col, struct strbuf *out)
{
    VTermScreenCell cell;
    vterm_screen_get_cell(screen->screen, (VTermPos){row, col}, &cell);
    if (cell.chars[0] == (uint32_t)-1)
        return;
    if (cell.chars[0] == 0)
        strbuf_add(out, " ");
    for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++)
        text_add_char(out, cell.chars[i]);
}

void screen_row(struct screen_under_test *screen, int row, struct strbuf *out)
{
    struct strbuf line = {0};
    for (int col = 0; col < screen->cols; col++)
        add_cell(screen, row, col, &line);
    size_t length = line.length;
    while (length > 0 && line.data[length - 1] == ' ')
        length--;
    strbuf_add_n(out, strbuf_text(&line), length);
    strbuf_clear(&line);
}

void screen_text(struct screen_under_test *screen, struct strbuf *out)
{
    for (int row = 0; row < screen->rows; row++) {
        screen_row(screen, row, out);
        strbuf_add(out, "\n");
    }
}

int screen_find(struct screen_under_test *screen, const char *text, int *col)
{
    for (int row = 0; row < screen->rows; row++) {
        struct strbuf line = {0};
        screen_row(screen, row, &line);
        char *at = strstr(line.length ? line.data : "", text);
        if (at) {
            *at = '\0';
            if (col)
                *col = text_width(line.data);
            strbuf_clear(&line);
            return row;
        }
        strbuf_clear(&line);
    }
    return -1;
}

bool screen_has(struct screen_under_test *screen, const char *text)
{
    return screen_find(screen, text, NULL) >= 0;
}

static int palette_index(const VTermColor *colour, bool is_default)
{
    return is_default ? -1 : VTERM_COLOR_IS_INDEXED(colour) ? colour->indexed.idx : 0x1000000 | colour->rgb.red << 16 |
           colour->rgb.green << 8 | colour->rgb.blue;
}

struct screen_cell screen_cell_at(struct screen_under_test *screen, int row, int col)
{
    VTermScreenCell cell;
    vterm_screen_get_cell(screen->screen, (VTermPos){row, col}, &cell);
    return (struct screen_cell){.character = cell.chars[0], .width = cell.width,
                                .fg = palette_index(&cell.fg, VTERM_COLOR_IS_DEFAULT_FG(&cell.fg)),
                                .bg = palette_index(&cell.bg, VTERM_COLOR_IS_DEFAULT_BG(&cell.bg)),
                                .bold = cell.attrs.bold, .reverse = cell.attrs.reverse,
                                .underline = cell.attrs.underline != 0};
}

bool screen_is_alternate(const struct screen_under_test *screen)
{
    return screen->alternate;
}

unsigned long screen_bytes(const struct screen_under_test *screen)
{
    return screen->bytes;
}

bool screen_is_sane(const struct screen_under_test *screen)
{
    struct termios modes;
    return tcgetattr(screen->fd, &modes) == 0 && (modes.c_lflag & (tcflag_t)(ICANON | ECHO)) == (tcflag_t)(ICANON | ECHO);
}

/* ---- typing ---- */

static VTermKey vterm_key(int key)
{
    static const struct { int key; VTermKey vterm; } map[] = {
        {KEY_ESC_, VTERM_KEY_ESCAPE}, {KEY_ENTER_, VTERM_KEY_ENTER}, {KEY_TAB_, VTERM_KEY_TAB},
        {KEY_BACKSPACE_, VTERM_KEY_BACKSPACE}, {KEY_DELETE, VTERM_KEY_DEL}, {KEY_UP_, VTERM_KEY_UP},
        {KEY_DOWN_, VTERM_KEY_DOWN}, {KEY_LEFT_, VTERM_KEY_LEFT}, {KEY_RIGHT_, VTERM_KEY_RIGHT},
        {KEY_PAGE_UP, VTERM_KEY_PAGEUP}, {KEY_PAGE_DOWN, VTERM_KEY_PAGEDOWN}, {KEY_HOME_, VTERM_KEY_HOME},
        {KEY_END_, VTERM_KEY_END}, {KEY_HELP_, VTERM_KEY_FUNCTION(1)}};
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (map[i].key == key)
            return map[i].vterm;
    return VTERM_KEY_NONE;
}

void screen_keys(struct screen_under_test *screen, const char *keys)
{
    bool in_quotes = false;
    for (;;) {
        struct event event = event_from_script(&keys, &in_quotes);
        if (event.kind == EVENT_NONE)
            break;
        assert_int_equal(event.kind, EVENT_KEY);
        if (event.key == KEY_BACK_TAB)
            vterm_keyboard_key(screen->vterm, VTERM_KEY_TAB, VTERM_MOD_SHIFT);
        else if (event.key >= (int)KEY_NAMED)
            vterm_keyboard_key(screen->vterm, vterm_key(event.key), VTERM_MOD_NONE);
        else if (event.key >= (int)KEY_OF_CTRL)
            vterm_keyboard_unichar(screen->vterm, (uint32_t)(event.key - (int)KEY_OF_CTRL), VTERM_MOD_CTRL);
        else
            vterm_keyboard_unichar(screen->vterm, (uint32_t)event.key, VTERM_MOD_NONE);
        screen_settle(screen, QUIET_MS);
    }
    assert_string_equal(keys, "");
}

void screen_send(struct screen_under_test *screen, const char *bytes)
{
    on_output(bytes, strlen(bytes), screen);
    screen_settle(screen, QUIET_MS);
}

void screen_click(struct screen_under_test *screen, int row, int col)
{
    vterm_mouse_move(screen->vterm, row, col, VTERM_MOD_NONE);
    vterm_mouse_button(screen->vterm, 1, true, VTERM_MOD_NONE);
    screen_settle(screen, QUIET_MS);
    vterm_mouse_button(screen->vterm, 1, false, VTERM_MOD_NONE);
    screen_settle(screen, QUIET_MS);
}

void screen_resize(struct screen_under_test *screen, int rows, int cols)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    screen->rows = rows;
    screen->cols = cols;
    vterm_set_size(screen->vterm, rows, cols);
    ioctl(screen->fd, TIOCSWINSZ, &size);
    screen_settle(screen, 2 * QUIET_MS);
}

void screen_signal(struct screen_under_test *screen, int number)
{
    kill(screen->child, number);
}

/* ---- ending ---- */

int screen_end(struct screen_under_test *screen)
{
    double end = now_s() + 5;
    while (!screen->ended && now_s() < end) {
        pump(screen, 10);
        screen->ended = waitpid(screen->child, &screen->status, WNOHANG) == screen->child;
    }
    screen_settle(screen, 10);
    return screen->ended ? screen->status : -1;
}

void screen_free(struct screen_under_test *screen)
{
    if (!screen->ended) {
        kill(screen->child, SIGKILL);
        waitpid(screen->child, NULL, 0);
    }
    close(screen->fd);
    vterm_free(screen->vterm);
    free(screen);
}

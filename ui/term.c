/* term.c - ncurses behind term.h. One screen, no windows: the canvas is painted, ncurses sends the
 * difference. */
#include "ui/term.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include "base/i18n.h"

enum { PAIRS_MAX = 200, PASTE_BEGIN = KEY_MAX + 1, PASTE_END, IDLE_READS_MAX = 20 };

static struct {
    bool open;
    SCREEN *screen;
    FILE *tty;             /* when standard input is piped */
    int input_fd, output_fd;
    int saved_stderr;      /* -1 = not redirected */
    FILE *stderr_text;
    bool paste_reports;
    int pairs;
    struct { short fg, bg; } pair[PAIRS_MAX];
    char paste[4096];
} term = {.saved_stderr = -1};

static volatile sig_atomic_t end_signal, stop_signal;

/* ---- signals ---- */

static void on_end(int number)
{
    end_signal = number;
}

static void on_stop(int number)
{
    stop_signal = number;
}

static const int end_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
enum { CRASHES = sizeof crash_signals / sizeof *crash_signals };
static struct sigaction former_actions[CRASHES]; /* a sanitizer's, for example */

/* A crash: give the terminal back as well as may be, then let the signal do what it did before. */
static void on_crash(int number)
{
    term_close();
    for (int i = 0; i < CRASHES; i++)
        if (crash_signals[i] == number)
            sigaction(number, &former_actions[i], NULL);
    raise(number);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_end};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof end_signals / sizeof *end_signals; i++)
        sigaction(end_signals[i], &action, NULL);
    action.sa_handler = on_stop;
    sigaction(SIGTSTP, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    action = (struct sigaction){.sa_handler = on_crash, .sa_flags = (int)SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < CRASHES; i++) {
        struct sigaction former;
        sigaction(crash_signals[i], NULL, &former);
        if (former.sa_handler != on_crash) {
            former_actions[i] = former;
            sigaction(crash_signals[i], &action, NULL);
        }
    }
}

static void release_signals(void)
{
    for (size_t i = 0; i < sizeof end_signals / sizeof *end_signals; i++)
        signal(end_signals[i], SIG_DFL);
    signal(SIGTSTP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
}

int term_signal(void)
{
    return end_signal;
}

/* ---- taking and giving back ---- */

bool term_usable(void)
{
    const char *name = getenv("TERM");
    return name && *name && strcmp(name, "dumb") != 0 && isatty(STDOUT_FILENO);
}

bool term_utf8(void)
{
    static bool ready;
    if (!ready) {
        setlocale(LC_ALL, "");
        setlocale(LC_NUMERIC, "C");
        ready = true;
    }
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Whatever libraries write to standard error would tear the screen: it is shown afterwards. */
static void hold_stderr(void)
{
    term.stderr_text = tmpfile();
    if (!term.stderr_text)
        return;
    fflush(stderr);
    term.saved_stderr = dup(STDERR_FILENO);
    dup2(fileno(term.stderr_text), STDERR_FILENO);
}

static void show_stderr(void)
{
    char bytes[4096];
    if (term.saved_stderr < 0)
        return;
    fflush(stderr);
    dup2(term.saved_stderr, STDERR_FILENO);
    close(term.saved_stderr);
    term.saved_stderr = -1;
    int fd = fileno(term.stderr_text);
    lseek(fd, 0, SEEK_SET);
    for (ssize_t got; (got = read(fd, bytes, sizeof bytes)) > 0;)
        if (write(STDERR_FILENO, bytes, (size_t)got) < 0)
            break;
    fclose(term.stderr_text);
    term.stderr_text = NULL;
}

/* Terminals that know bracketed paste: then a paste is never taken for commands. */
static void report_pastes(bool on)
{
    const char *bytes = on ? "\033[?2004h" : "\033[?2004l";
    if (term.paste_reports && write(term.output_fd, bytes, strlen(bytes)) < 0)
        term.paste_reports = false;
}

static bool knows_pastes(const char *name)
{
    static const char *const known[] = {"xterm", "screen", "tmux", "rxvt", "foot", "alacritty", "kitty", "st-"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(name, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

/* Ctrl-S and Ctrl-Q are keys here, not flow control. */
static void free_flow_keys(void)
{
    struct termios modes;
    if (tcgetattr(term.input_fd, &modes) != 0)
        return;
    modes.c_iflag &= (tcflag_t)~(IXON | IXOFF);
    tcsetattr(term.input_fd, TCSADRAIN, &modes);
    def_prog_mode();
}

static void set_modes(bool mouse, bool colour)
{
    cbreak();
    noecho();
    nonl();
    free_flow_keys();
    keypad(stdscr, TRUE);
    if (!getenv("ESCDELAY"))
        set_escdelay(25);
    curs_set(0);
    if (colour && has_colors()) {
        start_color();
        use_default_colors();
    }
    if (mouse) {
        /* releases are asked for too, and ignored: unasked ones make ncurses hold back the next key */
        mousemask(BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
        mouseinterval(0);
    }
    /* cursor keys in both of their forms, whichever mode the terminal is really in */
    static const struct { char letter; int key; } cursor[] = {
        {'A', KEY_UP}, {'B', KEY_DOWN}, {'C', KEY_RIGHT}, {'D', KEY_LEFT}, {'H', KEY_HOME}, {'F', KEY_END}};
    for (size_t i = 0; i < sizeof cursor / sizeof *cursor; i++) {
        const char normal[] = {'\033', '[', cursor[i].letter, '\0'}, application[] = {'\033', 'O', cursor[i].letter, '\0'};
        define_key(normal, cursor[i].key);
        define_key(application, cursor[i].key);
    }
    define_key("\033[200~", PASTE_BEGIN);
    define_key("\033[201~", PASTE_END);
    term.paste_reports = knows_pastes(getenv("TERM"));
    report_pastes(true);
}

bool term_open(bool mouse, bool colour, struct error *error)
{
    FILE *input = stdin;
    term_utf8();
    unsetenv("LINES");
    unsetenv("COLUMNS");
    if (!isatty(STDIN_FILENO)) {
        term.tty = fopen("/dev/tty", "r");
        if (!term.tty)
            return error_set(error, tr("no terminal to read keys from"));
        input = term.tty;
    }
    term.input_fd = fileno(input);
    term.output_fd = STDOUT_FILENO;
    fflush(stdout);
    term.screen = newterm(NULL, stdout, input);
    if (!term.screen)
        return error_set(error, tr("the terminal type %s is not known"), getenv("TERM"));
    term.open = true;
    hold_stderr();
    set_modes(mouse, colour);
    if (!colour || !has_colors())
        term.pairs = -1;
    catch_signals();
    return true;
}

void term_close(void)
{
    if (!term.open)
        return;
    term.open = false;
    report_pastes(false);
    if (!isendwin())
        endwin();
    show_stderr();
    release_signals();
}

int term_colours(void)
{
    return term.pairs < 0 ? 0 : COLORS >= 256 ? 256 : COLORS >= 8 ? 8 : 0;
}

void term_size(int *rows, int *cols)
{
    getmaxyx(stdscr, *rows, *cols);
}

static void stop_and_go_on(void)
{
    stop_signal = 0;
    report_pastes(false);
    endwin();
    signal(SIGTSTP, SIG_DFL);
    raise(SIGTSTP);
    catch_signals();
    refresh();
    report_pastes(true);
    clearok(stdscr, TRUE);
    refresh();
}

/* ---- events ---- */

static int key_of_curses(wint_t key)
{
    static const struct { wint_t curses; int key; } map[] = {
        {KEY_UP, KEY_UP_}, {KEY_DOWN, KEY_DOWN_}, {KEY_LEFT, KEY_LEFT_}, {KEY_RIGHT, KEY_RIGHT_},
        {KEY_PPAGE, KEY_PAGE_UP}, {KEY_NPAGE, KEY_PAGE_DOWN}, {KEY_HOME, KEY_HOME_}, {KEY_END, KEY_END_},
        {KEY_ENTER, KEY_ENTER_}, {KEY_BTAB, KEY_BACK_TAB}, {KEY_BACKSPACE, KEY_BACKSPACE_},
        {KEY_DC, KEY_DELETE}, {KEY_HELP, KEY_HELP_}, {KEY_F(1), KEY_HELP_}, {KEY_A1, KEY_HOME_},
        {KEY_A3, KEY_PAGE_UP}, {KEY_C1, KEY_END_}, {KEY_C3, KEY_PAGE_DOWN}};
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (map[i].curses == key)
            return map[i].key;
    return KEY_NONE;
}

static int key_of_character(wint_t c)
{
    switch (c) {
    case 27: return KEY_ESC_;
    case '\r':
    case '\n': return KEY_ENTER_;
    case '\t': return KEY_TAB_;
    case 8:
    case 127: return KEY_BACKSPACE_;
    default: return c < 0x20 ? KEY_CTRL('a' + (int)c - 1) : (int)c;
    }
}

static struct event mouse_event(void)
{
    MEVENT mouse;
    if (getmouse(&mouse) != OK)
        return (struct event){0};
    struct event event = {.row = mouse.y, .col = mouse.x};
    if (mouse.bstate & BUTTON1_PRESSED)
        event.kind = EVENT_CLICK;
    else if (mouse.bstate & (BUTTON4_PRESSED | BUTTON5_PRESSED)) {
        event.kind = EVENT_WHEEL;
        event.turn = mouse.bstate & BUTTON4_PRESSED ? -1 : 1;
    }
    return event;
}

/* The text between the paste marks, its first line. */
static struct event paste_event(void)
{
    struct strbuf text = {0};
    wint_t key;
    timeout(200);
    for (int code; (code = get_wch(&key)) != ERR;) {
        if (code == KEY_CODE_YES && key == PASTE_END)
            break;
        if (code == OK && text.length + 8 < sizeof term.paste)
            text_add_char(&text, key == '\r' ? '\n' : (uint32_t)key);
    }
    timeout(0);
    snprintf(term.paste, sizeof term.paste, "%s", strbuf_text(&text));
    term.paste[strcspn(term.paste, "\n")] = '\0';
    strbuf_clear(&text);
    return (struct event){.kind = EVENT_PASTE, .text = term.paste};
}

/* After a lone Esc: the rest of a sequence that ncurses does not know is swallowed, so that no letter
 * of it is taken for a command. */
static bool swallow_sequence(void)
{
    wint_t key;
    if (get_wch(&key) == ERR)
        return false;
    if (key != '[' && key != 'O') {
        unget_wch((wchar_t)key);
        return false;
    }
    while (get_wch(&key) == OK && !(key >= '@' && key <= '~'))
        continue;
    return true;
}

/* `nothing`: there was no input at all, as against input that means nothing. */
static struct event read_event(bool *nothing)
{
    wint_t key;
    int code = get_wch(&key);
    struct event event = {0};
    *nothing = code == ERR;
    if (code == ERR)
        return event;
    if (code == OK) {
        if (key == 27 && swallow_sequence())
            return event;
        return event_key(key_of_character(key));
    }
    if (key == KEY_RESIZE) {
        event.kind = EVENT_RESIZE;
        term_size(&event.row, &event.col);
        return event;
    }
    if (key == KEY_MOUSE)
        return mouse_event();
    if (key == PASTE_BEGIN)
        return paste_event();
    event = event_key(key_of_curses(key));
    return event.key == KEY_NONE ? (struct event){0} : event;
}

struct event term_read(void)
{
    timeout(0);
    for (int idle = 0; idle < IDLE_READS_MAX;) {
        if (end_signal)
            break;
        if (stop_signal)
            stop_and_go_on();
        bool nothing;
        struct event event = read_event(&nothing);
        if (event.kind != EVENT_NONE)
            return event;
        if (!nothing)
            continue;
        struct pollfd wait = {.fd = term.input_fd, .events = POLLIN};
        int ready = poll(&wait, 1, -1);
        if (ready > 0 && wait.revents & (POLLHUP | POLLERR | POLLNVAL))
            break;
        idle = ready > 0 ? idle + 1 : 0; /* readable, yet nothing comes: the terminal is gone */
    }
    return (struct event){.kind = EVENT_END};
}

/* ---- painting ---- */

/* Where colours are RGB values, the entry of the usual palette of 256. */
static int direct_colour(short index)
{
    static const int steps[] = {0, 95, 135, 175, 215, 255};
    if (index < 16)
        return index < 8 ? index : index == 15 ? 0xFFFFFF : 0x808080;
    if (index >= 232)
        return (8 + (index - 232) * 10) * 0x10101;
    index = (short)(index - 16);
    return steps[index / 36] << 16 | steps[index / 6 % 6] << 8 | steps[index % 6];
}

static short pair_of(short fg, short bg)
{
    if (term.pairs < 0 || (fg < 0 && bg < 0))
        return 0;
    for (int i = 0; i < term.pairs; i++)
        if (term.pair[i].fg == fg && term.pair[i].bg == bg)
            return (short)(i + 1);
    if (term.pairs == PAIRS_MAX || term.pairs + 1 >= COLOR_PAIRS)
        return 0;
    term.pair[term.pairs].fg = fg;
    term.pair[term.pairs].bg = bg;
    term.pairs++;
    if (COLORS > 256)
        init_extended_pair(term.pairs, fg < 0 ? -1 : direct_colour(fg), bg < 0 ? -1 : direct_colour(bg));
    else
        init_pair((short)term.pairs, fg, bg);
    return (short)term.pairs;
}

static struct style cell_style(const struct cell *cell, int theme)
{
    int colours = term_colours();
    struct style style = theme_style(theme, (enum role)cell->role, colours);
    if (cell->back)
        style.bg = theme_style(theme, (enum role)cell->back, colours).fg;
    if (cell->selected) {
        struct style selected = theme_style(theme, ROLE_SELECTED, colours);
        bool bar = cell->role >= ROLE_BAR_WEIGHTS;
        style.fg = bar ? style.fg : selected.fg;
        style.bg = bar && cell->back ? style.bg : selected.bg;
        style.attributes = selected.attributes;
    }
    return style;
}

/* Where only bytes may be sent, "?" stands in each cell of what they cannot say. */
static void put_cell(int row, int col, const struct cell *cell, int theme)
{
    struct style style = cell_style(cell, theme);
    attr_t attributes = A_NORMAL;
    wchar_t text[4] = {0};
    cchar_t out;
    attributes |= style.attributes & STYLE_BOLD ? A_BOLD : 0;
    attributes |= style.attributes & STYLE_DIM ? A_DIM : 0;
    attributes |= style.attributes & STYLE_UNDERLINE ? A_UNDERLINE : 0;
    attributes |= style.attributes & STYLE_REVERSE ? A_REVERSE : 0;
    for (int i = 0; i < 3 && cell->chars[i]; i++)
        text[i] = cell->chars[i] >= 0x80 && !term_utf8() ? L'?' : (wchar_t)cell->chars[i];
    if (setcchar(&out, text, attributes, pair_of(style.fg, style.bg), NULL) == OK)
        for (int i = 0; i < (term_utf8() ? 1 : cell->width); i++)
            mvadd_wch(row, col + i, &out);
}

void term_paint(const struct canvas *canvas, int theme, bool anew)
{
    static struct canvas shown;
    static int shown_theme = -1;
    bool all = anew || shown.rows != canvas->rows || shown.cols != canvas->cols || shown_theme != theme;
    if (shown.rows != canvas->rows || shown.cols != canvas->cols)
        canvas_resize(&shown, canvas->rows, canvas->cols);
    if (anew)
        clearok(stdscr, TRUE);
    size_t row_bytes = (size_t)canvas->cols * sizeof *canvas->cells;
    for (int row = 0; row < canvas->rows; row++) {
        const struct cell *cells = canvas->cells + row * canvas->cols;
        if (!all && memcmp(shown.cells + row * canvas->cols, cells, row_bytes) == 0)
            continue;
        for (int col = 0; col < canvas->cols; col++)
            if (cells[col].width)
                put_cell(row, col, &cells[col], theme);
        memcpy(shown.cells + row * canvas->cols, cells, row_bytes);
    }
    shown_theme = theme;
    move(canvas->cursor_row, canvas->cursor_col);
    curs_set(canvas->cursor_shown);
    refresh();
}

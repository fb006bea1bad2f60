/* theme.h - colours by role, never by name: the one table of roles x themes. */
#ifndef GPUWIZ_UI_THEME_H
#define GPUWIZ_UI_THEME_H

#include <stdbool.h>

enum role {
    ROLE_TEXT, ROLE_DIM, ROLE_TITLE, ROLE_ACCENT, ROLE_KEY, ROLE_SELECTED, ROLE_INPUT, ROLE_GOOD,
    ROLE_WARN, ROLE_BAD, ROLE_RULE, ROLE_WHATIF,
    /* bars: one role a memory component, in the order of enum component */
    ROLE_BAR_WEIGHTS, ROLE_BAR_ADAPTER, ROLE_BAR_GRADIENTS, ROLE_BAR_OPTIMIZER,
    ROLE_BAR_ACTIVATIONS, ROLE_BAR_LOGITS, ROLE_BAR_KV_CACHE, ROLE_BAR_BUFFERS, ROLE_BAR_RUNTIME,
    ROLE_BAR_RESERVED, /* pre-allocated but not needed */
    ROLE_BAR_BAND,     /* the uncertain part */
    ROLE_BAR_OVER,     /* past the capacity */
    ROLE_BAR_COST,
    ROLE_COUNT
};

enum { STYLE_BOLD = 1, STYLE_DIM = 2, STYLE_UNDERLINE = 4, STYLE_REVERSE = 8 };

/* A colour is -1 (the terminal's own), or an index into the palette of 8 or 256. */
struct style {
    short fg, bg;
    unsigned attributes;
};

/* Keys as saved and as `--theme` takes them; labels through tr(). */
extern const char *const theme_names[];
extern const char *const theme_labels[];
enum { THEME_DEFAULT, THEME_LIGHT, THEME_COLOUR_BLIND, THEME_MONO, THEME_COUNT };

/* `colours`: what the terminal has (0, 8, 256); 0 always gives the mono theme. */
struct style theme_style(int theme, enum role role, int colours);

/* True when bars must be told apart by pattern. */
bool theme_needs_patterns(int theme, int colours);

#endif

/* theme.c - the table of styles. */
#include "ui/theme.h"

#include <stddef.h>
#include "base/i18n.h"

const char *const theme_names[] = {"default", "light", "colour-blind", "mono", NULL};
const char *const theme_labels[] = {N_("default"), N_("light background"), N_("colour-blind safe"),
                                    N_("monochrome"), NULL};

enum { B = STYLE_BOLD, D = STYLE_DIM, U = STYLE_UNDERLINE, R = STYLE_REVERSE };

/* For each theme: the colour out of 256, the one out of 8, and attributes. Backgrounds are only set
 * where the foreground is too, since nobody knows what the terminal's own is. The colour-blind
 * theme uses the palette of Okabe and Ito (2008), rounded to the 256-colour cube. */
struct ink { short fg256, bg256, fg8, bg8; unsigned attributes; };

static const struct ink inks[THEME_COUNT][ROLE_COUNT] = {
    [THEME_DEFAULT] = {
        [ROLE_TEXT] = {-1, -1, -1, -1, 0},
        [ROLE_DIM] = {245, -1, -1, -1, 0},
        [ROLE_TITLE] = {-1, -1, -1, -1, B},
        [ROLE_ACCENT] = {80, -1, 6, -1, 0},
        [ROLE_KEY] = {80, -1, 6, -1, B},
        [ROLE_SELECTED] = {231, 24, 7, 4, B},
        [ROLE_INPUT] = {-1, -1, -1, -1, U},
        [ROLE_GOOD] = {114, -1, 2, -1, 0},
        [ROLE_WARN] = {221, -1, 3, -1, 0},
        [ROLE_BAD] = {210, -1, 1, -1, 0},
        [ROLE_RULE] = {239, -1, -1, -1, 0},
        [ROLE_WHATIF] = {16, 221, 0, 3, B},
        [ROLE_BAR_WEIGHTS] = {68, -1, 4, -1, 0},
        [ROLE_BAR_ADAPTER] = {152, -1, 6, -1, 0},
        [ROLE_BAR_GRADIENTS] = {72, -1, 2, -1, 0},
        [ROLE_BAR_OPTIMIZER] = {108, -1, 6, -1, 0},
        [ROLE_BAR_ACTIVATIONS] = {179, -1, 3, -1, 0},
        [ROLE_BAR_LOGITS] = {173, -1, 1, -1, 0},
        [ROLE_BAR_KV_CACHE] = {140, -1, 5, -1, 0},
        [ROLE_BAR_BUFFERS] = {103, -1, 7, -1, 0},
        [ROLE_BAR_RUNTIME] = {242, -1, 7, -1, 0},
        [ROLE_BAR_RESERVED] = {243, -1, 7, -1, 0},
        [ROLE_BAR_BAND] = {250, -1, 7, -1, 0},
        [ROLE_BAR_OVER] = {203, -1, 1, -1, B},
        [ROLE_BAR_COST] = {68, -1, 6, -1, 0},
    },
    [THEME_LIGHT] = {
        [ROLE_TEXT] = {-1, -1, -1, -1, 0},
        [ROLE_DIM] = {242, -1, -1, -1, 0},
        [ROLE_TITLE] = {-1, -1, -1, -1, B},
        [ROLE_ACCENT] = {24, -1, 4, -1, 0},
        [ROLE_KEY] = {24, -1, 4, -1, B},
        [ROLE_SELECTED] = {231, 24, 7, 4, B},
        [ROLE_INPUT] = {-1, -1, -1, -1, U},
        [ROLE_GOOD] = {28, -1, 2, -1, 0},
        [ROLE_WARN] = {130, -1, 5, -1, B},
        [ROLE_BAD] = {124, -1, 1, -1, 0},
        [ROLE_RULE] = {250, -1, -1, -1, 0},
        [ROLE_WHATIF] = {231, 130, 7, 5, B},
        [ROLE_BAR_WEIGHTS] = {25, -1, 4, -1, 0},
        [ROLE_BAR_ADAPTER] = {74, -1, 6, -1, 0},
        [ROLE_BAR_GRADIENTS] = {65, -1, 2, -1, 0},
        [ROLE_BAR_OPTIMIZER] = {108, -1, 6, -1, 0},
        [ROLE_BAR_ACTIVATIONS] = {172, -1, 3, -1, 0},
        [ROLE_BAR_LOGITS] = {131, -1, 1, -1, 0},
        [ROLE_BAR_KV_CACHE] = {97, -1, 5, -1, 0},
        [ROLE_BAR_BUFFERS] = {102, -1, 0, -1, 0},
        [ROLE_BAR_RUNTIME] = {246, -1, 0, -1, 0},
        [ROLE_BAR_RESERVED] = {248, -1, 0, -1, 0},
        [ROLE_BAR_BAND] = {240, -1, 0, -1, 0},
        [ROLE_BAR_OVER] = {160, -1, 1, -1, B},
        [ROLE_BAR_COST] = {25, -1, 4, -1, 0},
    },
    [THEME_COLOUR_BLIND] = {
        [ROLE_TEXT] = {-1, -1, -1, -1, 0},
        [ROLE_DIM] = {245, -1, -1, -1, 0},
        [ROLE_TITLE] = {-1, -1, -1, -1, B},
        [ROLE_ACCENT] = {74, -1, 6, -1, 0},
        [ROLE_KEY] = {74, -1, 6, -1, B},
        [ROLE_SELECTED] = {231, 25, 7, 4, B},
        [ROLE_INPUT] = {-1, -1, -1, -1, U},
        [ROLE_GOOD] = {74, -1, 6, -1, 0},
        [ROLE_WARN] = {221, -1, 3, -1, 0},
        [ROLE_BAD] = {208, -1, 3, -1, B},
        [ROLE_RULE] = {239, -1, -1, -1, 0},
        [ROLE_WHATIF] = {16, 221, 0, 3, B},
        [ROLE_BAR_WEIGHTS] = {25, -1, 4, -1, 0},
        [ROLE_BAR_ADAPTER] = {117, -1, 6, -1, 0},
        [ROLE_BAR_GRADIENTS] = {36, -1, 6, -1, 0},
        [ROLE_BAR_OPTIMIZER] = {221, -1, 3, -1, 0},
        [ROLE_BAR_ACTIVATIONS] = {214, -1, 3, -1, 0},
        [ROLE_BAR_LOGITS] = {166, -1, 1, -1, 0},
        [ROLE_BAR_KV_CACHE] = {175, -1, 5, -1, 0},
        [ROLE_BAR_BUFFERS] = {251, -1, 7, -1, 0},
        [ROLE_BAR_RUNTIME] = {243, -1, 7, -1, 0},
        [ROLE_BAR_RESERVED] = {243, -1, 7, -1, 0},
        [ROLE_BAR_BAND] = {250, -1, 7, -1, 0},
        [ROLE_BAR_OVER] = {208, -1, 3, -1, B},
        [ROLE_BAR_COST] = {74, -1, 6, -1, 0},
    },
    [THEME_MONO] = {
        [ROLE_TITLE] = {-1, -1, -1, -1, B},
        [ROLE_ACCENT] = {-1, -1, -1, -1, B},
        [ROLE_KEY] = {-1, -1, -1, -1, B},
        [ROLE_SELECTED] = {-1, -1, -1, -1, R},
        [ROLE_INPUT] = {-1, -1, -1, -1, U},
        [ROLE_WARN] = {-1, -1, -1, -1, B},
        [ROLE_BAD] = {-1, -1, -1, -1, B | U},
        [ROLE_DIM] = {-1, -1, -1, -1, 0},
        [ROLE_RULE] = {-1, -1, -1, -1, 0},
        [ROLE_WHATIF] = {-1, -1, -1, -1, R},
        [ROLE_BAR_OVER] = {-1, -1, -1, -1, B},
    },
};

struct style theme_style(int theme, enum role role, int colours)
{
    if (colours < 8)
        theme = THEME_MONO;
    const struct ink *ink = &inks[theme][role];
    if (theme == THEME_MONO)
        return (struct style){-1, -1, ink->attributes};
    if (colours >= 256)
        return (struct style){ink->fg256, ink->bg256, ink->attributes};
    return (struct style){ink->fg8, ink->bg8, ink->attributes};
}

bool theme_needs_patterns(int theme, int colours)
{
    return theme == THEME_MONO || colours < 256;
}

/* page.h - the printable page of the answers on screen. */
#ifndef GPUWIZ_UI_PAGE_H
#define GPUWIZ_UI_PAGE_H

#include <stdbool.h>
#include "base/strbuf.h"

struct app;

/* Appends the text report; the reason when the answers contradict each other. */
void page_write(const struct app *app, struct strbuf *out);

/* The table of memory that is open, as a page, or as CSV when `path` ends in .csv; false = none. */
bool matrix_page(const struct app *app, const char *path, struct strbuf *out);

#endif

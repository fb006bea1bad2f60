/* page.h - the printable page of the answers on screen. */
#ifndef GPUWIZ_UI_PAGE_H
#define GPUWIZ_UI_PAGE_H

#include "base/strbuf.h"

struct app;

/* Appends the text report; the reason when the answers contradict each other. */
void page_write(const struct app *app, struct strbuf *out);

#endif

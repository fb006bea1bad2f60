/* report_html.c - a report as one HTML file that prints well, without scripts and outside fonts. */
#include "report/report.h"

#include <math.h>
#include "base/i18n.h"

static const char style[] =
    "@page { size: A4; margin: 18mm }\n"
    "body { font: 15px/1.5 system-ui, \"Noto Sans CJK SC\", \"Microsoft YaHei\", sans-serif;"
    " max-width: 52em; margin: 2em auto; padding: 0 1em; color: #1a1a1a }\n"
    "h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 1.6em; border-bottom: 1px solid "
    "#999 }\n"
    ".lead { font-weight: bold; margin: .2em 0 }\n"
    "table { border-collapse: collapse; margin: .8em 0 } thead { display: table-header-group }\n"
    "th, td { padding: .2em .7em; border-bottom: 1px solid #ccc; text-align: left; vertical-align: "
    "top }\n"
    "th, td:not(:last-child) { white-space: nowrap }\n" /* names, figures, verdicts stay whole */
    ".r { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }\n"
    "tr, li { break-inside: avoid } h2 { break-after: avoid }\n"
    "pre { white-space: pre-wrap; background: #f3f3f3; padding: .6em }\n"
    ".bar { display: flex; height: 1.4em; border: 1px solid #333; overflow: hidden }\n"
    ".bar i { display: block; font-style: normal; font-size: .8em; text-align: center; overflow: "
    "hidden;"
    " border-right: 1px solid #333; print-color-adjust: exact; -webkit-print-color-adjust: exact "
    "}\n"
    ".c0 { background: #9ecae1 } .c1 { background: #fdd0a2 } .c2 { background: #c7e9c0 }"
    " .c3 { background: #dadaeb } .c4 { background: #fee391 } .c5 { background: #d9d9d9 }\n"
    "@media print { body { font-size: 12px; margin: 0; padding: 0; max-width: none } }\n";

static void add_escaped(struct strbuf *out, const char *text)
{
    for (uint32_t c; (c = text_next(&text)) != 0;) {
        if (c == '&')
            strbuf_add(out, "&amp;");
        else if (c == '<')
            strbuf_add(out, "&lt;");
        else if (c == '>')
            strbuf_add(out, "&gt;");
        else if (c == '"')
            strbuf_add(out, "&quot;");
        else
            text_add_char(out, c);
    }
}

static void add_element(struct strbuf *out, const char *open, const char *text, const char *close)
{
    strbuf_add(out, open);
    add_escaped(out, text);
    strbuf_add(out, close);
}

static void add_row(struct strbuf *out, const struct table *table, size_t row, bool heading)
{
    strbuf_add(out, "<tr>");
    for (int i = 0; i < table->column_count; i++) {
        bool right = table->columns[i].align == TEXT_RIGHT;
        strbuf_printf(out, "<%s%s>", heading ? "th" : "td", right ? " class=\"r\"" : "");
        add_element(out, "", heading ? table->columns[i].heading : table_at(table, row, i)->text,
                    "");
        strbuf_add(out, heading ? "</th>" : "</td>");
    }
    strbuf_add(out, "</tr>\n");
}

void table_write_html(const struct table *table, struct strbuf *out)
{
    strbuf_add(out, "<table>\n<thead>");
    add_row(out, table, 0, true);
    strbuf_add(out, "</thead>\n<tbody>\n");
    for (size_t row = 0; row < table_rows(table); row++)
        add_row(out, table, row, false);
    strbuf_add(out, "</tbody>\n</table>\n");
}

/* Colour, and the same letter in bar and legend, so that black-and-white print reads as well. */
static void add_bar(struct strbuf *out, const struct bar *bar)
{
    double total = 0;
    for (int i = 0; i < bar->count; i++)
        total += bar->segments[i].share;
    double scale = 100 / fmax(total, 1);
    strbuf_add(out, "<div class=\"bar\">");
    for (int i = 0; i < bar->count; i++)
        strbuf_printf(out, "<i class=\"c%d\" style=\"width:%.2f%%\">%c</i>", i % 6,
                      scale * bar->segments[i].share, 'A' + i);
    strbuf_add(out, "</div>\n<p>");
    for (int i = 0; i < bar->count; i++) {
        strbuf_printf(out, "%s%c ", i ? " &nbsp; " : "", 'A' + i);
        add_escaped(out, bar->segments[i].label);
    }
    strbuf_add(out, "</p>\n");
}

static void add_block(struct strbuf *out, const struct report_block *block)
{
    static const struct {
        const char *open, *close;
    } tags[] = {
        [BLOCK_TITLE] = {"<h1>", "</h1>\n"},
        [BLOCK_HEADING] = {"<h2>", "</h2>\n"},
        [BLOCK_LEAD] = {"<p class=\"lead\">", "</p>\n"},
        [BLOCK_TEXT] = {"<p>", "</p>\n"},
        [BLOCK_ITEM] = {"<li>", "</li>\n"},
        [BLOCK_COMMAND] = {"<pre>", "</pre>\n"},
    };
    if (block->kind == BLOCK_TABLE)
        table_write_html(block->table, out);
    else if (block->kind == BLOCK_BAR)
        add_bar(out, block->bar);
    else
        add_element(out, tags[block->kind].open, block->text, tags[block->kind].close);
}

void report_write_html(const struct report *report, struct strbuf *out)
{
    size_t start = out->length;
    strbuf_printf(out, "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
                  i18n_language() == LANGUAGE_ZH ? "zh-CN" : "en");
    strbuf_add(out, "<meta name=\"viewport\" content=\"width=device-width\">\n");
    add_element(out, "<title>", report->first ? report->first->text : "gpuwiz", "</title>\n");
    strbuf_printf(out, "<style>\n%s</style>\n</head>\n<body>\n", style);
    bool list = false;
    for (const struct report_block *block = report->first; block; block = block->next) {
        if ((block->kind == BLOCK_ITEM) != list) {
            list = !list;
            strbuf_add(out, list ? "<ul>\n" : "</ul>\n");
        }
        add_block(out, block);
    }
    strbuf_add(out, list ? "</ul>\n" : "");
    strbuf_add(out, "</body>\n</html>\n");
    text_drop_controls(out, start);
}

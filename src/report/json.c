#include "report/json.h"

#include <math.h>
#include "base/text.h"
#include "base/units.h"
#include "report/table.h"

/* Quoted per RFC 8259; ill-formed bytes become U+FFFD, so the output is always valid UTF-8. */
static void add_quoted(struct strbuf *out, const char *text)
{
    strbuf_add(out, "\"");
    for (uint32_t c; (c = text_next(&text)) != 0;) {
        if (c == '"' || c == '\\')
            strbuf_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            strbuf_add(out, "\\n");
        else if (c < 0x20 || c == 0x7F)
            strbuf_printf(out, "\\u%04x", (unsigned)c);
        else
            text_add_char(out, c);
    }
    strbuf_add(out, "\"");
}

static void start_member(struct json *json, const char *key)
{
    strbuf_add(json->out, json->filled ? "," : "");
    if (key) {
        add_quoted(json->out, key);
        strbuf_add(json->out, ":");
    }
    json->filled = true;
}

void json_open(struct json *json, const char *key, char bracket)
{
    start_member(json, key);
    strbuf_add_n(json->out, &bracket, 1);
    json->filled = false;
}

void json_close(struct json *json, char bracket)
{
    strbuf_add_n(json->out, &bracket, 1);
    json->filled = true;
}

void json_text(struct json *json, const char *key, const char *text)
{
    start_member(json, key);
    if (text)
        add_quoted(json->out, text);
    else
        strbuf_add(json->out, "null");
}

void json_bool(struct json *json, const char *key, bool value)
{
    start_member(json, key);
    strbuf_add(json->out, value ? "true" : "false");
}

void json_number(struct json *json, const char *key, double number)
{
    char text[UNITS_TEXT];
    start_member(json, key);
    strbuf_add(json->out, isfinite(number) ? units_machine(number, text) : "null");
}

void table_write_json(const struct table *table, struct strbuf *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '[');
    for (size_t row = 0; row < table_rows(table); row++) {
        json_open(&json, NULL, '{');
        for (int i = 0; i < table->column_count; i++) {
            const struct table_cell *cell = table_at(table, row, i);
            if (cell->numeric)
                json_number(&json, table->columns[i].key, cell->number);
            else
                json_text(&json, table->columns[i].key, cell->word ? cell->word : cell->text);
        }
        json_close(&json, '}');
        strbuf_add(out, row + 1 < table_rows(table) ? "\n" : "");
    }
    json_close(&json, ']');
    strbuf_add(out, "\n");
}

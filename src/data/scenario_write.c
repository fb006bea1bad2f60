/* scenario_write.c - answers as a file, as a command line, as text on screen. */
#include "data/scenario.h"

#include <string.h>
#include "base/units.h"

/* Plain YAML where that is safe, else a double-quoted scalar. */
void scenario_add_scalar(struct strbuf *out, const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+/";
    if (*text && *text != '-' && strspn(text, safe) == strlen(text)) {
        strbuf_add(out, text);
        return;
    }
    strbuf_add(out, "\"");
    for (const char *p = text; *p; p++) {
        if ((unsigned char)*p < ' ')
            strbuf_printf(out, "\\x%02x", (unsigned char)*p);
        else
            strbuf_printf(out, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
    }
    strbuf_add(out, "\"");
}

/* The flag names that together give exactly the bits: the first single name that does, else modules. */
static void format_flags(const struct field *field, unsigned bits, struct strbuf *out)
{
    for (int i = 0; field->choices[i]; i++)
        if (field->choice_bits[i] == bits) {
            strbuf_add(out, field->choices[i]);
            return;
        }
    bool first = true;
    for (int i = 0; field->choices[i]; i++) {
        unsigned b = field->choice_bits[i];
        if ((b & (b - 1)) == 0 && (bits & b)) {
            strbuf_printf(out, "%s%s", first ? "" : ",", field->choices[i]);
            first = false;
        }
    }
}

void scenario_format(const struct scenario *scenario, enum field_id id, struct strbuf *out)
{
    const struct field *field = &fields[id];
    const void *value = (const char *)scenario + field->offset;
    char text[UNITS_TEXT];
    if (!scenario_has(scenario, id)) {
        strbuf_add(out, "auto");
        return;
    }
    switch (field->kind) {
    case FIELD_KIND_CHOICE: strbuf_add(out, field->choices[*(const int *)value]); break;
    case FIELD_KIND_BOOL: strbuf_add(out, *(const int *)value ? "yes" : "no"); break;
    case FIELD_KIND_INT:
    case FIELD_KIND_NUMBER: strbuf_add(out, units_plain(*(const double *)value, text)); break;
    case FIELD_KIND_FLAGS: format_flags(field, *(const unsigned *)value, out); break;
    case FIELD_KIND_ID: strbuf_add(out, *(const char *const *)value); break;
    case FIELD_KIND_MAP: strbuf_add(out, scenario->architecture_text); break;
    }
}

void scenario_write(const struct scenario *scenario, struct strbuf *out)
{
    struct strbuf value = {0};
    for (int id = 0; id < FIELD_COUNT; id++) {
        if (!scenario_has(scenario, (enum field_id)id))
            continue;
        strbuf_reset(&value);
        scenario_format(scenario, (enum field_id)id, &value);
        const struct field *field = &fields[id];
        strbuf_printf(out, "%s: ", field->key);
        if (field->kind == FIELD_KIND_FLAGS)
            strbuf_printf(out, "[%s]", strbuf_text(&value));
        else if (field->kind == FIELD_KIND_MAP)
            strbuf_add(out, strbuf_text(&value));
        else
            scenario_add_scalar(out, strbuf_text(&value));
        strbuf_printf(out, "  # %s%s%s\n", field->label, *field->unit ? ", " : "", field->unit);
    }
    strbuf_clear(&value);
}

void scenario_command(const struct scenario *scenario, struct strbuf *out)
{
    struct strbuf value = {0};
    for (int id = 0; id < FIELD_COUNT; id++) {
        if (!scenario_has(scenario, (enum field_id)id))
            continue;
        strbuf_reset(&value);
        scenario_format(scenario, (enum field_id)id, &value);
        const char *text = strbuf_text(&value);
        bool plain = strpbrk(text, " \t\r\n'\"\\$`{}[]()*?!&;|<>~#") == NULL;
        strbuf_printf(out, " --set %s%s=", plain ? "" : "'", fields[id].key);
        for (const char *p = text; *p; p++)
            strbuf_printf(out, *p == '\'' ? "'\\''" : "%c", *p);
        if (!plain)
            strbuf_add(out, "'");
    }
    strbuf_clear(&value);
}

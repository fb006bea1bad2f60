/* knob.c - one step of an answer. */
#include "ui/knob.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"

static const double share_step = 0.05;

static bool is_number(enum field_id id)
{
    return fields[id].kind == FIELD_KIND_INT || fields[id].kind == FIELD_KIND_NUMBER;
}

static const void *member_of(const struct scenario *scenario, enum field_id id)
{
    return (const char *)scenario + fields[id].offset;
}

/* ---- what is in force ---- */

/* Answers that the table of chosen values does not know are read off the first offer. */
static double number_of_offer(const struct plan *plan, enum field_id id)
{
    if (!plan->offer_count)
        return NAN;
    const struct offer *offer = &plan->offers[0];
    const struct cost *spot = &offer->costs[MODE_SPOT], *payg = &offer->costs[MODE_PAYG];
    if (id == FIELD_NODES)
        return offer->nodes;
    if (id == FIELD_GPUS)
        return offer->hardware.gpus;
    if (id == FIELD_SPOT_PRICE_RATIO && spot->available && payg->available &&
        payg->per_hour_cny > 0)
        return round(spot->per_hour_cny / payg->per_hour_cny / share_step) / round(1 / share_step);
    return NAN;
}

double knob_number(const struct computed *computed, const struct scenario *scenario,
                   enum field_id id)
{
    struct strbuf chosen = {0}, plain = {0};
    double value = NAN;
    if (scenario_has(scenario, id))
        return *(const double *)member_of(scenario, id);
    if (!computed || !computed->ok)
        return NAN;
    if (compute_chosen(computed, id, &chosen))
        for (const char *p = strbuf_text(&chosen); *p; p++)
            if (*p != ',')
                strbuf_add_n(&plain, p, 1);
    if (!plain.length || !units_parse(strbuf_text(&plain), false, &value))
        value = number_of_offer(&computed->plan, id);
    strbuf_clear(&chosen);
    strbuf_clear(&plain);
    return value;
}

static void add_number(double value, struct strbuf *out)
{
    char text[UNITS_TEXT];
    strbuf_add(out,
               value == floor(value) ? units_thousands(value, text) : units_plain(value, text));
}

void knob_value(const struct computed *computed, const struct scenario *scenario, enum field_id id,
                struct strbuf *out)
{
    struct strbuf chosen = {0};
    if (scenario_has(scenario, id)) {
        if (is_number(id))
            add_number(*(const double *)member_of(scenario, id), out);
        else
            scenario_format(scenario, id, out);
        return;
    }
    strbuf_add(out, tr("auto"));
    if (is_number(id) && !isnan(knob_number(computed, scenario, id)))
        add_number(knob_number(computed, scenario, id), &chosen);
    else if (computed)
        compute_chosen(computed, id, &chosen);
    if (chosen.length)
        strbuf_printf(out, " (%s)", strbuf_text(&chosen));
    strbuf_clear(&chosen);
}

/* ---- turning ---- */

static bool set(const struct compute *compute, struct arena *arena, struct scenario *scenario,
                enum field_id id, const char *text)
{
    struct error ignored;
    return scenario_set(scenario, id, text, compute->catalog, arena, &ignored);
}

static bool turn_choice(const struct compute *compute, struct arena *arena,
                        struct scenario *scenario, enum field_id id, int direction)
{
    static const char *const yes_no[] = {"no", "yes", NULL};
    const char *const *choices = fields[id].kind == FIELD_KIND_BOOL ? yes_no : fields[id].choices;
    int count = 0;
    while (choices[count])
        count++;
    int at =
        (scenario_has(scenario, id) ? *(const int *)member_of(scenario, id) + 1 : 0) + direction;
    at = (at + count + 1) % (count + 1);
    return set(compute, arena, scenario, id, at ? choices[at - 1] : "auto");
}

/* True when these answers make a job. */
static bool resolves(const struct compute *compute, const struct scenario *scenario)
{
    struct scenario complete;
    struct arena *arena = arena_new();
    struct job job;
    struct error ignored;
    memcpy(&complete, scenario, sizeof complete);
    compute_sketch(compute, &complete);
    bool done = job_resolve(&complete, compute->catalog, arena, &job, &ignored);
    arena_free(arena);
    return done;
}

/* Formats that the job cannot use are passed over. */
static bool turn_weights(const struct compute *compute, struct arena *arena,
                         struct scenario *scenario, int direction)
{
    const struct catalog *catalog = compute->catalog;
    int count = (int)catalog->format_count + 1, at = 0; /* 0 = auto */
    for (int i = 1; i < count && scenario_has(scenario, FIELD_WEIGHTS); i++)
        if (strcmp(catalog->formats[i - 1].id, scenario->weights) == 0)
            at = i;
    for (int step = 1; step < count; step++) {
        struct scenario changed;
        int next = ((at + direction * step) % count + count) % count;
        memcpy(&changed, scenario, sizeof changed);
        if (set(compute, arena, &changed, FIELD_WEIGHTS,
                next ? catalog->formats[next - 1].id : "auto") &&
            resolves(compute, &changed)) {
            memcpy(scenario, &changed, sizeof changed);
            return true;
        }
    }
    return false;
}

static bool turn_number(const struct compute *compute, const struct computed *computed,
                        struct arena *arena, struct scenario *scenario, enum field_id id,
                        int direction)
{
    const struct field *field = &fields[id];
    char text[UNITS_TEXT];
    bool share = id == FIELD_SPOT_PRICE_RATIO;
    double now = knob_number(computed, scenario, id);
    if (isnan(now))
        return false;
    double next = share           ? round((now + direction * share_step) * 100) / 100
                  : direction > 0 ? now * 2
                                  : now / 2;
    if (field->kind == FIELD_KIND_INT)
        next = fmax(floor(next), 1);
    next = fmin(fmax(next, field->minimum), field->maximum);
    if (next == now && direction < 0 && scenario_has(scenario, id))
        return set(compute, arena, scenario, id, "auto");
    return (next != now || !scenario_has(scenario, id)) &&
           set(compute, arena, scenario, id, units_plain(next, text));
}

bool knob_turn(const struct compute *compute, const struct computed *computed, struct arena *arena,
               struct scenario *scenario, enum field_id id, int direction)
{
    if (fields[id].kind == FIELD_KIND_CHOICE || fields[id].kind == FIELD_KIND_BOOL)
        return turn_choice(compute, arena, scenario, id, direction);
    if (id == FIELD_WEIGHTS)
        return turn_weights(compute, arena, scenario, direction);
    return is_number(id) && turn_number(compute, computed, arena, scenario, id, direction);
}

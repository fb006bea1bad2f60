#include "tests/drawn.h"

#include <math.h>

static uint64_t seed;
static struct arena *room; /* of the present draw */

void drawn_begin(uint64_t start)
{
    seed = start;
}

/* splitmix64 (Steele et al. 2014). */
static uint64_t next_bits(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

size_t drawn_below(size_t count)
{
    return (size_t)(next_bits() % count);
}

static bool one_in(size_t count)
{
    return drawn_below(count) == 0;
}

double drawn_between(double low, double high)
{
    size_t edge = drawn_below(12);
    if (edge < 2)
        return edge ? high : low;
    double from = low > 0 ? log(low) : 0;
    return exp(from + (log(high) - from) * (double)(next_bits() >> 11) * 0x1p-53);
}

static int power_of_two(int most)
{
    return 1 << drawn_below((size_t)most + 1);
}

static bool set(struct scenario *scenario, enum field_id id, const char *text)
{
    struct error error;
    return scenario_set(scenario, id, text, &catalog, room, &error);
}

static const char *some_id(enum field_id id)
{
    switch (id) {
    case FIELD_MODEL:
        return catalog.models[drawn_below(catalog.model_count)].id;
    case FIELD_WEIGHTS:
        return catalog.formats[drawn_below(catalog.format_count)].id;
    case FIELD_GPU:
        return catalog.gpus[drawn_below(catalog.gpu_count)].id;
    case FIELD_INSTANCE:
        return catalog.instances[drawn_below(catalog.instance_count)].type;
    default:
        return NULL; /* regions and disks are a matter of prices */
    }
}

static const char *some_value(const struct field *field)
{
    static const enum field_id splits[] = {FIELD_TP,   FIELD_PP,    FIELD_VP,
                                           FIELD_CP,   FIELD_EP,    FIELD_DP,
                                           FIELD_GPUS, FIELD_NODES, FIELD_GPUS_PER_NODE};
    size_t count = 0;
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
        if (field_id(field) == splits[i])
            return arena_printf(room, "%d", one_in(5) ? (int)drawn_below(12) + 1 : power_of_two(6));
    switch (field->kind) {
    case FIELD_KIND_BOOL:
        return one_in(2) ? "yes" : "no";
    case FIELD_KIND_INT:
        return arena_printf(room, "%.0f", drawn_between(field->minimum, field->maximum));
    case FIELD_KIND_NUMBER:
        return arena_printf(room, "%.6g", drawn_between(field->minimum, field->maximum));
    case FIELD_KIND_ID:
        return some_id(field_id(field));
    case FIELD_KIND_CHOICE:
    case FIELD_KIND_FLAGS:
        while (field->choices[count])
            count++;
        return field->choices[drawn_below(count)];
    case FIELD_KIND_MAP:
        break;
    }
    return NULL;
}

/* A shape of one layer or many, dense or of experts, grouped, latent, hybrid or with local layers.
 */
static const char *some_shape(void)
{
    int kv_heads = power_of_two(4), heads = kv_heads * power_of_two(3),
        head_dim = 8 << drawn_below(5);
    int layers = one_in(3) ? 1 : (int)drawn_below(99) + 1;
    const char *attention = "", *moe = "";
    switch (drawn_below(5)) {
    case 0:
        attention =
            arena_printf(room,
                         ", attention: {kv_lora_rank: %d, q_lora_rank: %d, "
                         "qk_nope_head_dim: %d, qk_rope_head_dim: 8, v_head_dim: %d}",
                         power_of_two(9), one_in(2) ? 0 : power_of_two(10), head_dim, head_dim);
        break;
    case 1:
        attention = arena_printf(room,
                                 ", attention: {linear: gated-deltanet, full_attention_every: %d, "
                                 "linear_key_heads: %d, linear_value_heads: %d, "
                                 "linear_key_dim: 16, linear_value_dim: 32, linear_conv: 4}",
                                 (int)drawn_below(6) + 1, power_of_two(5), power_of_two(5));
        break;
    case 2:
        attention = arena_printf(room, ", attention: {window: %d, local_layers: %d}",
                                 power_of_two(14), (int)drawn_below((size_t)layers) + 1);
        break;
    default:
        break;
    }
    if (one_in(2))
        moe = arena_printf(room,
                           ", moe: {experts: %d, top_k: 1, ffn_size: %d, shared_ffn_size: %d, "
                           "every: %d, first_dense: %d}",
                           power_of_two(8), power_of_two(12), one_in(2) ? 0 : 64,
                           (int)drawn_below(3) + 1, (int)drawn_below((size_t)layers + 1));
    return arena_printf(room,
                        "{layers: %d, hidden_size: %d, heads: %d, kv_heads: %d, head_dim: %d, "
                        "ffn_size: %d, vocab_size: %d, tied_embeddings: %s, ffn_gated: %s%s%s%s}",
                        layers, power_of_two(14), heads, kv_heads, head_dim, power_of_two(15),
                        one_in(3) ? 1 : power_of_two(18), one_in(2) ? "yes" : "no",
                        one_in(2) ? "yes" : "no", one_in(2) ? "" : ", max_context: 1", attention,
                        moe);
}

/* Which model, then every other question with the same chance. */
void drawn_scenario(struct scenario *scenario, struct arena *texts)
{
    room = texts;
    *scenario = (struct scenario){0};
    set(scenario, FIELD_WORKLOAD, workload_names[drawn_below(4)]);
    switch (drawn_below(4)) {
    case 0:
        set(scenario, FIELD_PARAMS_B, some_value(&fields[FIELD_PARAMS_B]));
        break;
    case 1:
        set(scenario, FIELD_ARCHITECTURE, some_shape());
        break;
    default:
        set(scenario, FIELD_MODEL, some_id(FIELD_MODEL));
    }
    size_t rarity = 3 + drawn_below(12);
    for (int i = FIELD_PRECISION; i < FIELD_COUNT; i++) {
        bool hardware = (i == FIELD_GPU || i == FIELD_INSTANCE);
        const char *value = one_in(hardware ? 3 : rarity) ? some_value(&fields[i]) : NULL;
        struct scenario before = *scenario;
        struct error error;
        if (value && field_applies((enum field_id)i, scenario) &&
            (!set(scenario, (enum field_id)i, value) ||
             !scenario_check(scenario, &catalog, NULL, &error)))
            *scenario = before; /* contradicts what was drawn before */
    }
}

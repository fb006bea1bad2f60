#include "tests/test.h"

#include <string.h>
#include "base/embedded.h"
#include "data/catalog.h"
#include "data/model_file.h"
#include "data/scenario.h"
#include "engine/model.h"

enum { MAX_MODELS = 200 };
static struct arena *arena;
static struct model models[MAX_MODELS];
static int model_total;

static int load(void **state)
{
    (void)state;
    arena = arena_new();
    const struct embedded_file *file = embedded_files;
    while (file->name && strcmp(file->name, "models.yaml") != 0)
        file++;
    assert_non_null(file->name);
    struct yaml_document document;
    struct error error = {0};
    if (!yaml_parse(arena, file->name, (const char *)file->bytes, (size_t)(file->end - file->bytes),
                    0, &document, &error))
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    const struct yaml_node *list = yaml_get(document.root, "models");
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        assert_true(model_total < MAX_MODELS);
        if (!model_read_map(&document, node, true, arena, &models[model_total++], &error))
            fail_msg("%d:%d: %s (%s)", error.line, error.column, error.message, error.hint);
    }
    return 0;
}

static int unload(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static const struct model *preset(const char *id)
{
    for (int i = 0; i < model_total; i++)
        if (strcmp(models[i].id, id) == 0)
            return &models[i];
    fail_msg("no preset %s", id);
    return NULL;
}

static bool read_inline(const char *text, struct model *model, struct error *error)
{
    struct yaml_document document;
    assert_true(yaml_parse(arena, "x", text, strlen(text), 0, &document, error));
    return model_read_map(&document, document.root, false, arena, model, error);
}

/* ---- counts ---------------------------------------------------------------------------------- */

static void every_preset_with_a_published_count_meets_it_to_the_unit(void **state)
{
    (void)state;
    int exact = 0;
    for (int i = 0; i < model_total; i++) {
        if (models[i].published_params == 0)
            continue;
        exact++;
        if (model_count(&models[i]).total != models[i].published_params)
            fail_msg("%s: counted %llu, published %llu", models[i].id,
                     (unsigned long long)model_count(&models[i]).total,
                     (unsigned long long)models[i].published_params);
    }
    assert_true(exact >= 120);
}

static void a_stated_count_is_the_model_and_its_extras(void **state)
{
    (void)state;
    for (int i = 0; i < model_total; i++) {
        const struct model *m = &models[i];
        uint64_t sum = model_count(m).total + m->extra.vision + m->extra.mtp + m->extra.masks
                       + m->extra.scales + m->extra.duplicated_head;
        if (m->stated_exact && sum != m->stated_params)
            fail_msg("%s: %llu, stated %llu", m->id, (unsigned long long)sum,
                     (unsigned long long)m->stated_params);
        if (!m->stated_exact) /* nominal sizes are rounded */
            assert_near((double)sum, (double)m->stated_params, 0.02);
    }
}

static void known_totals_are_met(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        uint64_t total;
    } known[] = {
        /* Hugging Face model pages */
        {"qwen2.5-7b", 7615616512}, {"llama-3.1-8b", 8030261248}, {"llama-2-13b", 13015864320},
        {"gemma-2-9b", 9241705984}, {"qwen3-30b-a3b", 30532122624}, {"mixtral-8x7b", 46702792704},
        /* the page's 684,531,386,000 less the MTP module and the FP8 scales */
        {"deepseek-v3", 671026419200},
        /* GPT-2: 124M as everyone says */
        {"gpt2-small", 124439808},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(model_count(preset(known[i].id)).total, known[i].total);
}

/* Qwen2.5-7B by hand: 28 layers, width 3584, 28 heads, 4 for K and V, 128 wide, FFN 18944. */
static void the_parts_of_a_dense_model_are_what_one_works_out(void **state)
{
    (void)state;
    struct param_counts c = model_count(preset("qwen2.5-7b"));
    assert_int_equal(c.embedding, 152064ULL * 3584);
    assert_int_equal(c.head, 152064ULL * 3584);
    assert_int_equal(c.attention, 28ULL * (3584 * 3584 + 2 * 3584 * 512 + 3584 * 3584));
    assert_int_equal(c.dense_ffn, 28ULL * 3 * 3584 * 18944);
    assert_int_equal(c.experts, 0);
    assert_int_equal(c.router, 0);
    assert_int_equal(c.norms_biases, 28ULL * (2 * 3584 + 3584 + 2 * 512) + 3584);
    assert_int_equal(c.active, c.total);
    assert_int_equal(c.quantisable, c.attention + c.dense_ffn);
    assert_int_equal(c.matmul_active, c.attention + c.dense_ffn + c.head);
}

/* DeepSeek-V3's FFNs by hand: 3 dense layers 18432 wide, 58 of 256 experts and one shared, 2048. */
static void the_parts_of_a_mixture_are_what_one_works_out(void **state)
{
    (void)state;
    struct param_counts c = model_count(preset("deepseek-v3"));
    uint64_t expert = 3ULL * 7168 * 2048;
    assert_int_equal(c.dense_ffn, 3ULL * 3 * 7168 * 18432 + 58 * expert);
    assert_int_equal(c.experts, 58 * 256 * expert);
    assert_int_equal(c.router, 58ULL * 256 * 7168);
    assert_int_equal(c.total - c.active, 58 * (256 - 8) * expert);
    /* latent attention: q 7168 -> 1536 -> 128 x 192; kv 7168 -> 576, 512 -> 128 x 256; out */
    assert_int_equal(c.attention, 61ULL * (7168 * 1536 + 1536 * 128 * 192 + 7168 * 576
                                           + 512 * 128 * 256 + 128 * 128 * 7168));
}

static void the_parts_make_the_whole(void **state)
{
    (void)state;
    for (int i = 0; i < model_total; i++) {
        struct param_counts c = model_count(&models[i]);
        assert_int_equal(c.total, c.embedding + c.head + c.attention + c.dense_ffn + c.experts
                                      + c.router + c.norms_biases);
        assert_true(c.active <= c.total);
        assert_true(c.matmul_active <= c.total + c.embedding);
    }
}

static void active_counts_are_those_of_the_papers(void **state)
{
    (void)state;
    /* Mixtral paper (arXiv 2401.04088): 12.9B, 39B; DeepSeek-V3 report (arXiv 2412.19437): 37B */
    assert_near((double)model_count(preset("mixtral-8x7b")).active, 12.9e9, 0.005);
    assert_near((double)model_count(preset("mixtral-8x22b")).active, 39e9, 0.01);
    assert_near((double)model_count(preset("deepseek-v3")).active, 37e9, 0.02);
    /* gpt-oss cards count without the input embedding: 3.6B and 5.1B */
    struct param_counts small = model_count(preset("gpt-oss-20b"));
    struct param_counts large = model_count(preset("gpt-oss-120b"));
    assert_near((double)(small.active - small.embedding), 3.6e9, 0.01);
    assert_near((double)(large.active - large.embedding), 5.1e9, 0.01);
}

/* Cards round, and count with the embeddings or without. */
static void a_stated_active_count_is_met_by_one_of_the_conventions(void **state)
{
    (void)state;
    for (int i = 0; i < model_total; i++) {
        struct param_counts c = model_count(&models[i]);
        double stated = (double)models[i].stated_active_params;
        if (stated == 0)
            continue;
        double best = INFINITY;
        double counts[] = {(double)c.active, (double)(c.active - c.embedding),
                           (double)(c.active - c.embedding - c.head)};
        for (int k = 0; k < 3; k++)
            best = fmin(best, fabs(counts[k] / stated - 1));
        if (best > 0.1)
            fail_msg("%s: %.3g active, stated %.3g", models[i].id, counts[0], stated);
    }
}

/* ---- adapters -------------------------------------------------------------------------------- */

static void adapters_have_rank_times_in_plus_out(void **state)
{
    (void)state;
    /* litgpt's log of Llama 2: 4,194,304 and 6,553,600 at rank 8 on q and v */
    assert_int_equal(model_lora_params(preset("llama-2-7b"), LORA_Q | LORA_V, 8), 4194304);
    assert_int_equal(model_lora_params(preset("llama-2-13b"), LORA_Q | LORA_V, 8), 6553600);
    /* all linear, Llama 3.1 8B, rank 16: 41,943,040 as PEFT prints */
    assert_int_equal(model_lora_params(preset("llama-3.1-8b"), LORA_ALL_LINEAR, 16), 41943040);
    /* without a gate matrix GATE adds nothing: GPT-2, 12 layers, up and down 768 x 3072 */
    assert_int_equal(model_lora_params(preset("gpt2-small"), LORA_GATE | LORA_UP | LORA_DOWN, 4),
                     12 * 4 * 2 * (768 + 3072));
    /* head and embedding are 4096 x 32000 each: 8 * 36096 (litgpt's lora_head, PEFT's lm_head) */
    assert_int_equal(model_lora_params(preset("llama-2-7b"), LORA_HEAD, 8), 288768);
    assert_int_equal(model_lora_params(preset("llama-2-7b"), LORA_HEAD | LORA_EMBED, 8), 577536);
}

static void every_routed_expert_gets_its_adapter(void **state)
{
    (void)state;
    /* Mixtral: 32 layers x 8 experts x 3 matrices of 4096 x 14336 */
    assert_int_equal(model_lora_params(preset("mixtral-8x7b"), LORA_GATE | LORA_UP | LORA_DOWN, 8),
                     32ULL * 8 * 3 * 8 * (4096 + 14336));
}

/* ---- shapes from a size ---------------------------------------------------------------------- */

static void a_size_alone_gives_exactly_that_many_parameters(void **state)
{
    (void)state;
    static const double sizes[] = {0.05, 0.124, 0.5, 1,  1.5, 2.9, 3,    7.5,
                                   8,    13,    34,  70, 175, 530, 1000, 2000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct model model = model_from_params(sizes[i]);
        assert_null(model_finish(&model));
        struct param_counts c = model_count(&model);
        assert_true((double)c.total == round(sizes[i] * 1e9));
        assert_true(c.dense_ffn > c.attention); /* as in every published dense model */
        assert_int_equal(c.total,
                         c.embedding + c.head + c.attention + c.dense_ffn + c.norms_biases);
    }
}

static void a_made_up_shape_looks_like_its_neighbours(void **state)
{
    (void)state;
    struct model model = model_from_params(8.03);
    assert_int_equal(model.layers, 32); /* Llama 3.1 8B */
    assert_int_equal(model.hidden_size, 4096);
    assert_int_equal(model.heads, 32);
    assert_int_equal(model.kv_heads, 8);
    assert_near(model.ffn_size, 14336, 0.01);
    model = model_from_params(70.55);
    assert_int_equal(model.layers, 80);
    assert_int_equal(model.hidden_size, 8192);
    assert_near(model.ffn_size, 28672, 0.01);
    double last = 0;
    for (double size = 0.1; size < 1500; size *= 1.1) { /* bigger is never thinner and shallower */
        model = model_from_params(size);
        assert_true((double)model.layers * model.hidden_size >= last);
        last = (double)model.layers * model.hidden_size;
    }
}

/* ---- cache ----------------------------------------------------------------------------------- */

static void the_cache_of_one_token_is_two_kv_heads_wide_in_every_layer(void **state)
{
    (void)state;
    assert_true(model_kv_bytes(preset("qwen2.5-7b"), 1, 2, 1) == 57344); /* 2 x 28 x 4 x 128 x 2 */
    assert_true(model_kv_bytes(preset("llama-2-7b"), 1, 2, 1) == 524288);
    /* Qwen3-4B's heads are 128 wide, not 2560 / 32 */
    assert_true(model_kv_bytes(preset("qwen3-4b"), 1, 2, 1) == 2 * 36 * 8 * 128 * 2);
}

static void a_latent_cache_is_small_and_never_split(void **state)
{
    (void)state;
    const struct model *v3 = preset("deepseek-v3");
    assert_true(model_kv_bytes(v3, 1, 2, 1) == 70272); /* 61 x (512 + 64) x 2 */
    assert_true(model_kv_bytes(v3, 1, 2, 8) == 70272);
    assert_near(model_kv_bytes(v3, 32768, 2, 1) / 1073741824.0, 2.14, 0.003);
    /* the indexer of V3.2 keeps one key of 128 a layer */
    assert_true(model_kv_bytes(preset("deepseek-v3.2"), 1, 2, 1) == 61 * (512 + 64 + 128) * 2);
}

static void heads_replicate_when_tensor_parallel_exceeds_them(void **state)
{
    (void)state;
    const struct model *qwen = preset("qwen2.5-7b"); /* 4 KV heads */
    assert_true(model_kv_bytes(qwen, 100, 2, 4) == 57344 * 100 / 4);
    assert_true(model_kv_bytes(qwen, 100, 2, 8) == 57344 * 100 / 4);
}

static void local_layers_hold_a_window(void **state)
{
    (void)state;
    /* Gemma 2 9B: 21 of 42 layers hold 4096 tokens; 2 x 8 x 256 elements a layer */
    const struct model *gemma = preset("gemma-2-9b");
    assert_true(model_kv_bytes(gemma, 8192, 2, 1) == 2.0 * 4096 * (21 * 8192 + 21 * 4096));
    assert_true(model_kv_bytes(gemma, 1000, 2, 1) == 2.0 * 4096 * 42 * 1000);
    /* Mistral 7B v0.1: all layers */
    assert_true(model_kv_bytes(preset("mistral-7b-v0.1"), 32768, 2, 1)
                == model_kv_bytes(preset("mistral-7b-v0.1"), 4096, 2, 1));
    /* Llama 4 Scout: 36 of 48 layers see one chunk of 8192 */
    struct kv_layers scout = model_kv_layers(preset("llama-4-scout-17b-16e"));
    assert_int_equal(scout.full, 12);
    assert_int_equal(scout.local, 36);
    assert_int_equal(scout.window, 8192);
    /* Gemma 4 26B: 25 local layers of 8 x 256, 5 global ones of 2 x 512 */
    struct kv_layers gemma4 = model_kv_layers(preset("gemma-4-26b-a4b"));
    assert_int_equal(gemma4.full, 5);
    assert_true(gemma4.local_elements == 4096);
    assert_true(gemma4.full_elements == 2048);
    assert_int_equal(gemma4.kv_heads, 2);
}

static void linear_layers_hold_a_state_that_does_not_grow(void **state)
{
    (void)state;
    /* Qwen3-Next: 12 of 48 layers full, 2 x 2 x 256; 36 states of 32 heads x 128 x 128 in fp32 and
     * three inputs of 8192 channels in 16 bits */
    const struct model *next = preset("qwen3-next-80b-a3b");
    double fixed = 36 * (32.0 * 128 * 128 * 4 + 3.0 * 8192 * 2);
    assert_true(model_kv_bytes(next, 0, 2, 1) == fixed);
    assert_true(model_kv_bytes(next, 1000, 2, 1) == fixed + 12.0 * 1024 * 2 * 1000);
}

/* ---- inline shapes --------------------------------------------------------------------------- */

static void an_inline_shape_needs_only_five_sizes(void **state)
{
    (void)state;
    struct model model;
    struct error error = {0};
    assert_true(read_inline("{layers: 80, hidden_size: 8192, heads: 64, ffn_size: 32768, "
                            "vocab_size: 50368, ffn_gated: no}",
                            &model, &error));
    assert_int_equal(model.kv_heads, 64);
    assert_int_equal(model.head_dim, 128);
    assert_int_equal(model.attention.kind, ATTENTION_MHA);
    assert_false(model.tied_embeddings);
    /* 80 x (4 + 8) x 8192^2, two tables, 161 norms */
    assert_int_equal(model_count(&model).total,
                     80ULL * 12 * 8192 * 8192 + 2ULL * 50368 * 8192 + 161ULL * 8192);
}

static void an_unsound_shape_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"{layers: 2, hidden_size: 64, heads: 4, vocab_size: 10}", "ffn_size"},
        {"{layers: 2, hidden_size: 64, heads: 4, ffn_size: 8}", "vocab_size"},
        {"{layers: 2, hidden_size: 65, heads: 4, ffn_size: 8, vocab_size: 9}", "head_dim"},
        {"{layers: 2, hidden_size: 64, heads: 4, kv_heads: 3, ffn_size: 8, vocab_size: 9}",
         "multiple"},
        {"{layers: 0, hidden_size: 64, heads: 4, ffn_size: 8, vocab_size: 9}", "outside 1 to 1000"},
        {"{layers: 2, hidden_size: 64, heads: 4, ffn_size: 8, vocab_size: 9, id: x}",
         "unknown key 'id'"},
        {"{layers: 2, hidden_size: 64, heads: 4, ffn_size: 8, vocab_size: 9, moe: {experts: 4}}",
         "top_k"},
        {"{layers: 2, hidden_size: 64, heads: 4, ffn_size: 8, vocab_size: 9, "
         "attention: {kv_lora_rank: 4}}",
         "qk_nope_head_dim"},
        {"{layers: 2, hidden_size: 64, heads: 4, ffn_size: 8, vocab_size: 9, "
         "attention: {window: 4, local_layers: 3}}",
         "local_layers"},
        {"{layers: 2, hidden_size: 64, heads: 4, ffn_size: 8, vocab_size: 9, "
         "attention: {linear: gated-deltanet}}",
         "full_attention_every"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model model;
        struct error error = {0};
        assert_false(read_inline(cases[i].text, &model, &error));
        if (!strstr(error.message, cases[i].part))
            fail_msg("%s: '%s' does not say %s", cases[i].text, error.message, cases[i].part);
        assert_int_equal(error.line, 1);
    }
}

static void presets_have_names_sources_and_places(void **state)
{
    (void)state;
    assert_true(model_total >= 150);
    int listed = 0;
    struct catalog catalog;
    struct error error = {0};
    if (!catalog_load(NULL, &catalog, &error))
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    for (int i = 0; i < model_total; i++) {
        listed += models[i].listed;
        assert_true(models[i].source[0] != '\0' && models[i].params_source[0] != '\0');
        assert_true(models[i].family[0] != '\0');
        assert_non_null(catalog_format(&catalog, models[i].native_dtype));
        for (int k = 0; k < i; k++)
            assert_string_not_equal(models[i].id, models[k].id);
    }
    assert_true(listed >= 60 && listed <= 80);
    catalog_clear(&catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_with_a_published_count_meets_it_to_the_unit),
        cmocka_unit_test(a_stated_count_is_the_model_and_its_extras),
        cmocka_unit_test(known_totals_are_met),
        cmocka_unit_test(the_parts_of_a_dense_model_are_what_one_works_out),
        cmocka_unit_test(the_parts_of_a_mixture_are_what_one_works_out),
        cmocka_unit_test(the_parts_make_the_whole),
        cmocka_unit_test(active_counts_are_those_of_the_papers),
        cmocka_unit_test(a_stated_active_count_is_met_by_one_of_the_conventions),
        cmocka_unit_test(adapters_have_rank_times_in_plus_out),
        cmocka_unit_test(every_routed_expert_gets_its_adapter),
        cmocka_unit_test(a_size_alone_gives_exactly_that_many_parameters),
        cmocka_unit_test(a_made_up_shape_looks_like_its_neighbours),
        cmocka_unit_test(the_cache_of_one_token_is_two_kv_heads_wide_in_every_layer),
        cmocka_unit_test(a_latent_cache_is_small_and_never_split),
        cmocka_unit_test(heads_replicate_when_tensor_parallel_exceeds_them),
        cmocka_unit_test(local_layers_hold_a_window),
        cmocka_unit_test(linear_layers_hold_a_state_that_does_not_grow),
        cmocka_unit_test(an_inline_shape_needs_only_five_sizes),
        cmocka_unit_test(an_unsound_shape_is_refused),
        cmocka_unit_test(presets_have_names_sources_and_places),
    };
    return cmocka_run_group_tests(tests, load, unload);
}

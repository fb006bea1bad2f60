/* Tables of memory: their cells against the plan they are made from, and their order. */
#include "tests/test.h"

#include <string.h>
#include "engine/matrix.h"
#include "report/report_matrix.h"
#include "tests/fixture.h"

static const char *const today = "2026-12-01";

static void matrix_of(enum matrix_kind kind, const char *pairs, struct matrix *matrix)
{
    struct scenario scenario = answers(pairs);
    struct error error = {0};
    if (!matrix_compute(kind, &catalog, &constants, &scenario, today, arena, matrix, &error))
        fail_msg("%s: %s", pairs, error.message);
}

static int asked(const struct matrix_head *heads, int count)
{
    int found = -1;
    for (int i = 0; i < count; i++)
        if (heads[i].asked) {
            assert_int_equal(found, -1);
            found = i;
        }
    return found;
}

static const char *const jobs[] = {
    "workload=lora model=qwen2.5-7b seq_len=3000", "workload=full model=qwen2.5-7b micro_batch=3",
    "workload=inference model=qwen2.5-7b concurrency=10 context=8192",
    "workload=inference model=llama-3.1-8b context=5000"};

/* The cell that the answers ask for is the need of the first offer of the plan. */
static void the_cell_asked_for_is_the_offer_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct scenario scenario = answers(jobs[i]);
        struct matrix matrix;
        struct plan plan;
        struct error error;
        matrix_of(MATRIX_LENGTHS, jobs[i], &matrix);
        assert_true(plan_compute(&catalog, &constants, &scenario, today, &plan, &error));
        int row = asked(matrix.row_heads, matrix.rows), col = asked(matrix.col_heads, matrix.cols);
        assert_true(row >= 0 && col >= 0);
        assert_near(matrix.cells[row][col].need_gib, plan.offers[0].memory.need_gib, 1e-9);
        assert_int_equal(matrix.cells[row][col].verdict, plan.offers[0].memory.verdict);
        plan_clear(&plan);
    }
}

/* Every user holds its whole context: 28 layers x 2 x 4 heads x 128 x 2 bytes are 56 KiB a token of
 * Qwen2.5-7B, so 16 more users at 8,192 tokens need 16 x 448 MiB = 7 GiB more, and 8
 * users at four times the context as much as 32. */
static void users_times_context_is_what_the_cache_holds(void **state)
{
    (void)state;
    struct scenario scenario = answers("workload=inference model=qwen2.5-7b gpu=h20-96");
    struct plan plan;
    struct error error;
    assert_true(plan_compute(&catalog, &constants, &scenario, today, &plan, &error));
    double kv[3];
    const struct {
        double length, users;
    } cells[] = {{8192, 16}, {8192, 32}, {32768, 8}};
    for (int i = 0; i < 3; i++)
        kv[i] =
            matrix_need_at(&plan.job, &plan.offers[0], &constants, cells[i].length, cells[i].users)
                .components_gib[COMPONENT_KV_CACHE];
    assert_near(kv[1] - kv[0], 7, 1e-3);
    assert_near(kv[2], kv[1], 1e-3);
    plan_clear(&plan);
}

static void lengths_and_batches_ascend_without_repeating(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct matrix matrix;
        matrix_of(MATRIX_LENGTHS, jobs[i], &matrix);
        for (int row = 1; row < matrix.rows; row++)
            assert_true(matrix.row_heads[row].value > matrix.row_heads[row - 1].value);
        for (int col = 1; col < matrix.cols; col++)
            assert_true(matrix.col_heads[col].value > matrix.col_heads[col - 1].value);
    }
}

/* Activations grow with tokens in flight, everything else stays: more never needs less. */
static void longer_and_larger_training_never_needs_less(void **state)
{
    (void)state;
    struct matrix matrix;
    matrix_of(MATRIX_LENGTHS, jobs[0], &matrix);
    for (int row = 0; row < matrix.rows; row++)
        for (int col = 0; col < matrix.cols; col++) {
            if (row > 0)
                assert_true(matrix.cells[row][col].need_gib >= matrix.cells[row - 1][col].need_gib);
            if (col > 0)
                assert_true(matrix.cells[row][col].need_gib >= matrix.cells[row][col - 1].need_gib);
        }
}

/* Asked for as an answer of its own, the longest length fits and the next step does not. */
static void the_longest_length_is_the_last_that_fits(void **state)
{
    (void)state;
    struct matrix matrix;
    struct scenario scenario = answers(jobs[0]);
    struct plan plan;
    struct error error;
    matrix_of(MATRIX_LENGTHS, jobs[0], &matrix);
    assert_true(plan_compute(&catalog, &constants, &scenario, today, &plan, &error));
    int col = asked(matrix.col_heads, matrix.cols);
    assert_true(matrix.longest[col] >= 3000 - 3000 % MATRIX_STEP &&
                matrix.longest[col] < matrix.most);
    for (int more = 0; more <= 1; more++) {
        struct matrix other;
        plan.job.seq_len = matrix.longest[col] + more * MATRIX_STEP;
        matrix_lengths(&plan.job, &plan.offers[0], &constants, &other);
        const struct matrix_cell *cell =
            &other.cells[asked(other.row_heads, other.rows)][asked(other.col_heads, other.cols)];
        assert_int_equal(cell->verdict == VERDICT_FITS, !more);
    }
    plan_clear(&plan);
}

/* A GPU's cell has the least number of GPUs among the offers on it. */
static void a_method_shows_the_fewest_gpus(void **state)
{
    (void)state;
    struct matrix matrix;
    struct scenario scenario = answers("workload=lora weights=nf4 model=qwen2.5-7b");
    struct plan plan;
    struct error error;
    matrix_of(MATRIX_METHODS, "workload=lora weights=nf4 model=qwen2.5-7b", &matrix);
    assert_int_equal(matrix.cols, 3); /* full, LoRA, QLoRA */
    int col = asked(matrix.col_heads, matrix.cols);
    assert_string_equal(matrix.col_heads[col].name, "QLoRA, 4-bit");
    assert_true(plan_compute(&catalog, &constants, &scenario, today, &plan, &error));
    for (int row = 0; row < matrix.rows; row++) {
        int fewest = 0;
        for (size_t i = 0; i < plan.offer_count; i++)
            if (strcmp(plan.offers[i].hardware.gpu->id, matrix.row_heads[row].name) == 0 &&
                plan.offers[i].instance->gpu_fraction >= 1 &&
                (!fewest || plan.offers[i].hardware.gpus < fewest))
                fewest = plan.offers[i].hardware.gpus;
        assert_int_equal(matrix.cells[row][col].possible, fewest > 0);
        if (fewest)
            assert_int_equal(matrix.cells[row][col].gpus, fewest);
        else
            assert_true(*matrix.cells[row][col].why != '\0');
    }
    plan_clear(&plan);
}

/* 7.62e9 parameters with mixed-precision Adam take 16 bytes each or more: 113 GiB, so one card of
 * 94 GiB cannot hold the states, and QLoRA's 4-bit base of about 5 GiB fits 24 GB cards. */
static void full_needs_more_cards_than_qlora(void **state)
{
    (void)state;
    struct matrix matrix;
    matrix_of(MATRIX_METHODS, "workload=full model=qwen2.5-7b", &matrix);
    for (int row = 0; row < matrix.rows; row++) {
        if (matrix.cells[row][0].possible)
            assert_true(matrix.cells[row][0].gpus > 1);
        if (strcmp(matrix.row_heads[row].name, "a10") == 0)
            assert_int_equal(matrix.cells[row][2].gpus, 1);
    }
}

static void programs_get_one_row_a_cell(void **state)
{
    (void)state;
    struct matrix matrix;
    struct table table;
    for (int kind = 0; kind < MATRIX_KINDS; kind++) {
        matrix_of((enum matrix_kind)kind, jobs[0], &matrix);
        report_matrix_table(&matrix, arena, &table);
        assert_int_equal(table_rows(&table), matrix.rows * matrix.cols);
        assert_int_equal(table.cell_count,
                         (size_t)(matrix.rows * matrix.cols * table.column_count));
    }
}

static void the_page_keeps_to_its_width(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        for (int kind = 0; kind < MATRIX_KINDS; kind++) {
            struct matrix matrix;
            struct report report;
            struct strbuf text = {0};
            matrix_of((enum matrix_kind)kind, jobs[i], &matrix);
            report_matrix(&matrix, arena, &report);
            report_write_text(&report, &text);
            for (char *save = NULL, *line = strtok_r(text.data, "\n", &save); line;
                 line = strtok_r(NULL, "\n", &save))
                assert_true(text_width(line) <= REPORT_WIDTH);
            strbuf_clear(&text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cell_asked_for_is_the_offer_itself),
        cmocka_unit_test(users_times_context_is_what_the_cache_holds),
        cmocka_unit_test(lengths_and_batches_ascend_without_repeating),
        cmocka_unit_test(longer_and_larger_training_never_needs_less),
        cmocka_unit_test(the_longest_length_is_the_last_that_fits),
        cmocka_unit_test(a_method_shows_the_fewest_gpus),
        cmocka_unit_test(full_needs_more_cards_than_qlora),
        cmocka_unit_test(programs_get_one_row_a_cell),
        cmocka_unit_test(the_page_keeps_to_its_width),
    };
    return cmocka_run_group_tests(tests, fixture_load, fixture_unload);
}

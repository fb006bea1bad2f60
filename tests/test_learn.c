/* Lessons: those that come with the program, broken ones, and a lesson made for these tests. */
#include "tests/test.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/text.h"
#include "engine/learn.h"
#include "report/worksheet.h"
#include "tests/sandbox.h"

static struct catalog catalog;
static struct constants constants;
static struct arena *arena;
static struct learn_world world = {&catalog, &constants, "2026-12-01", false};

static int begin(void **state)
{
    struct error error = {0};
    if (sandbox_begin(state) != 0)
        return -1;
    arena = arena_new();
    i18n_set_language(LANGUAGE_EN);
    if (catalog_load("data", &catalog, &error) && constants_load("data", arena, &constants, &error))
        return 0;
    print_error("%s:%d: %s\n", error.file, error.line, error.message);
    return -1;
}

static int end(void **state)
{
    arena_free(arena);
    catalog_clear(&catalog);
    return sandbox_end(state);
}

static size_t all_lessons(struct lesson **lessons)
{
    struct error error = {0};
    size_t count;
    if (!lesson_load_all("data", arena, lessons, &count, &error))
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    return count;
}

/* ---- the course ----------------------------------------------------------------------------- */

static void the_course_has_twenty_lessons_and_takes_about_two_hours(void **state)
{
    (void)state;
    struct lesson *lessons;
    size_t count = all_lessons(&lessons);
    double minutes = 0;
    assert_int_equal(count, 20);
    for (size_t i = 0; i < count; i++) {
        minutes += lessons[i].minutes;
        assert_true(i == 0 || lessons[i].order > lessons[i - 1].order);
    }
    assert_true(minutes >= 100 && minutes <= 150);
}

/* Also that every goal is false at its start, one choice is right, and every text can be filled. */
static void every_lesson_is_solved_by_its_recorded_keys_in_both_languages(void **state)
{
    (void)state;
    struct lesson *lessons;
    size_t count = all_lessons(&lessons);
    for (size_t i = 0; i < count; i++) {
        struct error error = {0};
        if (!lesson_verify(&world, &lessons[i], &error))
            fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    }
}

static void every_lesson_asks_and_lets_try(void **state)
{
    (void)state;
    struct lesson *lessons;
    size_t count = all_lessons(&lessons);
    for (size_t i = 0; i < count; i++) {
        int kinds[LESSON_KINDS] = {0};
        for (int k = 0; k < lessons[i].step_count; k++)
            kinds[lessons[i].steps[k].kind]++;
        if (!kinds[LESSON_PREDICT] || !kinds[LESSON_TRY] || !kinds[LESSON_REVEAL])
            fail_msg("%s lacks a kind of step", lessons[i].name);
    }
}

/* A wrong answer is answered in figures: each reason holds one. */
static void every_reason_holds_a_figure(void **state)
{
    (void)state;
    struct lesson *lessons;
    size_t count = all_lessons(&lessons);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < lessons[i].step_count; k++) {
            const struct lesson_step *step = &lessons[i].steps[k];
            for (int choice = 0; choice < step->choice_count; choice++)
                for (int language = 0; language < 2; language++)
                    if (!strchr(step->choices[choice].because.text[language], '{'))
                        fail_msg("%s, step %d, choice %d", lessons[i].name, k + 1, choice + 1);
        }
}

/* A digit before a unit of the engine, outside of braces. What defines a unit is allowed. */
static bool has_typed_figure(const char *text)
{
    static const char *const units[] = {"GiB",    "tokens", "token", "CNY", "%",
                                        "TFLOPS", "GB/s",   "MB/s",  "元",  "小时"};
    int braces = 0;
    for (const char *at = text; *at; at++) {
        braces += (*at == '{') - (*at == '}');
        if (braces || !isdigit((unsigned char)*at) || strncmp(at, "1 GiB", 5) == 0)
            continue;
        const char *end = at + strspn(at, "0123456789.,");
        end += *end == ' ';
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strncmp(end, units[i], strlen(units[i])) == 0)
                return true;
    }
    return false;
}

static void no_figure_of_the_engine_is_typed_into_a_text(void **state)
{
    (void)state;
    struct lesson *lessons;
    size_t count = all_lessons(&lessons);
    assert_true(has_typed_figure("it needs 14.2 GiB"));
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < lessons[i].step_count; k++)
            for (int language = 0; language < 2; language++)
                if (has_typed_figure(lessons[i].steps[k].text.text[language]))
                    fail_msg("%s, step %d: %s", lessons[i].name, k + 1,
                             lessons[i].steps[k].text.text[language]);
}

/* All that a lesson says from beginning to end. */
static void write_lesson(const struct lesson *lesson, struct strbuf *out)
{
    struct learn learn;
    struct error error = {0};
    if (!learn_start(&learn, &world, lesson, &error))
        fail_msg("%s: %s", lesson->name, error.message);
    for (const struct lesson_step *step; (step = learn_step(&learn)) != NULL;) {
        learn_fill(&learn, &step->text, out, &error);
        learn_watch(&learn, out);
        for (int i = 0; i < step->choice_count; i++)
            learn_fill(&learn, &step->choices[i].because, out, &error);
        if (!learn_next(&learn, &error))
            fail_msg("%s: %s", lesson->name, error.message);
    }
    learn_clear(&learn);
}

/* All constants a tenth larger. The figures of three lessons come from the catalog alone. */
static void a_changed_constant_changes_what_lessons_say(void **state)
{
    (void)state;
    struct lesson *lessons;
    size_t count = all_lessons(&lessons), changed = 0;
    struct constants before = constants;
    for (size_t i = 0; i < count; i++) {
        struct strbuf first = {0}, second = {0};
        write_lesson(&lessons[i], &first);
        for (const struct constant_info *info = constant_table; info->key; info++)
            for (int member = 0; !info->is_bool && member < constant_members(info->group); member++)
                constant_set(&constants, info, member,
                             1.1 * constant_get(&constants, info, member));
        write_lesson(&lessons[i], &second);
        constants = before;
        changed += strcmp(strbuf_text(&first), strbuf_text(&second)) != 0;
        strbuf_clear(&first);
        strbuf_clear(&second);
    }
    assert_true(changed >= count - 3);
}

/* ---- broken lessons ------------------------------------------------------------------------- */

#define HEAD                                                                                       \
    "schema: gpuwiz.lesson/1\ntitle: {en: T, zh: T}\nsummary: {en: S, zh: S}\norder: 1\nminutes: " \
    "2\n"
#define SCENE "scenario: {workload: lora, model: qwen2.5-7b, gpu: a10}\n"
#define TRY                                                                                        \
    "steps:\n- try:\n    task: {en: t, zh: t}\n    knobs: [weights]\n    hint: {en: h, zh: h}\n"

static const struct broken {
    const char *text, *message;
    int line, column;
} broken[] = {
    {HEAD SCENE "steps:\n- txt: {en: a, zh: a}\n", "txt", 8, 3},
    {HEAD SCENE "steps:\n- text: {en: a}\n", "zh", 8, 9},
    {HEAD SCENE "steps:\n- text: {en: 'a {memory.wieghts}', zh: a}\n", "memory.wieghts", 8, 14},
    {HEAD SCENE "steps:\n- with: {gpu: l20}\n", "a step is one of", 8, 3},
    {HEAD SCENE "steps:\n- text: {en: a, zh: a}\n  reveal: {en: b, zh: b}\n", "a step is one of", 8,
     3},
    {HEAD SCENE "steps: []\n", "list", 7, 8},
    {HEAD "scenario: {workload: lora, model: qwen2.5-7c}\nsteps:\n- text: {en: a, zh: a}\n",
     "qwen2.5-7c", 6, 35},
    {HEAD SCENE TRY "    goal: memory.need < 100\n    keys: [weights=nf4]\n", "holds before", 12,
     11},
    {HEAD SCENE TRY "    goal: memory.need < 0\n    keys: [weights=nf4]\n", "do not reach", 12, 11},
    {HEAD SCENE TRY "    goal: memory.need <\n    keys: [weights=nf4]\n", "is missing", 12, 24},
    {HEAD SCENE TRY "    goal: memory.need < 20\n    keys: [seq_len=512]\n", "seq_len=512", 8, 3},
    {HEAD SCENE "steps:\n- predict:\n    question: {en: q, zh: q}\n    key: '9'\n",
     "either choices or an answer", 8, 3},
    {HEAD SCENE
     "steps:\n- predict:\n    question: {en: q, zh: q}\n    answer: memory.need\n    key: '9'\n",
     "low and high", 10, 5},
    {HEAD SCENE
     "steps:\n- predict:\n    question: {en: q, zh: q}\n    answer: memory.weights\n    key: '99'\n"
     "    low: {en: l, zh: l}\n    high: {en: h, zh: h}\n",
     "recorded key", 8, 3},
    {HEAD SCENE "steps:\n- predict:\n    question: {en: q, zh: q}\n    key: '1'\n    choices:\n"
                "    - {text: {en: a, zh: a}, right: 1 == 1, because: {en: b, zh: b}}\n"
                "    - {text: {en: a, zh: a}, right: 1 == 1, because: {en: b, zh: b}}\n",
     "exactly one", 8, 3},
    {HEAD "scenario: {workload: lora, model: qwen2.5-7b, gpu: a10}\nvariants: {x: {gpu: a11}}\n"
          "steps:\n- text: {en: a, zh: a}\n",
     "a11", 7, 21},
};

static void a_broken_lesson_is_refused_with_line_and_column(void **state)
{
    (void)state;
    static const struct data_kind *const kinds[] = {&lesson_kind, NULL};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct error error = {0};
        const char *path = sandbox_write("broken.yaml", broken[i].text);
        if (data_check_file(path, "data", kinds, &error))
            fail_msg("accepted:\n%s", broken[i].text);
        if (!strstr(error.message, broken[i].message) || error.line != broken[i].line ||
            error.column != broken[i].column)
            fail_msg("%s\n%d:%d: %s", broken[i].text, error.line, error.column, error.message);
    }
}

/* The example of gpuwiz-data(5) is a good lesson. */
static void the_lesson_in_the_manual_can_be_played(void **state)
{
    (void)state;
    static const struct data_kind *const kinds[] = {&lesson_kind, NULL};
    struct strbuf page = {0};
    struct error error = {0};
    assert_true(file_read("man/gpuwiz-data.5", 1 << 20, &page, &error));
    char *example = strstr(page.data, "\nschema: gpuwiz.lesson/1\n"),
         *stop = example ? strstr(example, "\n.Ed") : NULL;
    assert_non_null(stop);
    *stop = '\0';
    if (!data_check_file(sandbox_write("example.yaml", example + 1), "data", kinds, &error))
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    strbuf_clear(&page);
}

/* ---- one lesson, step by step --------------------------------------------------------------- */

static const char own_lesson[] = HEAD SCENE
    "variants: {q: {weights: nf4}}\n"
    "steps:\n"
    "- text: {en: 'Weights: {memory.weights} GiB.', zh: '权重：{memory.weights} GiB。'}\n"
    "- predict:\n"
    "    question: {en: 'How many?', zh: 几个？}\n"
    "    answer: memory.weights\n"
    "    tolerance: 0.1\n"
    "    unit: GiB\n"
    "    key: '14'\n"
    "    low: {en: 'More, {memory.weights}.', zh: 'x'}\n"
    "    high: {en: 'Less.', zh: 'x'}\n"
    "- predict:\n"
    "    question: {en: 'Smaller?', zh: 更小？}\n"
    "    key: b\n"
    "    choices:\n"
    "    - {text: {en: 'no', zh: '否'}, right: memory.weights@q > memory.weights, because: {en: "
    "'{memory.weights@q}', zh: x}}\n"
    "    - {text: {en: 'yes', zh: '是'}, right: memory.weights@q < memory.weights, because: {en: "
    "'{memory.weights@q}', zh: x}}\n"
    "- try:\n"
    "    task: {en: Shrink, zh: 缩小}\n"
    "    knobs: [weights, seq_len]\n"
    "    goal: memory.weights < 8\n"
    "    watch: [memory.weights]\n"
    "    keys: [weights=nf4]\n"
    "    hint: {en: Fewer bits, zh: 更少位}\n"
    "- reveal: {en: Done, zh: 完成}\n";

static void start(struct learn *learn, struct lesson *lesson)
{
    struct error error = {0};
    sandbox_write("data/gpuwiz/lessons/own.yaml", own_lesson);
    if (!lesson_load(sandbox_path("data/gpuwiz"), "own", arena, lesson, &error) ||
        !learn_start(learn, &world, lesson, &error))
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
}

static void expect_reply(struct learn *learn, const char *answer, enum learn_verdict verdict,
                         const char *part)
{
    struct strbuf reply = {0};
    if (learn_answer(learn, answer, &reply) != verdict || !strstr(strbuf_text(&reply), part))
        fail_msg("%s: %s", answer, strbuf_text(&reply));
    strbuf_clear(&reply);
}

static void next(struct learn *learn)
{
    struct error error = {0};
    assert_true(learn_next(learn, &error));
}

/* Qwen2.5-7B in bf16: 7,615,616,512 x 2 bytes = 14.2 GiB. */
static void predictions_are_judged_by_the_engine_and_count_once(void **state)
{
    (void)state;
    struct learn learn;
    struct lesson lesson;
    struct strbuf text = {0};
    struct error error = {0};
    start(&learn, &lesson);
    assert_true(learn_fill(&learn, &learn_step(&learn)->text, &text, &error));
    assert_string_equal(strbuf_text(&text), "Weights: 14.2 GiB.");
    next(&learn);
    expect_reply(&learn, "about ten", LEARN_UNREADABLE, "number");
    expect_reply(&learn, "7", LEARN_WRONG, "14.2 GiB. More, 14.2.");
    expect_reply(&learn, "28", LEARN_WRONG, "Less.");
    expect_reply(&learn, "14", LEARN_RIGHT, "Right");
    assert_int_equal(learn.score.right, 0); /* the first answer counted */
    next(&learn);
    expect_reply(&learn, "3", LEARN_UNREADABLE, "1 to 2");
    expect_reply(&learn, "B", LEARN_RIGHT, "Right");
    assert_int_equal(learn.score.right, 1);
    strbuf_clear(&text);
    learn_clear(&learn);
}

static void turn(struct learn *learn, const char *pair, bool turned, const char *part)
{
    struct strbuf reply = {0};
    if (learn_turn(learn, pair, &reply) != turned || !strstr(strbuf_text(&reply), part))
        fail_msg("%s: %s", pair, strbuf_text(&reply));
    strbuf_clear(&reply);
}

static void knobs_are_turned_until_the_goal_holds(void **state)
{
    (void)state;
    struct learn learn;
    struct lesson lesson;
    struct error error = {0};
    start(&learn, &lesson);
    for (int i = 0; i < 3; i++)
        next(&learn);
    assert_false(learn.reached);
    turn(&learn, "gpu=a100-80", false, "weights seq_len");
    turn(&learn, "weights=nf5", false, "nf5");
    assert_int_equal(learn.score.turns, 0);
    turn(&learn, "seq_len=512", true, "Not yet");
    turn(&learn, "weights=nf4", true, "reached");
    assert_true(learn.reached);
    assert_true(learn_reset(&learn, &error));
    assert_false(learn.reached);
    assert_int_equal(learn.score.turns, 2);
    assert_int_equal(learn.score.reached, 1);
    learn_clear(&learn);
}

static void the_scoreboard_is_one_line_and_progress_is_kept(void **state)
{
    (void)state;
    struct learn learn;
    struct lesson lesson;
    struct learn_progress progress;
    struct error error = {0};
    struct strbuf line = {0};
    start(&learn, &lesson);
    next(&learn);
    expect_reply(&learn, "14.2", LEARN_RIGHT, "Right");
    next(&learn);
    next(&learn);
    turn(&learn, "weights=nf4", true, "reached");
    learn_scoreboard(&learn, &line);
    assert_string_equal(strbuf_text(&line),
                        "gpuwiz learn own: predictions 1/2, goals 1/1 in 1 turns, 2026-12-01");
    assert_true(learn_progress_load(arena, &progress, &error));
    assert_int_equal(progress.count, 0);
    assert_true(learn_progress_keep(&progress, &learn, &error));
    learn.score.right = 0; /* a worse run does not replace a better one */
    assert_true(learn_progress_keep(&progress, &learn, &error));
    assert_true(learn_progress_load(arena, &progress, &error));
    assert_int_equal(progress.count, 1);
    const struct learn_record *record = learn_progress_find(&progress, "own");
    assert_non_null(record);
    assert_int_equal(record->score.right, 1);
    assert_int_equal(record->score.reached, 1);
    assert_string_equal(record->date, "2026-12-01");
    assert_null(learn_progress_find(&progress, "memory"));
    strbuf_clear(&line);
    learn_clear(&learn);
}

static void a_trainers_folder_adds_lessons_and_replaces_them(void **state)
{
    (void)state;
    struct lesson *lessons, lesson;
    size_t count;
    struct error error = {0};
    sandbox_write("mine/lessons/own.yaml", own_lesson);
    sandbox_write("mine/lessons/memory.yaml", own_lesson);
    assert_true(lesson_load_all(sandbox_path("mine"), arena, &lessons, &count, &error));
    assert_int_equal(count, 21); /* the twenty of the program, one of them replaced, and own */
    assert_true(lesson_load(sandbox_path("mine"), "memory", arena, &lesson, &error));
    assert_string_equal(lesson.title.text[LANGUAGE_EN], "T");
    assert_false(lesson_load(sandbox_path("mine"), "memroy", arena, &lesson, &error));
    assert_non_null(strstr(error.hint, "\"memory\""));
}

/* ---- worksheets ----------------------------------------------------------------------------- */

static void a_worksheet_asks_and_its_answer_sheet_answers(void **state)
{
    (void)state;
    struct learn learn;
    struct lesson lesson;
    struct report report;
    struct strbuf sheet = {0}, answers = {0};
    struct error error = {0};
    start(&learn, &lesson);
    learn_clear(&learn);
    assert_true(worksheet_build(&world, &lesson, false, arena, &report, &error));
    report_write_text(&report, &sheet);
    assert_true(worksheet_build(&world, &lesson, true, arena, &report, &error));
    report_write_markdown(&report, &answers);
    assert_non_null(strstr(sheet.data, "How many?"));
    assert_non_null(strstr(sheet.data, "Your guess: ____"));
    assert_null(strstr(sheet.data, "Done"));
    assert_null(strstr(sheet.data, "weights=nf4"));
    assert_non_null(strstr(answers.data, "14.2 GiB"));
    assert_non_null(strstr(answers.data, "2. yes"));
    assert_non_null(strstr(answers.data, "weights=nf4"));
    strbuf_clear(&sheet);
    strbuf_clear(&answers);
}

/* On 80 columns in either language. */
/* What a step explains is what the question before it asks for. */
static void a_worksheet_does_not_give_answers_away(void **state)
{
    (void)state;
    struct lesson *lessons;
    size_t count = all_lessons(&lessons);
    for (size_t i = 0; i < count; i++)
        for (int answers = 0; answers < 2; answers++) {
            struct report report;
            struct strbuf out = {0};
            struct error error = {0};
            if (strcmp(lessons[i].name, "memory") != 0)
                continue;
            assert_true(worksheet_build(&world, &lessons[i], answers, arena, &report, &error));
            report_write_markdown(&report, &out);
            assert_int_equal(strstr(out.data, "whether you train or serve.\n") != NULL, answers);
            strbuf_clear(&out);
        }
}

static void every_worksheet_keeps_to_the_page(void **state)
{
    (void)state;
    struct lesson *lessons;
    size_t count = all_lessons(&lessons);
    for (int run = 0; run < 4; run++) {
        i18n_set_language(run & 1 ? LANGUAGE_ZH : LANGUAGE_EN);
        for (size_t i = 0; i < count; i++) {
            struct report report;
            struct strbuf out = {0};
            struct error error = {0};
            if (!worksheet_build(&world, &lessons[i], run > 1, arena, &report, &error))
                fail_msg("%s: %s", lessons[i].name, error.message);
            report_write_text(&report, &out);
            for (char *save = NULL, *line = strtok_r(out.data, "\n", &save); line;
                 line = strtok_r(NULL, "\n", &save))
                if (text_width(line) > REPORT_WIDTH)
                    fail_msg("%s: %s", lessons[i].name, line);
            strbuf_clear(&out);
        }
    }
    i18n_set_language(LANGUAGE_EN);
}

#define LEARN_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

TEST_MAIN(LEARN_TEST(the_course_has_twenty_lessons_and_takes_about_two_hours),
          LEARN_TEST(every_lesson_is_solved_by_its_recorded_keys_in_both_languages),
          LEARN_TEST(every_lesson_asks_and_lets_try), LEARN_TEST(every_reason_holds_a_figure),
          LEARN_TEST(no_figure_of_the_engine_is_typed_into_a_text),
          LEARN_TEST(a_changed_constant_changes_what_lessons_say),
          LEARN_TEST(a_broken_lesson_is_refused_with_line_and_column),
          LEARN_TEST(the_lesson_in_the_manual_can_be_played),
          LEARN_TEST(predictions_are_judged_by_the_engine_and_count_once),
          LEARN_TEST(knobs_are_turned_until_the_goal_holds),
          LEARN_TEST(the_scoreboard_is_one_line_and_progress_is_kept),
          LEARN_TEST(a_trainers_folder_adds_lessons_and_replaces_them),
          LEARN_TEST(a_worksheet_asks_and_its_answer_sheet_answers),
          LEARN_TEST(a_worksheet_does_not_give_answers_away),
          LEARN_TEST(every_worksheet_keeps_to_the_page))

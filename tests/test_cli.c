#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "data/scenario.h"
#include "tests/program.h"

static const char lora[] = "--set workload=lora --set model=qwen2.5-7b --set samples=1000 "
                           "--set mean_len=1000 --set epochs=1 ";

static void version_and_help_leave_with_zero(void **state)
{
    (void)state;
    program_expect("--version", 0, "gpuwiz 1.");
    program_expect("--help", 0, "Exit status: 0 done");
    program_expect("plan --help", 0, "Usage: gpuwiz plan");
    program_expect("plan -h", 0, "--format");
}

static void help_lines_fit_80_cells(void **state)
{
    (void)state;
    static const char *const pages[] = {"--help", "--help --lang zh", "plan --help", "list --help"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        struct strbuf out = {0};
        assert_int_equal(program_run(&out, pages[i]), 0);
        for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"))
            if (text_width(line) > 80)
                fail_msg("%s", line);
        strbuf_clear(&out);
    }
}

static void tables_of_memory_come_as_pages_and_for_programs(void **state)
{
    (void)state;
    program_expect("matrix lengths --set workload=lora --set model=qwen2.5-7b", 0, "longest");
    program_expect("matrix lengths --lang zh --set workload=lora --set model=qwen2.5-7b", 0,
                   " +*"); /* the mark of what was asked for is not cut */
    program_expect("matrix methods --set workload=lora --set model=qwen2.5-7b", 0, "QLoRA, 4-bit");
    program_expect("matrix methods --set workload=inference --set model=qwen2.5-7b --format md",
                   0, "| GPU");
    program_expect("matrix lengths --set workload=inference --set model=qwen2.5-7b --format csv", 0,
           "tokens,concurrency,gpus,need_gib,low_gib,high_gib,usable_gib,verdict,cost_cny,reason\r\n");
    program_expect("matrix lengths --set workload=lora --set model=qwen2.5-7b --format json",
                   0, "\"micro_batch\":1,");
    program_expect("matrix widths", 2, "one of: lengths, methods");
    program_expect("matrix lengths --set workload=lora --set model=no-such-model",
                   1, "no-such-model");
}

static void wrong_usage_leaves_with_two_and_a_hint(void **state)
{
    (void)state;
    program_expect("plan --fromat json", 2, "did you mean --format?");
    program_expect("plna", 2, "did you mean \"plan\"?");
    program_expect("no-such-file.yaml", 2, "gpuwiz --help lists the commands");
    program_expect("plan --format pdf", 2, "one of: text, md, csv, json, html");
    program_expect("plan --format", 2, "--format needs a value");
    program_expect("plan --force=1", 2, "--force takes no value");
    program_expect("plan -x", 2, "unknown option -x");
    program_expect("list nonsense", 2, "one of: models, gpus");
    program_expect("list", 2, "an argument is missing");
    program_expect("list gpus a b", 2, "too many arguments: \"b\"");
    program_expect("check", 2, "an argument is missing");
    program_expect("check --set workload=lora x", 2, "--set has no meaning for gpuwiz check");
    program_expect("plan --lang fr", 2, "one of: en, zh");
}

static void a_wrong_answer_leaves_with_one_and_names_what_is_right(void **state)
{
    (void)state;
    program_expect("plan --set workload=loar", 1, "lora");
    program_expect("plan --set wrokload=lora", 1, "workload");
    program_expect("plan --set foo=1", 1, "gpuwiz(1) lists the keys"); /* like none of them */
    program_expect("learn nosuch", 1, "`gpuwiz learn` lists them");
    program_expect("plan --bogus", 2, "gpuwiz --help lists the options");
    program_expect("plan --set workload", 1, "gpuwiz: ");
    program_expect("plan", 1, "gpuwiz: ");
    program_expect("plan --date 2026-13-45", 1, "is no date");
    program_expect("plan --date 2026-02-30", 1, "is no date");
    program_expect("plan --date 2026-12-01x", 1, "is no date");
    program_expect("list gpus >/dev/full", 1, ""); /* what cannot be written is no success */
    program_expect("plan /nonexistent.yaml", 1, "/nonexistent.yaml");
    program_expect("plan --set workload=lora --set model=qwen2.5-7b -o /tmp/x.docx",
                   1, "names no format");
    program_expect("estimate --set workload=lora --set model=qwen2.5-7b --set gpu=nonsense",
                   1, "`gpuwiz list gpus` prints what is known");
}

static void names_that_articles_use_get_an_answer(void **state)
{
    (void)state;
    program_expect("list instances gn8i", 1, "gn8is");
    program_expect("list instances gn7v", 1, "gn8v");
    program_expect("list instances gn7i", 0, "ecs.gn7i-c8g1.2xlarge"); /* a family that is sold */
    program_expect("plan --set workload=lora --set model=qwen2.5-7b --set instance=gn8i",
                   1, "gn8is");
}

static void the_same_answers_give_the_same_bytes(void **state)
{
    (void)state;
    static const char *const formats[] = {"text", "md", "csv", "json", "html"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct strbuf first = {0}, second = {0};
        char arguments[300];
        snprintf(arguments, sizeof arguments, "plan %s --format %s", lora, formats[i]);
        assert_int_equal(program_run(&first, arguments), 0);
        assert_int_equal(program_run(&second, arguments), 0);
        assert_string_equal(first.data, second.data);
        strbuf_clear(&first);
        strbuf_clear(&second);
    }
}

static void every_default_is_told(void **state)
{
    (void)state;
    /* 20,000 rows and 3 epochs are not given: 20,000 x 1,000 x 3 = 60M */
    program_expect("plan --set workload=lora --set model=qwen2.5-7b --set mean_len=1000", 0,
           "Work: 20,000 samples x 1,000 tokens x 3 epochs = 60M tokens");
    program_expect("plan --set workload=lora --set model=qwen2.5-7b --set mean_len=1000 --format html",
                   0,
           "samples=20000 epochs=3");
    program_expect("plan --set workload=pretrain --set model=qwen2.5-0.5b", 0, "tokens_b=");
}

/* The verdict at a length, as `estimate` gives it on one A100. */
static void expect_verdict(const char *length_key, long length, const char *rest, const char *verdict)
{
    char arguments[300], part[60];
    snprintf(arguments, sizeof arguments,
             "estimate --set gpu=a100-80 --set %s=%ld %s --format json", length_key, length, rest);
    snprintf(part, sizeof part, "\"verdict\":\"%s\"", verdict);
    program_expect(arguments, 0, part);
}

static void the_longest_that_fits_does_and_the_next_does_not(void **state)
{
    (void)state;
    static const char rest[] = "--set workload=lora --set model=qwen2.5-7b --set micro_batch=1 "
                               "--set recompute=none --set flash_attention=yes";
    struct strbuf out = {0};
    char arguments[400];
    long longest = 0;
    snprintf(arguments, sizeof arguments, "estimate --set gpu=a100-80 --set seq_len=2048 %s", rest);
    assert_int_equal(program_run(&out, arguments), 0);
    assert_non_null(strstr(out.data, "2,048"));
    assert_non_null(strstr(out.data, "fits (asked)"));
    const char *line = strstr(out.data, "The longest that fits: ");
    assert_non_null(line);
    for (line += strlen("The longest that fits: "); *line != ' '; line++)
        if (*line != ',')
            longest = 10 * longest + (*line - '0');
    assert_int_equal(longest % 256, 0);
    expect_verdict("seq_len", longest, rest, "fits");
    expect_verdict("seq_len", longest + 256, rest, "tight");
    strbuf_clear(&out);
}

static void the_date_is_the_option_else_the_epoch(void **state)
{
    (void)state;
    char arguments[300];
    snprintf(arguments, sizeof arguments, "plan %s --date 2027-03-04", lora);
    program_expect(arguments, 0, "this page of 2027-03-04");
    snprintf(arguments, sizeof arguments, "plan %s", lora);
    program_expect(arguments, 0, "this page of 2026-12-01"); /* date -u -d @1796083200 */
}

static void no_line_of_a_real_report_exceeds_80_cells(void **state)
{
    (void)state;
    static const char *const scenarios[] = {
        "workload=lora --set model=qwen2.5-7b --set samples=1000 --set mean_len=1000",
        "workload=full --set model=llama-3.1-8b --set tokens_b=1",
        "workload=pretrain --set model=llama-3.1-70b --set tokens_b=1000 --set deadline_h=2000",
        "workload=inference --set model=qwen2.5-72b --set concurrency=16 --set context=8192",
        "workload=inference --set model=deepseek-v3 --set gpu=t4",
    };
    for (size_t i = 0; i < 2 * sizeof scenarios / sizeof *scenarios; i++) {
        struct strbuf out = {0};
        char arguments[300];
        snprintf(arguments, sizeof arguments, "plan --lang %s --set %s", i % 2 ? "zh" : "en", scenarios[i / 2]);
        int status = program_run(&out, arguments);
        assert_true(status == 0 || status == 3);
        for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"))
            if (text_width(line) > 80)
                fail_msg("%s: %s", scenarios[i / 2], line);
        strbuf_clear(&out);
    }
}

static void a_scenario_that_nothing_meets_leaves_with_three(void **state)
{
    (void)state;
    program_expect("plan --set workload=full --set model=deepseek-v3 --set tokens_b=1 --set max_nodes=1 "
           "--set gpu=t4", 3, "Nothing fits");
}

static void output_files_are_not_overwritten_unless_forced(void **state)
{
    (void)state;
    char folder[] = "/tmp/gpuwiz-cli-XXXXXX", arguments[400], path[100];
    struct strbuf text = {0};
    struct error error;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.csv", folder);
    snprintf(arguments, sizeof arguments, "plan %s -o %s", lora, path);
    program_expect(arguments, 0, "");
    assert_true(file_read(path, 1 << 24, &text, &error));
    assert_memory_equal(text.data, "\xEF\xBB\xBFinstance,", 12); /* a spreadsheet needs the mark */
    program_expect(arguments, 1, path);
    program_expect(arguments, 1, "--force overwrites it");
    snprintf(arguments, sizeof arguments, "plan %s -f csv -o %s", lora, folder);
    program_expect(arguments, 1, "Is a directory");
    snprintf(arguments, sizeof arguments, "plan %s -o %s/nowhere/out.csv", lora, folder);
    program_expect(arguments, 1, "nowhere: there is no such folder");
    snprintf(arguments, sizeof arguments, "plan %s -o %s", lora, path);
    strcat(arguments, " --force");
    program_expect(arguments, 0, "");
    program_expect("list gpus --format csv -o -", 0, "id,name,");
    unlink(path);
    rmdir(folder);
    strbuf_clear(&text);
}

static void a_scenario_comes_from_a_file_or_standard_input(void **state)
{
    (void)state;
    char path[] = "/tmp/gpuwiz-cli-XXXXXX", arguments[300];
    struct error error;
    static const char good[] = "workload: lora\nmodel: qwen2.5-7b\nsamples: 1000\n";
    static const char bad[] = "workload: lora\nmodle: qwen2.5-7b\n";
    close(mkstemp(path));
    assert_true(file_write(path, good, sizeof good - 1, true, &error));
    snprintf(arguments, sizeof arguments, "plan %s --format json", path);
    program_expect(arguments, 0, "\"samples\":1000");
    snprintf(arguments, sizeof arguments, "plan - --set samples=2000 --format json <%s", path);
    program_expect(arguments, 0, "\"samples\":2000"); /* --set stands above the file */
    snprintf(arguments, sizeof arguments, "check %s", path);
    program_expect(arguments, 0, "good");
    assert_true(file_write(path, bad, sizeof bad - 1, true, &error));
    program_expect(arguments, 1, ":2:1: ");
    program_expect(arguments, 1, "model");
    unlink(path);
}

static void a_calibration_is_kept_checked_and_told_in_later_results(void **state)
{
    (void)state;
    char folder[] = "/tmp/gpuwiz-cli-XXXXXX", arguments[500], file[100];
    static const char job[] = "--set workload=lora --set model=qwen2.5-7b --set gpu=a10 "
                              "--set micro_batch=1 --date 2026-11-30";
    program_config_home = mkdtemp(folder);
    assert_non_null(program_config_home);
    snprintf(arguments, sizeof arguments, "calibrate %s", job);
    program_expect(arguments, 1, "--measured memory_gib=");
    snprintf(arguments, sizeof arguments, "calibrate %s --measured colour=1", job);
    program_expect(arguments, 1, "'colour=1' is not a measurement");
    snprintf(arguments, sizeof arguments, "calibrate %s --measured memory_gib=21 tokens_per_s=1000", job);
    program_expect(arguments, 0, "calibration.yaml");
    snprintf(file, sizeof file, "%s/gpuwiz/calibration.yaml", folder);
    snprintf(arguments, sizeof arguments, "check %s", file);
    program_expect(arguments, 0, "good");
    snprintf(arguments, sizeof arguments, "estimate %s --date 2026-12-01", job);
    program_expect(arguments, 0, "Calibrated by your run of 2026-11-30");
    /* the same job is now estimated as it was measured: 1,000 tokens/s */
    program_expect(arguments, 0, "Speed: 1k tokens/s");
    unlink(file);
    snprintf(file, sizeof file, "%s/gpuwiz", folder);
    rmdir(file);
    rmdir(folder);
    program_config_home = "";
}

static void check_takes_data_files_and_refuses_broken_ones(void **state)
{
    (void)state;
    char path[] = "/tmp/gpuwiz-cli-XXXXXX", arguments[300];
    struct error error;
    static const char bad[] = "schema: gpuwiz.catalog/1\ngpus:\n- {id: 7, colour: green}\n";
    program_expect("check data/gpus.yaml data/prices.yaml", 0, "data/prices.yaml: good");
    close(mkstemp(path));
    assert_true(file_write(path, bad, sizeof bad - 1, true, &error));
    snprintf(arguments, sizeof arguments, "check %s", path);
    program_expect(arguments, 1, ":3:");
    unlink(path);
}

static void every_list_prints_in_every_format(void **state)
{
    (void)state;
    static const char *const lists[] = {"models", "gpus", "instances", "prices", "weights",
                                        "regions", "disks", "services", "aliases"};
    static const char *const starts[][2] = {
        {"text", ""}, {"csv", ","}, {"json", "[{\""}, {"md", "| --"}, {"html", "<table>"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
            char arguments[100];
            snprintf(arguments, sizeof arguments, "list %s --format %s", lists[i], starts[k][0]);
            program_expect(arguments, 0, starts[k][1]);
        }
}

static void a_narrow_list_keeps_its_first_columns_whole(void **state)
{
    (void)state;
    const char *program = getenv("GPUWIZ_PROGRAM");
    char command[300], line[400];
    snprintf(command, sizeof command, "COLUMNS=60 LC_ALL=C %s list instances", program ? program : "build/gpuwiz");
    FILE *pipe = popen(command, "r");
    int lines = 0, wide = 0;
    while (fgets(line, sizeof line, pipe)) {
        line[strcspn(line, "\n")] = '\0';
        wide += text_width(line) > 60;
        lines++;
    }
    assert_int_equal(pclose(pipe), 0);
    assert_int_equal(wide, 0);
    assert_true(lines > 100); /* one line for each type, none wrapped to twice as many */
    assert_true(lines < 250);
    snprintf(command, sizeof command, "COLUMNS=80 LC_ALL=C %s list glossary workload",
             program ? program : "build/gpuwiz");
    pipe = popen(command, "r");
    bool meaning = false; /* too long for the line: it wraps, and is not left out */
    while (fgets(line, sizeof line, pipe)) {
        assert_true(strlen(line) <= 81);
        meaning |= strstr(line, "What the GPUs are to do") != NULL;
    }
    assert_int_equal(pclose(pipe), 0);
    assert_true(meaning);
}

/* Spot goes with and without its protected hour: ranking, lead and unit costs count with one of them. */
static void one_way_of_paying_runs_through_the_page(void **state)
{
    (void)state;
    char arguments[300];
    struct strbuf out = {0};
    snprintf(arguments, sizeof arguments, "plan %s --set billing=spot --ascii", lora);
    assert_int_equal(program_run(&out, arguments), 0);
    const char *lead = strstr(out.data, "Cost: ~CNY "), *run = strstr(out.data, "This run: CNY ");
    assert_true(lead && run);
    lead += strlen("Cost: ~CNY ");
    run += strlen("This run: CNY ");
    assert_int_equal(strcspn(lead, " "), strcspn(run, "\n"));
    assert_memory_equal(lead, run, strcspn(lead, " "));
    strbuf_clear(&out);
}

static void a_trainers_own_lesson_is_checked_before_it_starts(void **state)
{
    (void)state;
    char folder[] = "/tmp/gpuwiz-cli-XXXXXX", path[100], arguments[200];
    struct error error;
    static const char head[] = "schema: gpuwiz.lesson/1\ntitle: {en: Mine, zh: x}\n"
                               "summary: {en: Mine, zh: x}\norder: 1\nminutes: 1\n"
                               "scenario: {workload: lora, model: qwen2.5-7b, gpu: a10}\nsteps:\n";
    char text[600];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/mine.yaml", folder);
    snprintf(arguments, sizeof arguments, "learn %s --plain </dev/null", path);
    /* the question is not answered: a lesson that ends is written down in the home folder */
    snprintf(text, sizeof text,
             "%s- text: {en: 'Weights {memory.weights}', zh: x}\n- predict: {question: {en: q, zh: q}, "
             "answer: memory.weights, tolerance: 0.1, unit: GiB, key: '14', low: {en: l, zh: l}, "
             "high: {en: h, zh: h}}\n", head);
    assert_true(file_write(path, text, strlen(text), true, &error));
    program_expect(arguments, 0, "Weights 14.2");
    snprintf(text, sizeof text, "%s- text: {en: good, zh: x}\n- text: {en: '{memory.wieghts}', zh: x}\n", head);
    assert_true(file_write(path, text, strlen(text), true, &error));
    program_expect(arguments, 1, "mine.yaml:9:14: there is no figure called memory.wieghts");
    unlink(path);
    rmdir(folder);
}

static void estimate_writes_the_documented_json(void **state)
{
    (void)state;
    /* 7,615,616,512 is the published count of Qwen2.5-7B's parameters */
    program_expect("estimate --set workload=lora --set model=qwen2.5-7b --set gpu=a100-80 --format json",
                   0,
           "{\"schema\":1,\"model\":{\"id\":\"qwen2.5-7b\",\"params\":7615616512,\"active_params\":");
    program_expect("estimate --set workload=inference --set model=qwen2.5-7b --set gpu=a10 --format json",
                   0, "\"optimizer\":null,\"save\":null}"); /* serving has neither */
    program_expect("estimate --set workload=lora --set model=qwen2.5-7b --set gpu=a100-80 --set billing=payg",
                   0,
           "a100-80"); /* a card alone has no price */
}

static void completions_know_every_question_and_option(void **state)
{
    (void)state;
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (int i = 0; i < 3; i++) {
        struct strbuf out = {0};
        char arguments[100];
        snprintf(arguments, sizeof arguments, "--completions %s", shells[i]);
        assert_int_equal(program_run(&out, arguments), 0);
        for (int id = 0; id < FIELD_COUNT; id++)
            if (!strstr(out.data, fields[id].key))
                fail_msg("%s does not know %s", shells[i], fields[id].key);
        static const char *const words[] = {"calibrate", "estimate", "no-mouse", "measured", "html"};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            assert_non_null(strstr(out.data, words[k]));
        strbuf_clear(&out);
    }
}

/* What bash offers for the last of the words, with the script it was given. */
static void expect_completion(const char *words, const char *expected)
{
    const char *program = getenv("GPUWIZ_PROGRAM");
    char command[500], line[200] = "";
    snprintf(command, sizeof command,
             "%s --completions bash >/tmp/gpuwiz-bash.$$ && bash -n /tmp/gpuwiz-bash.$$ && bash -c '"
             "compopt() { :; }; . /tmp/gpuwiz-bash.'$$'; COMP_WORDS=(%s); "
             "COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _gpuwiz; echo ${COMPREPLY[*]}'; rm -f /tmp/gpuwiz-bash.$$",
             program ? program : "build/gpuwiz", words);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(line, sizeof line, pipe));
    assert_int_equal(pclose(pipe), 0);
    line[strcspn(line, "\n")] = '\0';
    assert_string_equal(line, expected);
}

static void bash_completes_commands_options_questions_and_answers(void **state)
{
    (void)state;
    const char *program = getenv("GPUWIZ_PROGRAM");
    char lesson[300];
    expect_completion("gpuwiz pla", "plan");
    expect_completion("gpuwiz plan --form", "--format");
    expect_completion("gpuwiz plan --format js", "json");
    expect_completion("gpuwiz plan --set workl", "workload=");
    expect_completion("gpuwiz plan --set workload = lo", "lora");
    expect_completion("gpuwiz plan --set fused_loss = y", "yes");
    expect_completion("gpuwiz list mo", "models");
    snprintf(lesson, sizeof lesson, "%s learn kv", program ? program : "build/gpuwiz");
    expect_completion(lesson, "kv-cache"); /* as the program lists them */
}

/* 7,615,616,512 parameters of 2 bytes are 14.19 GiB. */
static void explain_tells_how_a_figure_comes_about(void **state)
{
    (void)state;
    char command[600];
    static const struct {
        const char *command, *options;
        int status;
        const char *part;
    } cases[] = {
        {"estimate", "--set gpu=a10 --explain memory.weights", 0, "weights: 14.2 GiB"},
        {"estimate", "--set gpu=a10 --explain weights", 0, "Formula: "},
        {"estimate", "--set gpu=a10 --explain adapter --format md", 0, "LoRA, arXiv 2106.09685"},
        {"estimate", "--set gpu=a10 --explain payg", 0, "has no price"},
        {"plan", "--explain need", 0, "How the figures come about"},
        {"plan", "--explain cost", 0, "Machines, by the hour"},
        {"plan", "--explain wieghts", 1, "did you mean memory.weights?"},
        {"plan", "--explain all --format json", 1, "explanations are sentences"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(command, sizeof command, "%s %s%s", cases[i].command, lora, cases[i].options);
        program_expect(command, cases[i].status, cases[i].part);
    }
}

/* Answers of all five calls, as a user saves them; then the overlay wins over the list, a plan in that
 * region is made with it, and the page says from which call each price is. The machine alone costs
 * 8.57934 after 10 % off; the cheaper spot zone 25 % of that. */
static void imported_prices_win_and_plans_are_made_with_them(void **state)
{
    (void)state;
    char folder[] = "/tmp/gpuwiz-import-cli-XXXXXX", path[200];
    program_config_home = mkdtemp(folder);
    assert_non_null(program_config_home);
    program_expect("import tests/data/import/types-two-pages.json tests/data/import/spot-history.json "
           "tests/data/import/ecs.gn7i-c8g1.2xlarge-cn-beijing-hour.json "
           "tests/data/import/spot-advice.json tests/data/import/stock.json",
           0, "imported.yaml");
    program_expect("list prices ecs.gn7i-c8g1.2xlarge", 0, "8.579");
    program_expect("list prices ecs.gn7i-c8g1.2xlarge", 0, "imported.yaml");
    program_expect("list prices ecs.gn7i-c8g1.2xlarge",
                   0, "built in"); /* the other regions' rows */
    const char *const parts[] = {"imported: aliyun ecs", "8.58", "2.14", "stock"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        program_expect("plan tests/data/scenarios/lora-3-days.yaml --set region=cn-beijing",
                       0, parts[i]);
    program_expect("plan tests/data/scenarios/lora-3-days.yaml --set region=cn-beijing --format json",
                   0,
           "\"rate\":8.57934");
    program_expect("import tests/data/import/year.json", 1, "--type");
    snprintf(path, sizeof path, "%s/gpuwiz/imported.yaml", folder);
    remove(path);
    snprintf(path, sizeof path, "%s/gpuwiz", folder);
    remove(path);
    remove(folder);
    program_config_home = "";
}

/* The offer's screen: every way of paying with its marks, where it wins, and what is charged beside. */
static void the_billing_panel_tells_where_each_way_wins(void **state)
{
    (void)state;
    static const char keys[] = "6 Enter l";
    char path[64] = "/tmp/gpuwiz-keys-XXXXXX", command[300];
    struct error error;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_true(file_write(path, keys, sizeof keys - 1, true, &error));
    static const struct { const char *job, *part; } cases[] = {
        {"service-3-months", "13,727         6.27"}, {"service-3-months", "wins above 480 h/month"},
        {"service-3-months", "wins below 41% busy"}, {"service-3-months", "1 on: Monthly"},
        {"service-3-months", "~46,672"},             {"service-3-months", "40,040*"},
        {"pretrain-40-days", "2 on: Monthly"},       {"pretrain-40-days", "of list"},
        {"pretrain-40-days", "~520,000*"},           {"pretrain-40-days", "Disks left behind"},
        {"lora-3-days", "wins above 408 h/month"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(command, sizeof command, "tests/data/scenarios/%s.yaml --script %s --dump-screen %s.txt && cat %s.txt",
                 cases[i].job, path, path, path);
        program_expect(command, 0, cases[i].part);
    }
    unlink(path);
    strcat(path, ".txt");
    unlink(path);
}

TEST_MAIN(cmocka_unit_test(the_billing_panel_tells_where_each_way_wins),
          cmocka_unit_test(imported_prices_win_and_plans_are_made_with_them),
          cmocka_unit_test(version_and_help_leave_with_zero),
          cmocka_unit_test(help_lines_fit_80_cells),
          cmocka_unit_test(tables_of_memory_come_as_pages_and_for_programs),
        cmocka_unit_test(wrong_usage_leaves_with_two_and_a_hint),
          cmocka_unit_test(a_wrong_answer_leaves_with_one_and_names_what_is_right),
          cmocka_unit_test(names_that_articles_use_get_an_answer),
          cmocka_unit_test(the_same_answers_give_the_same_bytes),
          cmocka_unit_test(every_default_is_told),
          cmocka_unit_test(the_longest_that_fits_does_and_the_next_does_not),
          cmocka_unit_test(the_date_is_the_option_else_the_epoch),
          cmocka_unit_test(no_line_of_a_real_report_exceeds_80_cells),
          cmocka_unit_test(a_scenario_that_nothing_meets_leaves_with_three),
          cmocka_unit_test(output_files_are_not_overwritten_unless_forced),
          cmocka_unit_test(a_scenario_comes_from_a_file_or_standard_input),
          cmocka_unit_test(a_calibration_is_kept_checked_and_told_in_later_results),
          cmocka_unit_test(check_takes_data_files_and_refuses_broken_ones),
          cmocka_unit_test(every_list_prints_in_every_format),
          cmocka_unit_test(a_narrow_list_keeps_its_first_columns_whole),
          cmocka_unit_test(one_way_of_paying_runs_through_the_page),
          cmocka_unit_test(a_trainers_own_lesson_is_checked_before_it_starts),
          cmocka_unit_test(estimate_writes_the_documented_json),
          cmocka_unit_test(completions_know_every_question_and_option),
          cmocka_unit_test(explain_tells_how_a_figure_comes_about),
          cmocka_unit_test(bash_completes_commands_options_questions_and_answers))

/* What people and other programs hand over, broken in every way: each gets an error that names the
 * place and what would be right, and nothing is guessed. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "tests/program.h"
#include "tests/sandbox.h"

#define JOB "--set workload=lora --set model=qwen2.5-7b --set samples=1000 --set mean_len=1000 "

/* A command line, and what it must come to. */
struct given {
    const char *arguments;
    int status;
    const char *part;
};

static void expect_all(const struct given *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        program_expect(rows[i].arguments, rows[i].status, rows[i].part);
}

/* The sandbox, or a folder in it, as the one the program starts in; the path outlives sandbox_path's. */
static void start_in(const char *name)
{
    static char folder[512];
    snprintf(folder, sizeof folder, "%s", sandbox_path(name));
    program_folder = folder;
}

static void configure_in(const char *name)
{
    static char folder[512];
    snprintf(folder, sizeof folder, "%s", sandbox_path(name));
    program_config_home = folder;
}

static int leave(void **state)
{
    program_folder = NULL;
    program_config_home = "";
    return sandbox_end(state);
}

#define EXPECT_ALL(rows) expect_all((rows), sizeof(rows) / sizeof *(rows))

static void numbers_that_are_none_are_refused_with_their_range(void **state)
{
    (void)state;
    static const char *const bad[] = {"1e400", "-1e400", "nan", "inf", "0x8", "٣", "1,000", "8x",
                                      "", "--8", "1e", ".", "8 8"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "plan " JOB "--set 'gpus=%s'", bad[i]);
        program_expect(arguments, 1, "gpus is a number, not");
        program_expect(arguments, 1, "from 1 to 131072");
    }
    static const struct given rows[] = {
        {"plan " JOB "--set gpus=-1", 1, "gpus is out of range: -1"},
        {"plan " JOB "--set gpus=131073", 1, "from 1 to 131072"},
        {"plan " JOB "--set gpus=1.5", 1, "nearest: 2"},
        {"plan --set workload=full --set params_b=7b", 1, "from 0.01 to 20000"},
        /* 32 x 32 x 1024 x 65536 = 68,719,476,736: each split is in range, their product is no int */
        {"estimate --set workload=full --set params_b=7 --set tp=32 --set pp=32 --set cp=1024 --set dp=65536",
         1, "gpus is out of range: 68719476736"},
    };
    EXPECT_ALL(rows);
}

static void pairs_and_options_say_what_is_missing(void **state)
{
    (void)state;
    static const struct given rows[] = {
        {"plan --set gpus", 1, "'gpus' is not key=value"},
        {"plan --set =5", 1, "'=5' is not key=value"},
        {"plan --set 'gpus = 8'", 1, "did you mean 'gpus'?"},
        {"plan --set ''", 2, "--set needs a value: KEY=VALUE"},
        {"plan --data ''", 2, "--data needs a value: FOLDER"},
        {"plan " JOB "-o ''", 2, "--output needs a value: FILE"},
        {"plan " JOB "--output=", 2, "--output needs a value: FILE"},
        {"plan --date=", 2, "--date needs a value"},
        {"plan --format=", 2, "one of: text, md"},
        {"plan --data /nonexistent", 1, "/nonexistent: there is no such data folder"},
        {"plan --set lora_targets=,,,", 1, "one of: qv, qkv"},
        {"plan --date 2026-02-30", 1, "as in 2026-12-01"},
        {"plan '--date= 2026-02-03'", 1, "as in 2026-12-01"},
        {"''", 2, "\"\" is neither a command nor a file"},
        {"-é", 2, "unknown option -\xEF\xBF\xBD"},
        {"check /nonexistent", 1, "/nonexistent: cannot be opened"},
        {"check /", 1, "/: cannot be read"},
    };
    EXPECT_ALL(rows);
}

/* Contents of in.yaml, and what `check in.yaml` says. */
static const struct {
    const char *text;
    int status;
    const char *part;
} files[] = {
    {"\xEF\xBB\xBFworkload: lora\r\nmodel: qwen2.5-7b\r\nsamples: 1000\r\n", 0, "good"},
    {"\xEF\xBB\xBFworkload: lora\ngpuz: 1\n", 1, "in.yaml:2:1: unknown key 'gpuz'"},
    {"\xEF\xBB\xBFgpuz: 1\n", 1, "in.yaml:1:1: unknown key 'gpuz'"},
    {"{\"workload\":\"lora\",\"gpuz\":1}", 1, "in.yaml:1:20: unknown key 'gpuz'"},
    {"\xEF\xBB\xBF", 1, "the file has no content"},
    {"workload: lora\rgpuz: 1\r", 1, "in.yaml:2:1: unknown key"},
    {"\xFF\xFEw", 1, "in.yaml:1:1: this is not UTF-8 text"},
    {"gpus: 8\ngpus: 4\n", 1, "in.yaml:2:1: the key 'gpus' stands here twice"},
    {"gpus: [8]\n", 1, "in.yaml:1:7: gpus takes a single value"},
    {"gpus: {a: 8}\n", 1, "in.yaml:1:7: gpus takes a single value"},
    {"model: [a]\n", 1, "in.yaml:1:8: model takes a single value"},
    {"gpus: 1e400\n", 1, "in.yaml:1:7: gpus is a number"},
    {"lora_targets: []\n", 1, "in.yaml:1:15: lora_targets cannot be ''"},
    {"lora_targets: [q_proj, [k_proj]]\n", 1, "in.yaml:1:24: lora_targets is a list of names"},
    {"model: ./nope/config.json\n", 1, "in.yaml:1:8: ./nope/config.json: cannot be opened"},
    {"workload: lora\narchitecture: hello\n", 1, "in.yaml:2:15: expected a map"},
    {"architecture: {layers: 2}\n", 1, "in.yaml:1:15: the key 'hidden_size' is missing"},
    {"model: qwen2.5-7b\nparams_b: 7\n", 1, "in.yaml:2:1: model and params_b are both given"},
    {"model: auto\nparams_b: 7\n", 0, "good"},
    {"params_b: 7\nmodel: ~\narchitecture: auto\n", 0, "good"},
    {"workload: Lora\n", 1, "one of: pretrain, full, lora, inference"},
    {"gpus: 1\n---\ngpus: 1\n", 1, "in.yaml:2:1: a second document"},
    {"\tgpus: 8\n", 1, "not valid YAML"},
    {"just text\n", 1, "in.yaml:1:1: a scenario is a list of 'key: value' lines"},
    {"[1, 2]\n", 1, "in.yaml:1:1: a scenario is a list of 'key: value' lines"},
    {"? [a]\n: 1\n", 1, "in.yaml:1:3: a key must be plain text"},
    {"[[[[[[[[[[[[[[[[[[[[", 1, "in.yaml:1:17: lists and maps are nested too deeply"},
};

static void files_are_refused_at_their_line_and_column(void **state)
{
    (void)state;
    start_in("");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        sandbox_write("in.yaml", files[i].text);
        program_expect("check in.yaml", files[i].status, files[i].part);
    }
}

static void no_control_character_of_a_file_reaches_the_terminal(void **state)
{
    (void)state;
    struct strbuf out = {0};
    start_in("");
    sandbox_write("in.yaml", "\"\\e[31m\\x9b2J\\u202Ered\": 1\n");
    assert_int_equal(program_run(&out, "check in.yaml"), 1);
    assert_non_null(strstr(out.data, "unknown key '[31m2Jred'"));
    for (const char *at = out.data; *at;) {
        uint32_t c = text_next(&at);
        assert_true(c == '\n' || (c >= ' ' && c != 0x9B && c != 0x202E));
    }
    strbuf_clear(&out);
}

static void standard_input_is_read_once_whatever_it_holds(void **state)
{
    (void)state;
    program_expect("check - <data/gpus.yaml", 0, "-: good");
    program_expect("check - </dev/null", 1, "standard input:1:1: the file has no content");
    program_expect("plan - </dev/null", 1, "standard input");
}

static void an_open_answer_leaves_the_model_that_is_given(void **state)
{
    (void)state;
    start_in("");
    sandbox_write("a b/config.json",
                  "{\"num_hidden_layers\":2,\"hidden_size\":64,\"num_attention_heads\":4,"
                  "\"intermediate_size\":128,\"vocab_size\":1000,\"model_type\":\"llama\"}");
    static const struct given rows[] = {
        {"estimate --set workload=full --set params_b=7 --set model=auto", 0, ""},
        {"estimate --set workload=full --set params_b=7 --set architecture=auto", 0, ""},
        {"estimate --set workload=full --set 'model=./a b/config.json' --set architecture=auto", 0, ""},
        {"estimate --set workload=full --set 'model=./a b' --set params_b=auto", 0, ""},
    };
    EXPECT_ALL(rows);
}

static void output_that_cannot_be_written_is_no_success(void **state)
{
    (void)state;
    static const char *const commands[] = {"--version", "--help", "list gpus", ("plan " JOB),
                                           "check data/gpus.yaml", "learn", "--completions bash"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "%s 2>&1 >/dev/full", commands[i]);
        program_expect(arguments, 1, ""); /* the message has gone the way of the output */
        snprintf(arguments, sizeof arguments, "%s 3>&1 >/dev/full 2>&3 3>&- #", commands[i]);
        program_expect(arguments, 1, "standard output cannot be written");
    }
}

static void only_the_name_of_a_file_chooses_the_format(void **state)
{
    (void)state;
    struct stat status;
    mkdir(sandbox_path("v1.0"), 0700);
    start_in("v1.0");
    program_expect("list gpus -o ../plain", 0, "");
    program_expect("list gpus -o ./plain", 0, "");
    program_expect("list gpus -o ../v1.0/table.json", 0, "");
    program_expect("list gpus -o ../table.pdf", 1, "use .txt, .md, .csv, .json or .html");
    assert_int_equal(stat(sandbox_path("plain"), &status), 0);
    assert_int_equal(stat(sandbox_path("v1.0/table.json"), &status), 0);
}

static void a_date_of_the_environment_is_never_guessed(void **state)
{
    (void)state;
    static const char *const bad[] = {"abc", "12x", "-1", "99999999999999999999", "9999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char command[200];
        const char *program = getenv("GPUWIZ_PROGRAM");
        snprintf(command, sizeof command, "SOURCE_DATE_EPOCH=%s %s list gpus >/dev/null 2>&1", bad[i],
                 program ? program : "build/gpuwiz");
        assert_int_not_equal(system(command), 0);
    }
}

/* ---- calibration.yaml, which people write by hand, too ---------------------------------------- */

#define RECORD "{stack: hf, gpu: t4, date: 2026-01-01, memory_ratio: 1.1}"

static void a_calibration_is_added_to_whatever_form_the_file_has(void **state)
{
    (void)state;
    static const struct { const char *before; int records; } forms[] = {
        {"", 1},
        {"calibrations:\n", 1},
        {"calibrations: []\n", 1},
        {"calibrations: # of our own\n", 1},
        {"calibrations:\n- " RECORD "\n", 2},
        {"calibrations:\n  - " RECORD "\n  - " RECORD, 3},
        {"calibrations:\r\n- " RECORD "\r\n", 2},
        {"calibrations:\n- stack: hf\n  gpu: t4\n  # twice\n  date: 2026-01-01\n", 2},
        {"# ours\ncalibrations:   # all\n\n- " RECORD "\n\nschema: gpuwiz.engine/1\n", 2},
        {"schema: gpuwiz.engine/1\nconstants: []\n", 1},
    };
    configure_in("config");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct strbuf text = {0};
        struct error error;
        if (*forms[i].before)
            sandbox_write("config/gpuwiz/calibration.yaml", forms[i].before);
        else
            unlink(sandbox_path("config/gpuwiz/calibration.yaml"));
        program_expect("calibrate " JOB "--set gpu=a10 --set micro_batch=1 --measured memory_gib=21", 0,
                       "calibration.yaml");
        assert_true(file_read(sandbox_path("config/gpuwiz/calibration.yaml"), 100000, &text, &error));
        int records = 0;
        for (const char *at = text.data; (at = strstr(at, "stack:")); at++)
            records++;
        if (records != forms[i].records)
            fail_msg("%s\nbecame\n%s", forms[i].before, text.data);
        strbuf_clear(&text);
        program_expect("estimate " JOB "--set gpu=a10 --set micro_batch=1", 0, "Calibrated by your run");
    }
}

static void a_calibration_file_that_no_line_can_be_put_into_is_left_alone(void **state)
{
    (void)state;
    static const char flow[] = "calibrations: [\n  " RECORD "\n]\n";
    struct strbuf text = {0};
    struct error error;
    configure_in("config");
    sandbox_write("config/gpuwiz/calibration.yaml", flow);
    program_expect("calibrate " JOB "--set gpu=a10 --set micro_batch=1 --measured memory_gib=21", 1,
                   "calibration.yaml:4:");
    assert_true(file_read(sandbox_path("config/gpuwiz/calibration.yaml"), 100000, &text, &error));
    assert_string_equal(text.data, flow);
    strbuf_clear(&text);
}

/* Who points all XDG folders to one place finds the program's own answers and progress among the
 * overlays. */
static void files_that_the_program_keeps_are_no_unknown_overlays(void **state)
{
    (void)state;
    configure_in("config");
    sandbox_write("config/gpuwiz/last.yaml", "workload: lora\nmodel: qwen2.5-7b\n");
    sandbox_write("config/gpuwiz/progress.yaml", "memory: 3\n");
    program_expect("list gpus", 0, "a100-80");
    sandbox_write("config/gpuwiz/own.yaml", "prics: []\n");
    program_expect("list gpus", 1, "own.yaml:1:1: ");
}

#define TEST(name) cmocka_unit_test(name)
#define IN_SANDBOX(name) cmocka_unit_test_setup_teardown(name, sandbox_begin, leave)

TEST_MAIN(TEST(numbers_that_are_none_are_refused_with_their_range),
          TEST(pairs_and_options_say_what_is_missing),
          IN_SANDBOX(files_are_refused_at_their_line_and_column),
          IN_SANDBOX(no_control_character_of_a_file_reaches_the_terminal),
          TEST(standard_input_is_read_once_whatever_it_holds),
          IN_SANDBOX(an_open_answer_leaves_the_model_that_is_given),
          TEST(output_that_cannot_be_written_is_no_success),
          IN_SANDBOX(only_the_name_of_a_file_chooses_the_format),
          TEST(a_date_of_the_environment_is_never_guessed),
          IN_SANDBOX(files_that_the_program_keeps_are_no_unknown_overlays),
          IN_SANDBOX(a_calibration_is_added_to_whatever_form_the_file_has),
          IN_SANDBOX(a_calibration_file_that_no_line_can_be_put_into_is_left_alone))

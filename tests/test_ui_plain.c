/* The wizard line by line, as a screen reader, a pipe or expect meets it. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "base/strbuf.h"
#include "tests/sandbox.h"

/* Runs --plain with these lines as input; the exit status. */
static int answer(const char *lines, const char *options, struct strbuf *out)
{
    char command[1200], bytes[512];
    const char *program = getenv("GPUWIZ_PROGRAM"), *input = sandbox_write("answers.txt", lines);
    snprintf(command, sizeof command, "LC_ALL=C %s --plain --lang en %s <%s 2>&1", program ? program : "build/gpuwiz", options, input);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(bytes, sizeof bytes, pipe))
        strbuf_add(out, bytes);
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void expect(const struct strbuf *out, const char *text)
{
    if (!strstr(strbuf_text(out), text))
        print_error("missing: %s\nin: %s\n", text, strbuf_text(out));
    assert_non_null(strstr(strbuf_text(out), text));
}

static void enter_alone_leads_to_the_same_page(void **state)
{
    (void)state;
    struct strbuf out = {0};
    assert_int_equal(answer("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "", &out), 0);
    expect(&out, "1/7 Workload");
    expect(&out, "5/7 Budget");
    expect(&out, "\nRent: ");
    for (const char *p = out.data; p < strstr(out.data, "\nRent: "); p++)
        assert_true((unsigned char)*p < 0x80); /* no line art */
    assert_null(strchr(out.data, '\033'));
    strbuf_clear(&out);
}

static void choices_are_taken_by_number_or_name_and_refusals_say_why(void **state)
{
    (void)state;
    struct strbuf out = {0};
    assert_int_equal(answer("7\n2\nllama-3.1-8b\nend\n", "", &out), 0);
    expect(&out, "workload cannot be '7'");
    expect(&out, "Full fine-tuning of llama-3.1-8b");
    strbuf_reset(&out);
    assert_int_equal(answer("lora\nno-such-model\nqwen2.5-7b\n\n\n5000\nend\n", "", &out), 0);
    expect(&out, "no-such-model");
    expect(&out, "Model [qwen2.5-7b]: "); /* the plain one, not a later model distilled into its shape */
    expect(&out, "lora_rank is out of range: 5000");
    expect(&out, "LoRA rank, 1 to 4096 [auto = 8]: ");
    strbuf_clear(&out);
}

static void a_question_mark_explains(void **state)
{
    (void)state;
    struct strbuf out = {0};
    answer("?\nlora\n?\nend\n", "", &out);
    expect(&out, "What the GPUs are to do.");
    expect(&out, "qwen2.5-7b");
    strbuf_clear(&out);
}

static void nothing_fits_is_status_3_with_what_would_help(void **state)
{
    (void)state;
    struct strbuf out = {0};
    assert_int_equal(answer("end\n", "--set workload=lora --set model=llama-3.1-8b --set budget=0.01", &out), 3);
    strbuf_clear(&out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_begin, sandbox_end)

TEST_MAIN(TEST(enter_alone_leads_to_the_same_page),
          TEST(choices_are_taken_by_number_or_name_and_refusals_say_why),
          TEST(a_question_mark_explains),
          TEST(nothing_fits_is_status_3_with_what_would_help))

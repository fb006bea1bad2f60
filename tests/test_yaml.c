#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "data/yaml.h"

static int new_arena(void **state)
{
    *state = arena_new();
    return 0;
}

static int free_arena(void **state)
{
    arena_free(*state);
    return 0;
}

static bool parse(struct arena *arena, const char *text, struct yaml_document *document,
                  struct error *error)
{
    return yaml_parse(arena, "x.yaml", text, strlen(text), 0, document, error);
}

static struct yaml_document parsed(void **state, const char *text)
{
    struct yaml_document document = {0};
    struct error error = {0};
    if (!parse(*state, text, &document, &error))
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    return document;
}

static void a_tree_knows_keys_texts_and_places(void **state)
{
    struct yaml_document document = parsed(state, "# comment\n"
                                                  "name: two words\n"
                                                  "list:\n"
                                                  "- {a: 1, b: '2'}\n"
                                                  "- x\n"
                                                  "显存: 80\n");
    assert_string_equal(document.file, "x.yaml");
    assert_int_equal(document.root->kind, YAML_MAP);
    assert_int_equal(document.root->count, 3);
    const struct yaml_node *list = yaml_get(document.root, "list");
    assert_int_equal(list->kind, YAML_LIST);
    assert_int_equal(list->count, 2);
    const struct yaml_node *b = yaml_get(list->first, "b");
    assert_string_equal(b->text, "2");
    assert_true(b->quoted);
    assert_int_equal(b->key_line, 4);
    assert_int_equal(b->key_column, 10);
    assert_int_equal(b->line, 4);
    assert_int_equal(b->column, 13);
    assert_false(yaml_get(list->first, "a")->quoted);
    const struct yaml_node *memory = yaml_get(document.root, "显存");
    assert_int_equal(memory->line, 6);
    assert_int_equal(memory->column, 5); /* counted in characters, not in bytes */
    assert_null(yaml_get(document.root, "none"));
    assert_null(yaml_get(list, "a"));
}

static void json_is_read_too(void **state)
{
    struct yaml_document document =
        parsed(state, "{\n\t\"hidden_size\": 3584,\n\t\"rope\": null, \"act\": \"si\\u006cu\", "
                      "\"u\": \"a\\/b\",\n"
                      "  \"ids\": [151645, 151643], \"deep\": {\"eps\": 1e-06}\n}\n");
    double value = 0;
    struct error error;
    assert_true(yaml_number(&document, yaml_get(document.root, "hidden_size"), &value, &error));
    assert_true(value == 3584);
    assert_true(yaml_is_null(yaml_get(document.root, "rope")));
    assert_string_equal(yaml_get(document.root, "act")->text, "silu");
    assert_string_equal(yaml_get(document.root, "u")->text, "a/b");
    assert_int_equal(yaml_get(document.root, "ids")->count, 2);
    assert_true(
        yaml_number(&document, yaml_get(yaml_get(document.root, "deep"), "eps"), &value, &error));
    assert_true(value == 1e-6);
}

static void what_is_refused_is_refused_at_its_place(void **state)
{
    static const struct {
        const char *text;
        int line, column;
        const char *part; /* of the message */
    } cases[] = {
        {"", 1, 1, "no content"},
        {"# only a comment\n", 1, 1, "no content"},
        {"---\n", 1, 1, "no content"},
        {"a: &x 1\n", 1, 4, "anchor"},
        {"a: 1\nb: *x\n", 2, 4, "alias"},
        {"a: !!str 1\n", 1, 4, "tag"},
        {"a:\n  - !thing {b: 1}\n", 2, 5, "tag"},
        {"a: 1\n---\nb: 2\n", 2, 1, "second document"},
        {"a: 1\nb: 2\na: 3\n", 3, 1, "'a' stands here twice"},
        {"x: {p: 1, q: 2, p: 3}\n", 1, 17, "'p' stands here twice"},
        {"? [a, b]\n: 1\n", 1, 3, "plain text"},
        {"a: [1, 2\n", 2, 1, "not valid YAML"},
        {"a: b: c\n", 1, 5, "not valid YAML"},
        {"ok: 1\nbad: \xff\n", 2, 6, "UTF-8"},
        {"显存: 1\nb: 显\xc3(\n", 2, 6, "UTF-8"}, /* where the character breaks off */
        {"a: 1\nb: x\x01y\n", 2, 5, "control character"},
        {"a: \"x\\0y\"\n", 1, 4, "control character"},
        {"[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]", 0, 0, NULL}, /* 16 levels are read */
        {"[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", 1, 17, "16 levels"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml_document document;
        struct error error = {0};
        bool good = parse(*state, cases[i].text, &document, &error);
        assert_int_equal(good, cases[i].part == NULL);
        assert_int_equal(error.line, cases[i].line);
        assert_int_equal(error.column, cases[i].column);
        if (cases[i].part) {
            assert_non_null(strstr(error.message, cases[i].part));
            assert_string_equal(error.file, "x.yaml");
        }
    }
}

static void a_nul_byte_is_no_end_of_the_text(void **state)
{
    static const char text[] = "a: 1\nb\0: 2\n";
    struct yaml_document document;
    struct error error = {0};
    assert_false(yaml_parse(*state, "x", text, sizeof text - 1, 0, &document, &error));
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 2);
}

static void a_file_over_the_limit_is_not_parsed(void **state)
{
    struct yaml_document document;
    struct error error = {0};
    assert_false(yaml_parse(*state, "x", "a: [1, 2, 3]\n", 13, 12, &document, &error));
    assert_non_null(strstr(error.message, "larger than 12 bytes"));
    assert_int_equal(error.line, 0);
    assert_true(yaml_parse(*state, "x", "a: [1, 2, 3]\n", 13, 13, &document, &error));
}

static void duplicates_are_found_in_long_maps(void **state)
{
    /* 50,000 keys, the first one again at the end: line 50,001 */
    size_t size = 50001 * 16;
    char *text = malloc(size);
    assert_non_null(text);
    size_t used = 0;
    for (int i = 0; i <= 50000; i++)
        used += (size_t)snprintf(text + used, size - used, "key%d: %d\n", i % 50000, i);
    struct yaml_document document;
    struct error error = {0};
    assert_false(yaml_parse(*state, "x", text, used, 0, &document, &error));
    free(text);
    assert_int_equal(error.line, 50001);
    assert_non_null(strstr(error.message, "'key0'"));
}

static void scalars_are_typed_strictly(void **state)
{
    struct yaml_document document =
        parsed(state, "n: -1.5e3\nhex: 0x10\nquoted: '12'\nnan: nan\nhuge: 1e999\nyes: yes\n"
                      "no: false\ntext: 2024-05\nnull: ~\nempty:\nlist: [1]\n");
    static const char *const no_numbers[] = {"hex", "quoted", "nan",   "huge",
                                             "yes", "text",   "empty", "list"};
    struct error error;
    double value = 0;
    bool flag = false;
    const char *text = NULL;
    assert_true(yaml_number(&document, yaml_get(document.root, "n"), &value, &error));
    assert_true(value == -1500);
    for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++)
        assert_false(
            yaml_number(&document, yaml_get(document.root, no_numbers[i]), &value, &error));
    assert_string_equal(error.message, "list: expected a number, found a list");
    assert_true(yaml_bool(&document, yaml_get(document.root, "yes"), &flag, &error) && flag);
    assert_true(yaml_bool(&document, yaml_get(document.root, "no"), &flag, &error) && !flag);
    assert_false(yaml_bool(&document, yaml_get(document.root, "n"), &flag, &error));
    assert_true(yaml_text(&document, yaml_get(document.root, "text"), &text, &error));
    assert_string_equal(text, "2024-05");
    assert_false(yaml_text(&document, yaml_get(document.root, "null"), &text, &error));
    assert_true(yaml_is_null(yaml_get(document.root, "empty")));
}

/* ---- records --------------------------------------------------------------------------------- */

struct thing {
    double size;
    int layers, colour;
    uint64_t params;
    bool good;
    const char *name;
    const struct yaml_node *extra;
};

static const char *const colours[] = {"red", "green", NULL};
static const struct yaml_field thing_fields[] = {
    {"name", YAML_FIELD_TEXT, offsetof(struct thing, name), true, 0, 0, NULL},
    {"size", YAML_FIELD_NUMBER, offsetof(struct thing, size), false, 0.5, 10, NULL},
    {"layers", YAML_FIELD_INT, offsetof(struct thing, layers), false, 0, 0, NULL},
    {"params", YAML_FIELD_COUNT, offsetof(struct thing, params), false, 0, 0, NULL},
    {"good", YAML_FIELD_BOOL, offsetof(struct thing, good), false, 0, 0, NULL},
    {"colour", YAML_FIELD_CHOICE, offsetof(struct thing, colour), false, 0, 0, colours},
    {"extra", YAML_FIELD_NODE, offsetof(struct thing, extra), false, 0, 0, NULL},
    {NULL, YAML_FIELD_NUMBER, 0, false, 0, 0, NULL},
};

static void a_record_fills_a_struct_in_any_order(void **state)
{
    struct yaml_document document =
        parsed(state, "{extra: [1], colour: green, good: yes, params: 18446744073709551615, "
                      "layers: 61, size: null, name: 7b}");
    struct thing thing = {.size = 3};
    struct error error = {0};
    assert_true(yaml_record(&document, document.root, thing_fields, &thing, &error));
    assert_string_equal(thing.name, "7b");
    assert_true(thing.size == 3); /* null leaves what the caller had put there */
    assert_int_equal(thing.layers, 61);
    assert_true(thing.params == UINT64_MAX); /* exact beyond 2^53 */
    assert_true(thing.good);
    assert_int_equal(thing.colour, 1);
    assert_int_equal(thing.extra->count, 1);
}

static void a_wrong_record_says_what_would_be_right(void **state)
{
    static const struct {
        const char *text, *message, *hint;
        int column;
    } cases[] = {
        {"{name: a, layer: 3}", "unknown key 'layer'", "did you mean 'layers'?", 11},
        {"{name: a, zzzzzz: 3}", "unknown key 'zzzzzz'", "", 11},
        {"{size: 3}", "the key 'name' is missing", "", 1},
        {"{name: , size: 3}", "name: a value is needed", "", 2},
        {"{name: a, size: 11}", "size: 11 is outside 0.5 to 10", "", 17},
        {"{name: a, size: big}", "size: expected a number, found big", "", 17},
        {"{name: a, layers: 1.5}", "layers: expected a whole number, found 1.5", "", 19},
        {"{name: a, layers: 3000000000}", "layers: expected a whole number, found 3000000000", "",
         19},
        {"{name: a, params: -1}", "params: expected a whole number, found -1", "", 19},
        {"{name: a, good: maybe}", "good: expected yes or no, found maybe", "", 17},
        {"{name: a, colour: gren}", "colour: 'gren' is none of its choices",
         "did you mean 'green'?", 19},
        {"{name: a, colour: violet}", "colour: 'violet' is none of its choices",
         "choices: red, green", 19},
        {"[1]", "expected a map, found a list", "", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml_document document = parsed(state, cases[i].text);
        struct thing thing = {0};
        struct error error = {0};
        assert_false(yaml_record(&document, document.root, thing_fields, &thing, &error));
        assert_string_equal(error.message, cases[i].message);
        assert_string_equal(error.hint, cases[i].hint);
        assert_int_equal(error.column, cases[i].column);
    }
}

static void a_missing_file_is_named(void **state)
{
    struct yaml_document document;
    struct error error = {0};
    assert_false(yaml_read_file(*state, "/nonexistent/x.yaml", 0, &document, &error));
    assert_string_equal(error.file, "/nonexistent/x.yaml");
    assert_non_null(strstr(error.message, "cannot be opened"));
    assert_false(yaml_read_file(*state, "/", 0, &document, &error)); /* a folder cannot be read */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_arena, free_arena)

TEST_MAIN(TEST(a_tree_knows_keys_texts_and_places), TEST(json_is_read_too),
          TEST(what_is_refused_is_refused_at_its_place), TEST(a_nul_byte_is_no_end_of_the_text),
          TEST(a_file_over_the_limit_is_not_parsed), TEST(duplicates_are_found_in_long_maps),
          TEST(scalars_are_typed_strictly), TEST(a_record_fills_a_struct_in_any_order),
          TEST(a_wrong_record_says_what_would_be_right), TEST(a_missing_file_is_named))

#include "tests/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"

static char folder[64];

static void what_was_written_is_read_and_missing_folders_are_made(void **state)
{
    (void)state;
    char path[128];
    struct error error = {0};
    struct strbuf text = {0};
    snprintf(path, sizeof path, "%s/a/b/c.txt", folder);
    if (!file_write(path, "one\n", 4, false, &error))
        fail_msg("%s", error.message);
    assert_true(file_read(path, 100, &text, &error));
    assert_string_equal(text.data, "one\n");
    strbuf_clear(&text);
}

static void an_existing_file_is_kept_unless_told_otherwise(void **state)
{
    (void)state;
    char path[128];
    struct error error = {0};
    struct strbuf text = {0};
    snprintf(path, sizeof path, "%s/keep.txt", folder);
    assert_true(file_write(path, "old", 3, false, &error));
    assert_false(file_write(path, "new", 3, false, &error));
    assert_non_null(strstr(error.message, "exists"));
    assert_true(file_read(path, 3, &text, &error));
    assert_string_equal(text.data, "old");
    strbuf_reset(&text);
    assert_true(file_write(path, "new", 3, true, &error));
    assert_true(file_read(path, 3, &text, &error));
    assert_string_equal(text.data, "new");
    strbuf_clear(&text);
}

/* As with /dev/stdout: what is there must still be there afterwards, and hold what was written. */
static void pipes_and_links_stay_what_they_are(void **state)
{
    (void)state;
    char pipe[128], link[128], target[128], bytes[8] = "";
    struct error error = {0};
    struct strbuf text = {0};
    struct stat status;
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(target, sizeof target, "%s/target", folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    int reader = open(pipe, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_true(file_write(pipe, "through", 7, false, &error));
    assert_int_equal(read(reader, bytes, sizeof bytes), 7);
    assert_memory_equal(bytes, "through", 7);
    close(reader);
    assert_int_equal(lstat(pipe, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_true(file_write(target, "old", 3, false, &error));
    assert_int_equal(symlink(target, link), 0);
    assert_true(file_write(link, "new", 3, true, &error));
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_true(file_read(target, 3, &text, &error));
    assert_string_equal(text.data, "new");
    strbuf_clear(&text);
}

/* A full disk is played by a device that is always full. */
static void a_failed_write_leaves_the_old_file_and_no_rest(void **state)
{
    (void)state;
    struct error error = {0};
    assert_false(file_write("/proc/gpuwiz-cannot/x", "x", 1, true, &error));
    assert_non_null(strstr(error.message, "cannot be written"));
    assert_false(file_write("/dev/full/x", "x", 1, true, &error));
}

static void a_file_that_is_too_long_or_missing_is_an_error(void **state)
{
    (void)state;
    char path[128];
    struct error error = {0};
    struct strbuf text = {0};
    snprintf(path, sizeof path, "%s/long.txt", folder);
    assert_true(file_write(path, "12345", 5, true, &error));
    assert_false(file_read(path, 4, &text, &error));
    strbuf_clear(&text);
    assert_false(file_read("/nonexistent/file", 4, &text, &error));
    assert_string_equal(error.file, "/nonexistent/file");
    strbuf_clear(&text);
}

static void a_file_that_is_replaced_stays_as_private_as_it_was(void **state)
{
    (void)state;
    char path[200];
    struct error error;
    struct stat status;
    snprintf(path, sizeof path, "%s/private.txt", folder);
    assert_true(file_write(path, "1", 1, false, &error));
    assert_int_equal(chmod(path, 0600), 0);
    assert_true(file_write(path, "2", 1, true, &error));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void a_link_that_leads_nowhere_is_there_already(void **state)
{
    (void)state;
    char path[200];
    struct error error;
    struct stat status;
    snprintf(path, sizeof path, "%s/nowhere", folder);
    assert_int_equal(symlink("gone", path), 0);
    assert_false(file_write(path, "1", 1, false, &error));
    assert_string_equal(error.message, "exists already");
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

/* Each process adds a byte twenty times to what it read: without the lock bytes would be lost. */
static void what_is_changed_under_a_lock_is_not_lost(void **state)
{
    (void)state;
    enum { PROCESSES = 4, TIMES = 20 };
    char path[200];
    struct error error;
    struct strbuf text = {0};
    snprintf(path, sizeof path, "%s/new/counted", folder);
    for (int i = 0; i < PROCESSES; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child > 0)
            continue;
        bool good = true;
        for (int k = 0; k < TIMES && good; k++) {
            int lock = file_lock(path);
            strbuf_reset(&text);
            good = lock >= 0 && (access(path, F_OK) != 0 || file_read(path, 1000, &text, &error));
            strbuf_add(&text, "x");
            good = good && file_write(path, text.data, text.length, true, &error);
            file_unlock(lock);
        }
        _exit(good ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    strbuf_reset(&text);
    assert_true(file_read(path, 1000, &text, &error));
    assert_int_equal(text.length, PROCESSES * TIMES);
    strbuf_clear(&text);
}

static void a_relative_xdg_folder_is_ignored(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    setenv("HOME", "/home/x", 1);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    assert_string_equal(file_xdg(arena, "XDG_CONFIG_HOME", ".config", "n"), "/home/x/.config/gpuwiz/n");
    setenv("XDG_CONFIG_HOME", "/c", 1);
    assert_string_equal(file_xdg(arena, "XDG_CONFIG_HOME", ".config", "n"), "/c/gpuwiz/n");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    assert_null(file_xdg(arena, "XDG_CONFIG_HOME", ".config", "n"));
    arena_free(arena);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/gpuwiz-file-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read_and_missing_folders_are_made),
        cmocka_unit_test(an_existing_file_is_kept_unless_told_otherwise),
        cmocka_unit_test(pipes_and_links_stay_what_they_are),
        cmocka_unit_test(a_failed_write_leaves_the_old_file_and_no_rest),
        cmocka_unit_test(a_file_that_is_too_long_or_missing_is_an_error),
        cmocka_unit_test(a_file_that_is_replaced_stays_as_private_as_it_was),
        cmocka_unit_test(a_link_that_leads_nowhere_is_there_already),
        cmocka_unit_test(what_is_changed_under_a_lock_is_not_lost),
        cmocka_unit_test(a_relative_xdg_folder_is_ignored),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}

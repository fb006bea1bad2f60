/* bench.c - how long and how much, beside the floor, in one run. Usage: bench PROGRAM FLOOR DATA...
 * Prints medians; judges nothing: timings are a benchmark, never a test. */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "engine/offers.h"
#include "tests/bench/keys.h"

enum { RUNS = 15, KEYS = 200 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *values, int count, double share)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[(int)(share * (count - 1) + 0.5)];
}

/* Runs to the end with output thrown away; median milliseconds, and the largest memory in MB. */
static double run(char *const argv[], double *rss_mb)
{
    double times[RUNS];
    *rss_mb = 0;
    for (int i = 0; i < RUNS; i++) {
        double start = now_ms();
        pid_t pid = fork();
        if (pid == 0) {
            int null = open("/dev/null", O_RDWR);
            dup2(null, 0), dup2(null, 1), dup2(null, 2);
            execv(argv[0], argv);
            _exit(127);
        }
        int status;
        struct rusage usage;
        wait4(pid, &status, 0, &usage);
        times[i] = now_ms() - start;
        if (WEXITSTATUS(status) == 127)
            printf("  cannot run %s\n", argv[0]);
        *rss_mb = (double)usage.ru_maxrss / 1024;
    }
    return quantile(times, RUNS, 0.5);
}

/* Starts it in a terminal of 80x24 of its own. */
static pid_t in_terminal(char *const argv[], int *master)
{
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    pid_t pid = forkpty(master, NULL, NULL, &size);
    if (pid == 0) {
        setenv("TERM", "xterm-256color", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        setenv("XDG_STATE_HOME", "/nonexistent", 1);
        unsetenv("LINES"), unsetenv("COLUMNS");
        execv(argv[0], argv);
        _exit(127);
    }
    return pid;
}

/* Reads what comes until nothing did for a while; returns how many bytes. */
static size_t drain(int master, int quiet_ms)
{
    char buffer[65536];
    size_t bytes = 0;
    struct pollfd ready = {.fd = master, .events = POLLIN};
    while (poll(&ready, 1, quiet_ms) > 0) {
        ssize_t n = read(master, buffer, sizeof buffer);
        if (n <= 0)
            break;
        bytes += (size_t)n;
    }
    return bytes;
}

/* What goes over the line for one key: a cursor that moves must not send a screen. */
static void bytes_sent(char *const argv[])
{
    static const struct {
        const char *name, *key;
        int times;
    } keys[] = {{"to the table of offers", "6", 1},
                {"down in it", "\033OB", 10},
                {"sorting it", "s", 5},
                {"its detail", "\r", 1},
                {"down in the detail", "\033OB", 5},
                {"to the summary", "7", 1}};
    int master;
    pid_t pid = in_terminal(argv, &master);
    printf("  %-34s %6zu bytes\n", "first frame", drain(master, 300));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        double bytes[16];
        for (int n = 0; n < keys[i].times; n++) {
            if (write(master, keys[i].key, strlen(keys[i].key)) < 0)
                break;
            bytes[n] = (double)drain(master, 80);
        }
        printf("  %-34s %6.0f bytes\n", keys[i].name, quantile(bytes, keys[i].times, 0.5));
    }
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    close(master);
}

/* From fork to the moment the first frame is complete: 5 ms without output after `mark` was seen.
 */
static double first_frame(char *const argv[], const char *mark)
{
    double times[RUNS];
    for (int i = 0; i < RUNS; i++) {
        char buffer[65536];
        size_t length = 0;
        int master;
        double start = now_ms(), last = start;
        pid_t pid = in_terminal(argv, &master);
        for (;;) {
            struct pollfd ready = {.fd = master, .events = POLLIN};
            buffer[length] = '\0';
            int seen = memmem(buffer, length, mark, strlen(mark)) != NULL;
            if (poll(&ready, 1, seen ? 5 : 2000) <= 0)
                break;
            ssize_t n = read(master, buffer + length, sizeof buffer - 1 - length);
            if (n <= 0)
                break;
            length += (size_t)n;
            last = now_ms();
            if (length >= sizeof buffer - 1)
                break;
        }
        times[i] = last - start;
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
        close(master);
    }
    return quantile(times, RUNS, 0.5);
}

static struct catalog catalog;
static struct constants constants;

/* The answers of a list of pairs, ended by NULL; the data are loaded the first time. */
static struct scenario answers(const char *const *pairs)
{
    static struct arena *arena;
    struct error error = {0};
    struct scenario scenario;
    char text[600];
    memset(&scenario, 0, sizeof scenario);
    if (!arena) {
        arena = arena_new();
        if (!catalog_load(NULL, &catalog, &error) ||
            !constants_load(NULL, arena, &constants, &error)) {
            puts(error_text(&error, text, sizeof text));
            exit(1);
        }
    }
    for (int i = 0; pairs[i]; i++)
        if (!scenario_set_pair(&scenario, pairs[i], &catalog, arena, &error)) {
            puts(error_text(&error, text, sizeof text));
            exit(1);
        }
    return scenario;
}

static void recomputation(const char *name, const char *const *pairs)
{
    struct scenario scenario = answers(pairs);
    struct error error = {0};
    double times[KEYS];
    size_t offers = 0;
    for (int i = 0; i < KEYS; i++) {
        struct plan plan;
        double start = now_ms();
        if (!plan_compute(&catalog, &constants, &scenario, "2026-12-01", &plan, &error))
            exit(1);
        times[i] = now_ms() - start;
        offers = plan.offer_count;
        plan_clear(&plan);
    }
    double median = quantile(times, KEYS, 0.5), slow = quantile(times, KEYS, 0.99);
    printf("  %-34s median %6.2f ms   99 %% %6.2f ms   (%zu offers; one 60 Hz frame is 16.7 ms)\n",
           name, median, slow, offers);
}

static void pressed(const char *name, const char *const *pairs)
{
    struct scenario scenario = answers(pairs);
    keys_bench(name, &catalog, &constants, &scenario);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    char *floor_argv[64] = {argv[2], "parse"};
    for (int i = 3; i < argc && i < 60; i++)
        floor_argv[i - 1] = argv[i];
    char *plan_argv[] = {argv[1], "plan", "--set", "workload=lora", "--set", "model=qwen2.5-7b",
                         NULL};
    char *pretrain_argv[] = {
        argv[1], "plan",          "--set", "workload=pretrain", "--set", "model=llama-3.1-70b",
        "--set", "tokens_b=1000", NULL};
    char *wizard_argv[] = {argv[1], NULL};
    double floor_mb, plan_mb, pretrain_mb;

    double floor_ms = run(floor_argv, &floor_mb);
    double plan_ms = run(plan_argv, &plan_mb);
    double pretrain_ms = run(pretrain_argv, &pretrain_mb);
    puts("whole process (median of 15)");
    printf("  %-34s %6.2f ms  %5.1f MB\n", "floor: libraries and data parsed", floor_ms, floor_mb);
    printf("  %-34s %6.2f ms  %5.1f MB   x %.2f\n", "plan, LoRA of a 7B", plan_ms, plan_mb,
           plan_ms / floor_ms);
    printf("  %-34s %6.2f ms  %5.1f MB   x %.2f\n", "plan, pretrain of a 70B", pretrain_ms,
           pretrain_mb, pretrain_ms / floor_ms);
    floor_argv[1] = "paint";
    double paint_ms = first_frame(floor_argv, "ready"),
           wizard_ms = first_frame(wizard_argv, "gpuwiz");
    puts("start to first frame, 80x24 (median of 15)");
    printf("  %-34s %6.2f ms\n", "floor: one empty screen", paint_ms);
    printf("  %-34s %6.2f ms             x %.2f\n", "wizard", wizard_ms, wizard_ms / paint_ms);
    puts("one recomputation, whole catalog (200 times)");
    recomputation("LoRA of Qwen2.5-7B",
                  (const char *const[]){"workload=lora", "model=qwen2.5-7b", NULL});
    recomputation("full fine-tune of Llama-3.1-8B",
                  (const char *const[]){"workload=full", "model=llama-3.1-8b", NULL});
    recomputation(
        "pretrain of Llama-3.1-70B, 1T tokens",
        (const char *const[]){"workload=pretrain", "model=llama-3.1-70b", "tokens_b=1000", NULL});
    recomputation(
        "pretrain of DeepSeek-V3 on 1T tokens",
        (const char *const[]){"workload=pretrain", "model=deepseek-v3", "tokens_b=1000", NULL});
    recomputation("serving Qwen2.5-72B, 16 users at 8k",
                  (const char *const[]){"workload=inference", "model=qwen2.5-72b", "concurrency=16",
                                        "context=8192", NULL});
    recomputation("serving DeepSeek-V3",
                  (const char *const[]){"workload=inference", "model=deepseek-v3", NULL});
    puts("one key in the wizard, from the event to the finished screen");
    pressed("LoRA of Qwen2.5-7B", (const char *const[]){"workload=lora", "model=qwen2.5-7b", NULL});
    pressed(
        "pretrain of Llama-3.1-70B, 1T tokens",
        (const char *const[]){"workload=pretrain", "model=llama-3.1-70b", "tokens_b=1000", NULL});
    pressed("the same on 128 machines",
            (const char *const[]){"workload=pretrain", "model=llama-3.1-70b", "tokens_b=1000",
                                  "nodes=128", NULL});
    pressed("serving DeepSeek-V3",
            (const char *const[]){"workload=inference", "model=deepseek-v3", NULL});
    puts("sent to the terminal for one key, 80x24 (median)");
    bytes_sent(wizard_argv);
    return 0;
}

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

/* From fork to the moment the first frame is complete: 5 ms without output after `mark` was seen. */
static double first_frame(char *const argv[], const char *mark)
{
    double times[RUNS];
    for (int i = 0; i < RUNS; i++) {
        struct winsize size = {.ws_row = 24, .ws_col = 80};
        char buffer[65536];
        size_t length = 0;
        int master;
        double start = now_ms(), last = start;
        pid_t pid = forkpty(&master, NULL, NULL, &size);
        if (pid == 0) {
            setenv("TERM", "xterm-256color", 1);
            setenv("LC_ALL", "C.UTF-8", 1);
            setenv("XDG_STATE_HOME", "/nonexistent", 1);
            unsetenv("LINES"), unsetenv("COLUMNS");
            execv(argv[0], argv);
            _exit(127);
        }
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

static void recomputation(const char *name, const char *const *pairs)
{
    static struct catalog catalog;
    static struct constants constants;
    static struct arena *arena;
    struct error error = {0};
    struct scenario scenario = {0};
    char text[600];
    if (!arena) {
        arena = arena_new();
        if (!catalog_load(NULL, &catalog, &error) || !constants_load(NULL, arena, &constants, &error)) {
            puts(error_text(&error, text, sizeof text));
            exit(1);
        }
    }
    for (int i = 0; pairs[i]; i++)
        if (!scenario_set_pair(&scenario, pairs[i], &catalog, arena, &error)) {
            puts(error_text(&error, text, sizeof text));
            exit(1);
        }
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
    printf("  %-34s median %6.2f ms   99 %% %6.2f ms   (%zu offers; one 60 Hz frame is 16.7 ms)\n", name, median,
           slow, offers);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    char *floor_argv[64] = {argv[2], "parse"};
    for (int i = 3; i < argc && i < 60; i++)
        floor_argv[i - 1] = argv[i];
    char *plan_argv[] = {argv[1], "plan", "--set", "workload=lora", "--set", "model=qwen2.5-7b", NULL};
    char *pretrain_argv[] = {argv[1], "plan", "--set", "workload=pretrain", "--set", "model=llama-3.1-70b",
                             "--set", "tokens_b=1000", NULL};
    char *wizard_argv[] = {argv[1], NULL};
    double floor_mb, plan_mb, pretrain_mb;

    double floor_ms = run(floor_argv, &floor_mb);
    double plan_ms = run(plan_argv, &plan_mb);
    double pretrain_ms = run(pretrain_argv, &pretrain_mb);
    puts("whole process (median of 15)");
    printf("  %-34s %6.2f ms  %5.1f MB\n", "floor: libraries and data parsed", floor_ms, floor_mb);
    printf("  %-34s %6.2f ms  %5.1f MB   x %.2f\n", "plan, LoRA of a 7B", plan_ms, plan_mb, plan_ms / floor_ms);
    printf("  %-34s %6.2f ms  %5.1f MB   x %.2f\n", "plan, pretrain of a 70B", pretrain_ms, pretrain_mb,
           pretrain_ms / floor_ms);
    floor_argv[1] = "paint";
    double paint_ms = first_frame(floor_argv, "ready"), wizard_ms = first_frame(wizard_argv, "gpuwiz");
    puts("start to first frame, 80x24 (median of 15)");
    printf("  %-34s %6.2f ms\n", "floor: one empty screen", paint_ms);
    printf("  %-34s %6.2f ms             x %.2f\n", "wizard", wizard_ms, wizard_ms / paint_ms);
    puts("one recomputation, whole catalog (200 times)");
    recomputation("LoRA of Qwen2.5-7B", (const char *const[]){"workload=lora", "model=qwen2.5-7b", NULL});
    recomputation("full fine-tune of Llama-3.1-8B",
                  (const char *const[]){"workload=full", "model=llama-3.1-8b", NULL});
    recomputation("pretrain of Llama-3.1-70B, 1T tokens",
                  (const char *const[]){"workload=pretrain", "model=llama-3.1-70b", "tokens_b=1000", NULL});
    recomputation("pretrain of DeepSeek-V3 on 1T tokens",
                  (const char *const[]){"workload=pretrain", "model=deepseek-v3", "tokens_b=1000", NULL});
    recomputation("serving Qwen2.5-72B, 16 users at 8k",
                  (const char *const[]){"workload=inference", "model=qwen2.5-72b", "concurrency=16", "context=8192", NULL});
    recomputation("serving DeepSeek-V3",
                  (const char *const[]){"workload=inference", "model=deepseek-v3", NULL});
    return 0;
}

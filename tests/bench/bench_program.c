/* The program as a whole: from start to the first complete Memory Viewer answer over HTTP, resident
 * memory then, one answer on the command line, the size of the binary. The floor is a process that
 * does nothing (/bin/true). */
#include "bench.h"
#include "http_client.h"
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *binary;
static char profile[4096];
static const char *module_name;

struct first_answer {
    double ms;
    long rss_kb;
};

static long rss_kb_of(pid_t pid)
{
    char path[64], line[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %ld", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb;
}

static pid_t spawn(const char *const *argv, int *out)
{
    int pipes[2] = {-1, -1};
    pid_t pid = -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (out && pipe(pipes) == 0)
        posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
    else
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ) != 0)
        pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    if (out) {
        close(pipes[1]);
        *out = pipes[0];
    }
    return pid;
}

static int port_from(int fd)
{
    char line[512];
    size_t used = 0;
    while (used < sizeof line - 1 && read(fd, line + used, 1) == 1 && line[used] != '\n')
        used++;
    line[used] = 0;
    const char *colon = strrchr(line, ':');
    return colon ? (int)strtol(colon + 1, NULL, 10) : 0;
}

/* The length of a complete answer, 0 on failure. */
static size_t get(int port, const char *path)
{
    struct http_reply reply = http_get_loaded((uint16_t)port, path);
    size_t size = reply.status == 200 ? reply.size : 0;
    http_reply_free(&reply);
    return size;
}

static struct first_answer first_answer(void)
{
    struct first_answer result = {0};
    const char *argv[] = {binary, "--port=0", profile, NULL};
    char path[512];
    int out = -1;
    double start = bench_now_ms();
    pid_t pid = spawn(argv, &out);
    int port = port_from(out);
    snprintf(path, sizeof path, "/api/v1/memory/summary%s%s", module_name ? "?module=" : "",
             module_name ? module_name : "");
    size_t size = get(port, path);
    result.ms = bench_now_ms() - start;
    result.rss_kb = rss_kb_of(pid);
    if (size == 0)
        printf("  no answer from the server\n");
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    close(out);
    return result;
}

static int by_time(const void *a, const void *b)
{
    const struct first_answer *x = a, *y = b;
    return x->ms < y->ms ? -1 : x->ms > y->ms;
}

static void serve(const char *name)
{
    struct first_answer runs[9];
    for (size_t i = 0; i < 9; i++)
        runs[i] = first_answer();
    qsort(runs, 9, sizeof *runs, by_time);
    printf("%s: start to first complete Memory Viewer answer\n  median of 9                        "
           " %8.1f ms, RSS then "
           "%.1f MB\n",
           name, runs[4].ms, (double)runs[4].rss_kb / 1024.0);
}

static void run_command(void *arg)
{
    pid_t pid = spawn(arg, NULL);
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

void bench_program(const char *shared, const char *words)
{
    (void)words;
    binary = getenv("XPD_BINARY");
    struct stat st;
    if (!binary || stat(binary, &st) != 0) {
        printf("XPD_BINARY is not set: the program as a whole is not measured\n");
        return;
    }
    printf("binary: %.2f MB as built\n", (double)st.st_size / 1e6);
    if (!shared)
        return;
    snprintf(profile, sizeof profile, "%s/data/tpu-v6e-offload/logdir", shared);
    serve("real TPU profile (0.86 MB)");
    const char *nothing[] = {"/bin/true", NULL};
    const char *command[] = {binary, "memory", profile, "--json", NULL};
    printf("one answer on the command line\n");
    printf("  a process that does nothing (floor) %8.1f ms\n",
           bench_median_ms(run_command, (void *)(uintptr_t)nothing, 15));
    printf("  xprofd memory PROFILE --json        %8.1f ms\n",
           bench_median_ms(run_command, (void *)(uintptr_t)command, 15));
    snprintf(profile, sizeof profile, "%s/data/tpu_big_transformer/logdir", shared);
    serve("real module of 54,323 instructions");
}

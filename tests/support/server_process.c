/* Starts and ends the program for tests. */
#include "server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define START_LIMIT_MS 60000
#define ARGUMENTS_MAX  16

const char *binary_path(void)
{
    const char *path = getenv("XPD_BINARY");
    return path ? path : "build/xprofd";
}

const char *source_path(const char *relative)
{
    static char buffer[4][1024];
    static unsigned next;
    char *out = buffer[next++ % 4];
    const char *root = getenv("XPD_SOURCE");
    snprintf(out, sizeof buffer[0], "%s/%s", root ? root : ".", relative);
    return out;
}

static int temporary_file(void)
{
    char name[] = "/tmp/xprofd-test-XXXXXX";
    int fd = mkstemp(name);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static void run_child(const char *const *arguments, int out, int err)
{
    char *argv[ARGUMENTS_MAX + 2] = {(char *)(uintptr_t)binary_path()};
    for (int i = 0; i < ARGUMENTS_MAX && arguments[i]; i++)
        argv[i + 1] = (char *)(uintptr_t)arguments[i];
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execv(argv[0], argv);
    _exit(127);
}

/* The first line that the program prints, or "" when it ends before. */
static void read_ready(struct server_process *process)
{
    size_t used = 0;
    struct pollfd wait = {.fd = process->out, .events = POLLIN};
    process->ready[0] = '\0';
    while (used + 1 < sizeof process->ready && poll(&wait, 1, START_LIMIT_MS) == 1 &&
           read(process->out, process->ready + used, 1) == 1) {
        if (process->ready[used] == '\n')
            break;
        used++;
    }
    process->ready[used] = '\0';
    const char *colon = strrchr(process->ready, ':');
    process->port = colon && strncmp(process->ready, "xprofd: serving ", 16) == 0
                        ? (uint16_t)atoi(colon + 1)
                        : 0;
}

bool server_start(struct server_process *process, const char *const *arguments)
{
    int pipe_fds[2];
    *process = (struct server_process){.out = -1, .err = temporary_file()};
    if (pipe2(pipe_fds, O_CLOEXEC) != 0)
        return false;
    process->pid = fork();
    if (process->pid == 0)
        run_child(arguments, pipe_fds[1], process->err);
    close(pipe_fds[1]);
    process->out = pipe_fds[0];
    read_ready(process);
    return process->port != 0;
}

void server_serve(struct server_process *process, const char *path, const char *more,
                  const char *more2)
{
    const char *arguments[] = {path, "--port=0", more, more ? more2 : NULL, NULL};
    if (!server_start(process, arguments)) {
        server_end(process, SIGKILL, NULL);
        print_error("%s did not start: %s\n", binary_path(), process->err_text);
        fail();
    }
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static char *read_back(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)(size > 0 ? size : 0) + 1);
    if (text && size > 0 && pread(fd, text, (size_t)size, 0) < 0)
        text[0] = '\0';
    return text;
}

int server_end(struct server_process *process, int signal_number, double *ms)
{
    double start = now_ms();
    int status = 0;
    if (signal_number)
        kill(process->pid, signal_number);
    waitpid(process->pid, &status, 0);
    if (ms)
        *ms = now_ms() - start;
    free(process->err_text);
    process->err_text = read_back(process->err);
    close(process->out);
    close(process->err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1 - WTERMSIG(status);
}

void server_stop(struct server_process *process)
{
    int code = server_end(process, SIGTERM, NULL);
    if (code != 0)
        print_error("xprofd ended with %d:\n%s\n", code, process->err_text);
    free(process->err_text);
    process->err_text = NULL;
    assert_int_equal(code, 0);
}

/* Log lines.
 *
 * In: a level and a format. Out: one line on stderr in one write, so that lines of different
 * threads do not mix. File and module names come from outside: control characters are replaced, and
 * nothing a file contains can begin a line or reach the terminal as an escape sequence. */
#define _GNU_SOURCE 1
#include "xprofd/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int current_level = XPD_LOG_INFO;
static void (*current_writer)(enum xpd_log_level level, const char *text);

void xpd_log_set_level(enum xpd_log_level level)
{
    atomic_store(&current_level, (int)level);
}

bool xpd_log_shows(enum xpd_log_level level)
{
    return (int)level <= atomic_load(&current_level);
}

void xpd_log_set_writer(void (*writer)(enum xpd_log_level level, const char *text))
{
    current_writer = writer;
}

const char *xpd_log_word(enum xpd_log_level level)
{
    static const char *const word[] = {"error", "warning", "info", "debug"};
    return word[level];
}

void xpd_log_line(const char *line, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = write(STDERR_FILENO, line + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break; /* stderr is closed: nothing else can be done */
        done += (size_t)n;
    }
}

void xpd_log(enum xpd_log_level level, const char *fmt, ...)
{
    if (!xpd_log_shows(level))
        return;

    int error = errno; /* a log line must not change the caller's errno */
    char line[1024];
    size_t used = (size_t)snprintf(line, sizeof line, "xprofd: %s: ", xpd_log_word(level));
    size_t begin = used, room = sizeof line - used - 1; /* one byte for the newline */
    va_list args;
    va_start(args, fmt);
    int wanted = vsnprintf(line + used, room, fmt, args);
    va_end(args);
    size_t text = wanted < 0 ? 0 : (size_t)wanted < room ? (size_t)wanted : room - 1;
    for (size_t i = used; i < used + text; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7F)
            line[i] = ' ';
    used += text;
    line[used] = '\0';
    if (current_writer) {
        current_writer(level, line + begin);
    } else {
        line[used++] = '\n';
        xpd_log_line(line, used);
    }
    errno = error;
}

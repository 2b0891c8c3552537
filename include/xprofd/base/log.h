/* Log lines on stderr: "xprofd: level: text". Thread safe. Quiet below the level set by main. */
#ifndef XPROFD_BASE_LOG_H
#define XPROFD_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum xpd_log_level { XPD_LOG_ERROR, XPD_LOG_WARNING, XPD_LOG_INFO, XPD_LOG_DEBUG };

void xpd_log_set_level(enum xpd_log_level level);
bool xpd_log_shows(enum xpd_log_level level);
/* Changes the form of lines: called with each text (without control characters), makes a line and
 * passes it to xpd_log_line. NULL: the default form. Set before other threads start. */
void xpd_log_set_writer(void (*writer)(enum xpd_log_level level, const char *text));
/* "error", "warning", "info", "debug" */
const char *xpd_log_word(enum xpd_log_level level);
/* Writes bytes unchanged, in one write() if possible. */
void xpd_log_line(const char *line, size_t size);
void xpd_log(enum xpd_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

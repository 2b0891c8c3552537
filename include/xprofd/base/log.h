/* Log lines on stderr: "xprofd: level: text". Thread safe. Quiet below the level set by main. */
#ifndef XPROFD_BASE_LOG_H
#define XPROFD_BASE_LOG_H

enum xpd_log_level { XPD_LOG_ERROR, XPD_LOG_WARNING, XPD_LOG_INFO, XPD_LOG_DEBUG };

void xpd_log_set_level(enum xpd_log_level level);
void xpd_log(enum xpd_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

/* How much memory loaded profiles may take by default. */
#ifndef XPD_SESSION_BUDGET_H
#define XPD_SESSION_BUDGET_H

#include <stdint.h>

/* The least of half of the machine's memory and five eighths of every limit on the way up the
 * control group (v2 memory.max, v1 memory.limit_in_bytes). `root` is put in front of /proc and
 * /sys, "" outside tests. At least 64 MiB, also when nothing can be read. */
uint64_t xpd_budget_default(const char *root);

#endif

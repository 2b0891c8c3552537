/* Which samples of a file count, and where each belongs: shared by groups and tree. */
#ifndef XPD_HEAP_SIEVE_H
#define XPD_HEAP_SIEVE_H

#include "xprofd/base/map64.h"
#include "xprofd/base/strbuf.h"
#include "xprofd/heap/groups.h"

struct xpd_heap_sieve { /* of one file and one filter */
    bool any_line;
    bool executables; /* the requested line is the row of executables */
    bool *line;       /* by frame: it is of that line */
};
/* In the arena; false: no memory. */
bool xpd_heap_sieve_make(struct xpd_heap_sieve *sieve, const struct xpd_heap_member *member,
                         const struct xpd_heap_filter *filter, struct xpd_arena *arena);
/* Compiled programs, in a profile of JAX. */
bool xpd_heap_is_executable(const struct xpd_pprof *heap, uint32_t sample);
bool xpd_heap_passes(const struct xpd_heap_sieve *sieve, const struct xpd_heap_member *member,
                     const struct xpd_heap_filter *filter, uint32_t sample);

#define XPD_HEAP_EXECUTABLES "(executables)" /* keys of rows without a line */
#define XPD_HEAP_NO_STACK    "(no stack)"

#endif

/* Shared by the parts of XProf's view; internal to xprof_*.c. */
#ifndef XPROFD_SRC_MEMORY_XPROF_WORK_H
#define XPROFD_SRC_MEMORY_XPROF_WORK_H

#include "memory_internal.h"
#include "xprofd/memory/xprof.h"

struct xpd_xprof_entry { /* one entry XProf appends to its list of live buffers */
    uint32_t buffer, step;
    uint32_t end;  /* step of its removal, UINT32_MAX = stays */
    uint32_t same; /* entry + 1 of the same buffer before it, 0 = none */
};
struct xpd_xprof_shown { /* from `step` on the storage of `root` is shown as `buffer` */
    uint32_t step, root, buffer;
};
struct xpd_xprof_work {
    const struct xpd_mem *mem;
    struct xpd_arena *arena;
    int64_t color, small_bytes;
    uint32_t *trace_of;   /* by allocation */
    uint32_t *allocation; /* those of the colour, ascending index */
    uint32_t allocation_count;
    struct xpd_xprof_entry *entry;
    uint32_t entry_count;
    struct xpd_xprof_shown *shown;
    uint32_t shown_count;
    int32_t *span_start, *span_end; /* by buffer, start -1 = no span */
};

bool xpd_xprof_has_record(const struct xpd_mem *mem, uint32_t buffer);
bool xpd_xprof_prepare(struct xpd_xprof_work *w, struct xpd_xprof_memory *out);
bool xpd_xprof_simulate(struct xpd_xprof_work *w, struct xpd_xprof_memory *out);
/* GNU's introspective sort of bar indexes by size, largest first, unstable as there. */
void xpd_xprof_sort_by_size(const struct xpd_xprof_bar *bar, uint32_t *order, uint32_t count);

#endif

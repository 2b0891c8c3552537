/* Memory of one module, frozen: which buffer holds which bytes during which events, in every memory
 * space.
 *
 * Pure function of a loaded HloProto. A *step* is one heap event; the value of step i is the state
 * AFTER event i (XProf shows the state before it). A *lane* is one heap trace; lanes of a space are
 * laid one after another, each starting empty. A *tenancy* is one stretch of steps in which a
 * storage is held: from ALLOC (or a SHARE_WITH that takes over a freed storage) to the FREE of its
 * last holder.
 *
 * docs/XPROF-DIFFERENCES.md says where XProf counts otherwise; what it fails on is a warning here.
 */
#ifndef XPROFD_MEMORY_MEMORY_H
#define XPROFD_MEMORY_MEMORY_H

#include "xprofd/hlo/module.h"

enum xpd_mem_class { /* first match in this order, as XProf */
                     XPD_CLASS_PARAMETER,
                     XPD_CLASS_OUTPUT,
                     XPD_CLASS_THREAD_LOCAL,
                     XPD_CLASS_CONSTANT,
                     XPD_CLASS_TEMPORARY,
                     XPD_CLASS_COUNT
};
const char *
xpd_mem_class_word(enum xpd_mem_class c); /* "parameter", "output", "thread_local", ... */

#define XPD_NO_STEP UINT32_MAX

struct xpd_mem_buffer {                  /* one logical buffer; same index as in hlo->buffers */
    int64_t size_bytes;                  /* LogicalBufferProto.size, clamped to >= 0 */
    int64_t unpadded_bytes;              /* right shape, real bits, never above size_bytes */
    int64_t offset_bytes;                /* in its allocation */
    int64_t assigned_bytes;              /* Assigned.size: the reserved chunk */
    const struct xpd_shape *shape;       /* the whole shape index walked */
    const struct xpd_shape *xprof_shape; /* XProf's resolution */
    int64_t xprof_unpadded_bytes;
    uint32_t instruction; /* or XPD_NO_INDEX */
    uint32_t allocation;  /* index into hlo->allocation, XPD_NO_INDEX = in none */
    uint32_t
        first_tenancy; /* first one it holds, in its space; XPD_NO_INDEX = in no temp allocation */
    uint32_t root;     /* canonical root of its sharing group (itself when it shares nothing) */
    uint32_t first_step, end_step; /* the value itself: from its first ALLOC or SHARE_WITH to its
                                      last FREE (or the end of that lane), XPD_NO_STEP = never */
    uint32_t
        storage_tenancy; /* first tenancy of the storage it is the root of, XPD_NO_INDEX = none */
    uint8_t mem_class;   /* enum xpd_mem_class */
};

enum xpd_tenancy_flags {
    XPD_TENANCY_UNTRACED = 1, /* member of a temp allocation without heap events: whole program */
    XPD_TENANCY_NEVER_FREED = 2, /* still held after the last event of its lane */
    XPD_TENANCY_SHARED = 4,      /* other values shared the storage meanwhile */
    XPD_TENANCY_TAKEN_OVER = 8   /* began with a SHARE_WITH on a freed storage */
};

struct xpd_tenancy {               /* sorted by (start_step, offset_bytes) */
    uint32_t buffer;               /* the value that began it */
    uint32_t start_step, end_step; /* held during [start_step, end_step): end = step of the last
                                      FREE, or the end of its lane */
    uint32_t lane;                 /* XPD_NO_INDEX for untraced ones */
    uint32_t flags;
    uint32_t next_of_buffer; /* next tenancy of the same storage, XPD_NO_INDEX = last */
    int64_t offset_bytes; /* heap address: base of the allocation in the space + Assigned.offset */
    int64_t size_bytes;   /* largest holder: what is really reserved */
    int64_t listed_bytes; /* what XProf counts: size of the canonical */
    int64_t unpadded_bytes; /* of the largest holder (the first one when several are equal) */
};

struct xpd_lane {
    uint32_t trace; /* index into hlo->trace */
    uint32_t first_step, step_count;
    int64_t peak_live_bytes;
};

struct xpd_heap { /* one temp allocation of a space; heaps are stacked, base_bytes apart */
    uint32_t allocation;
    int64_t base_bytes, size_bytes;
};

struct xpd_mem_totals { /* bytes of allocations of one space; thread-local ones only in thread_local
                         */
    int64_t argument, output, alias, constant, thread_local_,
        temp;                  /* output includes alias, as JAX */
    int64_t resident;          /* argument + (output - alias) + constant: there all the time */
    int64_t resident_unpadded; /* the same without padding */
    int64_t reserved;          /* resident + temp: every byte set aside ("with fragmentation") */
    int64_t untraced;          /* members of temp allocations without heap events */
};

struct xpd_mem_space {
    int64_t color;
    struct xpd_mem_totals totals;
    uint32_t heap_count;
    struct xpd_heap *heap;
    int64_t heap_bytes; /* sum of heap sizes = top of the address map */

    uint32_t lane_count;
    struct xpd_lane *lane;
    uint32_t step_count;
    uint32_t *event;         /* step -> index into hlo->events */
    int64_t *live_bytes;     /* temporaries held after the step: group maximum; in VMEM and CMEM
                                (colours 1     and 3) the union of live address ranges */
    int64_t *listed_bytes;   /* what XProf adds up */
    int64_t *unpadded_bytes; /* of the holders; of a union the addresses that are no padding */
    bool live_is_union;

    uint32_t tenancy_count;
    struct xpd_tenancy *tenancy;

    uint32_t peak_step;          /* first maximum of live_bytes, XPD_NO_STEP without steps */
    int64_t peak_live_bytes;     /* temporaries at the peak (untraced members not included) */
    int64_t peak_bytes;          /* resident + peak_live: the main number */
    int64_t peak_unpadded_bytes; /* at the peak step, resident without padding too */
    int64_t scoped_bytes;        /* largest used_scoped_memory_configs of this space, 0 = none */
    uint32_t scoped_instruction;
    struct xpd_live_index *index; /* query.c's checkpoints and range maxima */
};

struct xpd_mem {
    struct xpd_arena arena;
    const struct xpd_hlo *hlo;     /* must outlive this */
    struct xpd_mem_buffer *buffer; /* hlo->buffers.count */
    uint32_t space_count;
    struct xpd_mem_space
        *space; /* ascending colour: of allocations, logical buffers, scoped memory; none without a
                   buffer assignment, regardless of the scratch memory that kernels declare */
    uint32_t *allocation_order; /* allocations by ascending index, ties in file order */
    struct xpd_warnings warnings;
    struct xpd_uses *uses; /* uses.c; made with the rest, frozen */
};

/* Fails only without memory (XPD_ENOMEM; XPD_ELIMIT above the budget, 0 = none); damage in the
 * module becomes a warning of the result. Free with xpd_mem_free before the module. */
int xpd_mem_analyse(struct xpd_mem **out, const struct xpd_hlo *hlo, uint64_t arena_budget_bytes,
                    struct xpd_err *err);
void xpd_mem_free(struct xpd_mem *mem);
/* Memory used by the analysis, without the module. */
uint64_t xpd_mem_memory_bytes(const struct xpd_mem *mem);
/* Numbers of a space for every page, route and command (docs/NUMBERS.md, "Memory"). Reserved is
 * totals.reserved, live at the peak is peak_bytes. -1: unknown, because the heap has no events, or
 * because events hold more than the heap's size. */
int64_t xpd_mem_peak_temp(const struct xpd_mem_space *space);     /* temporaries live at the peak */
int64_t xpd_mem_fragmentation(const struct xpd_mem_space *space); /* reserved - live at the peak */
/* The space of a colour; NULL: not in the module. */
const struct xpd_mem_space *xpd_mem_space_of(const struct xpd_mem *mem, int64_t color);
/* The main memory space: colour 0, else the one with the largest peak (the first of equal ones).
 * NULL: none. */
const struct xpd_mem_space *xpd_mem_main_space(const struct xpd_mem *mem);

/* The error for a module without memory spaces, XPD_ENOTFOUND: its memory is unknown, what would
 * record it, and the largest scratch memory of an instruction. */
int xpd_mem_no_assignment(const struct xpd_hlo *hlo, const char *where, struct xpd_err *err);

/* Name of a memory space: by platform. `platform`: "tpu", "gpu", "cpu" or "" (unknown: "space n").
 */
const char *xpd_space_name(const char *platform, int64_t color, char scratch[24]);

/* Instruction that runs at a step: that of the last ALLOC or SHARE_WITH at or before it in its lane
 * (a FREE names the definer of what it frees). XPD_NO_INDEX when unknown. */
uint32_t xpd_mem_running(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                         uint32_t step);

/* The numbers of JAX's compiled.memory_analysis().
 */
struct xpd_jax_analysis {
    int64_t argument, output, alias, temp, peak; /* device memory (all but host spaces) */
    int64_t host_argument, host_output, host_alias, host_temp; /* colour 5 */
};
void xpd_mem_jax_analysis(const struct xpd_mem *mem, const char *platform,
                          struct xpd_jax_analysis *out);

#endif

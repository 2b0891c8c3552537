/* What is held after a step: resident allocations first, then tenancies. The live list, the table
 * at a step, the tree, the diff and the headline all count these rows, so their sums are the same.
 */
#ifndef XPROFD_MEMORY_HELD_H
#define XPROFD_MEMORY_HELD_H

#include "xprofd/memory/query.h"

struct xpd_held {
    uint32_t buffer;     /* XPD_NO_INDEX = an allocation without a logical buffer */
    uint32_t tenancy;    /* XPD_NO_INDEX = resident */
    uint32_t allocation; /* XPD_NO_INDEX = in none */
    uint32_t start, end; /* steps; residents: the whole program */
    enum xpd_mem_class mem_class;
    int64_t size_bytes, unpadded_bytes;
    int64_t offset_bytes; /* heap address; -1 for residents, whose place is not known */
};

struct xpd_held_list {
    struct xpd_held *at; /* in program order */
    uint32_t count;
    uint32_t resident_count; /* the first ones */
    int64_t bytes;           /* resident + live: the curve's value */
    int64_t unpadded_bytes;
    int64_t listed_bytes; /* sum over the rows; more than `bytes` only where ranges overlap (VMEM,
                             CMEM) */
    uint32_t untraced_count; /* members of the heap without events: not in a row and not in
                              * `bytes` */
    int64_t untraced_bytes;
};

/* `step` may be XPD_NO_STEP (no heap trace): residents only. Rows live in the arena. XPD_ENOMEM. */
int xpd_held_at(struct xpd_held_list *list, const struct xpd_mem *mem,
                const struct xpd_mem_space *space, uint32_t step, struct xpd_arena *arena,
                struct xpd_err *err);

static inline int64_t xpd_held_padding(const struct xpd_held *row)
{
    return row->size_bytes - row->unpadded_bytes;
}

/* How far the peak falls without this row. A memory failure is left in the arena. */
int64_t xpd_held_saving(const struct xpd_held *row, const struct xpd_mem *mem,
                        const struct xpd_mem_space *space, struct xpd_arena *arena);

/* The row of a resident allocation, or false when it is a temporary, thread-local or of another
 * space. */
bool xpd_held_resident(struct xpd_held *row, const struct xpd_mem *mem,
                       const struct xpd_mem_space *space, uint32_t allocation);

/* The peak of a space taken apart: classes, padding of each, what is set aside beside it. Bytes. */
struct xpd_peak_split {       /* argument + output + constant + temp = peak */
    int64_t argument, output; /* output: not written into arguments */
    int64_t alias;            /* outputs written into arguments: counted in argument */
    int64_t constant, temp;   /* temp: live at the peak; -1 = unknown */
    int64_t thread_local_;    /* beside what is reserved */
    int64_t fragmentation;    /* reserved - peak; -1 = unknown */
    int64_t untraced;         /* in the heap without events: counted in fragmentation */
    int64_t padding[XPD_CLASS_COUNT];
};

/* `peak` is the list of what is held at the peak step. */
void xpd_peak_split_of(struct xpd_peak_split *out, const struct xpd_mem_space *space,
                       const struct xpd_held_list *peak);

/* Class of an allocation by the order of enum xpd_mem_class. */
enum xpd_mem_class xpd_mem_class_of(uint32_t allocation_flags);
/* Appends `<instruction>{i,j}`; a buffer without instruction is "buffer <id>". */
void xpd_mem_buffer_name(struct xpd_strbuf *out, const struct xpd_mem *mem, uint32_t buffer);
/* The instruction that defines a buffer; XPD_NO_INDEX of XPD_NO_INDEX. */
static inline uint32_t xpd_mem_instruction(const struct xpd_mem *mem, uint32_t buffer)
{
    return buffer == XPD_NO_INDEX ? XPD_NO_INDEX : mem->buffer[buffer].instruction;
}
/* The name of its element type, "f32"; "" of XPD_NO_INDEX. */
const char *xpd_mem_dtype(const struct xpd_mem *mem, uint32_t buffer, char scratch[16]);
/* The memory space a buffer lies in: that of its allocation, else its own. */
int64_t xpd_mem_color_of(const struct xpd_mem *mem, uint32_t buffer);

#endif

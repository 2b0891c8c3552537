/* The report of a program's memory: each range of steps in which bytes are held is in exactly one
 * category, and at own or shared addresses, so that every sum closes at every step.
 *
 * Pure functions of a frozen analysis. A *row* is a resident allocation or a tenancy; a *span* is a
 * row over steps in which its size does not change. Steps are the space's; values are bytes after
 * a step. docs/REPORT_ROWS.md lists the categories. */
#ifndef XPROFD_REPORT_REPORT_H
#define XPROFD_REPORT_REPORT_H

#include "xprofd/hlo/source_info.h"
#include "xprofd/memory/held.h"

enum xpd_report_kind { /* category of a storage, by its defining instruction */
                       XPD_REPORT_ARGUMENT,
                       XPD_REPORT_OUTPUT, /* not written into an argument */
                       XPD_REPORT_CONSTANT,
                       XPD_REPORT_TUPLE,      /* tables of pointers */
                       XPD_REPORT_COMPUTE,    /* everything except the next four */
                       XPD_REPORT_SPACE_COPY, /* copied from one memory space to another */
                       XPD_REPORT_RELAYOUT,   /* same values, other order of dimensions */
                       XPD_REPORT_COLLECTIVE,
                       XPD_REPORT_HOST, /* infeed, outfeed, callbacks */
                       XPD_REPORT_KIND_COUNT
};
const char *xpd_report_kind_word(enum xpd_report_kind kind); /* "arguments", "compute", ... */
static inline bool xpd_report_resident(enum xpd_report_kind kind)
{
    return kind < XPD_REPORT_COMPUTE;
}
/* Of a temporary. `group` is the instruction's. */
enum xpd_report_kind xpd_report_kind_of(const struct xpd_hlo *hlo, uint32_t instruction,
                                        enum xpd_op_group group);

struct xpd_report_row {
    uint32_t buffer;     /* XPD_NO_INDEX = an allocation without a logical buffer */
    uint32_t tenancy;    /* XPD_NO_INDEX = resident */
    uint32_t allocation; /* XPD_NO_INDEX = in none */
    uint8_t kind;        /* enum xpd_report_kind */
    uint8_t group;       /* enum xpd_op_group; XPD_OP_NONE for residents */
};
struct xpd_report_span {    /* held during [from, to) */
    uint32_t row, from, to; /* to of residents: XPD_NO_STEP */
    int64_t bytes;
    int64_t own_bytes; /* part at addresses that no other buffer ever uses; residents: 0 */
};

/* Use of the heap's addresses over the whole program; members without events count as users. own +
 * shared + unused = heap. */
struct xpd_report_addresses {
    int64_t own_bytes, shared_bytes, unused_bytes;
    int64_t shared_tenant_bytes; /* sum of all buffers at shared addresses */
};

struct xpd_report {
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space;
    struct xpd_report_row *row; /* residents first, then tenancies in order of start */
    uint32_t row_count, resident_count;
    struct xpd_report_span *span; /* members without events have none */
    uint32_t span_count;
    uint32_t *by_address;   /* tenancies in order of their first byte */
    uint32_t *address_rank; /* by tenancy: its place in by_address */
    struct xpd_report_addresses addresses;
};
/* The result lives in the arena. `group`: by instruction; NULL: computed here. XPD_ENOMEM. */
int xpd_report_make(struct xpd_report *out, const struct xpd_mem *mem,
                    const struct xpd_mem_space *space, const uint8_t *group,
                    struct xpd_arena *arena, struct xpd_err *err);

/* Bytes of each key after each of the steps (ascending; XPD_NO_STEP alone: residents only):
 * out[key * count + place]. `key` by row, XPD_NO_INDEX = in none. NULL without memory. */
struct xpd_report_steps {
    const uint32_t *at;
    uint32_t count;
};
int64_t *xpd_report_bytes(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                          struct xpd_report_steps steps, struct xpd_arena *arena);
/* The same for bytes at own addresses. */
int64_t *xpd_report_own_bytes(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                              struct xpd_report_steps steps, struct xpd_arena *arena);
/* Number of rows held. */
int64_t *xpd_report_counts(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                           struct xpd_report_steps steps, struct xpd_arena *arena);

/* ---- chosen buffers ---- */

enum xpd_report_state { /* of a chosen buffer in this memory space */
                        XPD_CHOSEN_LIVE,
                        XPD_CHOSEN_ALWAYS,    /* resident */
                        XPD_CHOSEN_NO_EVENTS, /* in the heap, but no event says when */
                        XPD_CHOSEN_NEVER,     /* a temporary without storage of its own */
                        XPD_CHOSEN_ELSEWHERE  /* another memory space, thread-local, or none */
};
const char *xpd_report_state_word(enum xpd_report_state state);

struct xpd_report_chosen {
    uint32_t buffer; /* in; below hlo->buffers.count */
    uint32_t row;    /* the first row of its storage, XPD_NO_INDEX = none here */
    uint32_t twin;   /* index of an earlier one with the same storage, XPD_NO_INDEX = none */
    enum xpd_report_state state;
};
/* Fills all but `buffer`, and key[row]: place of the chosen one whose storage the row is,
 * XPD_NO_INDEX = of none. A storage belongs to the first chosen buffer that uses it, so keyed sums
 * count it once. */
void xpd_report_choose(const struct xpd_report *report, struct xpd_report_chosen *chosen,
                       uint32_t count, uint32_t *key);

struct xpd_report_piece { /* held during [from, to) */
    uint32_t of, from, to;
    int64_t bytes;
    int64_t offset_bytes; /* heap address; -1 for what is always there */
};
/* Pieces of rows with a key below `keys`, residents first, then by start. Returns the total number,
 * writes at most `capacity`. */
uint32_t xpd_report_pieces(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                           struct xpd_report_piece *out, uint32_t capacity);

/* ---- addresses ---- */

/* Begins and ends of all tenancies that have bytes, each ascending. */
struct xpd_report_reuse {
    int64_t *low, *high;
    uint32_t count;
};
int xpd_report_reuse_make(struct xpd_report_reuse *out, const struct xpd_mem_space *space,
                          struct xpd_arena *arena, struct xpd_err *err);
/* Number of tenancies that ever overlap [from, to). */
uint32_t xpd_report_reuse_of(const struct xpd_report_reuse *reuse, int64_t from, int64_t to);

struct xpd_hole {
    int64_t offset_bytes, size_bytes;
};
/* The fragmentation at a step: bytes of the heap not live after it. holes + above + idle = heap -
 * live = reserved - live; at the peak it is xpd_mem_fragmentation. Members without events hold
 * their addresses, but free bytes below them are not holes. */
struct xpd_report_gaps {
    int64_t holes_bytes;   /* free, but something live lies above */
    int64_t above_bytes;   /* free above the highest live byte */
    int64_t idle_bytes;    /* not held by a live value: members without events, room for values that
                            * join later; minus overlaps at the same address */
    int64_t top_bytes;     /* the highest live byte */
    struct xpd_hole *hole; /* of holes_bytes, ascending; in `scratch` */
    uint32_t hole_count, largest; /* index of the largest one; XPD_NO_INDEX = none */
};
int xpd_report_gaps_at(struct xpd_report_gaps *out, const struct xpd_report *report, uint32_t step,
                       struct xpd_arena *scratch, struct xpd_err *err);

/* Tenancies that ever hold the byte at an address, by first step; returns how many there are,
 * writes at most `capacity`. */
uint32_t xpd_report_tenants(const struct xpd_mem_space *space, int64_t address, uint32_t *out,
                            uint32_t capacity);
/* Tenancies live at some step of this one, which can never share its bytes. */
uint32_t xpd_report_conflicts(const struct xpd_mem_space *space, uint32_t tenancy, uint32_t *out,
                              uint32_t capacity, int64_t *bytes);
/* Tenancies that overlap the addresses of this one at other times. */
uint32_t xpd_report_predecessors(const struct xpd_mem_space *space, uint32_t tenancy, uint32_t *out,
                                 uint32_t capacity, int64_t *bytes);

#endif

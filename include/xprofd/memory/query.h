/* Queries of a frozen analysis; each in O(sqrt n + answer) or better, without caching. */
#ifndef XPROFD_MEMORY_QUERY_H
#define XPROFD_MEMORY_QUERY_H

#include "xprofd/memory/memory.h"

struct xpd_step_window { /* steps [from, to) */
    uint32_t from, to;
};

struct xpd_curve_column { /* one pixel column: extremes over its steps, state at its first step */
    uint32_t first_step, step_count;
    int64_t min_live, max_live, min_unpadded, max_unpadded;
    uint32_t max_step; /* first step with max_live */
};
/* Splits the window into at most `columns` parts and fills out[]; returns how many (steps when
 * fewer). The global maximum is always in one of them. Values are temporaries; add totals.resident.
 */
uint32_t xpd_curve(const struct xpd_mem_space *space, struct xpd_step_window window,
                   uint32_t columns, struct xpd_curve_column *out);
/* The first steps of the window with the lowest and with the highest live bytes; false when it has
 * no steps. */
bool xpd_live_extremes(const struct xpd_mem_space *space, struct xpd_step_window window,
                       uint32_t *lowest, uint32_t *highest);

/* Tenancies held at a step, in order of start; returns the count, writes at most `capacity`
 * indexes. Untraced ones are included (they are always held). */
uint32_t xpd_live_at(const struct xpd_mem_space *space, uint32_t step, uint32_t *out,
                     uint32_t capacity);

/* Columns of the tenancies: a scan over all of them reads a quarter of the bytes of the structs. */
struct xpd_tenancy_columns {
    const uint32_t *start_step, *end_step;
    const int64_t *offset_bytes, *size_bytes;
};
struct xpd_tenancy_columns xpd_tenancy_columns_of(const struct xpd_mem_space *space);
/* First tenancy that starts after the step. */
uint32_t xpd_tenancies_until(const struct xpd_mem_space *space, uint32_t step);

/* A tenancy over steps in which its size stays: larger values that join later make it grow. Pieces
 * follow each other from start to end; returns how many there are, writes at most `capacity`. */
struct xpd_tenancy_piece {
    uint32_t from, to;
    int64_t size_bytes;
};
uint32_t xpd_tenancy_pieces(const struct xpd_mem_space *space, uint32_t tenancy,
                            struct xpd_tenancy_piece *out, uint32_t capacity);

/* A4: how far the peak falls without these buffers' storages (all their tenancies), exact for live
 * bytes. One buffer: O(1) from prefix, suffix and range maxima; a set: one pass. Resident buffers
 * lower the whole curve by their allocation. new_peak and new_step (may be NULL) describe the rest;
 * new_peak includes the resident bytes. Leaves nothing in the arena, so that a table may query
 * every row. The arena supplies the budget and keeps a failure (the saving is then 0). */
int64_t xpd_saving(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                   const uint32_t *buffer, uint32_t count, int64_t *new_peak_bytes,
                   uint32_t *new_step, struct xpd_arena *arena);

/* xpd_saving of one buffer: most are not held at the peak, and save nothing. */
int64_t xpd_saving_of(const struct xpd_mem *mem, const struct xpd_mem_space *space, uint32_t buffer,
                      struct xpd_arena *arena);

/* Separate peaks within `share` (0.10) of the highest: maxima with a valley between them that falls
 * below that band. Highest first; returns how many. */
struct xpd_near_peak {
    uint32_t step;
    int64_t bytes; /* resident included */
};
uint32_t xpd_near_peaks(const struct xpd_mem_space *space, double share, struct xpd_near_peak *out,
                        uint32_t capacity);

/* Tenancies of the same bytes before and after: the nearest tenancies that overlap the addresses of
 * `tenancy` and end at or before its start / start at or after its end. XPD_NO_INDEX = none.
 * *before_more and *after_more count the others. */
void xpd_neighbours(const struct xpd_mem_space *space, uint32_t tenancy, uint32_t *before,
                    uint32_t *before_more, uint32_t *after, uint32_t *after_more);

/* First and last use of a buffer from the HLO users (A5), through tuples, get-tuple-element,
 * bitcast and called computations. Positions are steps of the space (the first event of the using
 * instruction or the nearest one after it in schedule order), XPD_NO_STEP when it has none. */
struct xpd_use_span {
    uint32_t first_instruction, last_instruction; /* XPD_NO_INDEX = no use found */
    uint32_t first_step, last_step;
    uint32_t use_count;
    uint32_t idle_from,
        idle_to; /* longest gap between two uses that holds the peak; XPD_NO_STEP = none */
};
void xpd_uses_of(const struct xpd_mem *mem, const struct xpd_mem_space *space, uint32_t buffer,
                 struct xpd_use_span *out);
/* Writes at most `capacity` using instructions in schedule order; returns how many there are. */
uint32_t xpd_users_of(const struct xpd_mem *mem, uint32_t buffer, uint32_t *out, uint32_t capacity);

#endif

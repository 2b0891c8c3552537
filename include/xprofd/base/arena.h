/* Bump allocator with a byte budget and a sticky failure.
 *
 * One arena per profile, one per request. Pieces are never freed one by one. In builds with
 * XPD_DEBUG_ARENA each piece is its own malloc, so sanitizers see overruns. Not thread safe. */
#ifndef XPROFD_BASE_ARENA_H
#define XPROFD_BASE_ARENA_H

#include "xprofd/base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpd_arena_block;

struct xpd_arena {
    struct xpd_arena_block *head; /* newest block */
    uint64_t used_bytes;          /* memory taken from the system, blocks included */
    uint64_t budget_bytes;        /* 0 = no limit */
    bool failed;                  /* sticky: an allocation was refused ... */
    bool over_budget;             /* ... by the budget, not by the system */
};

/* A zeroed struct is a valid empty arena without a budget. */
void xpd_arena_init(struct xpd_arena *arena, uint64_t budget_bytes);
void xpd_arena_fini(struct xpd_arena *arena);  /* may be called on a zeroed arena, and twice */
void xpd_arena_reset(struct xpd_arena *arena); /* frees all pieces, keeps one block for reuse */

/* Returns memory aligned for any type, zeroed; NULL (and arena->failed) over budget, out of memory
 * or when count * size overflows. A size of 0 gives a valid pointer. */
void *xpd_arena_calloc(struct xpd_arena *arena, size_t count, size_t size);
/* The same, not zeroed: for columns that are written before they are read. */
void *xpd_arena_room(struct xpd_arena *arena, size_t count, size_t size);
/* A copy of the memory at `from`, which may be NULL if count is 0. */
void *xpd_arena_copy(struct xpd_arena *arena, const void *from, size_t count, size_t size);
/* Not zeroed, byte aligned: for text and raw bytes. */
void *xpd_arena_bytes(struct xpd_arena *arena, size_t size);
/* Copies n bytes and adds a NUL. */
char *xpd_arena_strndup(struct xpd_arena *arena, const char *text, size_t n);
/* A NUL-terminated copy of the text; "" if the text is empty or out of memory. */
struct xpd_str xpd_arena_str(struct xpd_arena *arena, struct xpd_str text);
char *xpd_arena_printf(struct xpd_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* For large pieces of memory, of an arena or not: asks the system for huge pages inside
 * [at, at + size_bytes), where whole ones fit. Filling the piece then takes hundreds of page faults
 * less. This is only advice, so nothing is returned. The ends stay in small pages; a piece that is
 * never filled may hold up to a huge page more than was touched, so a small one is left as it is.
 */
void xpd_prefer_huge_pages(void *at, size_t size_bytes);

#define XPD_NEW(arena, type)           ((type *)xpd_arena_calloc((arena), 1, sizeof(type)))
#define XPD_NEW_ARRAY(arena, type, n)  ((type *)xpd_arena_calloc((arena), (n), sizeof(type)))
#define XPD_NEW_ROOM(arena, type, n)   ((type *)xpd_arena_room((arena), (n), sizeof(type)))
#define XPD_COPY_ARRAY(arena, from, n) xpd_arena_copy((arena), (from), (n), sizeof *(from))
/* A copy of the vector's elements, without spare capacity. */
#define XPD_COPY_VEC(arena, vec) XPD_COPY_ARRAY((arena), (vec)->at, (vec)->count)

#endif

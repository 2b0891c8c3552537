/* Text table: equal strings get one 32-bit id, in order of first appearance; id 0 is always "".
 * Text is copied into the arena (NUL-terminated). Once no more texts are added, the const functions
 * may be called from any thread. */
#ifndef XPROFD_BASE_INTERN_H
#define XPROFD_BASE_INTERN_H

#include "xprofd/base/arena.h"
#include "xprofd/base/str.h"

typedef uint32_t xpd_name_id;
#define XPD_NO_NAME UINT32_MAX

struct xpd_intern_slot {
    uint32_t entry; /* id + 1, 0 = empty */
    uint32_t hash;  /* the lower half of the text's */
};

struct xpd_intern {
    struct xpd_arena *arena;      /* texts live here */
    struct xpd_str *text;         /* by id; malloc'ed */
    struct xpd_intern_slot *slot; /* open addressing */
    uint32_t count, capacity, slot_count;
    bool failed; /* sticky: out of memory or 2^32 - 2 names */
};

void xpd_intern_init(struct xpd_intern *table, struct xpd_arena *arena);
void xpd_intern_fini(struct xpd_intern *table);
/* The id of the text, added when new; 0 after a failure. */
xpd_name_id xpd_intern_put(struct xpd_intern *table, const char *text, size_t size);
/* The id, or XPD_NO_NAME when the text is not in the table. */
xpd_name_id xpd_intern_find(const struct xpd_intern *table, struct xpd_str text);
/* The table as it is now, in its arena and only to be read: it has no end of its own. False: no
 * memory. */
bool xpd_intern_freeze(struct xpd_intern *out, const struct xpd_intern *of);
/* Without the texts, which are the arena's. */
uint64_t xpd_intern_memory_bytes(const struct xpd_intern *table);
/* "" for an id out of range. */
struct xpd_str xpd_intern_get(const struct xpd_intern *table, xpd_name_id id);

#endif

/* Text table.
 *
 * In: texts. Out: ids in order of first appearance. Invariants: text[0] is "", slot_count is a
 * power of two at least twice the count, every id but 0 is in exactly one slot reached from its
 * hash by linear probing. The hash of each id is kept, so that growing never touches the texts. */
#include "xprofd/base/intern.h"

#include <stdlib.h>
#include <string.h>

static bool grow_ids(struct xpd_intern *table)
{
    if (table->capacity > UINT32_MAX / 2)
        return false;
    uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
    struct xpd_str *text = realloc(table->text, capacity * sizeof *text);
    if (!text)
        return false;
    table->text = text;
    uint64_t *hash = realloc(table->hash, capacity * sizeof *hash);
    if (!hash)
        return false;
    table->hash = hash;
    table->capacity = capacity;
    return true;
}

static bool grow_slots(struct xpd_intern *table)
{
    if (table->slot_count > UINT32_MAX / 2)
        return false;
    uint32_t slot_count = table->slot_count ? table->slot_count * 2 : 256;
    uint32_t *slot = calloc(slot_count, sizeof *slot);
    if (!slot)
        return false;
    for (uint32_t id = 1; id < table->count; id++) {
        uint32_t at = (uint32_t)table->hash[id] & (slot_count - 1);
        while (slot[at] != 0)
            at = (at + 1) & (slot_count - 1);
        slot[at] = id + 1;
    }
    free(table->slot);
    table->slot = slot;
    table->slot_count = slot_count;
    return true;
}

void xpd_intern_init(struct xpd_intern *table, struct xpd_arena *arena)
{
    *table = (struct xpd_intern){.arena = arena};
    if (!grow_ids(table) || !grow_slots(table)) {
        table->failed = true;
        return;
    }
    table->text[0] = XPD_STR("");
    table->hash[0] = 0;
    table->count = 1;
}

void xpd_intern_fini(struct xpd_intern *table)
{
    free(table->text);
    free(table->hash);
    free(table->slot);
    *table = (struct xpd_intern){0};
}

/* The slot that holds the text, or the empty one where it belongs. */
static uint32_t probe(const struct xpd_intern *table, struct xpd_str text, uint64_t hash)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t at = (uint32_t)hash & mask;
    for (uint32_t entry; (entry = table->slot[at]) != 0; at = (at + 1) & mask)
        if (table->hash[entry - 1] == hash && xpd_str_eq(table->text[entry - 1], text))
            break;
    return at;
}

xpd_name_id xpd_intern_put(struct xpd_intern *table, const char *text, size_t size)
{
    if (size == 0 || table->failed || !table->slot)
        return 0;
    struct xpd_str wanted = {text, size};
    uint64_t hash = xpd_hash(text, size);
    uint32_t at = probe(table, wanted, hash);
    if (table->slot[at] != 0)
        return table->slot[at] - 1;

    if (table->count >= table->slot_count / 2) {
        if (!grow_slots(table)) {
            table->failed = true;
            return 0;
        }
        at = probe(table, wanted, hash);
    }
    char *copy = NULL;
    if (table->count < table->capacity || grow_ids(table))
        copy = xpd_arena_strndup(table->arena, text, size);
    if (!copy) {
        table->failed = true;
        return 0;
    }
    uint32_t id = table->count++;
    table->text[id] = (struct xpd_str){copy, size};
    table->hash[id] = hash;
    table->slot[at] = id + 1;
    return id;
}

xpd_name_id xpd_intern_find(const struct xpd_intern *table, struct xpd_str text)
{
    if (text.size == 0)
        return 0;
    if (!table->slot)
        return XPD_NO_NAME;
    uint32_t at = probe(table, text, xpd_hash(text.data, text.size));
    return table->slot[at] != 0 ? table->slot[at] - 1 : XPD_NO_NAME;
}

static void *copied(struct xpd_arena *arena, const void *from, size_t count, size_t size)
{
    void *to = xpd_arena_bytes(arena, count * size);
    return to ? memcpy(to, from, count * size) : NULL;
}

bool xpd_intern_freeze(struct xpd_intern *out, const struct xpd_intern *of)
{
    *out = *of;
    if (of->failed)
        return false;
    out->text = copied(of->arena, of->text, of->count, sizeof *of->text);
    out->hash = copied(of->arena, of->hash, of->count, sizeof *of->hash);
    out->slot = copied(of->arena, of->slot, of->slot_count, sizeof *of->slot);
    out->capacity = of->count;
    return out->text && out->hash && out->slot;
}

struct xpd_str xpd_intern_get(const struct xpd_intern *table, xpd_name_id id)
{
    return id < table->count ? table->text[id] : XPD_STR("");
}

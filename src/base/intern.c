/* Text table.
 *
 * In: texts. Out: ids in order of first appearance. Invariants: text[0] is "", slot_count is a
 * power of two at least twice the count, every id but 0 is in exactly one slot reached from its
 * hash by linear probing. A slot keeps the half of the hash that places it: growing never touches
 * the texts, and a text is read only where that half is equal. */
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
    table->capacity = capacity;
    return true;
}

static bool grow_slots(struct xpd_intern *table)
{
    if (table->slot_count > UINT32_MAX / 2)
        return false;
    uint32_t slot_count = table->slot_count ? table->slot_count * 2 : 256;
    struct xpd_intern_slot *slot = calloc(slot_count, sizeof *slot);
    if (!slot)
        return false;
    xpd_prefer_huge_pages(slot, slot_count * sizeof *slot);
    for (uint32_t i = 0; i < table->slot_count; i++) {
        uint32_t at = table->slot[i].hash & (slot_count - 1);
        if (table->slot[i].entry == 0)
            continue;
        while (slot[at].entry != 0)
            at = (at + 1) & (slot_count - 1);
        slot[at] = table->slot[i];
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
    table->count = 1;
}

void xpd_intern_fini(struct xpd_intern *table)
{
    free(table->text);
    free(table->slot);
    *table = (struct xpd_intern){0};
}

/* The slot that holds the text, or the empty one where it belongs. */
static uint32_t probe(const struct xpd_intern *table, struct xpd_str text, uint32_t hash)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t at = hash & mask;
    for (; table->slot[at].entry != 0; at = (at + 1) & mask)
        if (table->slot[at].hash == hash &&
            xpd_str_eq(table->text[table->slot[at].entry - 1], text))
            break;
    return at;
}

xpd_name_id xpd_intern_put(struct xpd_intern *table, const char *text, size_t size)
{
    if (size == 0 || table->failed || !table->slot)
        return 0;
    struct xpd_str wanted = {text, size};
    uint32_t hash = (uint32_t)xpd_hash(text, size);
    uint32_t at = probe(table, wanted, hash);
    if (table->slot[at].entry != 0)
        return table->slot[at].entry - 1;

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
    table->slot[at] = (struct xpd_intern_slot){id + 1, hash};
    return id;
}

xpd_name_id xpd_intern_find(const struct xpd_intern *table, struct xpd_str text)
{
    if (text.size == 0)
        return 0;
    if (!table->slot)
        return XPD_NO_NAME;
    uint32_t at = probe(table, text, (uint32_t)xpd_hash(text.data, text.size));
    return table->slot[at].entry != 0 ? table->slot[at].entry - 1 : XPD_NO_NAME;
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
    out->slot = copied(of->arena, of->slot, of->slot_count, sizeof *of->slot);
    out->capacity = of->count;
    return out->text && out->slot;
}

struct xpd_str xpd_intern_get(const struct xpd_intern *table, xpd_name_id id)
{
    return id < table->count ? table->text[id] : XPD_STR("");
}

uint64_t xpd_intern_memory_bytes(const struct xpd_intern *table)
{
    return (uint64_t)table->capacity * sizeof *table->text +
           (uint64_t)table->slot_count * sizeof *table->slot;
}

/* The largest group of rows that are alike. In: what is held at a peak. Out: the rows of the group,
 * their sums, and the peak if its arrays took half. */
#include "xprofd/memory/peak_group.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/intern.h"
#include "xprofd/base/map64.h"
#include "xprofd/hlo/shape.h"
#include "xprofd/hlo/source_info.h"
#include "xprofd/memory/plan.h"

struct group {
    uint32_t count, first; /* first: place of the first row */
    int64_t bytes, padding_bytes;
    bool all_equal;
};

/* What rows of a group have in common: class, shape as text, op path with each number as '#'. */
struct keys {
    struct xpd_intern shapes, paths;
    struct xpd_strbuf scratch;
    struct xpd_map64 shape_of; /* by address of the shape: index in `shapes` */
    struct xpd_map64 path_of;  /* by address of the op path: index in `paths` */
    struct xpd_map64 group_of; /* by class, shape and path */
    uint32_t count;            /* of groups */
};

/* The number of the text in `scratch`, kept in `of` for the address it comes from. */
static uint32_t keep(struct keys *keys, struct xpd_intern *table, struct xpd_map64 *of,
                     const void *address)
{
    uint32_t key =
        xpd_intern_put(table, keys->scratch.data ? keys->scratch.data : "", keys->scratch.size);
    xpd_map64_put(of, (uint64_t)(uintptr_t)address, key);
    return key;
}

static uint32_t shape_key(struct keys *keys, const struct xpd_shape *shape)
{
    uint32_t key = xpd_map64_get(&keys->shape_of, (uint64_t)(uintptr_t)shape);
    if (key != XPD_NO_INDEX)
        return key;
    xpd_strbuf_clear(&keys->scratch);
    xpd_shape_text(&keys->scratch, shape, false);
    return keep(keys, &keys->shapes, &keys->shape_of, shape);
}

static uint32_t path_key(struct keys *keys, struct xpd_str path)
{
    bool in_number = false;
    if (path.size == 0)
        return 0;
    uint32_t key = xpd_map64_get(&keys->path_of, (uint64_t)(uintptr_t)path.data);
    if (key != XPD_NO_INDEX)
        return key;
    xpd_strbuf_clear(&keys->scratch);
    for (size_t i = 0; i < path.size; i++) {
        bool digit = path.data[i] >= '0' && path.data[i] <= '9';
        if (!digit || !in_number)
            xpd_strbuf_putc(&keys->scratch, digit ? '#' : path.data[i]);
        in_number = digit;
    }
    return keep(keys, &keys->paths, &keys->path_of, path.data);
}

/* Groups are counted from 0 in order of their first row. */
static uint32_t group_of(struct keys *keys, const struct xpd_mem *mem, const struct xpd_held *row)
{
    uint64_t key = (uint64_t)row->mem_class << 60 | UINT64_C(1) << 59;
    if (row->buffer != XPD_NO_INDEX) {
        const struct xpd_mem_buffer *buffer = &mem->buffer[row->buffer];
        uint32_t shape = buffer->shape ? shape_key(keys, buffer->shape) : 0;
        uint32_t path = path_key(keys, xpd_hlo_op_name(mem->hlo, buffer->instruction));
        key = (uint64_t)row->mem_class << 60 | (uint64_t)(shape & 0x7ffffff) << 32 | path;
    }
    uint32_t group = xpd_map64_get(&keys->group_of, key);
    if (group == XPD_NO_INDEX)
        xpd_map64_put(&keys->group_of, key, group = keys->count++);
    return group;
}

static bool keys_fini(struct keys *keys)
{
    bool failed = keys->shapes.failed || keys->paths.failed || keys->scratch.failed ||
                  keys->shape_of.failed || keys->path_of.failed || keys->group_of.failed;
    xpd_intern_fini(&keys->shapes);
    xpd_intern_fini(&keys->paths);
    xpd_strbuf_fini(&keys->scratch);
    xpd_map64_fini(&keys->shape_of);
    xpd_map64_fini(&keys->path_of);
    xpd_map64_fini(&keys->group_of);
    return !failed;
}

static void add(struct group *group, const struct xpd_held_list *peak, uint32_t i)
{
    const struct xpd_held *row = &peak->at[i];
    if (group->count++ == 0)
        *group = (struct group){.count = 1, .first = i, .all_equal = true};
    group->all_equal &= peak->at[group->first].size_bytes == row->size_bytes;
    xpd_grow_i64(&group->bytes, row->size_bytes);
    group->padding_bytes += xpd_held_padding(row);
}

bool xpd_peak_group_of(struct xpd_peak_group *out, const struct xpd_mem *mem,
                       const struct xpd_held_list *peak, struct xpd_arena *arena)
{
    struct keys keys = {.count = 0};
    struct group *group = XPD_NEW_ARRAY(arena, struct group, (size_t)peak->count + 1);
    uint32_t *of_row = XPD_NEW_ARRAY(arena, uint32_t, peak->count);
    uint32_t *row = XPD_NEW_ARRAY(arena, uint32_t, peak->count), best = 0;
    *out = (struct xpd_peak_group){.row = row};
    if (!group || !of_row || !row)
        return false;
    xpd_intern_init(&keys.shapes, arena);
    xpd_intern_init(&keys.paths, arena);
    for (uint32_t i = 0; i < peak->count; i++) {
        of_row[i] = group_of(&keys, mem, &peak->at[i]);
        add(&group[of_row[i]], peak, i);
    }
    for (uint32_t g = 1; g < keys.count; g++)
        if (group[g].bytes > group[best].bytes)
            best = g;
    for (uint32_t i = 0; group[best].bytes != 0 && i < peak->count; i++)
        if (of_row[i] == best)
            row[out->count++] = i;
    out->bytes = group[best].bytes;
    out->padding_bytes = group[best].padding_bytes;
    out->all_equal = group[best].all_equal;
    return keys_fini(&keys);
}

int64_t xpd_peak_group_halved(const struct xpd_peak_group *group, const struct xpd_mem *mem,
                              const struct xpd_mem_space *space, const struct xpd_held_list *peak,
                              struct xpd_arena *arena)
{
    enum { F32 = 11 };
    struct xpd_plan plan;
    struct xpd_plan_result result;
    if (space->live_is_union)
        return -1;
    xpd_plan_init(&plan, mem, space, arena);
    for (uint32_t i = 0; i < group->count; i++) {
        const struct xpd_held *row = &peak->at[group->row[i]];
        if (row->tenancy == XPD_NO_INDEX || row->buffer == XPD_NO_INDEX ||
            mem->buffer[row->buffer].shape->type != F32 ||
            (space->tenancy[row->tenancy].flags & XPD_TENANCY_SHARED) ||
            row->size_bytes != mem->buffer[row->buffer].size_bytes ||
            xpd_plan_add(&plan, row->buffer, XPD_ACTION_HALVE, 0))
            return -1;
    }
    return !plan.failed && xpd_plan_run(&plan, &result) ? result.peak_bytes : -1;
}

/* Steps by group, merged over several planes. */
#include "step_events.h"

static void step_fini(struct xpd_step_events *step)
{
    for (size_t i = 0; i < step->core.count; i++)
        XPD_VEC_FINI(&step->core.at[i].category);
    XPD_VEC_FINI(&step->core);
    XPD_VEC_FINI(&step->part);
    XPD_VEC_FINI(&step->reduce);
}

void xpd_step_map_fini(struct xpd_step_map *map)
{
    for (size_t i = 0; i < map->step.count; i++)
        step_fini(&map->step.at[i]);
    XPD_VEC_FINI(&map->step);
    xpd_map64_fini(&map->index);
    map->index = (struct xpd_map64){0};
}

struct xpd_step_events *xpd_step_map_find(const struct xpd_step_map *map, int64_t group)
{
    uint32_t at = xpd_map64_get(&map->index, (uint64_t)group);
    return at == XPD_NO_INDEX ? NULL : &map->step.at[at];
}

struct xpd_step_events *xpd_step_map_put(struct xpd_step_map *map, int64_t group)
{
    struct xpd_step_events *step = xpd_step_map_find(map, group);
    if (step)
        return step;
    struct xpd_step_events made = {.group = group, .name = XPD_STR("")};
    xpd_map64_put(&map->index, (uint64_t)group, (uint32_t)map->step.count);
    XPD_PUSH(&map->step, made);
    map->failed |= map->step.failed || map->index.failed;
    return map->failed ? NULL : &map->step.at[map->step.count - 1];
}

struct xpd_step_on_core *xpd_step_core_put(struct xpd_step_map *map, struct xpd_step_events *step,
                                           uint32_t core)
{
    for (size_t i = 0; i < step->core.count; i++)
        if (step->core.at[i].core == core)
            return &step->core.at[i];
    struct xpd_step_on_core made = {.core = core};
    XPD_PUSH(&step->core, made);
    map->failed |= step->core.failed;
    return step->core.failed ? NULL : &step->core.at[step->core.count - 1];
}

static void take_longer(struct xpd_xprof_step_span *dst, struct xpd_xprof_step_span src)
{
    if (xpd_step_length(src) > xpd_step_length(*dst))
        *dst = src;
}

static void combine_core(struct xpd_step_map *map, struct xpd_step_events *dst,
                         struct xpd_step_on_core *src)
{
    struct xpd_step_on_core *core = xpd_step_core_put(map, dst, src->core);
    if (!core)
        return;
    take_longer(&core->mark, src->mark);
    if (!src->ran)
        return;
    XPD_VEC_FINI(&core->category);
    core->category = src->category;
    core->ran = true;
    src->category.at = NULL;
    src->category.count = src->category.capacity = 0;
}

/* What `src` has of collectives on a core counts where `dst` has none of that core. */
static void combine_reduces(struct xpd_step_events *dst, const struct xpd_step_events *src)
{
    size_t had = dst->reduce.count;
    for (size_t i = 0; i < src->reduce.count; i++) {
        bool known = false;
        for (size_t k = 0; k < had && !known; k++)
            known = dst->reduce.at[k].core == src->reduce.at[i].core;
        if (!known)
            XPD_PUSH(&dst->reduce, src->reduce.at[i]);
    }
}

static void combine(struct xpd_step_map *map, struct xpd_step_events *dst,
                    struct xpd_step_events *src)
{
    take_longer(&dst->host, src->host);
    take_longer(&dst->device, src->device);
    if (dst->name.size == 0)
        dst->name = src->name;
    for (size_t i = 0; i < src->part.count; i++)
        XPD_PUSH(&dst->part, src->part.at[i]);
    for (size_t i = 0; i < src->core.count; i++)
        combine_core(map, dst, &src->core.at[i]);
    combine_reduces(dst, src);
    map->failed |= dst->part.failed || dst->reduce.failed;
}

void xpd_step_map_unite(struct xpd_step_map *dst, struct xpd_step_map *src)
{
    for (size_t i = 0; i < src->step.count; i++) {
        struct xpd_step_events *step = xpd_step_map_put(dst, src->step.at[i].group);
        if (step)
            combine(dst, step, &src->step.at[i]);
    }
    dst->failed |= src->failed;
    xpd_step_map_fini(src);
}

void xpd_step_map_intersect(struct xpd_step_map *dst, struct xpd_step_map *src)
{
    struct xpd_step_map kept = {.failed = dst->failed | src->failed};
    if (dst->step.count == 0) {
        xpd_step_map_fini(dst);
        *dst = *src;
        *src = (struct xpd_step_map){0};
        return;
    }
    for (size_t i = 0; i < dst->step.count; i++) {
        struct xpd_step_events *other = xpd_step_map_find(src, dst->step.at[i].group);
        struct xpd_step_events *step =
            other ? xpd_step_map_put(&kept, dst->step.at[i].group) : NULL;
        if (!step)
            continue;
        *step = dst->step.at[i]; /* moved */
        dst->step.at[i] = (struct xpd_step_events){.group = step->group};
        combine(&kept, step, other);
    }
    xpd_step_map_fini(dst);
    xpd_step_map_fini(src);
    *dst = kept;
}

struct xpd_xprof_step_span xpd_step_time(const struct xpd_step_events *step)
{
    if (xpd_step_length(step->device) == 0 || xpd_step_includes(step->host, step->device))
        return step->host;
    return step->device;
}

/* XProf's rule, step by step, so that the rows have the same events to the picosecond. */
#include "derive_builder.h"
#include "xprofd/base/checked.h"

void xpd_builder_fini(struct xpd_builder *row)
{
    XPD_VEC_FINI(&row->drawn);
    XPD_VEC_FINI(&row->open);
}

static struct xpd_drawn *open_at(struct xpd_builder *row, size_t level)
{
    return &row->drawn.at[row->open.at[level].drawn];
}

/* Spans that are nested and equal would lie on each other: each deeper one ends 1 ns earlier. */
static void shrink(struct xpd_builder *row, size_t level)
{
    if (row->open.count < level + 2)
        return;
    const struct xpd_drawn *innermost = open_at(row, row->open.count - 1);
    int64_t cap = (innermost->end_ps - innermost->start_ps) / 1000 - 1, steps = 0;
    int64_t start_ps = 0, end_ps = 0;
    for (size_t i = level; i < row->open.count; i++) {
        struct xpd_drawn *at = open_at(row, i);
        if (i > level && at->start_ps == start_ps && at->end_ps == end_ps && steps < cap)
            steps++;
        start_ps = at->start_ps;
        end_ps = at->end_ps;
        at->end_ps -= 1000 * steps;
    }
}

static void close_from(struct xpd_builder *row, size_t level)
{
    if (level < row->open.count) {
        shrink(row, level);
        row->open.count = level;
    }
    if (level == 0)
        for (size_t i = 0; i < 2; i++)
            if (row->dependent[i])
                close_from(row->dependent[i], 0);
}

static bool extends(const struct xpd_builder *row, size_t level, uint32_t name,
                    const struct xpd_span *span)
{
    if (level >= row->open.count)
        return false;
    const struct xpd_open_level *open = &row->open.at[level];
    const struct xpd_drawn *last = &row->drawn.at[open->drawn];
    if (last->name != name || open->group != span->group ||
        (open->scope_id >= 0 && span->scope_id >= 0 && open->scope_id != span->scope_id))
        return false;
    if (row->gpu || span->group != XPD_NO_GROUP)
        return true;
    bool overflow = false;
    int64_t lasted = xpd_add_i64(last->end_ps, -last->start_ps, &overflow);
    int64_t reach = xpd_add_i64(last->end_ps, xpd_mul_i64(lasted, 2, &overflow), &overflow);
    return reach >= span->start_ps;
}

static void emit(struct xpd_builder *row, size_t level, uint32_t name, const struct xpd_span *span)
{
    if (extends(row, level, name, span)) {
        struct xpd_drawn *last = open_at(row, level);
        if (span->end_ps > last->end_ps)
            last->end_ps = span->end_ps;
        return;
    }
    close_from(row, level);
    struct xpd_drawn drawn = {
        .start_ps = span->start_ps, .end_ps = span->end_ps, .event = span->event, .name = name};
    XPD_PUSH(&row->drawn, drawn);
    struct xpd_open_level open = {
        .drawn = row->drawn.count - 1, .scope_id = span->scope_id, .group = span->group};
    if (!row->drawn.failed)
        XPD_PUSH(&row->open, open);
}

void xpd_builder_stack_scoped(struct xpd_builder *row, const uint32_t *name, const int64_t *scope,
                              uint32_t count, const struct xpd_span *span)
{
    struct xpd_span level = *span;
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count && !xpd_builder_failed(row); i++) {
        level.scope_id = scope[i];
        emit(row, i, name[i], &level);
    }
    if (!xpd_builder_failed(row))
        close_from(row, count);
}

void xpd_builder_stack(struct xpd_builder *row, const uint32_t *name, uint32_t count,
                       const struct xpd_span *span)
{
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count && !xpd_builder_failed(row); i++)
        emit(row, i, name[i], span);
    if (!xpd_builder_failed(row))
        close_from(row, count);
}

void xpd_builder_one(struct xpd_builder *row, uint32_t name, const struct xpd_span *span)
{
    if (!xpd_builder_failed(row))
        emit(row, 0, name, span);
}

void xpd_builder_close(struct xpd_builder *row)
{
    close_from(row, 0);
}

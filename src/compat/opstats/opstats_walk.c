/* Events of a line, one by one, out of the file. */
#include "opstats_walk.h"

int xpd_ops_walk_init(struct xpd_ops_walk *walk, const struct xpd_trace *trace, struct xpd_err *err)
{
    *walk = (struct xpd_ops_walk){.trace = trace};
    return xpd_window_init(&walk->window, trace->source, err);
}

void xpd_ops_walk_fini(struct xpd_ops_walk *walk)
{
    xpd_window_fini(&walk->window);
}

void xpd_ops_walk_plane(struct xpd_ops_walk *walk, uint32_t plane, const char *const *name,
                        uint32_t count)
{
    walk->plane = plane;
    walk->tables = &walk->trace->tables[plane];
    walk->wanted = count;
    xpd_stat_ids_init(&walk->ids, walk->tables, &walk->trace->names, name, count);
}

uint32_t xpd_ops_metadata_of(const struct xpd_ops_walk *walk, uint64_t id)
{
    const struct xpd_plane_tables *tables = walk->tables;
    if (id < tables->dense_count)
        return tables->dense[id];
    uint32_t at = xpd_map64_get(&tables->event_of, id);
    return at == XPD_NO_INDEX ? XPD_NO_METADATA : at;
}

struct giving {
    const struct xpd_ops_walk *walk;
    xpd_ops_event_fn *fn;
    void *user;
    struct xpd_said stat[XPD_STAT_IDS_MAX];
};

static bool give(void *user, const struct xpd_event_said *said)
{
    struct giving *giving = user;
    for (uint32_t i = 0; i < giving->walk->wanted; i++)
        if (said->has >> i & 1)
            giving->stat[i] = said->stat[i];
        else
            giving->stat[i].field = 0;
    struct xpd_ops_event event = {.metadata_id = said->metadata,
                                  .metadata = xpd_ops_metadata_of(giving->walk, said->metadata),
                                  .offset_ps = (int64_t)said->offset_ps,
                                  .duration_ps = (int64_t)said->duration_ps,
                                  .occurrences = (int64_t)said->occurrences,
                                  .where = said->range.offset,
                                  .stat = giving->stat};
    return !said->damaged && giving->fn(giving->user, &event);
}

void xpd_ops_walk_line(struct xpd_ops_walk *walk, const struct xpd_line *line, xpd_ops_event_fn *fn,
                       void *user)
{
    struct giving giving = {.walk = walk, .fn = fn, .user = user};
    walk->window.offset = line->range.offset;
    xpd_line_each_event(&walk->window, line, &walk->ids, give, &giving);
}

int64_t xpd_ops_int(const struct xpd_said *stat)
{
    return stat->field == XPD_SAID_INT ? (int64_t)stat->value : 0;
}

uint64_t xpd_ops_uint(const struct xpd_said *stat)
{
    return stat->field == XPD_SAID_UINT ? stat->value : 0;
}

uint64_t xpd_ops_any_int(const struct xpd_said *stat)
{
    return stat->field == XPD_SAID_UINT || stat->field == XPD_SAID_INT ? stat->value : 0;
}

double xpd_ops_double(const struct xpd_said *stat)
{
    double value = 0;
    if (stat->field == XPD_SAID_DOUBLE)
        memcpy(&value, &stat->value, sizeof value);
    return value;
}

struct xpd_str xpd_ops_text(const struct xpd_ops_walk *walk, const struct xpd_said *stat)
{
    return xpd_said_text(stat, walk->tables, &walk->trace->names);
}

struct xpd_str xpd_ops_line_name(const struct xpd_ops_walk *walk, const struct xpd_line *line)
{
    return xpd_intern_get(&walk->trace->space->names, line->name);
}

/* Takes "/device:TPU:" and digits away. */
static bool take_core(struct xpd_str *text)
{
    uint32_t number;
    if (!xpd_str_starts(*text, "/device:TPU:"))
        return false;
    text->data += 12;
    text->size -= 12;
    return xpd_str_take_u32(text, &number);
}

bool xpd_ops_is_tensor_core(struct xpd_str plane)
{
    return take_core(&plane) && plane.size == 0;
}

/* "/device:TPU:0 SparseCore 1", with a word before the number or not. */
bool xpd_ops_is_sparse_core(struct xpd_str plane)
{
    uint32_t number;
    if (!take_core(&plane) || !xpd_str_starts(plane, " SparseCore "))
        return false;
    plane.data += 12;
    plane.size -= 12;
    while (plane.size > 0 && (plane.data[0] | 0x20) >= 'a' && (plane.data[0] | 0x20) <= 'z') {
        plane.data++;
        plane.size--;
    }
    if (plane.size > 0 && plane.data[0] == ' ') {
        plane.data++;
        plane.size--;
    }
    return xpd_str_take_u32(&plane, &number) && plane.size == 0;
}

bool xpd_ops_is_eager(const struct xpd_ops_walk *walk, const struct xpd_ops_event *event, bool told,
                      bool said)
{
    return told && walk->derived && xpd_eager_is_told(walk->derived)
               ? xpd_event_is_eager(walk->derived, event->where)
               : said;
}

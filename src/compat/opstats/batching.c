/* How TensorFlow Serving batches, as its counters say at the end of the profile: the second of the
 * two events on the first line of /host:tfstreamz, in stats whose names hold the model's:
 * /tensorflow/serving/batching/max_batch_size{model_name=m, op_name=o}. */
#include "opstats_walk.h"
#include "requests.h"

struct counters {
    struct xpd_ops_walk walk;
    struct xpd_arena *arena;
    const char **name;     /* of all stats of the kind */
    uint32_t count, first; /* from which of them on the walk asks for some */
    uint32_t events;
    struct xpd_batching *out;
    uint32_t out_count;
};
static const char prefix[] = "/tensorflow/serving/batching/";

/* The value of the label model_name; false: none. */
static bool model_in(struct xpd_str name, struct xpd_str *model)
{
    const char *open = memchr(name.data, '{', name.size), *end = name.data + name.size;
    while (end > name.data && end[-1] != '}')
        end--;
    if (!open || end <= open + 1)
        return false;
    struct xpd_str rest = {open + 1, (size_t)(end - 1 - (open + 1))};
    while (rest.size > 0) {
        size_t comma = xpd_str_find(rest, XPD_STR(", "), false);
        struct xpd_str label = {rest.data, comma == SIZE_MAX ? rest.size : comma};
        size_t key = sizeof "model_name=" - 1;
        if (xpd_str_starts(label, "model_name=") &&
            !memchr(label.data + key, '=', label.size - key)) {
            *model = (struct xpd_str){label.data + key, label.size - key};
            return true;
        }
        size_t skip = comma == SIZE_MAX ? rest.size : comma + 2;
        rest = (struct xpd_str){rest.data + skip, rest.size - skip};
    }
    return false;
}

static struct xpd_batching *put(struct counters *c, struct xpd_str model)
{
    for (uint32_t i = 0; i < c->out_count; i++)
        if (xpd_str_eq(c->out[i].model, model))
            return &c->out[i];
    c->out[c->out_count].model = xpd_arena_str(c->arena, model);
    return &c->out[c->out_count++];
}

static void take_stat(struct counters *c, const char *full, const struct xpd_said *stat)
{
    struct xpd_str name = xpd_str_of(full + sizeof prefix - 1), model;
    if (!stat->field || !model_in(name, &model))
        return;
    struct xpd_batching *of = put(c, model);
    if (xpd_str_starts(name, "num_batch_threads"))
        of->threads = xpd_ops_int(stat);
    else if (xpd_str_starts(name, "batch_timeout_micros"))
        of->timeout_us = xpd_ops_int(stat);
    else if (xpd_str_starts(name, "max_batch_size"))
        of->largest = xpd_ops_int(stat);
    else if (xpd_str_starts(name, "max_enqueued_batches"))
        of->queued = xpd_ops_int(stat);
    else if (xpd_str_starts(name, "allowed_batch_sizes"))
        of->sizes = xpd_arena_str(c->arena, xpd_ops_text(&c->walk, stat));
}

static bool take_event(void *user, const struct xpd_ops_event *event)
{
    struct counters *c = user;
    for (uint32_t i = 0; c->events == 1 && i < c->walk.wanted; i++)
        take_stat(c, c->name[c->first + i], &event->stat[i]);
    c->events++;
    return true;
}

static bool count_event(void *user, const struct xpd_ops_event *event)
{
    (void)event;
    ++*(uint32_t *)user;
    return true;
}

int xpd_batching_read(const struct xpd_file_host *host, struct xpd_arena *arena,
                      struct xpd_batching **out, uint32_t *count, struct xpd_err *err)
{
    struct counters c = {.arena = arena};
    uint32_t number = xpd_file_plane_called(host->trace, "/host:tfstreamz"), events = 0;
    const struct xpd_plane *plane = &host->trace->space->plane[number == XPD_NO_INDEX ? 0 : number];
    *count = 0;
    if (number == XPD_NO_INDEX || plane->line_count == 0)
        return XPD_OK;
    int rc = xpd_ops_walk_init(&c.walk, host->trace, err);
    if (rc != XPD_OK)
        return rc;
    xpd_ops_walk_plane(&c.walk, number, NULL, 0);
    const struct xpd_plane_tables *tables = c.walk.tables;
    c.name = XPD_NEW_ARRAY(arena, const char *, tables->stat_count);
    c.out = XPD_NEW_ARRAY(arena, struct xpd_batching, tables->stat_count);
    for (uint32_t i = 0; c.name && i < tables->stat_count; i++) {
        struct xpd_str name = xpd_intern_get(&host->trace->names, tables->stat_name[i]);
        if (xpd_str_starts(name, prefix))
            c.name[c.count++] = xpd_arena_strndup(arena, name.data, name.size);
    }
    xpd_ops_walk_line(&c.walk, &plane->line[0], count_event, &events);
    for (; events == 2 && c.out && c.first < c.count; c.first += XPD_STAT_IDS_MAX) {
        uint32_t left = c.count - c.first;
        xpd_ops_walk_plane(&c.walk, number, c.name + c.first,
                           left < XPD_STAT_IDS_MAX ? left : XPD_STAT_IDS_MAX);
        c.events = 0;
        xpd_ops_walk_line(&c.walk, &plane->line[0], take_event, &c);
    }
    xpd_ops_walk_fini(&c.walk);
    *out = c.out;
    *count = c.out_count;
    return arena->failed ? xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                                    "the counters of this host do not fit the memory of a request")
                         : XPD_OK;
}

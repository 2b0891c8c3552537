/* Op metrics of host threads: events that are framework operations by their name ("MatMul:MatMul"),
 * by a stat tf_op, or that are stages of an input pipeline. Each line by itself; an operation ends
 * where an event that began before it ends, and is then left out, as XProf does. Rules: XProf's
 * xplane_to_op_metrics_db.cc, op_stack.h. */
#include "host.h"

#include "xprofd/base/vec.h"
#include "xprofd/trace/tf_op.h"

#include <stdlib.h>

enum { STAGE_ID, STAGE_CATEGORY, EAGER, TF_OP };
static const char *const stat_name[] = {"_ipl_stage_id", "_ipl_stage_cat", "is_eager", "tf_op"};

struct tf_op {
    struct xpd_str name, type;
    uint64_t id; /* of a stage; 0 */
};
struct point { /* where an operation begins or ends */
    uint64_t at_ps;
    uint32_t number; /* of the event among those of the line, from 1 */
    bool is_end, eager;
    struct tf_op op;
};
struct open_op {
    uint32_t number;
    uint64_t start_ps, children_ps;
};
struct host {
    struct xpd_ops_walk *walk;
    uint64_t sent_ps, sending_ps; /* the last infeed of the line: its begin and how long it took */
    struct xpd_ops_db *db;        /* of all lines */
    struct xpd_ops_db of_line;    /* texts in the arena of db */
    const struct xpd_line *line;
    XPD_VEC(struct tf_op) op;
    struct xpd_map64 op_of; /* id of the metadata, or of the stage -> op */
    uint32_t number;
    XPD_VEC(struct point) point;
    XPD_VEC(struct open_op) stack;
};

static struct xpd_str name_of(const struct host *host, const struct xpd_ops_event *event)
{
    const struct xpd_ops_walk *walk = host->walk;
    return event->metadata == XPD_NO_METADATA
               ? XPD_STR("")
               : xpd_intern_get(&walk->trace->names, walk->tables->event[event->metadata].name);
}

/* ---- which events are operations ---- */

static void put_op(struct host *host, uint64_t id, struct tf_op op)
{
    if (xpd_map64_get(&host->op_of, id) != XPD_NO_INDEX)
        return;
    op.name = xpd_arena_str(host->db->arena, op.name);
    op.type = xpd_arena_str(host->db->arena, op.type);
    xpd_map64_put(&host->op_of, id, (uint32_t)host->op.count);
    XPD_PUSH(&host->op, op);
}

static bool find_op(void *user, const struct xpd_ops_event *event)
{
    struct host *host = user;
    struct xpd_str name = name_of(host, event);
    if (name.size == 0)
        return true;
    if (event->stat[STAGE_ID].field) {
        uint64_t id = (uint64_t)xpd_ops_int(&event->stat[STAGE_ID]);
        if (event->stat[STAGE_CATEGORY].field)
            put_op(
                host, id,
                (struct tf_op){name, xpd_ops_text(host->walk, &event->stat[STAGE_CATEGORY]), id});
        return true;
    }
    if (xpd_map64_get(&host->op_of, event->metadata_id) != XPD_NO_INDEX)
        return true;
    struct xpd_tf_op full = xpd_tf_op_parse(name);
    if (full.kind != XPD_TF_UNKNOWN)
        put_op(host, event->metadata_id, (struct tf_op){full.name, full.type, 0});
    return true;
}

/* ---- one line ---- */

static void put_points(struct host *host, const struct xpd_ops_event *event, struct tf_op op,
                       bool eager)
{
    uint64_t begin_ps = (uint64_t)host->line->timestamp_ns * 1000 + (uint64_t)event->offset_ps;
    struct point point = {.at_ps = begin_ps, .number = ++host->number, .eager = eager, .op = op};
    XPD_PUSH(&host->point, point);
    point.at_ps += (uint64_t)event->duration_ps;
    point.is_end = true;
    XPD_PUSH(&host->point, point);
}

static bool take_event(void *user, const struct xpd_ops_event *event)
{
    struct host *host = user;
    uint64_t id = event->stat[STAGE_ID].field ? (uint64_t)xpd_ops_int(&event->stat[STAGE_ID])
                                              : event->metadata_id;
    uint32_t at = xpd_map64_get(&host->op_of, id);
    if (at != XPD_NO_INDEX)
        put_points(host, event, host->op.at[at],
                   xpd_ops_is_eager(host->walk, event, xpd_is_tf_op(name_of(host, event)),
                                    xpd_ops_int(&event->stat[EAGER]) != 0));
    struct xpd_str full = xpd_ops_text(host->walk, &event->stat[TF_OP]);
    if (full.size == 0)
        return !host->point.failed;
    struct xpd_tf_op parsed = xpd_tf_op_parse(xpd_arena_str(host->db->arena, full));
    put_points(host, event, (struct tf_op){parsed.name, parsed.type, 0}, false);
    return !host->point.failed;
}

static void enter(struct host *host, const struct point *end, const struct open_op *open)
{
    struct xpd_ops_metrics *op = xpd_ops_db_put(&host->of_line, end->op.id, end->op.name);
    if (!op)
        return;
    uint64_t time_ps = end->at_ps - open->start_ps, self_ps = time_ps - open->children_ps;
    if (op->category.size == 0)
        op->category = end->op.type;
    op->eager |= end->eager;
    op->occurrences++;
    op->time_ps += time_ps;
    op->self_ps += self_ps;
    host->of_line.total_op_ps += self_ps;
    if (!xpd_str_starts(end->op.type, "InfeedEnqueue"))
        return;
    if (host->sent_ps || host->sending_ps) {
        host->of_line.infeed_ps += host->sending_ps;
        host->of_line.infeed_gap_ps += open->start_ps - host->sent_ps;
    }
    host->sent_ps = open->start_ps;
    host->sending_ps = time_ps;
}

static void end_op(struct host *host, const struct point *end)
{
    while (host->stack.count) {
        struct open_op open = host->stack.at[--host->stack.count];
        if (open.number != end->number)
            continue;
        enter(host, end, &open);
        if (host->stack.count)
            host->stack.at[host->stack.count - 1].children_ps += end->at_ps - open.start_ps;
        return;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->is_end - y->is_end;
}

static void end_line(struct host *host)
{
    uint64_t total_ps = 0;
    size_t count = host->point.count;
    if (count)
        qsort(host->point.at, count, sizeof *host->point.at, by_time);
    for (size_t i = 0; i < count; i++) {
        const struct point *point = &host->point.at[i];
        if (point->is_end)
            end_op(host, point);
        else
            XPD_PUSH(&host->stack, ((struct open_op){point->number, point->at_ps, 0}));
    }
    if (count)
        total_ps = host->point.at[count - 1].at_ps - host->point.at[0].at_ps;
    xpd_ops_db_finish(&host->of_line, total_ps);
    xpd_ops_db_combine(host->db, &host->of_line);
    xpd_ops_db_fini(&host->of_line);
    xpd_ops_db_init(&host->of_line, host->db->arena);
    host->point.count = host->stack.count = 0;
    host->sent_ps = host->sending_ps = 0;
}

int xpd_ops_host_plane(struct xpd_ops_db *db, struct xpd_ops_walk *walk, uint32_t number,
                       struct xpd_err *err)
{
    const struct xpd_plane *of = &walk->trace->space->plane[number];
    struct host host = {.walk = walk, .db = db};
    xpd_ops_db_init(&host.of_line, db->arena);
    xpd_ops_walk_plane(walk, number, stat_name, sizeof stat_name / sizeof *stat_name);
    for (uint32_t i = 0; i < of->line_count; i++)
        xpd_ops_walk_line(walk, &of->line[i], find_op, &host);
    for (uint32_t i = 0; i < of->line_count; i++) {
        host.line = &of->line[i];
        host.number = 0;
        if (!xpd_ops_is_made(host.line))
            xpd_ops_walk_line(walk, host.line, take_event, &host);
        end_line(&host);
    }
    bool failed = host.op.failed || host.op_of.failed || host.point.failed || host.stack.failed ||
                  db->failed || db->arena->failed;
    xpd_ops_db_fini(&host.of_line);
    XPD_VEC_FINI(&host.op);
    XPD_VEC_FINI(&host.point);
    XPD_VEC_FINI(&host.stack);
    xpd_map64_fini(&host.op_of);
    return failed ? xpd_no_memory(err, NULL, "for op metrics") : XPD_OK;
}

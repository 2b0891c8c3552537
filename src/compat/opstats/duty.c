/* See duty.h. Each line is read once, and the metadata of each operation once. */
#include "duty.h"

#include "busy.h"
#include "opstats_walk.h"
#include "xprofd/base/order.h"
#include "xprofd/base/vec.h"

#include <stdlib.h>

typedef XPD_VEC(struct xpd_xprof_step_span) spans;

/* One that begins where the last one ends is more of that: operations mostly follow each other. */
static void add_span(spans *to, struct xpd_xprof_step_span one)
{
    if (to->count > 0 && to->at[to->count - 1].end_ps == one.begin_ps)
        to->at[to->count - 1].end_ps = one.end_ps;
    else
        XPD_PUSH(to, one);
}

static int by_begin(const void *a, const void *b)
{
    const struct xpd_xprof_step_span *x = a, *y = b;
    return XPD_ORDER(x->begin_ps, y->begin_ps);
}

static uint64_t sum_of_union(spans *of)
{
    uint64_t sum_ps = 0, until_ps = 0;
    bool in_order = true; /* as those of one core are */
    for (size_t i = 1; i < of->count && in_order; i++)
        in_order = of->at[i - 1].begin_ps <= of->at[i].begin_ps;
    if (!in_order)
        qsort(of->at, of->count, sizeof *of->at, by_begin);
    for (size_t i = 0; i < of->count; i++) {
        uint64_t from_ps = of->at[i].begin_ps > until_ps ? of->at[i].begin_ps : until_ps;
        sum_ps += of->at[i].end_ps > from_ps ? of->at[i].end_ps - from_ps : 0;
        until_ps = of->at[i].end_ps > until_ps ? of->at[i].end_ps : until_ps;
    }
    return sum_ps;
}

/* Cores of one chip are busy together; a core that does not say its chip is one itself. */
struct chip {
    uint32_t number;
    bool said;
    struct xpd_xprof_step_span all;
    spans work, sure;
};

enum { CATEGORY, FLOPS, MODEL_FLOPS, USES_ICI, ASKED };
static const char *const asked[ASKED] = {"hlo_category", "flops", "model_flops", "uses_ici"};

struct said { /* of an operation, by its metadata */
    bool read, has_category, off_duty, calls;
    uint64_t amount[ASKED];
};

struct host {
    const struct xpd_file_host *file;
    struct xpd_ops_walk walk;
    struct xpd_arena scratch;
    XPD_VEC(struct chip) chip;
    struct chip *here; /* of the plane */
    struct said *said; /* by metadata of the plane */
    const struct xpd_line *line;
    bool works;  /* its events are work, where they are not off duty */
    bool sparse; /* it is a SparseCore's */
    struct xpd_busy work;
    bool failed;
};

static void take_category(struct said *said, struct xpd_str category)
{
    said->has_category = true;
    said->off_duty = xpd_busy_waits(category);
    said->calls = xpd_str_eq(category, XPD_STR("custom-call"));
}

static void read_metadata(struct host *host, uint32_t metadata, struct said *said)
{
    const struct xpd_trace *trace = host->file->trace;
    struct xpd_stat_value *stat;
    uint32_t count = 0;
    struct xpd_err unread = {0};
    said->read = true;
    xpd_arena_reset(&host->scratch);
    if (xpd_metadata_stats(trace, host->walk.plane, metadata, &host->scratch, &stat, &count,
                           &unread) != XPD_OK)
        return;
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < ASKED; k++) {
            if (!xpd_str_eq(stat[i].name, xpd_str_of(asked[k])))
                continue;
            if (k == CATEGORY)
                take_category(said, xpd_stat_text(&stat[i]));
            else if (xpd_stat_is_integer(stat[i].type))
                said->amount[k] = (uint64_t)stat[i].integer;
        }
}

static struct said said_of(struct host *host, const struct xpd_ops_event *event)
{
    struct said none = {0}, *said = &none;
    if (event->metadata != XPD_NO_METADATA) {
        said = &host->said[event->metadata];
        if (!said->read)
            read_metadata(host, event->metadata, said);
    }
    struct said own = *said;
    if (!own.has_category && event->stat[CATEGORY].field)
        take_category(&own, xpd_ops_text(&host->walk, &event->stat[CATEGORY]));
    for (int k = FLOPS; k < ASKED; k++)
        if (event->stat[k].field)
            own.amount[k] = xpd_ops_any_int(&event->stat[k]);
    return own;
}

static void take_work(void *user, const struct xpd_busy_op *op, struct xpd_xprof_step_span own)
{
    struct host *host = user;
    add_span(&host->here->work, own);
    if (op->sure)
        add_span(&host->here->sure, own);
    host->failed |= host->here->work.failed || host->here->sure.failed;
}

static bool add_event(void *user, const struct xpd_ops_event *event)
{
    struct host *host = user;
    struct chip *chip = host->here;
    uint64_t begin_ps = (uint64_t)host->line->timestamp_ns * 1000 + (uint64_t)event->offset_ps;
    struct xpd_xprof_step_span one = {begin_ps, begin_ps + (uint64_t)event->duration_ps};
    if (one.begin_ps < chip->all.begin_ps)
        chip->all.begin_ps = one.begin_ps;
    if (one.end_ps > chip->all.end_ps)
        chip->all.end_ps = one.end_ps;
    if (!host->works)
        return true;
    struct said said = said_of(host, event);
    struct xpd_busy_op op = {.span = one,
                             .sparse = host->sparse,
                             .nameless = !said.has_category,
                             .waits = said.off_duty};
    op.sure = host->sparse || !said.calls || said.amount[FLOPS] || said.amount[MODEL_FLOPS] ||
              said.amount[USES_ICI];
    xpd_busy_add(&host->work, &op);
    host->failed |= host->work.failed;
    return !host->failed;
}

static struct chip *chip_of(struct host *host, bool said, uint32_t number)
{
    struct chip made = {.number = number, .said = said, .all = {UINT64_MAX, 0}};
    for (size_t i = 0; said && i < host->chip.count; i++)
        if (host->chip.at[i].said && host->chip.at[i].number == number)
            return &host->chip.at[i];
    XPD_PUSH(&host->chip, made);
    return host->chip.failed ? NULL : &host->chip.at[host->chip.count - 1];
}

static void add_plane(struct host *host, uint32_t number)
{
    const struct xpd_plane *plane = &host->file->trace->space->plane[number];
    struct xpd_core_place place;
    bool said = xpd_core_place_of(host->file->trace, number, &place);
    host->here = chip_of(host, said, place.chip);
    xpd_ops_walk_plane(&host->walk, number, asked, ASKED);
    host->said = calloc((size_t)host->walk.tables->event_count + 1, sizeof *host->said);
    host->failed |= !host->here || !host->said;
    for (uint32_t l = 0; !host->failed && l < plane->line_count; l++) {
        struct xpd_str name = xpd_ops_line_name(&host->walk, &plane->line[l]);
        host->line = &plane->line[l];
        host->sparse = xpd_str_eq(name, XPD_STR("Sparse Core Ops"));
        host->works = host->sparse || xpd_str_eq(name, XPD_STR("XLA Ops"));
        if (host->works || xpd_str_eq(name, XPD_STR("XLA Modules")) ||
            xpd_str_eq(name, XPD_STR("Sparse Core Modules")))
            xpd_ops_walk_line(&host->walk, host->line, add_event, host);
        xpd_busy_end(&host->work);
    }
    free(host->said);
}

/* Adds the chips up, and frees them. */
static void settle(struct host *host, struct xpd_duty *duty)
{
    for (size_t i = 0; i < host->chip.count; i++) {
        struct chip *chip = &host->chip.at[i];
        uint64_t busy_ps = sum_of_union(&chip->work), sure_ps = sum_of_union(&chip->sure);
        duty->busy_ps += busy_ps;
        duty->sure_busy_ps += sure_ps;
        if (chip->all.begin_ps < chip->all.end_ps) {
            duty->idle_ps += chip->all.end_ps - chip->all.begin_ps - busy_ps;
            duty->sure_idle_ps += chip->all.end_ps - chip->all.begin_ps - sure_ps;
        }
        host->failed |= chip->work.failed || chip->sure.failed;
        XPD_VEC_FINI(&chip->work);
        XPD_VEC_FINI(&chip->sure);
    }
    host->failed |= host->chip.failed;
    XPD_VEC_FINI(&host->chip);
}

static int add_chips(struct xpd_duty *duty, const struct xpd_file_host *file, struct xpd_err *err)
{
    struct host host = {.file = file, .work = {.take = take_work}};
    const struct xpd_xspace *space = file->trace->space;
    int rc = xpd_ops_walk_init(&host.walk, file->trace, err);
    host.work.user = &host;
    if (rc != XPD_OK)
        return rc;
    for (uint32_t p = 0; !host.failed && p < space->plane_count; p++)
        if (xpd_str_starts(xpd_intern_get(&space->names, space->plane[p].name), "/device:TPU:"))
            add_plane(&host, p);
    settle(&host, duty);
    xpd_busy_fini(&host.work);
    xpd_ops_walk_fini(&host.walk);
    xpd_arena_fini(&host.scratch);
    return host.failed ? xpd_no_memory(err, NULL, "for duty cycles") : XPD_OK;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx, uint32_t host,
                struct xpd_err *err)
{
    struct xpd_file_host file;
    (void)arena;
    int rc = xpd_file_host_open(ctx, host, &file, err);
    return rc == XPD_OK ? add_chips(table, &file, err) : rc;
}

const struct xpd_host_table xpd_duty_table = {XPD_HOST_DUTY, sizeof(struct xpd_duty), make};

int xpd_duty_of_host(const struct xpd_tool_ctx *ctx, uint32_t host, const struct xpd_duty **out,
                     struct xpd_err *err)
{
    const void *table;
    int rc = xpd_host_table(ctx, host, &xpd_duty_table, &table, err);
    *out = table;
    return rc;
}

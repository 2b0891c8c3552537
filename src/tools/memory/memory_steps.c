/* /api/v1/memory/steps: what happens at each step of a window: what runs, what it takes or frees,
 * and where the other end of that life is. */
#include "../common/common.h"

#define STEPS_MAX 4096

struct step_row {
    uint32_t step, event, running, buffer, other;
    int64_t change;
};

static bool begins(uint8_t kind)
{
    return kind == XPD_EVENT_ALLOC || kind == XPD_EVENT_SHARE_WITH;
}

/* The steps between which the other ends of a window's lives lie: those of the tenancies it meets.
 */
static struct xpd_step_window reach_of(const struct xpd_tool_ctx *ctx,
                                       struct xpd_step_window window, const struct step_row *rows)
{
    const struct xpd_mem_space *space = ctx->space;
    struct xpd_step_window reach = window;
    for (uint32_t i = 0; i < window.to - window.from; i++) {
        uint32_t buffer = rows[i].buffer;
        uint32_t at =
            buffer == XPD_NO_INDEX ? XPD_NO_INDEX : ctx->mem->buffer[buffer].first_tenancy;
        if (buffer == XPD_NO_INDEX || xpd_tools_color_of(ctx->mem, buffer) != space->color)
            continue;
        for (; at < space->tenancy_count; at = space->tenancy[at].next_of_buffer) {
            const struct xpd_tenancy *tenancy = &space->tenancy[at];
            if (tenancy->start_step > rows[i].step || tenancy->end_step < rows[i].step)
                continue;
            if (tenancy->start_step < reach.from)
                reach.from = tenancy->start_step;
            if (tenancy->end_step >= reach.to)
                reach.to = tenancy->end_step + 1;
        }
    }
    if (reach.to > space->step_count)
        reach.to = space->step_count;
    return reach;
}

/* A bit for each buffer: whether the window has a row of it. So few bytes stay near the processor
 * while the reach, which may be the whole program, goes by. */
struct wanted {
    uint64_t *bits;
    uint32_t *begun; /* by wanted buffer: last begin + 1, 0 = none yet */
};

static bool is_wanted(const struct wanted *wanted, uint32_t buffer)
{
    return wanted->bits[buffer / 64] >> buffer % 64 & 1;
}

static bool want_rows(struct wanted *wanted, const struct xpd_tool_ctx *ctx,
                      const struct step_row *rows, uint32_t n)
{
    uint32_t buffers = ctx->hlo->buffers.count;
    wanted->bits = XPD_NEW_ARRAY(ctx->arena, uint64_t, buffers / 64 + 1);
    wanted->begun = XPD_NEW_ROOM(ctx->arena, uint32_t, buffers);
    if (!wanted->bits || !wanted->begun)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t buffer = rows[i].buffer;
        if (buffer == XPD_NO_INDEX)
            continue;
        wanted->bits[buffer / 64] |= UINT64_C(1) << buffer % 64;
        wanted->begun[buffer] = 0;
    }
    return true;
}

/* One pass over the reach: the last begin of each buffer is what its free looks back to, and the
 * other way round. */
static int find_other_ends(const struct xpd_tool_ctx *ctx, struct xpd_step_window window,
                           struct step_row *rows, struct xpd_err *err)
{
    const struct xpd_mem_space *space = ctx->space;
    const struct xpd_hlo_events *events = &ctx->hlo->events;
    struct xpd_step_window reach = reach_of(ctx, window, rows);
    struct wanted wanted;
    if (!want_rows(&wanted, ctx, rows, window.to - window.from))
        return xpd_tools_no_memory(err);
    for (uint32_t step = reach.from; step < reach.to; step++) {
        uint32_t event = space->event[step], buffer = events->buffer[event];
        if (buffer == XPD_NO_INDEX || !is_wanted(&wanted, buffer))
            continue;
        if (begins(events->kind[event])) {
            wanted.begun[buffer] = step + 1;
        } else if (events->kind[event] == XPD_EVENT_FREE && wanted.begun[buffer]) {
            uint32_t begin = wanted.begun[buffer] - 1;
            if (step >= window.from && step < window.to)
                rows[step - window.from].other = begin;
            if (begin >= window.from && begin < window.to)
                rows[begin - window.from].other = step;
            wanted.begun[buffer] = 0;
        }
    }
    return XPD_OK;
}

static int64_t live_before(const struct xpd_mem_space *space, uint32_t step)
{
    for (uint32_t i = 0; i < space->lane_count; i++)
        if (space->lane[i].first_step == step)
            return 0; /* each lane starts empty */
    return step > 0 ? space->live_bytes[step - 1] : 0;
}

static int collect(const struct xpd_tool_ctx *ctx, struct xpd_step_window window,
                   struct step_row **rows, struct xpd_err *err)
{
    const struct xpd_mem_space *space = ctx->space;
    uint32_t n = window.to - window.from;
    *rows = XPD_NEW_ARRAY(ctx->arena, struct step_row, n);
    if (!*rows)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        struct step_row *row = &(*rows)[i];
        row->step = window.from + i;
        row->event = space->event[row->step];
        row->running = xpd_mem_running(ctx->mem, space, row->step, NULL);
        row->buffer = ctx->hlo->events.buffer[row->event];
        row->other = XPD_NO_STEP;
        row->change = space->live_bytes[row->step] - live_before(space, row->step);
    }
    return n ? find_other_ends(ctx, window, *rows, err) : XPD_OK;
}

static void bytes_of(struct xpd_jsonw *w, const struct xpd_mem *mem, uint32_t buffer)
{
    if (buffer == XPD_NO_INDEX)
        xpd_json_null(w);
    else
        xpd_json_i64(w, mem->buffer[buffer].size_bytes);
}

static void write(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                  struct xpd_step_window window, const struct step_row *rows)
{
    const struct xpd_hlo *hlo = ctx->hlo;
    uint32_t n = window.to - window.from;
    struct xpd_names names;
    xpd_names_init(&names, ctx->arena);
    xpd_json_obj(w);
    xpd_json_ku64(w, "from", window.from);
    xpd_json_ku64(w, "to", window.to);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "kind", n, xpd_json_u64(w, hlo->events.kind[rows[row].event]));
    XPD_COLUMN(w, "running", n,
               xpd_json_u64(
                   w, xpd_names_kept(&names, xpd_tools_instruction_name(hlo, rows[row].running))));
    XPD_COLUMN(w, "buffer", n, xpd_tools_index(w, rows[row].buffer));
    XPD_COLUMN(w, "buffer_name", n,
               xpd_json_u64(w, xpd_names_buffer(&names, ctx->mem, rows[row].buffer)));
    XPD_COLUMN(w, "opcode", n,
               xpd_json_u64(w, xpd_names_kept(&names, xpd_tools_opcode(hlo, rows[row].running))));
    XPD_COLUMN(w, "bytes", n, bytes_of(w, ctx->mem, rows[row].buffer));
    XPD_COLUMN(w, "change", n, xpd_json_i64(w, rows[row].change));
    XPD_COLUMN(w, "other_step", n, xpd_tools_index(w, rows[row].other));
    xpd_names_write(&names, w);
    xpd_json_obj_end(w);
    xpd_names_fini(&names);
}

static int steps(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_step_window window;
    struct step_row *rows;
    int rc = xpd_tools_window(ctx, &xpd_tool_memory_steps, &window, err);
    if (rc == XPD_OK && window.to - window.from > STEPS_MAX)
        rc = xpd_fail(err, XPD_ELIMIT, "to", XPD_NO_OFFSET,
                      "at most %d steps at a time, and this window has %" PRIu32, STEPS_MAX,
                      window.to - window.from);
    if (rc == XPD_OK)
        rc = collect(ctx, window, &rows, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, ctx, window, rows);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_STEP_WINDOW_PARAMS,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_steps = {
    .route = "/api/v1/memory/steps",
    .title = "What happens at each step of a window: what runs, what is allocated or freed.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = steps,
};

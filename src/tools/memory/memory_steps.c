/* /api/v1/memory/steps: what happens at each step of a window: what runs, what it takes or frees,
 * and where the other end of that life is. */
#include "../common/common.h"

#define STEPS_MAX 4096

#define XPD_MEMORY_STEPS_ROW_FIELDS(FIELD)                                                         \
    FIELD(COUNT, kind, "0 allocates, 1 frees, 2 shares a storage; others as in the file")          \
    FIELD(NAME, running, "instruction that runs; for a free, the last one that allocated")         \
    FIELD(MAYBE(INDEX), buffer, "buffer that is allocated, freed or shared")                       \
    FIELD(NAME, buffer_name, "")                                                                   \
    FIELD(NAME, opcode, "of the running instruction")                                              \
    FIELD(MAYBE(INT), size_bytes, "of the buffer")                                                 \
    FIELD(SIGNED, change_bytes, "live after minus live before")                                    \
    FIELD(MAYBE(INDEX), other_step,                                                                \
          "step at which this value is freed, or was allocated or shared; null: none")
XPD_RECORD(xpd_memory_steps_row, XPD_MEMORY_STEPS_ROW_FIELDS)

#define XPD_MEMORY_STEPS_FIELDS(FIELD)                                                             \
    FIELD(COUNT, from, "first step")                                                               \
    FIELD(COUNT, to, "step after the last one")                                                    \
    FIELD(INLINE(xpd_memory_steps_row), steps, "the steps")
XPD_RECORD(xpd_memory_steps, XPD_MEMORY_STEPS_FIELDS)

static bool begins(uint8_t kind)
{
    return kind == XPD_EVENT_ALLOC || kind == XPD_EVENT_SHARE_WITH;
}

/* The steps between which the other ends of a window's lives lie: those of the tenancies it meets.
 */
static struct xpd_step_window reach_of(const struct xpd_tool_ctx *ctx,
                                       struct xpd_step_window window,
                                       const struct xpd_memory_steps_row *rows)
{
    const struct xpd_mem_space *space = ctx->space;
    struct xpd_step_window reach = window;
    for (uint32_t i = 0; i < window.to - window.from; i++) {
        uint32_t buffer = rows[i].buffer, step = window.from + i;
        uint32_t at =
            buffer == XPD_NO_INDEX ? XPD_NO_INDEX : ctx->mem->buffer[buffer].first_tenancy;
        if (buffer == XPD_NO_INDEX || xpd_mem_color_of(ctx->mem, buffer) != space->color)
            continue;
        for (; at < space->tenancy_count; at = space->tenancy[at].next_of_buffer) {
            const struct xpd_tenancy *tenancy = &space->tenancy[at];
            if (tenancy->start_step > step || tenancy->end_step < step)
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
                      const struct xpd_memory_steps_row *rows, uint32_t n)
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
                           struct xpd_memory_steps_row *rows, struct xpd_err *err)
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
                rows[step - window.from].other_step = begin;
            if (begin >= window.from && begin < window.to)
                rows[begin - window.from].other_step = step;
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

static struct xpd_memory_steps_row row_of(const struct xpd_tool_ctx *ctx, struct xpd_texts *texts,
                                          uint32_t step)
{
    const struct xpd_mem_space *space = ctx->space;
    const struct xpd_hlo_events *events = &ctx->hlo->events;
    uint32_t event = space->event[step], buffer = events->buffer[event];
    uint32_t running = xpd_mem_running(ctx->mem, space, step);
    return (struct xpd_memory_steps_row){
        .kind = events->kind[event],
        .running = xpd_hlo_instruction_name(ctx->hlo, running),
        .buffer = buffer,
        .buffer_name = xpd_texts_buffer(texts, ctx->mem, buffer),
        .opcode = xpd_hlo_opcode(ctx->hlo, running),
        .size_bytes = buffer == XPD_NO_INDEX ? -1 : ctx->mem->buffer[buffer].size_bytes,
        .change_bytes = space->live_bytes[step] - live_before(space, step),
        .other_step = XPD_NO_INDEX,
    };
}

static int collect(struct xpd_memory_steps *out, const struct xpd_tool_ctx *ctx,
                   struct xpd_step_window window, struct xpd_err *err)
{
    uint32_t n = window.to - window.from;
    struct xpd_texts texts = {.arena = ctx->arena};
    struct xpd_memory_steps_row *rows = XPD_NEW_ARRAY(ctx->arena, struct xpd_memory_steps_row, n);
    if (!rows)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        rows[i] = row_of(ctx, &texts, window.from + i);
    xpd_texts_fini(&texts);
    out->from = window.from;
    out->to = window.to;
    out->steps.at = rows;
    out->steps.n = n;
    return n ? find_other_ends(ctx, window, rows, err) : XPD_OK;
}

static int steps(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct xpd_step_window window;
    struct xpd_memory_steps *answer = XPD_NEW(ctx->arena, struct xpd_memory_steps);
    if (!answer)
        return xpd_tools_no_memory(err);
    int rc = xpd_tools_window(ctx, &xpd_tool_memory_steps, &window, err);
    if (rc == XPD_OK && window.to - window.from > STEPS_MAX)
        rc = xpd_fail(err, XPD_ELIMIT, "to", XPD_NO_OFFSET,
                      "at most %d steps at a time, and this window has %" PRIu32, STEPS_MAX,
                      window.to - window.from);
    if (rc == XPD_OK)
        rc = collect(answer, ctx, window, err);
    *out = answer;
    return rc;
}

static const struct xpd_param_spec params[] = {
    XPD_STEP_WINDOW_PARAMS,
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_steps = {
    .route = "/api/v1/memory/steps",
    .title = "Each step of a window: the instruction that runs, and the buffer allocated or freed.",
    .about = "At most 4,096 steps; more are the error `limit`.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .answer = xpd_memory_steps_record,
    .make = steps,
    .file_name = "steps.csv",
    XPD_IN_REPORT("window",
                  {130, XPD_EACH_TILE, "from={from}&to={to}",
                   "what each step allocates and frees, in 64 windows of 4,096 steps at most"}),
};

/* /api/v1/trace/memory: the compiler's live bytes along the operations of each chip.
 *
 * The names of the trace have levels (memory_levels.h); the events of a row are put into columns of
 * the window, depth by depth: a column needs the extremes of what begins in it and what began last,
 * in no order. */
#include "memory_levels.h"

#define PX_MAX 16384
static const char how[] =
    "the compiler's live bytes, not measured: from the memory analysis, joined by program and "
    "instruction with the operations of this chip";

#define XPD_TRACE_MEMORY_POINT_FIELDS(FIELD)                                                       \
    FIELD(SIGNED, at_ps, "start of the column, or of the only interval that begins in it")         \
    FIELD(MAYBE(INT), last_bytes, "at the end of the column; null: no known program runs")         \
    FIELD(MAYBE(INT), least_bytes, "in it")                                                        \
    FIELD(MAYBE(INT), most_here_bytes, "in it")                                                    \
    FIELD(MAYBE(INDEX), program, "index in `programs` of that maximum")                            \
    FIELD(MAYBE(INDEX), step, "step of that maximum, in its program")
XPD_RECORD(xpd_trace_memory_point, XPD_TRACE_MEMORY_POINT_FIELDS)

#define XPD_TRACE_MEMORY_TRACK_FIELDS(FIELD)                                                       \
    FIELD(INDEX, row, "row of the chip's operations, in trace/rows")                               \
    FIELD(INDEX, process, "of trace/rows")                                                         \
    FIELD(MAYBE(STRING), reason, "why nothing is known; null: known")                              \
    FIELD(MAYBE(INT), most_bytes, "in the whole trace")                                            \
    FIELD(INLINE(xpd_trace_memory_point), points, "columns; repeated values are left out")
XPD_RECORD(xpd_trace_memory_track, XPD_TRACE_MEMORY_TRACK_FIELDS)

#define XPD_TRACE_MEMORY_FIELDS(FIELD)                                                             \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(SIGNED, from_ps, "of the window")                                                        \
    FIELD(SIGNED, to_ps, "of the window")                                                          \
    FIELD(STRING, how, "source of the bytes")                                                      \
    FIELD(VALUES(STRING), programs, "their keys")                                                  \
    FIELD(VALUES(STRING), spaces, "the memory space of each")                                      \
    FIELD(LIST(xpd_trace_memory_track), tracks, "one for each chip")
XPD_RECORD(xpd_trace_memory, XPD_TRACE_MEMORY_FIELDS)

struct answer {
    struct xpd_trace_call call;
    struct xpd_time_range range;
    int64_t cell_ps;
    uint32_t px;
    const struct xpd_trace_levels *levels;
    int64_t *most_bytes; /* by plane: of the operations that its events name; -1 = none is known */
};
struct column {
    int64_t last_ps, first_ps; /* starts of what begins in it */
    struct xpd_name_level last, most;
    int64_t least;
    uint32_t starts;
};
static const struct xpd_name_level nothing = {0, XPD_NO_STEP, XPD_NO_PROGRAM};

/* ---- columns ---- */

static void put(struct answer *answer, struct column *column, int64_t at_ps,
                struct xpd_name_level level)
{
    struct column *in =
        &column[((uint64_t)at_ps - (uint64_t)answer->range.from_ps) / (uint64_t)answer->cell_ps];
    if (in->starts == 0 || at_ps < in->first_ps)
        in->first_ps = at_ps;
    if (in->starts++ == 0 || at_ps >= in->last_ps) {
        in->last_ps = at_ps;
        in->last = level;
    }
    if (level.bytes < 0)
        return;
    if (in->most.bytes < 0 || level.bytes > in->most.bytes)
        in->most = level;
    if (in->least < 0 || level.bytes < in->least)
        in->least = level.bytes;
}

struct carried { /* what holds when the window begins */
    int64_t at_ps;
    struct xpd_name_level level;
};

static void carry(struct carried *carried, int64_t at_ps, struct xpd_name_level level)
{
    if (at_ps >= carried->at_ps)
        *carried = (struct carried){at_ps, level};
}

/* Where a program's run ends, nothing of it is live. */
static void put_ends(struct answer *answer, uint32_t process, struct column *column,
                     struct carried *carried)
{
    const struct xpd_view *view = &answer->call.view;
    uint32_t row = xpd_view_row_of_kind(view, process, XPD_ROW_MODULES);
    if (row == XPD_NO_INDEX || xpd_view_row(view, row)->depth_count == 0)
        return;
    const struct xpd_depth *runs = xpd_view_depth(view, row, 0);
    uint32_t first = xpd_depth_first_touching(runs, answer->range.from_ps);
    if (first > 0)
        carry(carried, xpd_depth_end(runs, first - 1), nothing);
    for (uint32_t i = first; i < runs->count; i++) {
        int64_t end_ps = xpd_depth_end(runs, i);
        if (end_ps < answer->range.from_ps)
            carry(carried, end_ps, nothing);
        else if (end_ps < answer->range.to_ps)
            put(answer, column, end_ps, nothing);
        if (xpd_depth_start(runs, i) >= answer->range.to_ps)
            break;
    }
}

static void put_ops(struct answer *answer, uint32_t row, struct column *column,
                    struct carried *carried)
{
    const struct xpd_view *view = &answer->call.view;
    for (uint32_t d = 0; d < xpd_view_row(view, row)->depth_count; d++) {
        const struct xpd_depth *depth = xpd_view_depth(view, row, d);
        uint32_t i = xpd_depth_first_after(depth, answer->range.from_ps - 1);
        if (i > 0)
            carry(carried, xpd_depth_start(depth, i - 1), answer->levels->name[depth->name[i - 1]]);
        for (; i < depth->count && xpd_depth_start(depth, i) < answer->range.to_ps; i++)
            put(answer, column, xpd_depth_start(depth, i), answer->levels->name[depth->name[i]]);
    }
}

static struct xpd_trace_memory_point point_of(const struct answer *answer,
                                              const struct column *column, int64_t at_ps)
{
    return (struct xpd_trace_memory_point){
        .at_ps = xpd_tools_at(&answer->call, at_ps),
        .last_bytes = column->last.bytes,
        .least_bytes = column->least,
        .most_here_bytes = column->most.bytes,
        .program = column->most.program == XPD_NO_PROGRAM ? XPD_NO_INDEX : column->most.program,
        .step = column->most.step,
    };
}

/* What holds at the start of a column counts in it, too, unless something begins right there. */
static uint32_t settle(const struct answer *answer, struct column *column, struct carried carried,
                       struct xpd_trace_memory_point *point)
{
    struct xpd_name_level now = carried.level;
    uint32_t n = 0;
    for (uint32_t c = 0; c < answer->px; c++) {
        struct column *in = &column[c], *before = n ? &column[n - 1] : NULL;
        int64_t start_ps = answer->range.from_ps + (int64_t)c * answer->cell_ps;
        bool single = in->starts == 1 && c > 0;
        if (in->starts == 0)
            in->last = now;
        if (now.bytes >= 0 && !single && !(in->starts && in->first_ps == start_ps)) {
            if (now.bytes > in->most.bytes)
                in->most = now;
            if (in->least < 0 || now.bytes < in->least)
                in->least = now.bytes;
        }
        now = in->last;
        bool same = before && before->last.bytes == in->last.bytes &&
                    before->most.bytes == in->most.bytes && before->least == in->least &&
                    before->most.program == in->most.program && before->most.step == in->most.step;
        if (same)
            continue;
        point[n] = point_of(answer, in, single ? in->first_ps : start_ps);
        column[n++] = *in;
    }
    return n;
}

/* ---- the answer ---- */

static int fill_track(struct xpd_trace_memory_track *out, struct answer *answer, uint32_t row,
                      struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->call.ctx;
    const struct xpd_view *view = &answer->call.view;
    uint32_t process = xpd_view_process(view, row);
    struct column *column = XPD_NEW_ARRAY(ctx->arena, struct column, answer->px);
    struct xpd_trace_memory_point *point =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_trace_memory_point, answer->px);
    int64_t most = answer->most_bytes[view->trace->process[process].plane];
    if (!column || !point)
        return xpd_tools_no_memory(err);
    for (uint32_t c = 0; c < answer->px; c++)
        column[c] = (struct column){.most = {-1, XPD_NO_STEP, XPD_NO_PROGRAM}, .least = -1};
    struct carried carried = {INT64_MIN, nothing};
    put_ends(answer, process, column, &carried);
    put_ops(answer, row, column, &carried);
    *out = (struct xpd_trace_memory_track){
        .row = row,
        .process = process,
        .reason = most >= 0 ? NULL : "no program that ran on this chip is in the file with buffers",
        .most_bytes = most,
        .points = {point, most < 0 ? 0 : settle(answer, column, carried, point)},
    };
    return XPD_OK;
}

/* Many hosts have many planes, and each its names. */
static bool find_most(struct answer *answer)
{
    const struct xpd_trace *trace = answer->call.view.trace;
    uint32_t planes = 0;
    for (uint32_t p = 0; p < trace->process_count; p++)
        if (trace->process[p].plane >= planes)
            planes = trace->process[p].plane + 1;
    answer->most_bytes = XPD_NEW_ROOM(answer->call.ctx->arena, int64_t, planes);
    for (uint32_t p = 0; answer->most_bytes && p < planes; p++)
        answer->most_bytes[p] = -1;
    for (uint32_t i = 0; answer->most_bytes && i < trace->name_count; i++) {
        uint32_t plane = trace->name[i].plane;
        int64_t bytes = answer->levels->name[i].bytes;
        if (plane < planes && bytes > answer->most_bytes[plane])
            answer->most_bytes[plane] = bytes;
    }
    return answer->most_bytes != NULL;
}

static int fill(struct xpd_trace_memory *out, struct answer *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->call.ctx;
    const struct xpd_trace *trace = answer->call.view.trace;
    uint32_t programs = answer->levels->program_count;
    const char **program = XPD_NEW_ARRAY(ctx->arena, const char *, programs);
    const char **space = XPD_NEW_ARRAY(ctx->arena, const char *, programs);
    struct xpd_trace_memory_track *track =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_trace_memory_track, trace->row_count);
    int rc = program && space && track && find_most(answer) ? XPD_OK : xpd_tools_no_memory(err);
    for (uint32_t i = 0; rc == XPD_OK && i < programs; i++) {
        program[i] = ctx->run->module[answer->levels->program[i].module].key;
        space[i] = answer->levels->program[i].space;
    }
    *out = (struct xpd_trace_memory){
        .base_ps = answer->call.base_ps,
        .from_ps = xpd_tools_at(&answer->call, answer->range.from_ps),
        .to_ps = xpd_tools_at(&answer->call, answer->range.to_ps),
        .how = how,
        .programs = {program, programs},
        .spaces = {space, programs},
        .tracks = {track, 0},
    };
    for (uint32_t r = 0; rc == XPD_OK && r < trace->row_count; r++)
        if (trace->row[r].kind == XPD_ROW_OPS &&
            trace->process[trace->row[r].process].kind == XPD_PROCESS_TPU)
            rc = fill_track(&track[out->tracks.n++], answer, r, err);
    return rc;
}

static int memory(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    struct xpd_trace_memory *out = XPD_NEW(ctx->arena, struct xpd_trace_memory);
    struct answer answer = {0};
    int rc = out ? xpd_tools_trace(ctx, 0, &answer.call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&answer.call, &answer.range, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_levels(&answer.levels, &answer.call, err);
    if (rc != XPD_OK)
        return rc;
    answer.px = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_memory, "px");
    answer.cell_ps = xpd_tools_trace_columns(&answer.call, &answer.range, answer.px);
    *to = out;
    return fill(out, &answer, err);
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    XPD_TRACE_PARAM_PX(PX_MAX, "columns across the window"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_memory = {
    .route = "/api/v1/trace/memory",
    .title = "Live bytes by the compiler while the operations of a chip run: a derived track under "
             "each row `XLA Ops`.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_trace_memory_record,
    .make = memory,
};

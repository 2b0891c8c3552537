/* /api/v1/memory/scopes: the strip under the chart: which part of the user's program runs where.
 *
 * A label is "forward", "backward" or the first named scope; as the window narrows, the named
 * scopes inside follow. The deepest level whose parts are still wide enough to read is taken. Up to
 * 4 steps are looked at per pixel. */
#include "table_steps.h"

#define PX_DEFAULT   1024
#define PX_MAX       8192
#define LOOKS_PER_PX 4
#define PART_PX_MIN  3  /* narrower parts are joined with their neighbours */
#define PART_PX_READ 60 /* mean width a level must keep to be shown */

struct part {
    uint32_t from, to; /* looks */
    uint32_t name;     /* of a text, or of a label */
};

/* ---- the table ---- */

static int make_table(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                      uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_strip_labels labels;
    xpd_strip_labels_init(&labels, arena);
    uint32_t *of_step = XPD_NEW_ROOM(arena, uint32_t, ctx->space->step_count);
    bool ok = of_step && xpd_strip_steps(&labels, ctx->mem, ctx->space, of_step) &&
              !xpd_strip_labels_failed(&labels);
    const struct xpd_strip_label *label = ok ? XPD_COPY_VEC(arena, &labels.label) : NULL;
    const struct xpd_str *text =
        ok ? XPD_COPY_ARRAY(arena, labels.text.text, labels.text.count) : NULL;
    *(struct xpd_strip_table *)table = (struct xpd_strip_table){of_step, label, text};
    xpd_strip_labels_fini(&labels);
    return label && text ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_strip_table *xpd_table_strip(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_STRIP, 0, true, sizeof(struct xpd_strip_table), make_table,
                     err);
}

/* ---- the strip of a window ---- */

struct strip {
    const struct xpd_tool_ctx *ctx;
    struct xpd_step_window window;
    uint32_t looks;   /* steps looked at */
    uint32_t small;   /* looks that make PART_PX_MIN pixels */
    struct part *run; /* of looks with one label: its number */
    uint32_t run_count;
    struct part *part;
    uint32_t count;
    const struct xpd_strip_label *label;
    const struct xpd_str *text;
};

static uint32_t step_of(const struct strip *strip, uint32_t look)
{
    uint64_t width = strip->window.to - strip->window.from;
    return strip->window.from + (uint32_t)((uint64_t)look * width / strip->looks);
}

/* Looks without an op name belong to what runs around them. */
static void add_look(struct strip *strip, uint32_t look, uint32_t label)
{
    struct part *last = strip->run_count > 0 ? &strip->run[strip->run_count - 1] : NULL;
    if (last && (label == 0 || label == last->name))
        last->to = look + 1;
    else
        strip->run[strip->run_count++] = (struct part){look, look + 1, label};
}

static void look_up(struct strip *strip, const struct xpd_strip_table *table)
{
    for (uint32_t i = 0; i < strip->looks; i++)
        add_look(strip, i, table->of_step[step_of(strip, i)]);
    strip->label = table->label;
    strip->text = table->text;
}

static bool make_labels(struct strip *strip, struct xpd_strip_labels *labels)
{
    const struct xpd_tool_ctx *ctx = strip->ctx;
    for (uint32_t i = 0; i < strip->looks; i++) {
        uint32_t running = xpd_mem_running(ctx->mem, ctx->space, step_of(strip, i));
        add_look(strip, i, xpd_strip_label_of(labels, xpd_hlo_scope_name(ctx->hlo, running)));
    }
    strip->label = labels->label.at;
    strip->text = labels->text.text;
    return !xpd_strip_labels_failed(labels);
}

/* Runs of equal labels at one depth. */
static void cut(struct strip *strip, uint32_t depth)
{
    strip->count = 0;
    for (uint32_t i = 0; i < strip->run_count; i++) {
        const struct part *run = &strip->run[i];
        uint32_t name = strip->label[run->name].text[depth];
        if (strip->count > 0 && strip->part[strip->count - 1].name == name)
            strip->part[strip->count - 1].to = run->to;
        else
            strip->part[strip->count++] = (struct part){run->from, run->to, name};
    }
}

/* A run of narrow parts takes the name of its widest; when it is itself too narrow it goes to the
 * part before. */
static void join_narrow(struct strip *strip)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < strip->count;) {
        struct part joined = strip->part[i];
        uint32_t widest = joined.to - joined.from;
        uint32_t next = i + 1;
        if (widest < strip->small)
            for (; next < strip->count &&
                   strip->part[next].to - strip->part[next].from < strip->small;
                 next++) {
                uint32_t width = strip->part[next].to - strip->part[next].from;
                if (width > widest) {
                    widest = width;
                    joined.name = strip->part[next].name;
                }
                joined.to = strip->part[next].to;
            }
        if (kept > 0 &&
            (strip->part[kept - 1].name == joined.name || joined.to - joined.from < strip->small))
            strip->part[kept - 1].to = joined.to;
        else
            strip->part[kept++] = joined;
        i = next;
    }
    strip->count = kept;
}

static void choose_depth(struct strip *strip, uint32_t px)
{
    uint32_t most = px / PART_PX_READ > 4 ? px / PART_PX_READ : 4;
    uint32_t depth = XPD_STRIP_DEPTH_MAX;
    do {
        cut(strip, depth);
        join_narrow(strip);
    } while (strip->count > most && depth-- > 0);
}

/* Without any op name there is nothing to show. */
static bool has_names(const struct strip *strip)
{
    return strip->run_count > 1 || (strip->run_count == 1 && strip->run[0].name != 0);
}

#define XPD_MEMORY_SCOPES_ROW_FIELDS(FIELD)                                                        \
    FIELD(COUNT, from, "first step")                                                               \
    FIELD(COUNT, to, "step after the last one")                                                    \
    FIELD(NAME, name,                                                                              \
          "forward, backward or the first named scope; in a narrow window the inner scopes")
XPD_RECORD(xpd_memory_scopes_row, XPD_MEMORY_SCOPES_ROW_FIELDS)

#define XPD_MEMORY_SCOPES_FIELDS(FIELD)                                                            \
    FIELD(WORD("op_name none"), source, "none: no op names were recorded, so there are no parts")  \
    FIELD(INLINE(xpd_memory_scopes_row), parts, "in order of steps")
XPD_RECORD(xpd_memory_scopes, XPD_MEMORY_SCOPES_FIELDS)

static int fill(struct xpd_memory_scopes *out, const struct strip *strip, bool any,
                struct xpd_err *err)
{
    struct xpd_arena *arena = strip->ctx->arena;
    uint32_t n = any ? strip->count : 0;
    struct xpd_memory_scopes_row *row = XPD_NEW_ARRAY(arena, struct xpd_memory_scopes_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct part *part = &strip->part[i];
        row[i].from = step_of(strip, part->from);
        row[i].to = step_of(strip, part->to);
        row[i].name = strip->text[part->name]; /* of the model, or in the arena */
    }
    out->source = any ? "op_name" : "none";
    out->parts.at = row;
    out->parts.n = n;
    return XPD_OK;
}

static bool find_runs(struct strip *strip, struct xpd_strip_labels *labels)
{
    const struct xpd_strip_table *table = xpd_table_made(strip->ctx, XPD_TABLE_STRIP, 0, true);
    strip->run = XPD_NEW_ROOM(strip->ctx->arena, struct part, strip->looks);
    strip->part = XPD_NEW_ROOM(strip->ctx->arena, struct part, strip->looks);
    if (!strip->run || !strip->part)
        return false;
    if (!table)
        return make_labels(strip, labels);
    look_up(strip, table);
    return true;
}

static int scopes(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct strip strip = {.ctx = ctx};
    struct xpd_memory_scopes *answer = XPD_NEW(ctx->arena, struct xpd_memory_scopes);
    if (!answer)
        return xpd_tools_no_memory(err);
    int rc = xpd_tools_window(ctx, &xpd_tool_memory_scopes, &strip.window, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t px = (uint32_t)xpd_param_int(ctx, &xpd_tool_memory_scopes, "px");
    uint32_t width = strip.window.to - strip.window.from;
    strip.looks = width < px * LOOKS_PER_PX ? width : px * LOOKS_PER_PX;
    strip.small = (uint32_t)((uint64_t)strip.looks * PART_PX_MIN / px);
    struct xpd_strip_labels labels;
    xpd_strip_labels_init(&labels, ctx->arena);
    if (find_runs(&strip, &labels)) {
        bool any = has_names(&strip);
        if (any)
            choose_depth(&strip, px);
        rc = fill(answer, &strip, any, err);
    } else {
        rc = xpd_tools_no_memory(err);
    }
    xpd_strip_labels_fini(&labels);
    *out = answer;
    return rc;
}

static const struct xpd_param_spec params[] = {
    XPD_STEP_WINDOW_PARAMS,
    XPD_PARAM_PX(PX_DEFAULT, PX_MAX, "width of the strip in pixels"),
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_scopes = {
    .route = "/api/v1/memory/scopes",
    .title = "The strip: the part of the user's program that runs at each step.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about = "Parts below 3 pixels are merged. Up to 4 steps are read for each pixel.",
    .answer = xpd_memory_scopes_record,
    .make = scopes,
    .file_name = "scopes.csv",
    XPD_IN_REPORT("px window", {125, XPD_EACH_SPACE, "px=4096", "the scopes of each program"}),
};

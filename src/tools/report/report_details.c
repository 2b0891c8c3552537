/* /api/v1/report/details: the tree of categories at one to eight steps. In: steps. Out: rows whose
 * children add up to their parent at every step. */
#include "../trace/allocators.h"
#include "report_keys.h"

#define PX_DEFAULT 150

enum id { /* rows, parents before children */
          ROW_RESERVED,
          ROW_LIVE,
          ROW_ALWAYS,
          ROW_ARGUMENTS,
          ROW_OUTPUTS,
          ROW_CONSTANTS,
          ROW_TUPLES,
          ROW_TEMPORARIES,
          ROW_COMPUTE,
          ROW_COMPUTE_FIRST, /* one for each op group */
          ROW_SPACE_COPY = ROW_COMPUTE_FIRST + XPD_OP_GROUP_COUNT,
          ROW_RELAYOUT,
          ROW_COLLECTIVES,
          ROW_HOST,
          ROW_TWICE,
          ROW_FRAGMENTATION,
          ROW_HOLES,
          ROW_ABOVE,
          ROW_IDLE,
          ROW_BY_ADDRESS,
          ROW_OWN,
          ROW_SHARED,
          ROW_SHARED_TWICE,
          ROW_BESIDE,
          ROW_THREAD_LOCAL,
          ROW_SCOPED,
          ROW_CODE,
          ROW_MEASURED,
          ROW_STACK,
          ROW_ALLOCATED,
          ROW_COUNT
};

#define XPD_REPORT_DETAIL_FIELDS(FIELD)                                                            \
    FIELD(STRING, id, "")                                                                          \
    FIELD(MAYBE(STRING), parent, "its id; null: a root")                                           \
    FIELD(STRING, label, "label for display")                                                      \
    FIELD(STRING, what, "explanation")                                                             \
    FIELD(BOOL, opens, "its buffers can be listed: `report/groups` with `within`")                 \
    XPD_REPORT_VALUES_FIELDS(FIELD)
XPD_RECORD(xpd_report_detail, XPD_REPORT_DETAIL_FIELDS)

#define XPD_REPORT_DETAILS_FIELDS(FIELD)                                                           \
    XPD_REPORT_VIEW_FIELDS(FIELD)                                                                  \
    FIELD(COUNT, step_count, "of the memory space")                                                \
    FIELD(INT, heap_bytes, "own + shared + unused")                                                \
    FIELD(INT, own_bytes, "bytes of addresses used by one buffer throughout")                      \
    FIELD(INT, shared_bytes, "bytes of addresses used by several buffers in turn")                 \
    FIELD(INT, unused_bytes, "bytes of addresses never used by a buffer")                          \
    FIELD(INT, shared_tenant_bytes, "sum of the sizes of the buffers at shared addresses")         \
    FIELD(LIST(xpd_report_detail), rows, "parents before children; children add up to their parent")
XPD_RECORD(xpd_report_details, XPD_REPORT_DETAILS_FIELDS)

struct row {
    const char *id;
    int parent; /* -1: a root */
    bool opens; /* its buffers can be listed: /api/v1/report/groups?within=row */
    const char *label, *what;
};

#define GROUP(word, label, what)                                                                   \
    {                                                                                              \
        "compute." word, ROW_COMPUTE, true, label, what                                            \
    }
static const struct row rows[ROW_COUNT] = {
    [ROW_RESERVED] = {"reserved", -1, false, "Reserved",
                      "what the compiler reserves: always there plus the heaps"},
    [ROW_LIVE] = {"live", ROW_RESERVED, false, "Live", "bytes in use at the step"},
    [ROW_ALWAYS] = {"always", ROW_LIVE, false, "Always there",
                    "held from the first to the last step"},
    [ROW_ARGUMENTS] = {"arguments", ROW_ALWAYS, true, "Arguments",
                       "what the program is called with"},
    [ROW_OUTPUTS] = {"outputs", ROW_ALWAYS, true, "Outputs", "not written into an argument"},
    [ROW_CONSTANTS] = {"constants", ROW_ALWAYS, true, "Constants", "values known at compile time"},
    [ROW_TUPLES] = {"tuples", ROW_ALWAYS, true, "Tuple tables",
                    "pointers to the parts of inputs and outputs"},
    [ROW_TEMPORARIES] = {"temporaries", ROW_LIVE, false, "Temporaries",
                         "values between instructions, in the heap"},
    [ROW_COMPUTE] = {"compute", ROW_TEMPORARIES, false, "Compute results",
                     "outputs of fusions, matmuls, sorts and the like"},
    [ROW_COMPUTE_FIRST + XPD_OP_NONE] = GROUP("none", "other", "operation unknown"),
    [ROW_COMPUTE_FIRST + XPD_OP_MATMUL] =
        GROUP("matmul", "matmul / conv", "dot, convolution, and fusions with one inside"),
    [ROW_COMPUTE_FIRST + XPD_OP_ELEMENTWISE] =
        GROUP("elem", "elementwise", "add, multiply, exp and fusions of them"),
    [ROW_COMPUTE_FIRST + XPD_OP_REDUCE] = GROUP("reduce", "reduce / sort", "reduce, sort, top-k"),
    [ROW_COMPUTE_FIRST + XPD_OP_MOVE] =
        GROUP("move", "data movement", "slice, gather, concatenate, plain copies"),
    [ROW_COMPUTE_FIRST + XPD_OP_COLLECTIVE] =
        GROUP("coll", "collective", "values exchanged between devices"),
    [ROW_COMPUTE_FIRST + XPD_OP_CONTROL] =
        GROUP("control", "control flow", "loops, calls and the values they carry"),
    [ROW_COMPUTE_FIRST + XPD_OP_HOST] = GROUP("host", "host", "exchanged with the host"),
    [ROW_COMPUTE_FIRST + XPD_OP_CUSTOM] =
        GROUP("custom", "custom calls", "results and scratch of external kernels"),
    [ROW_SPACE_COPY] = {"space_copy", ROW_TEMPORARIES, true, "Copies between memory spaces",
                        "moved out of or into another memory space"},
    [ROW_RELAYOUT] = {"relayout", ROW_TEMPORARIES, true, "Re-layout copies",
                      "same values, different dimension order"},
    [ROW_COLLECTIVES] = {"collectives", ROW_TEMPORARIES, true, "Collectives",
                         "moved between devices"},
    [ROW_HOST] = {"host", ROW_TEMPORARIES, true, "Host transfers",
                  "copies to and from host memory, infeed, outfeed, callbacks"},
    [ROW_TWICE] = {"twice", ROW_TEMPORARIES, false, "Counted twice",
                   "several values at the same addresses, subtracted from the sum"},
    [ROW_FRAGMENTATION] = {"fragmentation", ROW_RESERVED, false, "Fragmentation",
                           "reserved and not live at the step"},
    [ROW_HOLES] = {"holes", ROW_FRAGMENTATION, false, "holes below the top",
                   "free, but below a live buffer"},
    [ROW_ABOVE] = {"above", ROW_FRAGMENTATION, false, "free above the top",
                   "needed at the peak, not at this step"},
    [ROW_IDLE] = {"idle", ROW_FRAGMENTATION, false, "set aside, not live",
                  "without heap events, or space for buffers that share it later"},
    [ROW_BY_ADDRESS] = {"by_address", -1, false, "Temporaries by address",
                        "the same bytes, by how many buffers use their addresses"},
    [ROW_OWN] = {"own", ROW_BY_ADDRESS, false, "in own space",
                 "at addresses used by one buffer throughout the program"},
    [ROW_SHARED] = {"shared", ROW_BY_ADDRESS, false, "in shared space",
                    "at addresses that several buffers have in turn"},
    [ROW_SHARED_TWICE] = {"shared_twice", ROW_BY_ADDRESS, false, "counted twice",
                          "several values at the same addresses, subtracted from the sum"},
    [ROW_BESIDE] = {"beside", -1, false, "Beside the peak", "not in the sums above"},
    [ROW_THREAD_LOCAL] = {"thread_local", ROW_BESIDE, false, "Thread-local",
                          "scratch of called computations"},
    [ROW_SCOPED] = {"scoped", ROW_BESIDE, false, "Scoped scratch",
                    "most scratch that one instruction needs"},
    [ROW_CODE] = {"code", ROW_BESIDE, false, "Program code", ""},
    [ROW_MEASURED] = {"measured", -1, false, "Measured, at its largest", ""},
    [ROW_STACK] = {"stack", ROW_MEASURED, false, "Stack",
                   "what the runtime had reserved for the heap of the running program"},
    [ROW_ALLOCATED] = {"allocated", ROW_MEASURED, false, "Allocated",
                       "arrays of all programs: arguments, results and others kept alive"},
};

struct details {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    struct xpd_report_view view;
    struct xpd_runtime_memory measured; /* .most NULL: nothing was, or not in this memory space */
    int64_t *value[ROW_COUNT];          /* by place; NULL: not in this answer */
    struct xpd_report_details out;
};

static int leaf_of(const struct xpd_report_row *row)
{
    switch ((enum xpd_report_kind)row->kind) {
    case XPD_REPORT_ARGUMENT: return ROW_ARGUMENTS;
    case XPD_REPORT_OUTPUT: return ROW_OUTPUTS;
    case XPD_REPORT_CONSTANT: return ROW_CONSTANTS;
    case XPD_REPORT_TUPLE: return ROW_TUPLES;
    case XPD_REPORT_SPACE_COPY: return ROW_SPACE_COPY;
    case XPD_REPORT_RELAYOUT: return ROW_RELAYOUT;
    case XPD_REPORT_COLLECTIVE: return ROW_COLLECTIVES;
    case XPD_REPORT_HOST: return ROW_HOST;
    default: return ROW_COMPUTE_FIRST + row->group;
    }
}

/* Leaves from the spans, then sums upwards: each child is added to its parent. */
static bool fill_live(struct details *d)
{
    const struct xpd_mem_space *space = d->ctx->space;
    const struct xpd_report_steps steps = d->view.steps;
    uint32_t *key = XPD_NEW_ARRAY(d->ctx->arena, uint32_t, d->report->row_count);
    if (!key)
        return false;
    for (uint32_t i = 0; i < d->report->row_count; i++)
        key[i] = (uint32_t)leaf_of(&d->report->row[i]);
    int64_t *all = xpd_report_bytes(d->report, key, ROW_COUNT, steps, d->ctx->arena);
    for (uint32_t i = 0; i < d->report->row_count; i++)
        key[i] = i < d->report->resident_count ? XPD_NO_INDEX : 0;
    int64_t *own = xpd_report_own_bytes(d->report, key, 1, steps, d->ctx->arena);
    if (!all || !own)
        return false;
    for (int r = 0; r < ROW_COUNT; r++)
        d->value[r] = all + (size_t)r * steps.count;
    for (uint32_t p = 0; p < steps.count; p++) {
        int64_t listed = 0;
        int64_t live = steps.at[p] == XPD_NO_STEP ? 0 : space->live_bytes[steps.at[p]];
        for (int r = ROW_COMPUTE_FIRST; r <= ROW_HOST; r++)
            listed += d->value[r][p];
        d->value[ROW_TWICE][p] = d->value[ROW_SHARED_TWICE][p] = live - listed;
        d->value[ROW_OWN][p] = own[p];
        d->value[ROW_SHARED][p] = listed - own[p];
    }
    return true;
}

/* Holes at each place; the answer's arena does not keep what each needs meanwhile. */
static int fill_gaps(struct details *d, struct xpd_err *err)
{
    struct xpd_arena scratch = {0};
    int rc = XPD_OK;
    for (uint32_t p = 0; rc == XPD_OK && p < d->view.steps.count; p++) {
        struct xpd_report_gaps gaps;
        rc = xpd_report_gaps_at(&gaps, d->report, d->view.steps.at[p], &scratch, err);
        d->value[ROW_HOLES][p] = gaps.holes_bytes;
        d->value[ROW_ABOVE][p] = gaps.above_bytes;
        d->value[ROW_IDLE][p] = gaps.idle_bytes;
        d->value[ROW_THREAD_LOCAL][p] = d->ctx->space->totals.thread_local_;
        d->value[ROW_SCOPED][p] = d->ctx->space->scoped_bytes;
        d->value[ROW_CODE][p] = d->ctx->color == 0 ? d->ctx->hlo->code_bytes : 0;
        xpd_arena_reset(&scratch);
    }
    xpd_arena_fini(&scratch);
    return rc;
}

/* What the allocators said when a device held most (S1.49). It is of a moment of the run and not of
 * a step, so it stands beside the steps: the same at each. */
static int fill_measured(struct details *d, struct xpd_err *err)
{
    if (d->ctx->space != xpd_mem_main_space(d->ctx->mem))
        return XPD_OK;
    int rc = xpd_tools_runtime_memory(&d->measured, d->ctx, err);
    if (rc != XPD_OK || !d->measured.of.most)
        return rc;
    const struct xpd_allocation *at = &d->measured.of.most->event[d->measured.of.most->most];
    for (uint32_t p = 0; p < d->view.steps.count; p++) {
        d->value[ROW_STACK][p] = at->reserved_bytes > 0 ? at->reserved_bytes : 0;
        d->value[ROW_ALLOCATED][p] = at->allocated_bytes > 0 ? at->allocated_bytes : 0;
    }
    return XPD_OK;
}

static void sum_up(struct details *d)
{
    for (int r = ROW_COUNT - 1; r >= 0; r--)
        for (uint32_t p = 0; rows[r].parent >= 0 && p < d->view.steps.count; p++)
            d->value[rows[r].parent][p] += d->value[r][p];
}

static bool is_zero(const struct details *d, int r)
{
    for (uint32_t p = 0; p < d->view.steps.count; p++)
        if (d->value[r][p] != 0)
            return false;
    return true;
}

/* Rows that can only be zero here are left out; the main ones stay, so that a 0 can be read. */
static bool is_shown(const struct details *d, int r)
{
    bool optional = r == ROW_TUPLES || r == ROW_CONSTANTS || r == ROW_TWICE || r == ROW_IDLE ||
                    r == ROW_SHARED_TWICE || r >= ROW_BESIDE ||
                    (r >= ROW_COMPUTE_FIRST && r < ROW_SPACE_COPY);
    return !optional || !is_zero(d, r);
}

static const char *what_of(const struct details *d, int r, char text[256])
{
    const struct xpd_report_addresses *a = &d->report->addresses;
    const struct xpd_mem_totals *t = &d->ctx->space->totals;
    int64_t peak = d->ctx->space->peak_bytes;
    char one[48], two[48], three[48], four[48];
    xpd_bytes_text(one, r == ROW_ARGUMENTS ? t->alias : a->own_bytes, peak);
    xpd_bytes_text(two, a->shared_bytes, peak);
    xpd_bytes_text(three, r == ROW_SHARED ? a->shared_tenant_bytes : a->unused_bytes, peak);
    xpd_bytes_text(four, d->ctx->space->heap_bytes, peak);
    if (r == ROW_ARGUMENTS && t->alias > 0)
        snprintf(text, 256, "%s of them are overwritten by outputs", one);
    else if (r == ROW_BY_ADDRESS)
        snprintf(text, 256, "heap %s = %s own + %s shared + %s never used", four, one, two, three);
    else if (r == ROW_OWN)
        snprintf(text, 256, "%s of addresses are used by one buffer throughout", one);
    else if (r == ROW_SHARED && a->shared_bytes > 0)
        snprintf(text, 256, "%s of buffers share %s in turn: reuse %.2f\xC3\x97", three, two,
                 (double)a->shared_tenant_bytes / (double)a->shared_bytes);
    else if (r == ROW_MEASURED)
        snprintf(text, 256,
                 "allocator %.*s of %s at its fullest; one moment of the run, so the same at every "
                 "step and in no sum above",
                 (int)(d->measured.of.most->name.size < 40 ? d->measured.of.most->name.size : 40),
                 d->measured.of.most->name.data, d->ctx->run->host[d->measured.host].name);
    else if (r == ROW_CODE)
        snprintf(text, 256,
                 "generated code of the %" PRIu32 " instruction%s of %" PRIu32
                 " that record its size; memory besides the program's arrays",
                 d->ctx->hlo->code_count, d->ctx->hlo->code_count == 1 ? "" : "s",
                 d->ctx->hlo->instructions.count);
    else
        return rows[r].what;
    return text;
}

static int put(struct details *d, struct xpd_err *err)
{
    const struct xpd_report_addresses *a = &d->report->addresses;
    struct xpd_arena *arena = d->ctx->arena;
    struct xpd_report_detail *to = XPD_NEW_ARRAY(arena, struct xpd_report_detail, ROW_COUNT);
    uint32_t n = 0;
    for (int r = 0; to && r < ROW_COUNT; r++) {
        char text[256];
        if (!is_shown(d, r))
            continue;
        struct xpd_report_values values = xpd_report_values_of(&d->view, d->value[r], arena);
        const char *what = what_of(d, r, text);
        to[n++] = (struct xpd_report_detail){
            .id = rows[r].id,
            .parent = rows[r].parent < 0 ? NULL : rows[rows[r].parent].id,
            .label = rows[r].label,
            .what = what == text ? xpd_arena_strndup(arena, text, strlen(text)) : what,
            .opens = rows[r].opens && !is_zero(d, r),
            XPD_REPORT_VALUES_OF(values),
        };
    }
    d->out = (struct xpd_report_details){
        XPD_REPORT_VIEW_OF(&d->view),
        .step_count = d->ctx->space->step_count,
        .heap_bytes = d->ctx->space->heap_bytes,
        .own_bytes = a->own_bytes,
        .shared_bytes = a->shared_bytes,
        .unused_bytes = a->unused_bytes,
        .shared_tenant_bytes = a->shared_tenant_bytes,
        .rows = {to, n},
    };
    return arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static void put_csv(struct xpd_csv *csv, const void *answer)
{
    const struct xpd_report_details *of = answer;
    xpd_csv_text(csv, "id");
    xpd_csv_text(csv, "parent");
    xpd_csv_text(csv, "category");
    xpd_report_csv_heads(csv, "step_", "_bytes", of->steps.at, of->steps.n);
    xpd_csv_text(csv, "peak_bytes");
    xpd_csv_end_row(csv);
    for (uint32_t i = 0; i < of->rows.n; i++) {
        const struct xpd_report_detail *row = &of->rows.at[i];
        xpd_csv_text(csv, row->id);
        xpd_csv_text(csv, row->parent);
        xpd_csv_text(csv, row->label);
        xpd_report_csv_values(csv, row->at_bytes.at, row->at_bytes.n);
        xpd_csv_i64(csv, row->peak_bytes);
        xpd_csv_end_row(csv);
    }
}

static int details(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    struct details *d = XPD_NEW(ctx->arena, struct details);
    if (!d)
        return xpd_tools_no_memory(err);
    *d = (struct details){.ctx = ctx, .report = xpd_table_report(ctx, err)};
    if (!d->report)
        return err->code;
    int rc = xpd_report_view_read(&d->view, ctx, &xpd_tool_report_details, err);
    if (rc == XPD_OK && !fill_live(d))
        rc = xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = fill_gaps(d, err);
    if (rc == XPD_OK)
        rc = fill_measured(d, err);
    if (rc != XPD_OK)
        return rc;
    sum_up(d);
    *to = &d->out;
    return put(d, err);
}

static const struct xpd_param_spec params[] = {
    XPD_REPORT_VIEW_PARAMS(PX_DEFAULT),
    XPD_REPORT_FORMAT_PARAM,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_details = {
    .route = "/api/v1/report/details",
    .title = "Reserved, live and fragmentation as a tree of categories, at one to eight steps.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about =
        "Children add up to their parent at every step: `reserved` = `live` + `fragmentation`; "
        "`live` = `always` + `temporaries`; `temporaries` = `compute` + `space_copy` + `relayout` "
        "+ `collectives` + `host` (+ `twice`, negative, in spaces whose live bytes are a union of "
        "addresses); `fragmentation` = `holes` + `above` + `idle`; `by_address` = `own` + `shared` "
        "= `temporaries`. `beside` is in no sum: `thread_local`, `scoped`, `code`; nor is "
        "`measured` = `stack` + `allocated`: what the runtime had reserved and allocated at the "
        "moment of the largest use of any device (main memory only). The defining instruction "
        "decides the category of a storage: collective or host operation; copy, transpose or "
        "reshape into another dimension order; copy to another memory space; else compute. Rows "
        "that are 0 everywhere are left out, unless the 0 is informative. A CSV has a column for "
        "each step.",
    .answer = xpd_report_details_record,
    .make = details,
    .csv = put_csv,
    .file_name = "report_details.csv",
    XPD_IN_REPORT(
        "px", {125, XPD_EACH_PEAK, "steps={step}&px=150", "the categories and groups at the peaks"},
        {245, XPD_EACH_NEAR, "steps={step}&px=150", NULL}),
};

/* What allocations were for. In: an allocator's events and the trace of their host. Out: by event
 * the event of the trace, the purpose by its enclosing events, and the program. */
#include "xprofd/trace/allocators.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"

#include <stdio.h>

enum { PJIT = XPD_ALLOC_WHAT_COUNT, REPORT, FRAME }; /* kinds of names beside the purposes */

struct finding {
    const struct xpd_trace *trace;
    uint8_t *kind;    /* by name: enum xpd_alloc_what or above, plus 1 */
    uint32_t host;    /* the process of "/host:CPU" */
    uint32_t modules; /* row of the runs of the chip; XPD_NO_INDEX */
    int64_t thread;   /* the rows that were looked up last */
    uint32_t *row, row_count;
    struct xpd_arena *arena;
    struct xpd_intern programs;
};

/* ---- names ---- */

static uint8_t kind_of(struct xpd_str name)
{
    static const struct {
        const char *text;
        bool starts;
        uint8_t kind;
    } known[] = {{"CopyProgramsToSharedMemory", true, XPD_ALLOC_PROGRAM_CODE},
                 {"BufferFromHostBuffer", true, XPD_ALLOC_FROM_HOST},
                 {"AllocateOutputBuffer", true, XPD_ALLOC_OUTPUT},
                 {"AllocateTupleIndexTable", true, XPD_ALLOC_TUPLE_TABLE},
                 {"AllocateAndFillTupleIndexTable", true, XPD_ALLOC_TUPLE_TABLE},
                 {"ExecuteLaunch", true, XPD_ALLOC_LAUNCH},
                 {"PjitFunction(", true, PJIT},
                 {"MemoryAllocation", false, REPORT},
                 {"MemoryDeallocation", false, REPORT}};
    if (name.size > 1 && name.data[0] == '$')
        return FRAME + 1; /* as the Python tracer writes them: "$train.py:41 step" */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct xpd_str want = xpd_str_of(known[i].text);
        /* "TpuClient::BufferFromHostBuffer": what stands in front of the last "::" is a class. */
        size_t at = xpd_str_find(name, want, false);
        bool inside = at != SIZE_MAX && (at == 0 || name.data[at - 1] == ':' ||
                                         name.data[at - 1] == ' ' || name.data[at - 1] == '.');
        if (known[i].starts ? inside : xpd_str_eq(name, want))
            return (uint8_t)(known[i].kind + 1);
    }
    return 0;
}

static bool find_kinds(struct finding *f)
{
    const struct xpd_trace *trace = f->trace;
    f->kind = XPD_NEW_ARRAY(f->arena, uint8_t, trace->name_count);
    for (uint32_t i = 0; f->kind && i < trace->name_count; i++)
        f->kind[i] = kind_of(xpd_intern_get(&trace->names, trace->name[i].name));
    return f->kind != NULL;
}

/* ---- whose memory ---- */

/* "0" is a chip of a TPU runtime, "GPU_0_bfc" a GPU; -1 = neither: memory of the host. */
static int64_t device_of(struct xpd_str name, enum xpd_process_kind *kind)
{
    int64_t device;
    *kind = xpd_str_starts(name, "GPU_") ? XPD_PROCESS_GPU : XPD_PROCESS_TPU;
    if (*kind == XPD_PROCESS_GPU || xpd_str_starts(name, "TPU_")) {
        name.data += 4;
        name.size -= 4;
        size_t digits = 0;
        while (digits < name.size && name.data[digits] >= '0' && name.data[digits] <= '9')
            digits++;
        name.size = digits;
    }
    return xpd_str_to_i64(name, &device) && device >= 0 ? device : -1;
}

uint32_t xpd_alloc_process(const struct xpd_trace *trace, struct xpd_str name)
{
    enum xpd_process_kind kind;
    int64_t device = device_of(name, &kind);
    for (uint32_t p = 0; device >= 0 && p < trace->process_count; p++)
        if (trace->process[p].device == device &&
            (trace->process[p].kind == kind || trace->process[p].kind == XPD_PROCESS_CUSTOM))
            return p;
    for (uint32_t p = 0; p < trace->process_count; p++)
        if (trace->process[p].kind == XPD_PROCESS_HOST)
            return p;
    return XPD_NO_INDEX;
}

int64_t xpd_alloc_shift_ps(const struct xpd_allocations *all, const struct xpd_trace *trace)
{
    bool overflow = false;
    if (all->origin_ns == 0 || trace->origin_ns == 0)
        return 0;
    return xpd_mul_i64(all->origin_ns - trace->origin_ns, 1000, &overflow);
}

static uint32_t host_of(const struct xpd_trace *trace)
{
    for (uint32_t p = 0; p < trace->process_count; p++)
        if (xpd_str_eq(xpd_intern_get(&trace->names, trace->process[p].name), XPD_STR("/host:CPU")))
            return p;
    return XPD_NO_INDEX;
}

/* The rows of a thread: what is shown of it, and the profiler's own events. */
static void rows_of(struct finding *f, int64_t thread)
{
    if (f->row_count > 0 && f->thread == thread)
        return;
    f->thread = thread;
    f->row_count = 0;
    if (f->host == XPD_NO_INDEX)
        return;
    const struct xpd_trace_process *host = &f->trace->process[f->host];
    for (uint32_t r = host->first_row; r < host->first_row + host->row_count; r++)
        if (f->trace->row[r].id == thread && f->trace->row[r].kind != XPD_ROW_COUNTER)
            f->row[f->row_count++] = r;
}

/* ---- the event itself, and those around it ---- */

static uint32_t first_after(const struct xpd_depth *depth, int64_t at_ps)
{
    uint32_t after = 0;
    XPD_BISECT(after, depth->count, middle, xpd_depth_start(depth, middle) <= at_ps);
    return after;
}

/* The report itself among the events of one depth that begin at its time. */
static bool is_there(const struct finding *f, const struct xpd_depth *depth, uint32_t after,
                     int64_t at_ps, uint64_t where, uint32_t *index)
{
    for (uint32_t i = after; i > 0 && xpd_depth_start(depth, i - 1) == at_ps; i--)
        if (f->kind[depth->name[i - 1]] == REPORT + 1 && xpd_depth_where(depth, i - 1) == where) {
            *index = i - 1;
            return true;
        }
    return false;
}

static struct xpd_str jit_name(struct finding *f, const struct xpd_depth *depth, uint32_t i)
{
    struct xpd_str name = xpd_intern_get(&f->trace->names, f->trace->name[depth->name[i]].name);
    size_t open = xpd_str_find(name, XPD_STR("("), false);
    if (open == SIZE_MAX || name.data[name.size - 1] != ')')
        return XPD_STR("");
    char text[256];
    int size =
        snprintf(text, sizeof text, "jit_%.*s", (int)(name.size - open - 2), name.data + open + 1);
    size = size < (int)sizeof text ? size : (int)sizeof text - 1;
    return xpd_intern_get(&f->programs, xpd_intern_put(&f->programs, text, (size_t)size));
}

struct enclosing { /* the innermost event of a kind; depth NULL: none */
    const struct xpd_depth *depth;
    uint32_t at;
};
struct around {
    uint8_t what;
    struct enclosing pjit, frame;
};

static void keep_inner(struct enclosing *inner, const struct xpd_depth *depth, uint32_t i)
{
    if (!inner->depth || xpd_depth_start(depth, i) >= xpd_depth_start(inner->depth, inner->at))
        *inner = (struct enclosing){depth, i};
}

/* Without the sign. */
static struct xpd_str frame_text(const struct finding *f, const struct enclosing *frame)
{
    if (!frame->depth)
        return XPD_STR("");
    struct xpd_str name =
        xpd_intern_get(&f->trace->names, f->trace->name[frame->depth->name[frame->at]].name);
    return (struct xpd_str){name.data + 1, name.size - 1};
}

static void take_around(struct around *around, const struct finding *f,
                        const struct xpd_depth *depth, uint32_t i)
{
    uint8_t kind = f->kind[depth->name[i]];
    if (kind == 0 || kind == REPORT + 1)
        return;
    if (kind == PJIT + 1)
        keep_inner(&around->pjit, depth, i);
    else if (kind == FRAME + 1)
        keep_inner(&around->frame, depth, i);
    else if (kind - 1 < around->what)
        around->what = (uint8_t)(kind - 1);
}

static struct around look_around(const struct finding *f, const struct xpd_allocation *e,
                                 int64_t at_ps, struct xpd_alloc_purpose *out)
{
    struct around around = {.what = XPD_ALLOC_REGION};
    for (uint32_t k = 0; k < f->row_count; k++) {
        const struct xpd_trace_row *row = &f->trace->row[f->row[k]];
        for (uint32_t d = 0; d < row->depth_count; d++) {
            const struct xpd_depth *depth = &f->trace->depth[row->first_depth + d];
            uint32_t after = first_after(depth, at_ps), index;
            if (out->event == UINT64_MAX && is_there(f, depth, after, at_ps, e->where, &index)) {
                out->event = depth->first_event + index;
                out->row = f->row[k];
            }
            if (after > 0 && xpd_depth_end(depth, after - 1) >= at_ps)
                take_around(&around, f, depth, after - 1);
        }
    }
    return around;
}

/* ---- the program ---- */

/* "jit_f(123)" without the number. */
static struct xpd_str program_name(struct xpd_str caption)
{
    size_t open = caption.size;
    while (open > 0 && caption.data[open - 1] != '(')
        open--;
    if (open > 1 && caption.data[caption.size - 1] == ')')
        caption.size = open - 1;
    return caption;
}

static uint32_t modules_of(const struct xpd_view *view, uint32_t process)
{
    if (process == XPD_NO_INDEX || view->trace->process[process].kind == XPD_PROCESS_HOST)
        return XPD_NO_INDEX;
    uint32_t row = xpd_view_row_of_kind(view, process, XPD_ROW_MODULES);
    return row < view->trace->row_count ? row : XPD_NO_INDEX;
}

static struct xpd_str next_program(const struct xpd_trace *trace, uint32_t modules, int64_t at_ps)
{
    if (modules == XPD_NO_INDEX || trace->row[modules].depth_count == 0)
        return XPD_STR("");
    const struct xpd_depth *depth = &trace->depth[trace->row[modules].first_depth];
    uint32_t at = 0;
    XPD_BISECT(at, depth->count, middle, xpd_depth_end(depth, middle) <= at_ps);
    if (at == depth->count)
        return XPD_STR("");
    return program_name(xpd_intern_get(&trace->names, trace->name[depth->name[at]].caption));
}

struct xpd_str xpd_alloc_program_at(const struct xpd_view *view, uint32_t process, int64_t at_ps)
{
    return next_program(view->trace, modules_of(view, process), at_ps);
}

static struct xpd_alloc_purpose purpose_of(struct finding *f, const struct xpd_allocation *e,
                                           int64_t at_ps)
{
    struct xpd_alloc_purpose out = {
        .event = UINT64_MAX, .row = XPD_NO_INDEX, .program = XPD_STR(""), .source = XPD_STR("")};
    rows_of(f, e->thread);
    struct around around = look_around(f, e, at_ps, &out);
    out.what = around.what;
    out.source = frame_text(f, &around.frame);
    if (out.what == XPD_ALLOC_REGION && e->region == 0)
        out.what = XPD_ALLOC_OTHER;
    if (out.what == XPD_ALLOC_PROGRAM_CODE)
        return out; /* of an unknown program */
    out.program = around.pjit.depth ? jit_name(f, around.pjit.depth, around.pjit.at)
                                    : next_program(f->trace, f->modules, at_ps);
    return out;
}

struct xpd_alloc_purpose *xpd_alloc_purposes(const struct xpd_alloc_lives *lives,
                                             const struct xpd_allocations *all,
                                             const struct xpd_view *view, uint32_t process,
                                             struct xpd_arena *arena)
{
    const struct xpd_allocator *of = lives->of;
    int64_t shift_ps = xpd_alloc_shift_ps(all, view->trace);
    bool overflow = false;
    struct finding f = {.trace = view->trace,
                        .host = host_of(view->trace),
                        .modules = modules_of(view, process),
                        .row = XPD_NEW_ARRAY(arena, uint32_t, view->trace->row_count),
                        .arena = arena};
    struct xpd_alloc_purpose *out = XPD_NEW_ARRAY(arena, struct xpd_alloc_purpose, of->count);
    if (!f.row || !out || !find_kinds(&f))
        return NULL;
    xpd_intern_init(&f.programs, arena);
    for (uint32_t i = 0; i < of->count; i++) {
        const struct xpd_allocation *e = &of->event[i];
        out[i] = purpose_of(&f, e, xpd_add_i64(e->at_ps, shift_ps, &overflow));
        uint32_t made = e->frees ? lives->partner[i] : XPD_NO_INDEX;
        if (made != XPD_NO_INDEX) {
            out[i].what = out[made].what;
            out[i].program = out[made].program;
            out[i].source = out[made].source;
        }
    }
    bool fine = !arena->failed && !f.programs.failed;
    xpd_intern_fini(&f.programs); /* the texts stay in the arena */
    return fine ? out : NULL;
}

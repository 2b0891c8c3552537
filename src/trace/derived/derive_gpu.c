/* Derived rows of one GPU: Steps of the device; modules, operations, scopes and
 * source lines of each stream, from the stats of its kernels.
 *
 * Scope ranges (derive_hlo.c) hold spans apart: modules by their outermost one, operations level
 * by level when there are as many. For a kernel with an HLO operation XProf takes scopes and source
 * only from the program's HLO; xprofd adds a row from the kernel's own stats. */
#include "derive.h"
#include "xprofd/base/bisect.h"
#include "xprofd/trace/tf_op.h"
#include <stdio.h>

struct said { /* by source lines from the kernels' stats */
    struct xpd_builder scopes, ops, sources;
};

struct stream {
    struct xpd_deriving *deriving;
    uint32_t process, row;
    struct xpd_arena scratch;
    struct xpd_event_reader reader; /* by enum told */
    struct xpd_builder modules, hlo_ops, graphs;
    struct said xprof, own; /* own: where XProf uses only the HLO, which does not have it */
    XPD_VEC(uint32_t) names;
    char number[24]; /* the text of number_id */
    int number_size;
    uint64_t number_id;
};

/* ---- groups and steps ---- */

static bool any_group(const struct xpd_event_groups *groups,
                      const struct xpd_trace_process *process)
{
    for (uint32_t i = 0; i < process->row_count; i++)
        if (groups->of_row[process->first_row + i])
            return true;
    return false;
}

/* The group's root calls it "train 3"; one that only the file knows is called by its number. */
static uint32_t step_caption(struct xpd_deriving *deriving, uint32_t group)
{
    const struct xpd_groups_made *made = &deriving->groups;
    char text[16];
    int size = snprintf(text, sizeof text, "%u", group);
    struct xpd_str number = {text, (size_t)size}, caption = number;
    if (group < made->group_name.count)
        caption = xpd_intern_get(made->names, made->group_name.at[group]);
    return xpd_derive_name(deriving, caption, number, XPD_OP_NONE);
}

/* The step of the host that began a group; NULL: none did (the group is of a run without steps). */
static const struct xpd_group_root *root_of(const struct xpd_deriving *deriving, uint32_t group)
{
    const struct xpd_group_root *root = deriving->groups.root.at;
    uint32_t count = (uint32_t)deriving->groups.root.count, low = 0;
    XPD_BISECT(low, count, middle, root[middle].group < group); /* in order of their groups */
    return low < count && root[low].group == group ? &root[low] : NULL;
}

/* What each step of the host launched on this GPU, from its first event to its last: steps overlap
 * where their kernels interleave, and each is one. */
static void keep_steps(struct xpd_deriving *deriving, uint32_t process,
                       const struct xpd_builder *steps)
{
    struct xpd_map64 at_of = {0};
    struct xpd_sheet_reader reader = {.sheet = &steps->sheet};
    struct xpd_drawn drawn;
    while (xpd_sheet_next(&reader, &drawn)) {
        uint64_t event = xpd_drawn_event(&steps->sheet, &drawn);
        uint32_t group = xpd_groups_of(deriving->out->groups, deriving->trace, event);
        const struct xpd_group_root *root = root_of(deriving, group);
        uint32_t at = root ? xpd_map64_get(&at_of, group) : XPD_NO_INDEX;
        if (at != XPD_NO_INDEX) {
            struct xpd_step *step = &deriving->step.at[at];
            step->end_ps = step->end_ps > drawn.end_ps ? step->end_ps : drawn.end_ps;
        } else if (root) {
            struct xpd_step step = {.process = process,
                                    .thread = XPD_NO_INDEX,
                                    .number = root->number,
                                    .xprof_group = group,
                                    .name = deriving->name.at[drawn.name].caption,
                                    .start_ps = drawn.start_ps,
                                    .end_ps = drawn.end_ps,
                                    .event = event,
                                    .device_ps = -1};
            xpd_map64_put(&at_of, group, (uint32_t)deriving->step.count);
            XPD_PUSH(&deriving->step, step);
        }
    }
    deriving->failed |= at_of.failed || deriving->step.failed;
    xpd_map64_fini(&at_of);
}

/* Events without a group take that of the last one before them. */
static void inherit_groups(struct xpd_deriving *deriving, uint32_t process)
{
    const struct xpd_trace *trace = deriving->trace;
    const struct xpd_trace_process *at = &trace->process[process];
    struct xpd_event_groups *groups = deriving->out->groups;
    struct xpd_builder steps = {.gpu = true};
    struct xpd_merge merge;
    struct xpd_merged event;
    uint32_t last = XPD_NO_GROUP, name = 0, named = XPD_NO_GROUP;
    if (!any_group(groups, at))
        return;
    xpd_builder_from_process(&steps, trace, process);
    xpd_merge_init(&merge, false);
    for (uint32_t i = 0; i < at->row_count; i++)
        if (trace->row[at->first_row + i].kind != XPD_ROW_COUNTER)
            xpd_merge_add_row(&merge, trace, at->first_row + i);
    while (!deriving->failed && xpd_merge_next(&merge, &event)) {
        uint32_t row = event.depth->row;
        uint32_t *of = xpd_groups_row(groups, trace, row, &deriving->out->arena);
        if (!of) {
            deriving->failed = true;
            break;
        }
        uint32_t *group = &of[event.event - groups->row_event[row]];
        if (*group == XPD_NO_GROUP && !groups->from_file)
            *group = last;
        last = *group;
        if (last == XPD_NO_GROUP)
            continue;
        if (named != last)
            name = step_caption(deriving, last);
        named = last;
        struct xpd_span span = {.start_ps = event.start_ps,
                                .end_ps = event.start_ps + event.duration_ps,
                                .depth = event.depth,
                                .index = event.index,
                                .group = last,
                                .scope_id = -1};
        xpd_builder_one(&steps, name, &span);
    }
    deriving->failed |= merge.failed;
    xpd_merge_fini(&merge);
    xpd_builder_settle(&steps);
    if (xpd_steps_row(trace, process) == XPD_NO_INDEX) { /* else the file says what its steps are */
        if (!deriving->failed && !xpd_builder_failed(&steps))
            keep_steps(deriving, process, &steps);
        xpd_derive_row(deriving, process, XPD_DERIVED_ID, XPD_STR("Steps"), XPD_ROW_STEPS,
                       "From the groups of the events: from the first to the last event of a step",
                       &steps);
    }
    xpd_builder_fini(&steps);
}

/* ---- streams ---- */

struct kernel { /* stats of an event */
    struct xpd_str module, op, tf_op, source;
    uint64_t program_id;
    int64_t scope;  /* scope_range_id, -1 = none */
    int64_t launch; /* correlation_id, -1 = none */
    uint64_t graph; /* the command buffer (CUDA graph) it is a node of, 0 = none */
    bool has_program, is_kernel;
};

enum told { /* stats of a kernel */
            KERNEL_DETAILS,
            GRAPH_EXEC,
            MODULE,
            OP,
            TF_OP,
            SOURCE,
            SCOPE,
            PROGRAM,
            GRAPH,
            LAUNCH,
            TOLD_COUNT
};
static const char *const told_name[TOLD_COUNT] = {
    "kernel_details", "cuda_graph_exec_id", "hlo_module", "hlo_op",        "tf_op",
    "source",         "scope_range_id",     "program_id", "cuda_graph_id", "correlation_id"};

/* Its texts are the file's own, or those of the trace's names. The number of a stat that is no
 * integer is 0, as XProf reads it: the bits of a double are no program's number. */
static void take_told(struct kernel *kernel, enum told what, struct xpd_str text, uint64_t number,
                      bool is_unsigned)
{
    switch (what) {
    case KERNEL_DETAILS: kernel->is_kernel |= text.size > 0; break;
    case GRAPH_EXEC: kernel->is_kernel = true; break;
    case MODULE: kernel->module = text; break;
    case OP: kernel->op = text; break;
    case TF_OP: kernel->tf_op = text; break;
    case SOURCE: kernel->source = text; break;
    case SCOPE: kernel->scope = (int64_t)number; break;
    case LAUNCH: kernel->launch = (int64_t)number; break;
    case GRAPH: kernel->graph = is_unsigned ? number : 0; break;
    default:
        kernel->program_id = number;
        kernel->has_program = true;
        break;
    }
}

/* Reads the stats as those of any event are read; its own only. */
static void read_kernel_slowly(struct stream *stream, uint64_t event, struct kernel *kernel)
{
    const struct xpd_stat_ids *ids = &stream->reader.ids;
    struct xpd_stat_value *stat;
    uint32_t count, from_metadata;
    *kernel = (struct kernel){.scope = -1, .launch = -1};
    if (xpd_trace_stats(stream->deriving->trace, event, &stream->scratch, &stat, &count,
                        &from_metadata, NULL) != XPD_OK)
        return;
    for (uint32_t i = from_metadata; i < count; i++)
        for (uint32_t what = 0; what < TOLD_COUNT; what++)
            if ((ids->known >> what & 1) && ids->id[what] == stat[i].id)
                take_told(kernel, (enum told)what, stat[i].text,
                          xpd_stat_is_integer(stat[i].type) ? (uint64_t)stat[i].integer : 0,
                          stat[i].type == XPD_STAT_UINT);
}

/* From the stats in `said`; false: one has a value that only xpd_trace_stats reads (compressed
 * text). */
static bool take_said(const struct stream *stream, const struct xpd_event_said *event,
                      struct kernel *kernel)
{
    const struct xpd_trace *trace = stream->deriving->trace;
    for (uint32_t left = event->has; left != 0; left &= left - 1) {
        enum told what = (enum told)__builtin_ctz(left);
        const struct xpd_said *said = &event->stat[what];
        bool is_unsigned = said->field == XPD_SAID_UINT;
        if (said->field == 0)
            return false;
        take_told(kernel, what,
                  xpd_said_text(said, &trace->tables[stream->reader.plane], &trace->names),
                  is_unsigned || said->field == XPD_SAID_INT ? said->value : 0, is_unsigned);
    }
    return true;
}

static void read_kernel(struct stream *stream, const struct xpd_merged *event,
                        struct kernel *kernel)
{
    const struct xpd_trace *trace = stream->deriving->trace;
    *kernel = (struct kernel){.scope = -1, .launch = -1};
    if (trace->name[event->name].plane >= trace->space->plane_count)
        return;
    xpd_arena_reset(&stream->scratch);
    const struct xpd_event_said *said =
        xpd_event_reader_at(&stream->reader, event->depth, event->index);
    if (!said || !take_said(stream, said, kernel))
        read_kernel_slowly(stream, event->event, kernel);
}

/* Behind the text, which may have no bytes at all. */
static char *put(char *at, struct xpd_str text)
{
    if (text.size > 0)
        memcpy(at, text.data, text.size);
    return at + text.size;
}

/* "a/b", "a(b)": every kernel has one or two of them. */
static struct xpd_str join(struct stream *stream, struct xpd_str a, const char between[2],
                           struct xpd_str b)
{
    size_t size = a.size + 1 + b.size + (between[1] != 0);
    char *text = XPD_NEW_ROOM(&stream->scratch, char, size), *at = text;
    if (!text)
        return XPD_STR("");
    at = put(at, a);
    *at++ = between[0];
    at = put(at, b);
    if (between[1] != 0)
        *at = between[1];
    return (struct xpd_str){text, size};
}

static void push_name(struct stream *stream, struct xpd_str caption, struct xpd_str name)
{
    if (stream->names.count < XPD_SCOPES_MAX)
        XPD_PUSH(&stream->names, xpd_derive_name(stream->deriving, caption, name, XPD_OP_NONE));
}

/* The bar that is open on that level says which command buffer it ran in, and by which launch: the
 * last one. */
static void say_graph(struct stream *stream, struct xpd_builder *row, uint32_t level,
                      const struct kernel *kernel)
{
    if (kernel->graph == 0 || xpd_builder_failed(row) || level >= row->open.count)
        return;
    struct xpd_drawn *drawn = &row->open.at[level].drawn;
    if (drawn->pair == 0)
        drawn->pair = xpd_derive_pair(stream->deriving, xpd_drawn_event(&row->sheet, drawn), -1);
    if (drawn->pair == 0)
        return;
    struct xpd_derived_pair *pair = &stream->deriving->pair.at[drawn->pair - 1];
    pair->graph_id = kernel->graph;
    if (kernel->launch >= 0)
        pair->launch_id = kernel->launch;
}

/* Kernels of one program follow each other. */
static struct xpd_str number_of(struct stream *stream, uint64_t program_id)
{
    if (stream->number_size == 0 || stream->number_id != program_id)
        stream->number_size =
            snprintf(stream->number, sizeof stream->number, "%llu", (unsigned long long)program_id);
    stream->number_id = program_id;
    return (struct xpd_str){stream->number, (size_t)stream->number_size};
}

static void draw_hlo(struct stream *stream, const struct kernel *kernel,
                     const struct xpd_span *span)
{
    struct xpd_str program = kernel->module, rest = kernel->op;
    if (kernel->has_program)
        program = number_of(stream, kernel->program_id);
    struct xpd_str module = kernel->has_program && kernel->module.size > 0
                                ? join(stream, kernel->module, "()", program)
                                : kernel->module;
    int64_t chain[XPD_SCOPES_MAX], scope[XPD_SCOPES_MAX];
    uint32_t scopes = xpd_scopes_chain(stream->deriving, kernel->scope, chain);
    struct xpd_span outer = *span;
    outer.scope_id = scopes > 0 ? chain[scopes - 1] : -1;
    if (module.size > 0)
        xpd_builder_one(&stream->modules,
                        xpd_derive_name(stream->deriving, module, module, XPD_OP_NONE), &outer);
    stream->names.count = 0;
    while (rest.size > 0) {
        size_t at = xpd_str_find(rest, XPD_STR("::"), false);
        struct xpd_str op = {rest.data, at == SIZE_MAX ? rest.size : at};
        push_name(stream, op, join(stream, program, "/", op));
        rest =
            at == SIZE_MAX ? XPD_STR("") : (struct xpd_str){rest.data + at + 2, rest.size - at - 2};
    }
    uint32_t levels = (uint32_t)stream->names.count;
    for (uint32_t i = 0; i < levels; i++) /* outermost first, as the names */
        scope[i] = scopes == levels ? chain[levels - 1 - i] : -1;
    if (levels == 0)
        return;
    xpd_builder_stack_scoped(&stream->hlo_ops, stream->names.at, scope, levels, span);
    say_graph(stream, &stream->hlo_ops, levels - 1, kernel);
}

/* Nodes of one command buffer that one launch runs, one after another. */
static void draw_graph(struct stream *stream, const struct kernel *kernel,
                       const struct xpd_span *span)
{
    char text[48];
    struct xpd_span of_launch = *span;
    of_launch.scope_id = kernel->launch;
    if (kernel->graph == 0)
        return;
    int size =
        snprintf(text, sizeof text, "Command Buffer %llu", (unsigned long long)kernel->graph);
    struct xpd_str name = {text, (size_t)size};
    xpd_builder_one(&stream->graphs, xpd_derive_name(stream->deriving, name, name, XPD_OP_NONE),
                    &of_launch);
    say_graph(stream, &stream->graphs, 0, kernel);
}

static void draw_tf_op(struct stream *stream, struct said *said, struct xpd_str tf_op,
                       const struct xpd_span *span)
{
    struct xpd_tf_op op = xpd_tf_op_parse(tf_op);
    struct xpd_str scope, rest = op.scopes;
    stream->names.count = 0;
    while (xpd_tf_op_next_scope(&rest, &scope))
        push_name(stream, scope, scope);
    if (stream->names.count > 0)
        xpd_builder_stack(&said->scopes, stream->names.at, (uint32_t)stream->names.count, span);
    xpd_builder_one(&said->ops, xpd_derive_framework_op(stream->deriving, &op, tf_op, XPD_OP_NONE),
                    span);
}

/* The program's HLO knows better than the kernel: its innermost operation is looked up there. */
static bool ask_hlo(struct stream *stream, struct kernel *kernel)
{
    struct xpd_str op = kernel->op;
    size_t at;
    if (!kernel->has_program || op.size == 0)
        return false;
    while ((at = xpd_str_find(op, XPD_STR("::"), false)) != SIZE_MAX)
        op = (struct xpd_str){op.data + at + 2, op.size - at - 2};
    const struct xpd_hlo_said *said = xpd_derive_hlo(stream->deriving, kernel->program_id, op);
    if (!said)
        return false;
    kernel->tf_op = kernel->source = XPD_STR("");
    if (said->tf_op != XPD_NO_NAME)
        kernel->tf_op = xpd_intern_get(&stream->deriving->out->names, said->tf_op);
    if (said->source != XPD_NO_NAME)
        kernel->source = xpd_intern_get(&stream->deriving->out->names, said->source);
    return true;
}

static void draw(struct stream *stream, const struct xpd_merged *event)
{
    const struct xpd_event_groups *groups = stream->deriving->out->groups;
    const uint32_t *of = groups->of_row[stream->row];
    struct kernel kernel;
    read_kernel(stream, event, &kernel);
    if (!kernel.is_kernel)
        return;
    struct xpd_span span = {.start_ps = event->start_ps,
                            .end_ps = event->start_ps + event->duration_ps,
                            .depth = event->depth,
                            .index = event->index,
                            .group = of ? of[event->event - groups->row_event[stream->row]]
                                        : XPD_NO_GROUP,
                            .scope_id = -1};
    draw_hlo(stream, &kernel, &span);
    draw_graph(stream, &kernel, &span);
    bool from_hlo = ask_hlo(stream, &kernel);
    struct said *said = from_hlo || kernel.op.size == 0 ? &stream->xprof : &stream->own;
    if (kernel.tf_op.size > 0)
        draw_tf_op(stream, said, kernel.tf_op, &span);
    if (kernel.source.size > 0)
        xpd_builder_one(
            from_hlo ? &stream->xprof.sources : &stream->own.sources,
            xpd_derive_name(stream->deriving, kernel.source, kernel.source, XPD_OP_NONE), &span);
    stream->deriving->failed |= stream->scratch.failed || stream->names.failed;
}

#define HOW                                                                                        \
    "From the stats of the kernels of one stream: equal ones of one step that follow each other "  \
    "are one bar"
static const char how_rows[] = HOW;
static const char how_ops[] =
    HOW ". Approximate: an operation may be several kernels, and a kernel several operations";

static void keep_row(struct stream *stream, int64_t id, const char *what, enum xpd_row_kind kind,
                     struct xpd_builder *builder)
{
    char caption[96];
    (void)snprintf(caption, sizeof caption, "%s - from #%lld", what,
                   (long long)stream->deriving->trace->row[stream->row].id);
    xpd_derive_row(stream->deriving, stream->process, id, xpd_str_of(caption), kind,
                   kind == XPD_ROW_OPS ? how_ops : how_rows, builder);
    xpd_builder_fini(builder);
}

static void keep_said(struct stream *stream, struct said *said, int64_t id)
{
    keep_row(stream, id, "Framework Name Scope", XPD_ROW_NAME_SCOPE, &said->scopes);
    keep_row(stream, id + 1, "Framework Ops", XPD_ROW_FRAMEWORK_OPS, &said->ops);
    keep_row(stream, id + 4, "Source code", XPD_ROW_SOURCE, &said->sources);
}

static void begin(struct stream *stream, struct xpd_builder *builder)
{
    const struct xpd_trace *trace = stream->deriving->trace;
    const struct xpd_trace_row *row = &trace->row[stream->row];
    xpd_builder_from(builder, &trace->depth[row->first_depth], row->depth_count);
    builder->gpu = true;
}

static void begin_said(struct stream *stream, struct said *said)
{
    begin(stream, &said->scopes);
    begin(stream, &said->ops);
    begin(stream, &said->sources);
    said->scopes.dependent[0] = &said->ops;
}

static void derive_stream(struct xpd_deriving *deriving, uint32_t process, uint32_t row,
                          uint32_t number)
{
    struct stream stream = {.deriving = deriving, .process = process, .row = row};
    int64_t id = XPD_DERIVED_ID + XPD_STREAM_IDS + (int64_t)number * XPD_IDS_A_STREAM;
    struct xpd_merge merge;
    struct xpd_merged event;
    begin(&stream, &stream.modules);
    begin(&stream, &stream.hlo_ops);
    begin(&stream, &stream.graphs);
    begin_said(&stream, &stream.xprof);
    begin_said(&stream, &stream.own);
    stream.modules.dependent[0] = &stream.xprof.scopes;
    stream.modules.dependent[1] = &stream.hlo_ops;
    stream.modules.dependent[2] = &stream.graphs;
    deriving->failed |=
        !xpd_event_reader_init(&stream.reader, deriving->trace, told_name, TOLD_COUNT);
    xpd_merge_init(&merge, false);
    xpd_merge_add_row(&merge, deriving->trace, row);
    while (!deriving->failed && xpd_merge_next(&merge, &event))
        draw(&stream, &event);
    xpd_event_reader_fini(&stream.reader);
    deriving->failed |= merge.failed;
    xpd_merge_fini(&merge);
    xpd_builder_close(&stream.own.scopes); /* XProf leaves the last ones as they are */
    keep_said(&stream, &stream.xprof, id);
    keep_row(&stream, id + 2, "XLA Modules", XPD_ROW_MODULES, &stream.modules);
    keep_row(&stream, id + 3, "XLA Ops", XPD_ROW_OPS, &stream.hlo_ops);
    keep_row(&stream, id + 5, "Command Buffers", XPD_ROW_COMMAND_BUFFERS, &stream.graphs);
    keep_said(&stream, &stream.own, id + XPD_OWN_STREAM_IDS);
    XPD_VEC_FINI(&stream.names);
    xpd_arena_fini(&stream.scratch);
}

/* Whether kernels of the plane have stats to derive rows from. */
static bool tells(const struct xpd_trace *trace, const struct xpd_trace_process *process)
{
    struct xpd_stat_ids ids;
    xpd_stat_ids_init(&ids, &trace->tables[process->plane], &trace->names, told_name, TOLD_COUNT);
    return ids.known & (1u << MODULE | 1u << OP | 1u << TF_OP | 1u << SOURCE | 1u << GRAPH);
}

void xpd_derive_gpu(struct xpd_deriving *deriving, uint32_t process)
{
    const struct xpd_trace *trace = deriving->trace;
    const struct xpd_trace_process *at = &trace->process[process];
    inherit_groups(deriving, process);
    xpd_derive_launches(deriving, process);
    xpd_scopes_load(deriving);
    if (!tells(trace, at))
        return;
    uint32_t *order = calloc((size_t)at->row_count + 1, sizeof *order);
    uint32_t count = 0;
    deriving->failed |= !order || !xpd_gpu_lines(trace, process, order, &count);
    for (uint32_t i = 0; i < count && !deriving->failed; i++) {
        enum xpd_row_kind kind = trace->row[order[i]].kind;
        if (kind == XPD_ROW_STREAM || kind == XPD_ROW_LINE)
            derive_stream(deriving, process, order[i], i);
    }
    free(order);
}

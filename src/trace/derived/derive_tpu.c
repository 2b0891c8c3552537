/* Framework Name Scope, Framework Ops and Source code of one TensorCore. */
#include "derive.h"
#include "xprofd/trace/tf_op.h"

struct parsed { /* of one event name, parsed when first met */
    uint32_t scope_first, scope_count;
    uint32_t op, source; /* index in derived->name; XPD_NO_INDEX = none */
    bool done;
};

struct tpu {
    struct xpd_deriving *deriving;
    uint32_t process;
    struct parsed *parsed; /* by event name of the trace */
    XPD_VEC(uint32_t) scope;
    struct xpd_builder scopes, ops, sources;
    uint32_t near; /* in the grouping events: where the event before lay */
};

static void parse_scopes(struct tpu *tpu, struct parsed *parsed, struct xpd_str scopes)
{
    struct xpd_str scope;
    parsed->scope_first = (uint32_t)tpu->scope.count;
    while (xpd_tf_op_next_scope(&scopes, &scope)) {
        if (parsed->scope_count == XPD_SCOPES_MAX) {
            xpd_warn(&tpu->deriving->out->warnings, XPD_NOTE, "scopes_cut", XPD_NO_OFFSET,
                     "an operation has more than %d name scopes; the inner ones are not shown",
                     XPD_SCOPES_MAX);
            return;
        }
        XPD_PUSH(&tpu->scope, xpd_derive_name(tpu->deriving, scope, scope, XPD_OP_NONE));
        parsed->scope_count++;
    }
}

static void parse_op(struct tpu *tpu, struct parsed *parsed, struct xpd_str full, uint8_t group)
{
    struct xpd_tf_op op = xpd_tf_op_parse(full);
    parsed->op = xpd_derive_framework_op(tpu->deriving, &op, full, (enum xpd_op_group)group);
    parse_scopes(tpu, parsed, op.scopes);
}

static const struct parsed *parse(struct tpu *tpu, uint32_t number)
{
    struct parsed *parsed = &tpu->parsed[number];
    const struct xpd_trace *trace = tpu->deriving->trace;
    const struct xpd_event_name *name = &trace->name[number];
    if (parsed->done)
        return parsed;
    parsed->done = true;
    parsed->op = parsed->source = XPD_NO_INDEX;
    struct xpd_str tf_op = xpd_intern_get(&trace->names, name->tf_op);
    struct xpd_str source = xpd_intern_get(&trace->names, name->source);
    if (name->async)
        return parsed;
    if (tf_op.size > 0)
        parse_op(tpu, parsed, tf_op, name->group);
    if (source.size > 0)
        parsed->source = xpd_derive_name(tpu->deriving, source, source, XPD_OP_NONE);
    return parsed;
}

/* Events come by time: most lie in the same step as the one before. */
static uint32_t group_of(struct tpu *tpu, const struct xpd_merged *event)
{
    const struct xpd_event_groups *groups = tpu->deriving->out->groups;
    uint32_t row = event->depth->row;
    if (groups->of_row[row])
        return groups->of_row[row][event->event - groups->row_event[row]];
    const struct xpd_group_line *line = &groups->line[tpu->process];
    int64_t end_ps = event->start_ps + event->duration_ps;
    uint32_t at = tpu->near;
    bool is_first = at < line->count && line->last_end_ps[at] >= event->start_ps &&
                    (at == 0 || line->last_end_ps[at - 1] < event->start_ps);
    if (!is_first)
        at = tpu->near = xpd_group_line_first(line, event->start_ps);
    return at < line->count && line->start_ps[at] <= end_ps ? line->group[at] : XPD_NO_GROUP;
}

static void draw(struct tpu *tpu, const struct xpd_merged *event)
{
    const struct parsed *parsed = parse(tpu, event->name);
    if (parsed->op == XPD_NO_INDEX && parsed->source == XPD_NO_INDEX)
        return;
    struct xpd_span span = {.start_ps = event->start_ps,
                            .end_ps = event->start_ps + event->duration_ps,
                            .event = event->event,
                            .group = group_of(tpu, event),
                            .scope_id = -1};
    if (tpu->scope.failed)
        return;
    if (parsed->op != XPD_NO_INDEX) {
        if (parsed->scope_count > 0)
            xpd_builder_stack(&tpu->scopes, tpu->scope.at + parsed->scope_first,
                              parsed->scope_count, &span);
        xpd_builder_one(&tpu->ops, parsed->op, &span);
    }
    if (parsed->source != XPD_NO_INDEX)
        xpd_builder_one(&tpu->sources, parsed->source, &span);
}

static void walk(struct tpu *tpu)
{
    const struct xpd_trace *trace = tpu->deriving->trace;
    const struct xpd_trace_process *process = &trace->process[tpu->process];
    struct xpd_merge merge;
    struct xpd_merged event;
    xpd_merge_init(&merge, false);
    for (uint32_t i = 0; i < process->row_count; i++) {
        enum xpd_row_kind kind = trace->row[process->first_row + i].kind;
        if (kind != XPD_ROW_ASYNC_OPS && kind != XPD_ROW_COUNTER)
            xpd_merge_add_row(&merge, trace, process->first_row + i);
    }
    while (!tpu->deriving->failed && xpd_merge_next(&merge, &event))
        draw(tpu, &event);
    tpu->deriving->failed |= merge.failed || tpu->scope.failed;
    xpd_merge_fini(&merge);
    xpd_builder_close(&tpu->scopes); /* closes the ops with it */
}

void xpd_derive_tpu(struct xpd_deriving *deriving, uint32_t process)
{
    struct tpu tpu = {.deriving = deriving, .process = process};
    tpu.scopes.dependent[0] = &tpu.ops;
    tpu.parsed = calloc((size_t)deriving->trace->name_count + 1, sizeof *tpu.parsed);
    if (tpu.parsed)
        walk(&tpu);
    else
        deriving->failed = true;
    xpd_derive_row(deriving, process, XPD_DERIVED_ID + 2, XPD_STR("Framework Name Scope"),
                   XPD_ROW_NAME_SCOPE,
                   "From the stat tf_op of the operations: scopes of one step that follow each "
                   "other are one bar",
                   &tpu.scopes);
    xpd_derive_row(deriving, process, XPD_DERIVED_ID + 3, XPD_STR("Framework Ops"),
                   XPD_ROW_FRAMEWORK_OPS,
                   "From the stat tf_op of the operations: equal ones of one step that follow each "
                   "other are one bar",
                   &tpu.ops);
    xpd_derive_row(deriving, process, XPD_DERIVED_ID + 7, XPD_STR("Source code"), XPD_ROW_SOURCE,
                   "From the stat source of the operations: equal lines of one step that follow "
                   "each other are one bar",
                   &tpu.sources);
    xpd_builder_fini(&tpu.scopes);
    xpd_builder_fini(&tpu.ops);
    xpd_builder_fini(&tpu.sources);
    XPD_VEC_FINI(&tpu.scope);
    free(tpu.parsed);
}

/* The steps of each process: events of a row Steps; else on a TPU the runs of the
 * main program, on a GPU what the host's steps launched there (derive_gpu.c); on a host the
 * explicit roots of groups.
 *
 * The k-th run of the main program has number k on every chip. XProf counts all grouping events of
 * a chip instead, so a chip that ran one program more is one step off against the others. */
#include "../derived/derive.h"
#include "xprofd/base/bisect.h"
#include "xprofd/trace/join.h"
#include <stdio.h>
#include <stdlib.h>

/* Which program a trace is about: the one that kept its TPUs busy for longest. */

bool xpd_main_program(const struct xpd_trace *trace, xpd_name_id *program)
{
    int64_t *total_ps = calloc((size_t)trace->names.count + 1, sizeof *total_ps);
    *program = XPD_NO_NAME;
    if (!total_ps)
        return false;
    xpd_name_id best = XPD_NO_NAME;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const struct xpd_trace_row *row = &trace->row[r];
        if (row->kind != XPD_ROW_MODULES || trace->process[row->process].kind != XPD_PROCESS_TPU)
            continue;
        for (uint32_t d = 0; d < row->depth_count; d++) {
            const struct xpd_depth *depth = &trace->depth[row->first_depth + d];
            for (uint32_t i = 0; i < depth->count; i++) {
                xpd_name_id name = trace->name[depth->name[i]].caption;
                if (total_ps[name] <= INT64_MAX - xpd_depth_duration(depth, i))
                    total_ps[name] += xpd_depth_duration(depth, i);
                if (best == XPD_NO_NAME || total_ps[name] > total_ps[best])
                    best = name;
            }
        }
    }
    free(total_ps);
    *program = best;
    return true;
}

struct steps {
    struct xpd_deriving *deriving;
    XPD_VEC(struct xpd_step) step;
};

static void push(struct steps *steps, struct xpd_step step, struct xpd_str name)
{
    step.name = xpd_intern_put(&steps->deriving->out->names, name.data, name.size);
    XPD_PUSH(&steps->step, step);
}

/* "12", or the digits at the end of "train 12". */
static bool number_of(struct xpd_str text, int64_t *number)
{
    size_t digits = 0;
    while (digits < text.size && text.data[text.size - 1 - digits] >= '0' &&
           text.data[text.size - 1 - digits] <= '9')
        digits++;
    struct xpd_str tail = {text.data + text.size - digits, digits};
    if (digits == 0 || (digits < text.size && text.data[text.size - 1 - digits] != ' '))
        return false;
    return xpd_str_to_i64(tail, number);
}

static uint32_t find_row(const struct xpd_trace *trace, uint32_t process, enum xpd_row_kind kind)
{
    const struct xpd_trace_process *at = &trace->process[process];
    for (uint32_t i = 0; i < at->row_count; i++)
        if (trace->row[at->first_row + i].kind == kind &&
            trace->row[at->first_row + i].event_count > 0)
            return at->first_row + i;
    return XPD_NO_INDEX;
}

uint32_t xpd_steps_row(const struct xpd_trace *trace, uint32_t process)
{
    return find_row(trace, process, XPD_ROW_STEPS);
}

static struct xpd_step step_of_event(const struct xpd_trace *trace, const struct xpd_merged *event)
{
    return (struct xpd_step){.process = trace->row[event->depth->row].process,
                             .thread = XPD_NO_INDEX,
                             .xprof_group = XPD_NO_GROUP,
                             .start_ps = event->start_ps,
                             .end_ps = event->start_ps + event->duration_ps,
                             .event = event->event,
                             .device_ps = xpd_trace_device_ps(trace, event->depth, event->index)};
}

uint32_t xpd_runs_of_program(const struct xpd_trace *trace, uint32_t process, struct xpd_str key,
                             uint64_t id, struct xpd_step *out, uint32_t room)
{
    uint32_t row = find_row(trace, process, XPD_ROW_MODULES), count = 0;
    struct xpd_merge merge;
    struct xpd_merged event;
    if (row == XPD_NO_INDEX)
        return 0;
    xpd_merge_init(&merge, true);
    xpd_merge_add_row(&merge, trace, row);
    while (xpd_merge_next(&merge, &event)) {
        const struct xpd_event_name *name = &trace->name[event.name];
        bool same = xpd_str_eq(xpd_intern_get(&trace->names, name->caption), key) ||
                    (id != 0 && name->program_id == id);
        if (!same)
            continue;
        if (count < room) {
            out[count] = step_of_event(trace, &event);
            out[count].number = count;
        }
        count++;
    }
    bool failed = merge.failed;
    xpd_merge_fini(&merge);
    return failed ? XPD_NO_INDEX : count;
}

static void from_row(struct steps *steps, uint32_t process, uint32_t row, xpd_name_id program)
{
    const struct xpd_trace *trace = steps->deriving->trace;
    const struct xpd_event_groups *groups = steps->deriving->out->groups;
    struct xpd_merge merge;
    struct xpd_merged event;
    struct xpd_step_count counting = {0};
    int64_t next = program == XPD_NO_NAME ? 0 : xpd_first_run(trace, process);
    xpd_merge_init(&merge, true);
    xpd_merge_add_row(&merge, trace, row);
    while (xpd_merge_next(&merge, &event)) {
        const struct xpd_event_name *name = &trace->name[event.name];
        struct xpd_str caption = xpd_intern_get(&trace->names, name->caption);
        if (program != XPD_NO_NAME && name->caption != program)
            continue;
        struct xpd_step step = step_of_event(trace, &event);
        step.xprof_group = xpd_groups_of(groups, trace, event.event);
        if (program != XPD_NO_NAME)
            step.number = next++;
        else if (number_of(caption, &step.number))
            step.number = xpd_step_counted(&counting, step.number);
        else
            step.number = xpd_step_counted_on(&counting);
        char text[24];
        int size = snprintf(text, sizeof text, "%lld", (long long)step.number);
        struct xpd_str number = {text, (size_t)size};
        push(steps, step, program == XPD_NO_NAME && caption.size > 0 ? caption : number);
    }
    steps->deriving->failed |= merge.failed;
    xpd_merge_fini(&merge);
    xpd_steps_tell_again(&steps->deriving->out->warnings, counting.again);
}

static void from_roots(struct steps *steps)
{
    const struct xpd_trace *trace = steps->deriving->trace;
    for (size_t i = 0; i < steps->deriving->groups.root.count; i++) {
        const struct xpd_group_root *root = &steps->deriving->groups.root.at[i];
        const struct xpd_depth *depth;
        uint32_t index;
        if (!xpd_trace_find(trace, root->event, &depth, &index))
            continue;
        struct xpd_step step = {.process = trace->row[depth->row].process,
                                .thread = depth->row,
                                .number = root->number,
                                .xprof_group = root->group,
                                .start_ps = xpd_depth_start(depth, index),
                                .end_ps = xpd_depth_end(depth, index),
                                .event = root->event,
                                .device_ps = -1};
        step.name = steps->deriving->groups.named.at[i].name; /* with the number as given */
        XPD_PUSH(&steps->step, step);
    }
}

static int by_process(const void *a, const void *b)
{
    const struct xpd_step *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

void xpd_derive_steps(struct xpd_deriving *deriving)
{
    const struct xpd_trace *trace = deriving->trace;
    struct xpd_derived *out = deriving->out;
    struct steps steps = {.deriving = deriving};
    xpd_name_id program;
    deriving->failed = !xpd_main_program(trace, &program) || deriving->failed;
    for (uint32_t p = 0; p < trace->process_count; p++) {
        if (!xpd_process_is_chip(trace->process[p].kind))
            continue;
        bool tpu = trace->process[p].kind == XPD_PROCESS_TPU;
        uint32_t row = xpd_steps_row(trace, p);
        uint32_t modules = tpu ? find_row(trace, p, XPD_ROW_MODULES) : XPD_NO_INDEX;
        if (row != XPD_NO_INDEX)
            from_row(&steps, p, row, XPD_NO_NAME);
        else if (modules != XPD_NO_INDEX && program != XPD_NO_NAME)
            from_row(&steps, p, modules, program);
    }
    from_roots(&steps);
    for (size_t i = 0; i < deriving->step.count; i++)
        XPD_PUSH(&steps.step, deriving->step.at[i]);
    if (steps.step.count > 0)
        qsort(steps.step.at, steps.step.count, sizeof *steps.step.at, by_process);
    out->step = XPD_COPY_VEC(&out->arena, &steps.step);
    out->step_count = out->step ? (uint32_t)steps.step.count : 0;
    deriving->failed |= steps.step.failed || !out->step;
    XPD_VEC_FINI(&steps.step);
}

void xpd_steps_of(const struct xpd_derived *derived, uint32_t process, uint32_t *first,
                  uint32_t *end)
{
    for (int side = 0; side < 2; side++) {
        uint32_t low = 0;
        XPD_BISECT(low, derived->step_count, middle,
                   derived->step[middle].process < process + (uint32_t)side);
        *(side ? end : first) = low;
    }
}

static int64_t cell_of(const struct xpd_step *step, int64_t from_ps, int64_t cell_ps)
{
    return step->start_ps < from_ps ? -1 : (step->start_ps - from_ps) / cell_ps;
}

static void add_to_mark(const struct xpd_derived *derived, uint32_t step, struct xpd_step_mark *out)
{
    const struct xpd_step *one = &derived->step[step];
    if (out->count++ == 0)
        *out = (struct xpd_step_mark){step, 1, step, one->start_ps, one->end_ps};
    out->last = step;
    out->end_ps = out->end_ps > one->end_ps ? out->end_ps : one->end_ps;
}

/* The steps of one cell: the longest when it fills a cell, and all others. */
static uint32_t mark_cell(const struct xpd_derived *derived, const uint32_t *at, uint32_t count,
                          int64_t cell_ps, struct xpd_step_mark *out)
{
    const struct xpd_step *step = derived->step;
    uint32_t longest = 0, n = 0;
    for (uint32_t i = 1; i < count; i++)
        if (step[at[i]].end_ps - step[at[i]].start_ps >
            step[at[longest]].end_ps - step[at[longest]].start_ps)
            longest = i;
    bool wide = step[at[longest]].end_ps - step[at[longest]].start_ps >= cell_ps;
    out[0] = (struct xpd_step_mark){0};
    for (uint32_t i = 0; i < count; i++)
        if (!wide || i != longest)
            add_to_mark(derived, at[i], &out[0]);
    n = out[0].count > 0;
    if (wide) {
        out[n] = (struct xpd_step_mark){0};
        add_to_mark(derived, at[longest], &out[n++]);
    }
    return n;
}

uint32_t xpd_step_marks(const struct xpd_derived *derived, const uint32_t *at, uint32_t count,
                        int64_t from_ps, int64_t cell_ps, struct xpd_step_mark *out)
{
    uint32_t n = 0;
    for (uint32_t first = 0, end; first < count; first = end) {
        int64_t cell = cell_of(&derived->step[at[first]], from_ps, cell_ps);
        for (end = first + 1; end < count; end++)
            if (cell_of(&derived->step[at[end]], from_ps, cell_ps) != cell)
                break;
        n += mark_cell(derived, at + first, end - first, cell_ps, out + n);
    }
    return n;
}

/* The last step that began at or before the time, when it has not ended yet. */
static uint32_t step_at(const struct xpd_derived *derived, uint32_t first, uint32_t end,
                        int64_t start_ps)
{
    uint32_t low = first;
    XPD_BISECT(low, end, middle, derived->step[middle].start_ps <= start_ps);
    return low > first && derived->step[low - 1].end_ps >= start_ps ? low - 1 : XPD_NO_INDEX;
}

/* Groups of one process usually count up with its steps. */
static uint32_t step_of_group(const struct xpd_derived *derived, uint32_t first, uint32_t end,
                              uint32_t group)
{
    if (group == XPD_NO_GROUP || first == end)
        return XPD_NO_INDEX;
    uint32_t low = derived->step[first].xprof_group;
    if (group >= low && group - low < end - first &&
        derived->step[first + (group - low)].xprof_group == group)
        return first + (group - low);
    for (uint32_t i = first; i < end; i++)
        if (derived->step[i].xprof_group == group)
            return i;
    return XPD_NO_INDEX;
}

uint32_t xpd_step_at(const struct xpd_derived *derived, const struct xpd_depth *depth,
                     uint32_t index, uint32_t first, uint32_t end)
{
    const struct xpd_trace *trace = derived->trace;
    bool host = trace->process[trace->row[depth->row].process].kind == XPD_PROCESS_HOST;
    uint32_t step = host ? step_of_group(derived, first, end,
                                         xpd_groups_at(derived->groups, trace, depth, index))
                         : XPD_NO_INDEX;
    /* What a chip, or a thread in place of one, ran is in the step that was under way. */
    const struct xpd_event_name *name = &trace->name[depth->name[index]];
    bool ran = !host || name->op || name->tf;
    return step == XPD_NO_INDEX && ran ? step_at(derived, first, end, xpd_depth_start(depth, index))
                                       : step;
}

uint32_t xpd_step_of(const struct xpd_derived *derived, uint64_t event)
{
    const struct xpd_trace *trace = derived->trace;
    const struct xpd_depth *depth;
    uint32_t index, first, end;
    if (event >= trace->event_count)
        event = xpd_derived_fact_of(derived, event).event;
    if (!xpd_trace_find(trace, event, &depth, &index))
        return XPD_NO_INDEX;
    xpd_steps_of(derived, trace->row[depth->row].process, &first, &end);
    return xpd_step_at(derived, depth, index, first, end);
}

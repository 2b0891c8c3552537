/* Measured against compiled memory: D28 the recorded peak differs, D29 the allocator's free memory
 * is fragmented. In: events of the run's allocators. Out: findings. */
#include "doctor_internal.h"
#include "xprofd/base/checked.h"

/* Findings about the recording itself: T10 two clocks that differ, T11 missing data, T13
 * impossible peaks. In: measurements. Out: findings without savings that tell which numbers to
 * trust. */

static struct xpd_finding *find(struct xpd_dx *dx, enum xpd_doctor_severity severity)
{
    struct xpd_finding *f = xpd_dx_find(dx, severity, XPD_DOCTOR_FACT, 0);
    f->place = XPD_STR("capture");
    return f;
}

void xpd_rule_clocks(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    if (t->off_steps == 0)
        return;
    struct xpd_finding *f = find(dx, XPD_DOCTOR_INFO);
    xpd_dx_claim(dx, f,
                 "%" PRIu64 " of %" PRIu64 " %s are more than %g %% longer or shorter by the "
                 "host-aligned clock than by the device's: it shows %s to %s, the device %s to %s.",
                 t->off_steps, t->steps, t->steps_are_runs ? "runs" : "steps",
                 dx->t->clock_share * 100, xpd_dx_time_text(dx, t->host_least_ps),
                 xpd_dx_time_text(dx, t->host_most_ps), xpd_dx_time_text(dx, t->device_least_ps),
                 xpd_dx_time_text(dx, t->device_most_ps));
    xpd_dx_number(f, "steps_off", (int64_t)t->off_steps, "count");
    xpd_dx_number(f, "steps", (int64_t)t->steps, "count");
    f->place = XPD_STR("clock");
}

void xpd_rule_capture(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    if (t->cut) {
        struct xpd_finding *f = find(dx, XPD_DOCTOR_WARN);
        xpd_dx_claim(
            dx, f,
            "The profile's file is truncated: no number here includes what comes after the cut.");
    }
    if (t->complaints > 0) {
        struct xpd_finding *f = find(dx, XPD_DOCTOR_WARN);
        xpd_dx_claim(dx, f, "The profiler wrote %" PRIu64 " message%s into the file: \"%.*s\"%s",
                     t->complaints, t->complaints == 1 ? "" : "s",
                     (int)(t->complaint.size < 300 ? t->complaint.size : 300), t->complaint.data,
                     t->complaints > 1 ? " and more." : ".");
        xpd_dx_number(f, "messages", (int64_t)t->complaints, "count");
    }
    if (t->lost) {
        struct xpd_finding *f = find(dx, XPD_DOCTOR_WARN);
        xpd_dx_claim(dx, f, "Executions are missing: %s.", t->lost);
        xpd_dx_number(f, "started", (int64_t)t->started, "count");
        xpd_dx_number(f, "recorded_at_most", (int64_t)t->recorded, "count");
    }
}

void xpd_rule_peaks(struct xpd_dx *dx)
{
    const struct xpd_doctor_ops *ops = dx->time->ops;
    if (!ops || !ops->peaks_wrong)
        return;
    struct xpd_finding *f = find(dx, XPD_DOCTOR_WARN);
    xpd_dx_claim(dx, f, "%s", ops->peaks_wrong);
    f->place = XPD_STR("peaks");
}

/* Several devices: D13 gathered weights, D23 full copies on each. In: the rows at the peak, and the
 * sharding of arguments. Out: findings. */

/* The result of an all-gather whose data is an argument. */
static bool is_gathered(const struct xpd_dx *dx, uint32_t instruction)
{
    struct xpd_dx_origin o;
    if (instruction == XPD_NO_INDEX)
        return false;
    xpd_dx_trace(dx, instruction, true, &o);
    if (!o.gathered || o.instruction == XPD_NO_INDEX || !xpd_dx_is(dx, o.instruction, "parameter"))
        return false;
    uint32_t c = dx->hlo->instructions.computation[o.instruction];
    return c == dx->hlo->entry || (c < dx->hlo->computations.count &&
                                   dx->caller[c] != XPD_NO_INDEX); /* of a loop's state too */
}

void xpd_rule_gathered(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    int64_t two[2] = {0, 0};
    if (!xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = dx->held.resident_count; i < dx->held.count; i++) {
        int64_t size = dx->held.at[i].size_bytes;
        if (!is_gathered(dx, xpd_dx_instruction(dx, &dx->held.at[i])))
            continue;
        xpd_dx_set_add(dx, &set, i);
        if (size > two[0]) {
            two[1] = two[0];
            two[0] = size;
        } else if (size > two[1]) {
            two[1] = size;
        }
    }
    int64_t beyond = set.bytes - two[0] - two[1];
    if (set.count < 2 || (double)beyond < dx->t->big_bytes ||
        beyond < xpd_dx_share(dx, dx->t->gathered_share))
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_LIKELY, &set, XPD_ACTION_DROP);
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " gathered weights are held at the same time: %s, %s beyond the two "
                 "largest. The largest is %s %s.",
                 set.count, xpd_dx_bytes(dx, set.bytes), xpd_dx_bytes(dx, beyond),
                 xpd_dx_name(dx, f->buffer[0]), xpd_dx_shape(dx, f->buffer[0], false));
    xpd_dx_number(f, "weights", set.count, "count");
    xpd_dx_number(f, "beyond_two_bytes", beyond, "bytes");
}

void xpd_rule_not_sharded(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    const struct xpd_hlo_sharding *sharding = dx->hlo->parameter_sharding;
    uint32_t count = dx->hlo->parameter_sharding_count;
    int64_t devices = 1;
    for (uint32_t i = 0; i < count; i++)
        devices = sharding[i].devices > devices ? sharding[i].devices : devices;
    if (devices < 2 || !xpd_dx_set_init(dx, &set))
        return; /* not partitioned, or over an unknown number of devices */
    for (uint32_t i = 0; i < dx->held.resident_count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        const struct xpd_hlo_allocation *a = &dx->hlo->allocation[row->allocation];
        if (row->mem_class == XPD_CLASS_PARAMETER && a->parameter_number >= 0 &&
            a->parameter_number < count && sharding[a->parameter_number].replicated &&
            xpd_dx_big(dx, row->size_bytes) &&
            row->size_bytes >= xpd_dx_share(dx, dx->t->replicated_share))
            xpd_dx_set_add(dx, &set, i);
    }
    if (set.count == 0)
        return;
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, set.bytes);
    xpd_dx_rows(dx, f, &set);
    xpd_dx_save(dx, f, XPD_ACTION_SHARD, devices);
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " argument%s (%s) %s replicated in full on each of %" PRId64
                 " devices; the largest is %s %s. The saving assumes sharding over all of them.",
                 set.count, set.count == 1 ? "" : "s", xpd_dx_bytes(dx, set.bytes),
                 set.count == 1 ? "is" : "are", devices, xpd_dx_name(dx, f->buffer[0]),
                 xpd_dx_shape(dx, f->buffer[0], false));
    xpd_dx_number(f, "devices", devices, "count");
    xpd_dx_number(f, "arguments", set.count, "count");
}

static const char *in_device(struct xpd_dx *dx, struct xpd_str where)
{
    const char *text = where.size
                           ? xpd_arena_printf(dx->arena, " (allocator %.*s)",
                                              (int)(where.size < 60 ? where.size : 60), where.data)
                           : "";
    return text ? text : "";
}

static void say_measured(struct xpd_dx *dx)
{
    int64_t measured = dx->in->runtime_peak_bytes, peak = dx->peak_bytes;
    int64_t more = measured > peak ? measured - peak : peak - measured;
    if (more < xpd_dx_share(dx, dx->t->measured_share))
        return;
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_INFO, XPD_DOCTOR_HINT, more);
    const char *where = in_device(dx, dx->in->runtime_where);
    if (measured > peak)
        xpd_dx_claim(dx, f,
                     "Measured peak %s%s, this program %s: %s belong to other programs, arrays "
                     "kept alive in Python, or the allocator.",
                     xpd_dx_bytes(dx, measured), where, xpd_dx_bytes(dx, peak),
                     xpd_dx_bytes(dx, more));
    else
        xpd_dx_claim(dx, f,
                     "Measured peak %s%s, this program %s: the recording may not include a run of "
                     "this program.",
                     xpd_dx_bytes(dx, measured), where, xpd_dx_bytes(dx, peak));
    xpd_dx_number(f, "measured_bytes", measured, "bytes");
    xpd_dx_number(f, "reserved_bytes", dx->in->runtime_heap_bytes, "bytes");
    f->place = XPD_STR("run");
}

static void say_others(struct xpd_dx *dx)
{
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_INFO, XPD_DOCTOR_FACT, dx->in->others_bytes);
    struct xpd_str name = dx->in->others_name;
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " other program%s of this run need%s memory too; the largest is "
                 "%.*s with %s. The memory of programs loaded together adds up; how much the "
                 "runtime used was not recorded.",
                 dx->in->big_others, dx->in->big_others == 1 ? "" : "s",
                 dx->in->big_others == 1 ? "s" : "", (int)(name.size < 120 ? name.size : 120),
                 name.data, xpd_dx_bytes(dx, dx->in->others_bytes));
    xpd_dx_number(f, "programs", dx->in->big_others, "count");
    f->place = XPD_STR("run");
}

void xpd_rule_whole_story(struct xpd_dx *dx)
{
    if (dx->in->runtime_peak_bytes >= 0) {
        say_measured(dx);
        return;
    }
    if (dx->in->big_others > 0)
        say_others(dx);
    else
        xpd_dx_not_judged(dx, "no allocation events of the runtime were recorded");
}

static void say_pieces(struct xpd_dx *dx)
{
    int64_t permille = (int64_t)(dx->in->runtime_fragmentation * 1000 + 0.5);
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, 0);
    xpd_dx_claim(dx, f,
                 "At the moment of the largest use%s %" PRId64 ".%" PRId64
                 " %% of the allocator's free memory was not contiguous.",
                 in_device(dx, dx->in->runtime_pieces_where), permille / 10, permille % 10);
    xpd_dx_number(f, "fragmentation", permille, "permille");
    f->place = XPD_STR("allocator");
}

static void say_no_piece(struct xpd_dx *dx)
{
    int64_t request = dx->in->runtime_request_bytes;
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_LIKELY, request);
    xpd_dx_claim(dx, f,
                 "The largest request of the recording, %s, does not fit at the moment of largest "
                 "use although %s are free: the largest free block is %s.",
                 xpd_dx_bytes(dx, request), xpd_dx_bytes(dx, dx->in->runtime_free_bytes),
                 xpd_dx_bytes(dx, dx->in->runtime_piece_bytes));
    xpd_dx_number(f, "request_bytes", request, "bytes");
    xpd_dx_number(f, "largest_free_bytes", dx->in->runtime_piece_bytes, "bytes");
    xpd_dx_number(f, "free_bytes", dx->in->runtime_free_bytes, "bytes");
    f->place = XPD_STR("allocator");
}

void xpd_rule_runtime_fragmentation(struct xpd_dx *dx)
{
    if (dx->in->runtime_peak_bytes < 0) {
        xpd_dx_not_judged(dx, "no allocation events of the runtime were recorded");
        return;
    }
    if (dx->in->runtime_fragmentation < 0)
        xpd_dx_not_judged(dx, "the allocators do not report how their free memory is laid out");
    else if (dx->in->runtime_fragmentation >= dx->t->runtime_fragmentation)
        say_pieces(dx);
    if (dx->in->runtime_request_bytes > 0)
        say_no_piece(dx);
}

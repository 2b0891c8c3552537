/* What was measured beside what was compiled: D28 the recorded peak is another, D29 the allocator's
 * free memory lies in pieces. In: what the run's allocators reported. Out: findings. */
#include "internal.h"

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
                 "%.*s with %s. The memory of programs loaded together adds up.",
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
    xpd_dx_not_judged(dx, "no allocation events of the runtime were recorded");
    if (dx->in->big_others > 0)
        say_others(dx);
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

/* Does it fit: D01 capacity, D02 one giant, D05 fragmentation, D26 scoped memory, D28 and D29
 * measurements, D30 missing data. In: the rows at the peak. Out: findings. */
#include "doctor_internal.h"

static const char *running_name(struct xpd_dx *dx)
{
    uint32_t i = dx->space->peak_step == XPD_NO_STEP
                     ? XPD_NO_INDEX
                     : xpd_mem_running(dx->mem, dx->space, dx->space->peak_step);
    if (i == XPD_NO_INDEX)
        return "no heap trace shows where";
    struct xpd_str name = xpd_hlo_text(dx->hlo, dx->hlo->instructions.name[i]);
    const char *text = xpd_arena_printf(dx->arena, "step %" PRIu32 ", %%%.*s", dx->space->peak_step,
                                        (int)(name.size < 120 ? name.size : 120), name.data);
    return text ? text : "";
}

void xpd_rule_fit(struct xpd_dx *dx)
{
    int64_t capacity = dx->in->capacity_bytes, peak = dx->peak_bytes;
    int64_t reserved = dx->space->totals.reserved;
    if (capacity <= 0) {
        if (dx->space->color == 0)
            xpd_dx_not_judged(dx, "device memory is unknown (set it with --hbm=16GiB)");
        return;
    }
    const char *has = xpd_dx_bytes(dx, capacity), *where = running_name(dx);
    struct xpd_finding *f;
    if (peak > capacity) {
        f = xpd_dx_find(dx, XPD_DOCTOR_ERROR, XPD_DOCTOR_FACT, peak - capacity);
        xpd_dx_claim(dx, f,
                     "Does not fit. The program needs %s at its peak (%s), but the device has %s: "
                     "%s more than available.",
                     xpd_dx_bytes(dx, peak), where, has, xpd_dx_bytes(dx, peak - capacity));
    } else if (reserved > capacity) {
        f = xpd_dx_find(dx, XPD_DOCTOR_ERROR, XPD_DOCTOR_FACT, reserved - capacity);
        xpd_dx_claim(dx, f,
                     "Does not fit because of fragmentation. %s are live at the peak (%s), but %s "
                     "are reserved and the device has %s.",
                     xpd_dx_bytes(dx, peak), where, xpd_dx_bytes(dx, reserved), has);
    } else if ((double)peak >= (double)capacity * dx->t->full_share) {
        f = xpd_dx_find(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, peak);
        xpd_dx_claim(dx, f, "Nearly full. The peak of %s (%s) is %s of %s.", xpd_dx_bytes(dx, peak),
                     where, xpd_dx_percent(dx, peak, capacity), has);
    } else {
        return;
    }
    xpd_dx_number(f, "peak_bytes", peak, "bytes");
    xpd_dx_number(f, "capacity_bytes", capacity, "bytes");
    xpd_dx_number(f, "reserved_bytes", reserved, "bytes");
    if (dx->space->peak_step != XPD_NO_STEP)
        xpd_dx_number(f, "step", dx->space->peak_step, "step");
    f->place = XPD_STR("peak");
}

void xpd_rule_giant(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    uint32_t best = XPD_NO_INDEX;
    for (uint32_t i = 0; i < dx->held.count; i++)
        if (dx->held.at[i].buffer != XPD_NO_INDEX &&
            (best == XPD_NO_INDEX || dx->held.at[i].size_bytes > dx->held.at[best].size_bytes))
            best = i;
    if (best == XPD_NO_INDEX || !xpd_dx_set_init(dx, &set))
        return;
    const struct xpd_held *row = &dx->held.at[best];
    int64_t capacity = dx->in->capacity_bytes;
    bool half =
        capacity > 0 && (double)row->size_bytes >= (double)capacity * dx->t->giant_capacity_share;
    if (!xpd_dx_big(dx, row->size_bytes) ||
        (row->size_bytes < xpd_dx_share(dx, dx->t->giant_share) && !half))
        return;
    bool argument = row->mem_class == XPD_CLASS_PARAMETER;
    struct xpd_finding *f = xpd_dx_find(dx,
                                        argument ? XPD_DOCTOR_INFO
                                        : half   ? XPD_DOCTOR_ERROR
                                                 : XPD_DOCTOR_WARN,
                                        XPD_DOCTOR_FACT, row->size_bytes);
    xpd_dx_set_add(dx, &set, best);
    xpd_dx_rows(dx, f, &set);
    xpd_dx_save(dx, f, XPD_ACTION_DROP, 0);
    xpd_dx_claim(dx, f, "One array takes %s of the peak: %s %s, %s%s.",
                 xpd_dx_percent(dx, row->size_bytes, dx->peak_bytes), xpd_dx_name(dx, row->buffer),
                 xpd_dx_shape(dx, row->buffer, false), xpd_dx_bytes(dx, row->size_bytes),
                 argument ? ", an argument" : "");
    xpd_dx_number(f, "size_bytes", row->size_bytes, "bytes");
    xpd_dx_number(f, "share", xpd_dx_permille(dx, row->size_bytes), "permille");
}

/* Whether it is worth a finding depends on what another order of lifetimes could save: bytes
 * without events are fragmentation, but not known to be free. */
void xpd_rule_fragmentation(struct xpd_dx *dx)
{
    int64_t heap = dx->space->heap_bytes, untraced = dx->space->totals.untraced;
    int64_t bytes = xpd_mem_fragmentation(dx->space), free = bytes - untraced;
    if (dx->space->step_count == 0 || dx->space->live_is_union || free <= 0 ||
        (double)free < dx->t->fragmentation_bytes ||
        (double)free < (double)heap * dx->t->fragmentation_share)
        return;
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, bytes);
    xpd_dx_claim(dx, f,
                 "The heap of temporaries is %s, but at most %s are live at once: %s (%s of the "
                 "heap) is fragmentation%s%s%s.",
                 xpd_dx_bytes(dx, heap), xpd_dx_bytes(dx, dx->space->peak_live_bytes),
                 xpd_dx_bytes(dx, bytes), xpd_dx_percent(dx, bytes, heap),
                 untraced > 0 ? ", including " : "", untraced > 0 ? xpd_dx_bytes(dx, untraced) : "",
                 untraced > 0 ? " without heap events" : "");
    xpd_dx_number(f, "heap_bytes", heap, "bytes");
    xpd_dx_number(f, "live_bytes", dx->space->peak_live_bytes, "bytes");
    xpd_dx_number(f, "fragmentation_bytes", bytes, "bytes");
    f->saving_bytes = 0; /* of the reserved bytes, not of the peak of live bytes */
    f->new_peak_bytes = dx->peak_bytes;
    f->new_step = dx->space->peak_step;
    f->place = XPD_STR("heap");
}

/* The compiler failed for this space and gave the excess; such a program has no scoped size. */
static bool scoped_by_error(struct xpd_dx *dx)
{
    int64_t needed = dx->in->error_needed_bytes, limit = dx->in->error_capacity_bytes;
    if (!dx->is_main || dx->in->error_color <= 0 || limit <= 0 || needed <= limit)
        return false;
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_ERROR, XPD_DOCTOR_FACT, needed - limit);
    xpd_dx_claim(dx, f,
                 "The compiler gave up: it needs %s of on-chip memory and has %s: %s more than "
                 "available, mostly scoped memory of kernels.",
                 xpd_dx_bytes(dx, needed), xpd_dx_bytes(dx, limit),
                 xpd_dx_bytes(dx, needed - limit));
    xpd_dx_number(f, "needed_bytes", needed, "bytes");
    xpd_dx_number(f, "limit_bytes", limit, "bytes");
    f->color = dx->in->error_color;
    f->place = XPD_STR("kernel");
    return true;
}

void xpd_rule_scoped(struct xpd_dx *dx)
{
    int64_t scoped = dx->space->scoped_bytes, limit = dx->in->capacity_bytes;
    if (scoped_by_error(dx) || scoped <= 0 || strcmp(dx->in->platform, "tpu") != 0)
        return;
    bool known = limit > 0;
    if (!known)
        limit = (int64_t)dx->t->scoped_bytes;
    if (scoped <= limit && (double)scoped <= dx->t->scoped_bytes)
        return;
    bool over = known && scoped > limit;
    struct xpd_finding *f =
        xpd_dx_find(dx, over ? XPD_DOCTOR_ERROR : XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, scoped);
    uint32_t i = dx->space->scoped_instruction;
    struct xpd_str name = i < dx->hlo->instructions.count
                              ? xpd_hlo_text(dx->hlo, dx->hlo->instructions.name[i])
                              : XPD_STR("?");
    f->instruction = i < dx->hlo->instructions.count ? i : XPD_NO_INDEX;
    f->place = name;
    xpd_dx_claim(dx, f, "%%%.*s needs %s of scoped memory; %s %s.",
                 (int)(name.size < 120 ? name.size : 120), name.data, xpd_dx_bytes(dx, scoped),
                 over    ? "the device has"
                 : known ? "the compiler's default limit is 16 MiB, the device has"
                         : "the compiler's default limit is",
                 xpd_dx_bytes(dx, limit));
    xpd_dx_number(f, "scoped_bytes", scoped, "bytes");
    xpd_dx_number(f, "limit_bytes", limit, "bytes");
}

/* A dump looks the same whether the program was compiled or the compiler gave up on it, so this is
 * no finding about the program: it would be new in every comparison with one that compiled. */
static void lacks_error_text(struct xpd_dx *dx)
{
    xpd_dx_not_judged(
        dx, "this dump has no error text. If the program failed to compile, the error names the "
            "memory space that is too small and by how much: save it as error.txt in the dump "
            "folder or the one above, or paste it in the page (Ctrl+K, paste an error)");
}

void xpd_rule_cannot_judge(struct xpd_dx *dx)
{
    const char *what = NULL, *how = "";
    if (!dx->hlo->has_buffer_assignment) {
        what =
            "The profile has this program without its buffer assignment, so its memory is unknown.";
        how =
            "Capture with the profiler of the runtime that compiled it, or dump with --xla_dump_to "
            "and --xla_dump_hlo_as_proto.";
    } else if (!dx->space) {
        what = "No buffer of this program has a size, so there is nothing to check.";
    } else if (dx->space->color == 0 && dx->space->step_count == 0 && dx->space->totals.temp > 0) {
        what =
            "The program has temporaries but no heap trace, so buffer lifetimes are unknown: none "
            "of its steps were checked, and the peak covers only arguments, outputs and constants.";
        how = "Compile without --xla_dump_disable_metadata and with a current compiler; a dump of "
              "*.hlo_proto.pb after buffer assignment holds the trace.";
    }
    if (!what) {
        if (dx->is_main && dx->in->dump_is_silent)
            lacks_error_text(dx);
        return;
    }
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, 0);
    f->claim = xpd_str_of(what);
    if (how[0])
        f->advice = xpd_str_of(how);
    f->place = XPD_STR("data");
}

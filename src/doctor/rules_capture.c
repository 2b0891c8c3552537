/* Findings about the recording itself: T10 two clocks that differ, T11 what is missing from the
 * file, T13 peaks that cannot be. In: what was measured. Out: findings that save nothing, but say
 * which numbers to trust. */
#include "internal.h"

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
        xpd_dx_claim(dx, f,
                     "The profile's file ends inside of its data: what comes after is not "
                     "in any number here.");
    }
    if (t->complaints > 0) {
        struct xpd_finding *f = find(dx, XPD_DOCTOR_WARN);
        xpd_dx_claim(dx, f, "The profiler wrote %" PRIu64 " message%s into the file: \"%.*s\"%s",
                     t->complaints, t->complaints == 1 ? "" : "s",
                     (int)(t->complaint.size < 300 ? t->complaint.size : 300), t->complaint.data,
                     t->complaints > 1 ? " and more." : ".");
        xpd_dx_number(f, "messages", (int64_t)t->complaints, "count");
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

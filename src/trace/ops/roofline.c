/* In: an event with the compiler's work and bytes. Out: rates and the share of the binding peak. */
#include "xprofd/trace/roofline.h"

static double rate(int64_t amount, int64_t duration_ps)
{
    return amount >= 0 && duration_ps > 0 ? (double)amount / ((double)duration_ps * 1e-12) : -1;
}

/* The time an amount takes at a peak, 0 when nothing is to do or the peak is unknown. */
static double least_ps(int64_t amount, double peak_per_s)
{
    return amount > 0 && peak_per_s > 0 ? (double)amount / peak_per_s * 1e12 : 0;
}

static void bind(struct xpd_roofline *out)
{
    double compute_ps = least_ps(out->flops, out->peak_flops_per_s);
    double memory_ps = least_ps(out->bytes, out->peak_bytes_per_s);
    double bound_ps = compute_ps > memory_ps ? compute_ps : memory_ps;
    if (bound_ps <= 0 || bound_ps >= 9e18)
        return;
    out->bound = compute_ps > memory_ps ? "compute" : "memory";
    out->at_roofline_ps = (int64_t)(bound_ps + 0.5);
    if (out->duration_ps > 0)
        out->share = bound_ps / (double)out->duration_ps;
}

static double first_known(double of_chip, double of_run)
{
    return of_chip > 0 ? of_chip : of_run > 0 ? of_run : -1;
}

void xpd_roofline_of(const struct xpd_view *view, const struct xpd_event *event,
                     const struct xpd_peaks *of_run, struct xpd_roofline *out)
{
    const struct xpd_event_name *name = xpd_view_name(view, event->name);
    const struct xpd_trace_process *process =
        &view->trace->process[xpd_view_process(view, event->row)];
    *out = (struct xpd_roofline){
        .flops = name->flops,
        .bytes = name->bytes,
        .peak_flops_per_s =
            first_known(process->peak_flops_per_s, of_run ? of_run->flops_per_s : -1),
        .peak_bytes_per_s =
            first_known(process->peak_bytes_per_s, of_run ? of_run->hbm_bytes_per_s : -1),
        .at_roofline_ps = -1,
        .share = -1,
        .duration_ps = xpd_event_ps(view, event, XPD_CLOCK_DEVICE),
    };
    out->flops_per_s = rate(out->flops, out->duration_ps);
    out->bytes_per_s = rate(out->bytes, out->duration_ps);
    if (out->flops <= 0 && out->bytes <= 0)
        out->why_not = "the profile gives no work and no bytes for this event";
    else if (name->wait)
        out->why_not = "the event waits for work that is done elsewhere";
    else if (name->half)
        out->why_not = "the event only starts asynchronous work; the wait for it is at its done";
    else if (out->duration_ps == 0)
        out->why_not = "the event took no time on its clock";
    else
        out->measured = true;
    if (out->measured && out->peak_flops_per_s < 0 && out->peak_bytes_per_s < 0)
        out->why_not = "neither the profile nor the table of chips says what this device can do at "
                       "most; enter its peaks in Explain";
    if (!out->why_not)
        bind(out);
}

/* See busy.h. */
#include "busy.h"

bool xpd_busy_waits(struct xpd_str category)
{
    static const char *const waits[] = {"infeed",          "outfeed",   "host send",
                                        "host send-done",  "host recv", "host recv-done",
                                        "megacore fusion", "async-done"};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (xpd_str_eq(category, xpd_str_of(waits[i])))
            return true;
    return false;
}

/* On a SparseCore an operation without a category only frames those inside it that work: whether it
 * works itself is known when it ends. Of others the parts are given as they come, in order. */
static bool is_told(const struct xpd_busy_op *op)
{
    return !(op->sparse && op->nameless);
}

static void give(struct xpd_busy *work, struct xpd_busy_open *open, struct xpd_xprof_step_span part)
{
    if (open->op.waits || part.begin_ps >= part.end_ps)
        return;
    if (is_told(&open->op))
        work->take(work->user, &open->op, part);
    else
        XPD_PUSH(&open->own, part);
}

static void close_last(struct xpd_busy *work)
{
    struct xpd_busy_open *open = &work->open.at[--work->open.count];
    give(work, open, (struct xpd_xprof_step_span){open->from_ps, open->op.span.end_ps});
    for (size_t i = 0; !open->holds_work && i < open->own.count; i++)
        work->take(work->user, &open->op, open->own.at[i]);
    work->failed |= open->own.failed;
    XPD_VEC_FINI(&open->own);
}

void xpd_busy_add(struct xpd_busy *work, const struct xpd_busy_op *op)
{
    struct xpd_busy_open made = {.op = *op, .from_ps = op->span.begin_ps};
    while (work->open.count > 0 &&
           !xpd_step_includes(work->open.at[work->open.count - 1].op.span, op->span))
        close_last(work);
    if (work->open.count > 0) {
        struct xpd_busy_open *outer = &work->open.at[work->open.count - 1];
        give(work, outer, (struct xpd_xprof_step_span){outer->from_ps, op->span.begin_ps});
        outer->from_ps = op->span.end_ps > outer->from_ps ? op->span.end_ps : outer->from_ps;
        outer->holds_work |= !op->waits;
    }
    XPD_PUSH(&work->open, made);
    work->failed |= work->open.failed;
}

void xpd_busy_end(struct xpd_busy *work)
{
    while (work->open.count > 0)
        close_last(work);
}

void xpd_busy_fini(struct xpd_busy *work)
{
    xpd_busy_end(work);
    XPD_VEC_FINI(&work->open);
}

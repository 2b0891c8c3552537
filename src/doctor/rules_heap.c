/* Findings of heap files: H01 a source line that grows. In: series of files that one process wrote.
 * Out: a finding for each of the steepest lines of a series; the last one counts the others. */
#include "doctor_internal.h"

#include "xprofd/base/checked.h"

/* Each in its own unit, as on the page of a heap file: "400.8 MiB". */
static const char *size_text(struct xpd_dx *dx, int64_t bytes)
{
    char text[48];
    xpd_bytes_text_own(text, bytes);
    const char *kept = xpd_arena_strndup(dx->arena, text, strlen(text));
    return kept ? kept : "";
}

/* " (of 200)" where growth is told from some of the files. */
static const char *chosen_of(struct xpd_dx *dx, const struct xpd_doctor_heap_series *s)
{
    const char *text = s->files == s->all_files
                           ? ""
                           : xpd_arena_printf(dx->arena, " (of %" PRIu32 ")", s->all_files);
    return text ? text : "";
}

static const char *more_lines(struct xpd_dx *dx, const struct xpd_doctor_heap_series *s,
                              uint32_t at)
{
    if (at + 1 < XPD_DX_GROUPS || s->line_count <= XPD_DX_GROUPS)
        return "";
    const char *text = xpd_arena_printf(
        dx->arena, " %" PRIu32 " more line%s; `xprofd heap` lists them.",
        s->line_count - XPD_DX_GROUPS, s->line_count - XPD_DX_GROUPS == 1 ? " grows" : "s grow");
    return text ? text : "";
}

static void report(struct xpd_dx *dx, const struct xpd_doctor_heap_series *s, uint32_t at)
{
    const struct xpd_doctor_heap_line *line = &s->line[at];
    bool overflow = false;
    int64_t growth_bytes = xpd_add_i64(line->last_bytes, -line->first_bytes, &overflow);
    double share = s->last_bytes > 0 ? (double)growth_bytes / (double)s->last_bytes : 0;
    struct xpd_finding *f =
        xpd_dx_find(dx, share >= dx->t->growth_warn_share ? XPD_DOCTOR_WARN : XPD_DOCTOR_INFO,
                    XPD_DOCTOR_FACT, growth_bytes);
    f->share = share < 1 ? share : 1;
    f->line = line;
    f->place = line->label;
    xpd_dx_claim(
        dx, f,
        "%.*s%s%.*s%s holds %s in %.*s, %s more than in %.*s: it grew from each of %" PRIu32
        " files%s to the next, the last time by %s a %s.%s",
        (int)line->label.size, line->label.data, line->function.size > 0 ? " (" : "",
        (int)line->function.size, line->function.size > 0 ? line->function.data : "",
        line->function.size > 0 ? ")" : "", size_text(dx, line->last_bytes), (int)s->last.size,
        s->last.data, size_text(dx, growth_bytes), (int)s->first.size, s->first.data, s->files,
        chosen_of(dx, s), size_text(dx, line->last_growth_bytes), s->has_steps ? "step" : "file",
        more_lines(dx, s, at));
    xpd_dx_number(f, "growth_bytes", growth_bytes, "bytes");
    xpd_dx_number(f, "last_bytes", line->last_bytes, "bytes");
    xpd_dx_number(f, "last_growth_bytes", line->last_growth_bytes, "bytes");
    xpd_dx_number(f, "files", s->files, "count");
}

void xpd_rule_growing_line(struct xpd_dx *dx)
{
    for (uint32_t i = 0; i < dx->heap->series_count; i++) {
        const struct xpd_doctor_heap_series *s = &dx->heap->series[i];
        for (uint32_t k = 0; k < s->line_count && k < XPD_DX_GROUPS; k++)
            report(dx, s, k);
    }
    /* It is judged where any series can be; else the longest says why not. */
    const struct xpd_doctor_heap_series *longest = NULL;
    for (uint32_t i = 0; i < dx->heap->series_count; i++) {
        const struct xpd_doctor_heap_series *s = &dx->heap->series[i];
        if (!s->why_not)
            return;
        longest = longest && longest->all_files >= s->all_files ? longest : s;
    }
    xpd_dx_not_judged(dx, longest ? longest->why_not : "there is no heap file");
}

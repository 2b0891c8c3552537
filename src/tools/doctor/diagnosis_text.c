/* Findings as text for a terminal and as Markdown for a pull request. In: a diagnosis. Out: bytes;
 * the code that prints file text replaces control characters. */
#include "diagnosis.h"

#include "xprofd/base/markup.h"

static void put_bytes(struct xpd_strbuf *out, const struct xpd_diagnosis *d, int64_t bytes)
{
    char text[48];
    xpd_bytes_text(text, bytes, d->space ? d->space->peak_bytes : 0);
    xpd_strbuf_puts(out, text);
}

static void put_head(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                     const struct xpd_diagnosis *d)
{
    char scratch[24];
    if (!d->space) {
        xpd_strbuf_puts(out, "unknown");
        return;
    }
    xpd_strbuf_printf(out, "%s peak ",
                      xpd_space_name(ctx->run->platform, d->space->color, scratch));
    put_bytes(out, d, d->space->peak_bytes);
    if (d->capacity.bytes > 0) {
        /* In their own units: a small program's peak has one that makes 80 GiB nine digits. */
        int64_t left = d->capacity.bytes - d->space->peak_bytes;
        char capacity[48], rest[48];
        xpd_bytes_text_own(capacity, d->capacity.bytes);
        xpd_bytes_text_own(rest, left < 0 ? -left : left);
        xpd_strbuf_printf(out, " of %s (%s), %s %s", capacity,
                          d->capacity.from ? d->capacity.from : "", rest,
                          left < 0 ? "over capacity" : "left");
    } else {
        xpd_strbuf_printf(out, "; device memory is unknown (set it with --hbm=16GiB)%s%s",
                          d->capacity.unknown ? ": " : "",
                          d->capacity.unknown ? d->capacity.unknown : "");
    }
}

/* "760.1 ms": as findings write times. */
static void put_time(struct xpd_strbuf *out, int64_t ps)
{
    double ms = (double)ps / 1e9;
    if (ms >= 1000)
        xpd_strbuf_printf(out, "%.1f s", ms / 1000);
    else if (ms >= 1)
        xpd_strbuf_printf(out, "%.1f ms", ms);
    else
        xpd_strbuf_printf(out, "%.1f µs", ms * 1000);
}

/* What the findings of time are about. */
static void put_measured(struct xpd_strbuf *out, const struct xpd_diagnosis *d)
{
    const struct xpd_doctor_time *t = &d->time;
    if (!d->has_time)
        return;
    xpd_strbuf_puts(out, "time     ");
    if (t->steps > 0) {
        xpd_strbuf_printf(out, "%" PRIu64 " %s%s%s%s on ", t->steps,
                          t->steps_are_runs ? "run" : "step", t->steps == 1 ? "" : "s",
                          t->steps_of ? " of " : "", t->steps_of ? t->steps_of : "");
        xpd_doctor_put_devices(out, t, t->chips);
        xpd_strbuf_puts(out, ", ");
        put_time(out, t->steps_ps / (int64_t)t->steps);
        xpd_strbuf_printf(out, " each on average, %s clock\n",
                          strcmp(t->steps_clock, "device") == 0 ? "device" : "host-aligned");
    } else {
        xpd_strbuf_printf(out, "steps unknown: %s\n",
                          t->no_steps ? t->no_steps : "none was recorded");
    }
    if (t->other_hosts > 0)
        xpd_strbuf_printf(out, "         of host %s; %" PRIu32 " other%s left out (--host)\n",
                          t->host, t->other_hosts, t->other_hosts == 1 ? " is" : "s are");
}

/* Ids of findings whose savings overlap with it, each once. */
static void put_overlaps(struct xpd_strbuf *out, const struct xpd_diagnosis *d,
                         const struct xpd_finding *f)
{
    for (uint32_t i = 0; i < f->overlap_count; i++) {
        const struct xpd_doctor_rule *rule = d->finding[f->overlap[i]].rule;
        bool said = false;
        for (uint32_t k = 0; k < i; k++)
            said |= d->finding[f->overlap[k]].rule == rule;
        if (!said)
            xpd_strbuf_printf(out, "%s%s", i ? ", " : "\n           overlaps with ", rule->id);
    }
    if (f->overlap_count > 0)
        xpd_strbuf_puts(out, ": they change the same buffers, so their savings do not add up");
}

static void put_effect(struct xpd_strbuf *out, const struct xpd_diagnosis *d,
                       const struct xpd_finding *f)
{
    if (f->about == XPD_FINDS_TIME && f->saving_ps < 0) {
        xpd_strbuf_puts(out, "saves nothing by itself");
    } else if (f->about == XPD_FINDS_TIME) {
        xpd_strbuf_puts(out, "saves at most ");
        put_time(out, f->saving_ps);
        xpd_strbuf_puts(out, " of the ");
        put_time(out, f->of_ps);
    }
    if (f->about != XPD_FINDS_MEMORY || f->saving_bytes < 0 || !f->action)
        return;
    xpd_strbuf_puts(out, "saves ");
    put_bytes(out, d, f->saving_bytes);
    if (f->saving_bytes == 0)
        return;
    xpd_strbuf_puts(out, ", peak then ");
    put_bytes(out, d, f->new_peak_bytes);
    if (f->new_step != XPD_NO_STEP)
        xpd_strbuf_printf(out, " at step %" PRIu32, f->new_step);
    if (d->space && f->color == d->space->color && d->capacity.bytes > 0 &&
        d->space->peak_bytes > d->capacity.bytes)
        xpd_strbuf_puts(out, f->new_peak_bytes <= d->capacity.bytes ? ", which fits"
                                                                    : ", still over capacity");
}

/* Each series of heap files: what its last file holds. */
static void put_heap(struct xpd_strbuf *out, const struct xpd_diagnosis *d)
{
    for (uint32_t i = 0; i < d->heap.series_count; i++) {
        const struct xpd_doctor_heap_series *s = &d->heap.series[i];
        char text[48];
        if (s->why_not)
            continue;
        xpd_bytes_text_own(text, s->last_bytes);
        xpd_strbuf_printf(out, "heap     %s in %.*s, the last of %" PRIu32 " files of %.*s\n", text,
                          (int)s->last.size, s->last.data, s->all_files, (int)s->name.size,
                          s->name.data);
    }
}

/* What the findings are about, how they are ranked and how sure they are. */
static void put_top(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                    const struct xpd_diagnosis *d)
{
    xpd_strbuf_printf(out, "%s   %s\n", ctx->module == XPD_NO_INDEX ? "run   " : "module",
                      xpd_diagnosis_of(ctx));
    if (ctx->mem) {
        xpd_strbuf_puts(out, "memory   ");
        put_head(out, ctx, d);
        xpd_strbuf_putc(out, '\n');
    }
    put_measured(out, d);
    put_heap(out, d);
    xpd_strbuf_printf(out, "rules    %" PRIu32 " checked, %" PRIu32 " finding%s, %" PRIu32 " muted",
                      d->rules_checked, d->count - d->silenced_count,
                      d->count - d->silenced_count == 1 ? "" : "s", d->silenced_count);
    if (d->heap.series_count > 0)
        xpd_strbuf_puts(out, "\nranked   by growth, as a share of what the last file holds\n");
    else
        xpd_strbuf_printf(
            out,
            "; saving = how far the peak falls, or how much time a run saves at most\n"
            "ranked   by share: of a run or step for time, of %s for bytes\n",
            d->scale);
    if (d->count > 0)
        xpd_strbuf_puts(out, "sure     fact = follows from the file; likely = matched by names and "
                             "shapes; hint = worth a look\n");
}

static void put_share(struct xpd_strbuf *out, const struct xpd_diagnosis *d,
                      const struct xpd_finding *f)
{
    char percent[24] = "< 0.1";
    if (f->share >= 0.0005)
        snprintf(percent, sizeof percent, "%.1f", f->share * 100);
    xpd_strbuf_printf(out, "%s %% of %s", percent, xpd_finding_share_of(d, f));
}

static void put_finding(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                        const struct xpd_diagnosis *d, const struct xpd_finding *f)
{
    xpd_strbuf_printf(out, "\n%-5s %s  ", xpd_doctor_severity_word(f->severity), f->rule->id);
    xpd_strbuf_add(out, f->claim.data, f->claim.size);
    xpd_strbuf_puts(out, "\n           ");
    if (f->about == XPD_FINDS_HEAP) {
        xpd_strbuf_puts(out, "growth: ");
        put_share(out, d, f);
        xpd_strbuf_puts(out, "; ");
    } else if (f->about == XPD_FINDS_TIME || (f->saving_bytes >= 0 && f->action)) {
        put_effect(out, d, f);
        if (f->share > 0) {
            xpd_strbuf_puts(out, " (");
            put_share(out, d, f);
            xpd_strbuf_putc(out, ')');
        }
        xpd_strbuf_puts(out, "; ");
    }
    xpd_strbuf_printf(out, "%s; ", xpd_doctor_confidence_word(f->confidence));
    xpd_finding_source(out, ctx->hlo, f);
    if (f->saving_note.size > 0) {
        xpd_strbuf_puts(out, "\n           saving: ");
        xpd_strbuf_add(out, f->saving_note.data, f->saving_note.size);
    }
    put_overlaps(out, d, f);
    if (f->silenced) {
        xpd_strbuf_puts(out, "\n           muted: ");
        xpd_strbuf_add(out, f->silenced->reason.data, f->silenced->reason.size);
    } else {
        xpd_strbuf_puts(out, "\n           try: ");
        xpd_strbuf_add(out, f->advice.data, f->advice.size);
        if (f->rule->wrong_when[0])
            xpd_strbuf_printf(out, "\n           but: %s", f->rule->wrong_when);
    }
    xpd_strbuf_putc(out, '\n');
}

static void put_not_judged(struct xpd_strbuf *out, struct xpd_str why)
{
    if (why.size == 0)
        return;
    xpd_strbuf_puts(out, "\nnot checked: ");
    xpd_strbuf_add(out, why.data, why.size);
    xpd_strbuf_putc(out, '\n');
}

void xpd_diagnosis_text(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                        const struct xpd_diagnosis *d)
{
    put_top(out, ctx, d);
    for (uint32_t i = 0; i < d->count; i++)
        put_finding(out, ctx, d, &d->finding[i]);
    put_not_judged(out, d->not_judged);
    if (d->no_time)
        xpd_strbuf_printf(out, "\nno findings of time: %s\n", d->no_time);
    put_not_judged(out, d->time_not_judged);
}

void xpd_markdown_put(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if ((unsigned char)c < 0x20 || c == 0x7f)
            c = ' ';
        if (c != '\0' && strchr("\\|<>`*_[]&@#", c))
            xpd_strbuf_putc(out, '\\');
        xpd_strbuf_putc(out, c);
    }
}

void xpd_xml_put(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        xpd_markup_putc(out, c < 0x20 || c >= 0x7f ? '?' : (char)c);
    }
}

void xpd_diagnosis_markdown(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                            const struct xpd_diagnosis *d)
{
    struct xpd_strbuf line = {0};
    uint32_t found = d->count - d->silenced_count;
    xpd_strbuf_puts(out, ctx->mem                   ? "### Memory of "
                         : d->heap.series_count > 0 ? "### Heap files of "
                                                    : "### Time of ");
    xpd_markdown_put(
        out, xpd_str_of(ctx->mem ? ctx->run->module[ctx->module].name : xpd_diagnosis_of(ctx)));
    if (ctx->mem) {
        xpd_strbuf_puts(out, ": ");
        put_head(&line, ctx, d);
        xpd_markdown_put(out, (struct xpd_str){line.data ? line.data : "", line.size});
    }
    xpd_strbuf_puts(out, "\n\n");
    if (found == 0)
        xpd_strbuf_printf(out, "%" PRIu32 " rules checked, nothing found.\n", d->rules_checked);
    else
        xpd_strbuf_puts(out, d->heap.series_count > 0
                                 ? "| | finding | grew by | where |\n|---|---|---|---|\n"
                                 : "| | finding | saves | where |\n|---|---|---|---|\n");
    for (uint32_t i = 0; i < found && i < XPD_FINDINGS_SHOWN; i++) {
        const struct xpd_finding *f = &d->finding[i];
        xpd_strbuf_printf(out, "| %s %s | ", xpd_doctor_severity_word(f->severity), f->rule->id);
        xpd_markdown_put(out, f->claim);
        xpd_strbuf_puts(out, " | ");
        if (f->saving_ps >= 0)
            put_time(out, f->saving_ps);
        else if (f->about == XPD_FINDS_HEAP || (f->saving_bytes >= 0 && f->action))
            put_bytes(out, d, f->about == XPD_FINDS_HEAP ? f->bytes : f->saving_bytes);
        xpd_strbuf_puts(out, " | ");
        xpd_strbuf_clear(&line);
        xpd_finding_source(&line, ctx->hlo, f);
        xpd_markdown_put(out, (struct xpd_str){line.data ? line.data : "", line.size});
        xpd_strbuf_puts(out, " |\n");
    }
    if (found > XPD_FINDINGS_SHOWN)
        xpd_strbuf_printf(out, "\n%" PRIu32 " more findings.\n", found - XPD_FINDINGS_SHOWN);
    if (d->silenced_count > 0)
        xpd_strbuf_printf(out,
                          "\n"
                          "%" PRIu32 " muted.\n",
                          d->silenced_count);
    xpd_strbuf_fini(&line);
}

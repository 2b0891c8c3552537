/* Totals for a terminal. */
#include "trace_totals.h"

void xpd_totals_text_time(struct xpd_strbuf *out, double ps)
{
    static const struct {
        double scale;
        const char *word;
    } unit[] = {{1e12, "s "}, {1e9, "ms"}, {1e6, "µs"}, {1e3, "ns"}};
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (ps >= unit[i].scale) {
            xpd_strbuf_printf(out, " %8.3f %s", ps / unit[i].scale, unit[i].word);
            return;
        }
    xpd_strbuf_printf(out, " %8.0f ps", ps);
}

static void text_row(struct xpd_strbuf *out, const struct xpd_trace_totals *answer,
                     const struct xpd_trace_total *row)
{
    double all = (double)answer->all->self_ps;
    xpd_strbuf_printf(out, "%5.1f %%", all > 0 ? 100 * (double)row->self_ps / all : 0);
    xpd_totals_text_time(out, (double)row->self_ps);
    xpd_totals_text_time(out, (double)row->total_ps);
    xpd_strbuf_printf(out, " %9" PRId64, row->count);
    xpd_totals_text_time(out, row->mean_ps);
    xpd_totals_text_time(out, (double)row->p99_ps);
    xpd_strbuf_puts(out, "  ");
    if (row->key.size > 0)
        xpd_strbuf_add(out, row->key.data, row->key.size < 160 ? row->key.size : 160);
    else
        xpd_strbuf_puts(out, strcmp(answer->by, "step") == 0 ? "(outside all steps)" : "(none)");
    if (row->program.size > 0) {
        xpd_strbuf_puts(out, "  in ");
        xpd_strbuf_add(out, row->program.data, row->program.size < 160 ? row->program.size : 160);
    }
    xpd_strbuf_putc(out, '\n');
}

static void text_hosts(struct xpd_strbuf *out, const struct xpd_trace_totals *answer)
{
    for (uint32_t i = 0; i < answer->hosts.n; i++) {
        const struct xpd_trace_of_host *host = &answer->hosts.at[i];
        if (!host->placed)
            continue;
        xpd_strbuf_printf(out, "%s: ", host->name);
        xpd_strbuf_add(out, host->said.data, host->said.size);
        xpd_strbuf_putc(out, '\n');
    }
    xpd_strbuf_puts(out, answer->host);
}

void xpd_totals_text(struct xpd_strbuf *out, const void *of)
{
    const struct xpd_trace_totals *answer = of;
    text_hosts(out, answer);
    xpd_strbuf_printf(out, ": %" PRId64 " events in %" PRIu32 " row%s, %.3f ms from %.3f ms; ",
                      answer->all->count, answer->of_rows.n, answer->of_rows.n == 1 ? "" : "s",
                      ((double)answer->to_ps - (double)answer->from_ps) / 1e9,
                      (double)answer->from_ps / 1e9);
    xpd_strbuf_printf(out, "clock: %s\n\n", answer->clock);
    xpd_strbuf_puts(out, " share        self       total     count        mean         p99  ");
    xpd_strbuf_puts(out, answer->by);
    xpd_strbuf_putc(out, '\n');
    for (uint32_t i = 0; i < answer->rows.n; i++)
        text_row(out, answer, &answer->rows.at[i]);
    if (answer->left_out > 0)
        xpd_strbuf_printf(out, "%" PRIu32 " more\n", answer->left_out);
}

/* Totals as CSV and as text. */
#include "trace_totals.h"

/* ---- CSV ---- */

static void csv_known(struct xpd_csv *csv, double value)
{
    char text[32];
    if (value < 0) {
        xpd_csv_empty(csv);
        return;
    }
    snprintf(text, sizeof text, "%.15g", value);
    xpd_csv_text(csv, text);
}

void xpd_totals_write_csv(struct xpd_tool_result *out, const struct xpd_totals_answer *answer)
{
    struct xpd_csv csv;
    xpd_tools_start_csv(out, &csv, "trace_totals.csv");
    xpd_csv_header(&csv, "key,program,category,count,clock,total_ps,self_ps,mean_ps,min_ps,p50_ps,"
                         "p99_ps,percentiles_exact,max_ps,host_total_ps,device_total_ps,"
                         "flops_per_s,bytes_per_s");
    for (uint32_t i = 0; i < answer->shown; i++) {
        const struct xpd_total *total = &answer->totals.group[answer->order[answer->offset + i]];
        xpd_csv_str(&csv, xpd_totals_key_text(answer, total));
        xpd_csv_str(&csv, xpd_totals_name_text(answer, total, false));
        xpd_csv_str(&csv, xpd_totals_name_text(answer, total, true));
        xpd_csv_u64(&csv, total->count);
        xpd_csv_text(&csv, xpd_clock_word(answer->ask.clock));
        xpd_csv_i64(&csv, total->total_ps);
        xpd_csv_i64(&csv, total->self_ps);
        csv_known(&csv, xpd_totals_value(total, XPD_ORDER_MEAN));
        xpd_csv_i64(&csv, total->min_ps);
        xpd_csv_i64(&csv, total->p50_ps);
        xpd_csv_i64(&csv, total->p99_ps);
        xpd_csv_i64(&csv, total->exact);
        xpd_csv_i64(&csv, total->max_ps);
        xpd_csv_i64(&csv, total->host_ps);
        if (total->device_count)
            xpd_csv_i64(&csv, total->device_ps);
        else
            xpd_csv_empty(&csv);
        csv_known(&csv, xpd_totals_value(total, XPD_ORDER_FLOPS));
        csv_known(&csv, xpd_totals_value(total, XPD_ORDER_BYTES));
        xpd_csv_end_row(&csv);
    }
}

/* ---- text ---- */

void xpd_totals_text_time(struct xpd_strbuf *out, double ps)
{
    static const struct {
        double scale;
        const char *word;
    } unit[] = {{1e12, "s "}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}};
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (ps >= unit[i].scale) {
            xpd_strbuf_printf(out, " %8.3f %s", ps / unit[i].scale, unit[i].word);
            return;
        }
    xpd_strbuf_printf(out, " %8.0f ps", ps);
}

static void text_row(struct xpd_strbuf *out, const struct xpd_totals_answer *answer,
                     const struct xpd_total *total)
{
    struct xpd_str key = xpd_totals_key_text(answer, total),
                   program = xpd_totals_name_text(answer, total, false);
    double all = (double)answer->totals.all.self_ps;
    xpd_strbuf_printf(out, "%5.1f %%", all > 0 ? 100 * (double)total->self_ps / all : 0);
    xpd_totals_text_time(out, (double)total->self_ps);
    xpd_totals_text_time(out, (double)total->total_ps);
    xpd_strbuf_printf(out, " %9" PRIu64, total->count);
    xpd_totals_text_time(out, xpd_totals_value(total, XPD_ORDER_MEAN));
    xpd_totals_text_time(out, (double)total->p99_ps);
    xpd_strbuf_puts(out, "  ");
    if (key.size > 0)
        xpd_strbuf_add(out, key.data, key.size < 160 ? key.size : 160);
    else
        xpd_strbuf_puts(out, answer->ask.by == XPD_BY_STEP ? "(outside all steps)" : "(none)");
    if (program.size > 0) {
        xpd_strbuf_puts(out, "  in ");
        xpd_strbuf_add(out, program.data, program.size < 160 ? program.size : 160);
    }
    xpd_strbuf_putc(out, '\n');
}

static void text_hosts(struct xpd_strbuf *out, const struct xpd_trace_call *call)
{
    const struct xpd_trace *trace = call->view.trace;
    for (uint32_t i = 0; i < trace->part_count; i++) {
        uint32_t host = xpd_tools_part_host(call->ctx->run, i);
        xpd_strbuf_printf(out, "%s: ", call->ctx->run->host[host].name);
        xpd_tools_put_placed(out, trace, i);
        xpd_strbuf_putc(out, '\n');
    }
    xpd_strbuf_puts(out, xpd_tools_host_name(call));
}

void xpd_totals_write_text(struct xpd_tool_result *result, const struct xpd_totals_answer *answer)
{
    struct xpd_strbuf *out = &result->body;
    const struct xpd_total *all = &answer->totals.all;
    struct xpd_time_range range = answer->ask.range;
    result->type = XPD_BODY_TEXT;
    text_hosts(out, answer->call);
    xpd_strbuf_printf(out, ": %" PRIu64 " events in %" PRIu32 " row%s, %.3f ms from %.3f ms; ",
                      all->count, answer->ask.row_count, answer->ask.row_count == 1 ? "" : "s",
                      ((double)range.to_ps - (double)range.from_ps) / 1e9,
                      (double)xpd_tools_at(answer->call, range.from_ps) / 1e9);
    xpd_strbuf_printf(out, "clock: %s\n\n", xpd_clock_word(answer->ask.clock));
    xpd_strbuf_puts(out, " share        self       total     count        mean         p99  ");
    xpd_strbuf_add(out, answer->by_word.data, answer->by_word.size);
    xpd_strbuf_putc(out, '\n');
    for (uint32_t i = 0; i < answer->shown; i++)
        text_row(out, answer, &answer->totals.group[answer->order[answer->offset + i]]);
    if (answer->count > answer->shown)
        xpd_strbuf_printf(out, "%" PRIu32 " more\n", answer->count - answer->shown);
}

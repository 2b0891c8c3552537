/* What an answer says of a gap, whatever its format; gaps as CSV and as text. */
#include "trace_gaps.h"
#include "trace_totals.h"

/* What ran meanwhile: [first, end) of the list; gaps stand in it in their order. */
static uint32_t meanwhile_end(const struct xpd_gaps_answer *answer, uint32_t gap, uint32_t first)
{
    while (first < answer->meanwhile_count && answer->of_gap[first] == gap)
        first++;
    return first;
}

static void put_row(struct xpd_strbuf *out, const struct xpd_gaps_answer *answer, uint32_t process,
                    uint32_t row)
{
    const struct xpd_view *view = &answer->call->view;
    struct xpd_str name = xpd_tools_process_name(view, process);
    xpd_strbuf_add(out, name.data, name.size);
    if (row == XPD_NO_INDEX)
        return;
    name = xpd_view_row_caption(view, row);
    xpd_strbuf_puts(out, ", ");
    xpd_strbuf_add(out, name.data, name.size < 160 ? name.size : 160);
}

static void csv_event(struct xpd_csv *csv, const struct xpd_gaps_answer *answer, uint64_t event)
{
    if (event == UINT64_MAX)
        xpd_csv_empty(csv);
    else
        xpd_csv_u64(csv, event);
    xpd_csv_str(csv, xpd_gaps_caption(answer, event));
}

int64_t xpd_gaps_whole(const struct xpd_gaps_answer *answer, const struct xpd_gap *gap)
{
    struct xpd_event before, after;
    if (!xpd_view_event(&answer->call->view, gap->before, &before) ||
        !xpd_view_event(&answer->call->view, gap->after, &after))
        return -1;
    return after.start_ps - before.start_ps - before.duration_ps;
}

struct xpd_str xpd_gaps_caption(const struct xpd_gaps_answer *answer, uint64_t number)
{
    struct xpd_event event;
    return xpd_view_event(&answer->call->view, number, &event)
               ? xpd_view_caption_of(&answer->call->view, &event)
               : XPD_STR("");
}

void xpd_gaps_write_csv(struct xpd_tool_result *out, const struct xpd_gaps_answer *answer)
{
    const struct xpd_view *view = &answer->call->view;
    struct xpd_csv csv;
    uint32_t k = 0;
    xpd_tools_start_csv(out, &csv, "trace_gaps.csv");
    xpd_csv_header(&csv, "process,row,row_name,start_ps,duration_ps,whole_ps,before_event,before,"
                         "after_event,after,meanwhile,meanwhile_row,meanwhile_self_ps");
    for (uint32_t i = 0; i < answer->gaps.count; i++) {
        const struct xpd_gap *gap = &answer->gaps.gap[i];
        int64_t whole_ps = xpd_gaps_whole(answer, gap);
        uint32_t end = meanwhile_end(answer, i, k);
        bool chip = gap->row == XPD_NO_INDEX;
        xpd_csv_str(&csv, xpd_tools_process_name(view, gap->process));
        if (chip)
            xpd_csv_empty(&csv);
        else
            xpd_csv_u64(&csv, gap->row);
        xpd_csv_str(&csv, chip ? XPD_STR("") : xpd_view_row_caption(view, gap->row));
        xpd_csv_i64(&csv, xpd_tools_at(answer->call, gap->start_ps));
        xpd_csv_i64(&csv, gap->end_ps - gap->start_ps);
        if (whole_ps < 0)
            xpd_csv_empty(&csv);
        else
            xpd_csv_i64(&csv, whole_ps);
        csv_event(&csv, answer, gap->before);
        csv_event(&csv, answer, gap->after);
        xpd_csv_str(&csv,
                    k < end ? xpd_view_caption(view, answer->meanwhile[k].name) : XPD_STR(""));
        if (k < end) {
            xpd_csv_u64(&csv, answer->meanwhile[k].row);
            xpd_csv_i64(&csv, answer->meanwhile[k].self_ps);
        } else {
            xpd_csv_empty(&csv);
            xpd_csv_empty(&csv);
        }
        xpd_csv_end_row(&csv);
        k = end;
    }
}

static void put_caption(struct xpd_strbuf *out, struct xpd_str caption, const char *none)
{
    if (caption.size == 0)
        xpd_strbuf_puts(out, none);
    else
        xpd_strbuf_add(out, caption.data, caption.size < 80 ? caption.size : 80);
}

static void text_gap(struct xpd_strbuf *out, const struct xpd_gaps_answer *answer, uint32_t i,
                     uint32_t first, uint32_t end)
{
    const struct xpd_view *view = &answer->call->view;
    const struct xpd_gap *gap = &answer->gaps.gap[i];
    xpd_totals_text_time(out, (double)(gap->end_ps - gap->start_ps));
    xpd_strbuf_printf(out, " %14.6f ms  ", (double)xpd_tools_at(answer->call, gap->start_ps) / 1e9);
    put_row(out, answer, gap->process, gap->row);
    xpd_strbuf_puts(out, ": after ");
    put_caption(out, xpd_gaps_caption(answer, gap->before), "the start of the trace");
    xpd_strbuf_puts(out, ", before ");
    put_caption(out, xpd_gaps_caption(answer, gap->after), "the end of the trace");
    xpd_strbuf_putc(out, '\n');
    for (uint32_t k = first; k < end; k++) {
        const struct xpd_meanwhile *at = &answer->meanwhile[k];
        xpd_strbuf_puts(out, "      meanwhile");
        xpd_totals_text_time(out, (double)at->self_ps);
        xpd_strbuf_puts(out, "  ");
        put_caption(out, xpd_view_caption(view, at->name), "(no name)");
        xpd_strbuf_puts(out, "  on ");
        put_row(out, answer, xpd_view_process(view, at->row), at->row);
        xpd_strbuf_putc(out, '\n');
    }
}

void xpd_gaps_write_text(struct xpd_tool_result *result, const struct xpd_gaps_answer *answer)
{
    struct xpd_strbuf *out = &result->body;
    const struct xpd_gaps *gaps = &answer->gaps;
    struct xpd_time_range range = answer->ask.range;
    uint64_t all = xpd_gaps_all(gaps);
    int64_t idle_ps = 0;
    result->type = XPD_BODY_TEXT;
    for (uint32_t i = 0; i < gaps->of_count; i++)
        idle_ps += gaps->of[i].idle_ps;
    xpd_totals_text_hosts(out, answer->call);
    xpd_strbuf_printf(out, ": %" PRIu64 " gap%s of %" PRIu32 " %s%s, ", all, all == 1 ? "" : "s",
                      gaps->of_count, answer->ask.table ? "chip" : "row",
                      gaps->of_count == 1 ? "" : "s");
    xpd_totals_text_time(out, (double)idle_ps);
    xpd_strbuf_printf(out, "%s, in %.3f ms from %.3f ms; clock: host\n\n",
                      gaps->of_count > 1 ? " summed over them" : "",
                      ((double)range.to_ps - (double)range.from_ps) / 1e9,
                      (double)xpd_tools_at(answer->call, range.from_ps) / 1e9);
    xpd_strbuf_puts(out, "    duration             start\n");
    for (uint32_t i = 0, k = 0; i < gaps->count; i++) {
        uint32_t end = meanwhile_end(answer, i, k);
        text_gap(out, answer, i, k, end);
        k = end;
    }
    if (all > gaps->count)
        xpd_strbuf_printf(out, "%" PRIu64 " more\n", all - gaps->count);
    if (answer->unknown > 0)
        xpd_strbuf_printf(out,
                          "What ran meanwhile is missing for the last %" PRIu32
                          ": too many events for one answer.\n",
                          answer->unknown);
}

/* A checked budget as text, Markdown, JSON, JUnit and SARIF, and the budget written anew. In: rows.
 * Out: bytes, without times. */
#include "diagnosis.h"
#include "sarif.h"
#include "xprofd/tools/check.h"

#include <math.h>

static uint32_t line_of(const struct xpd_check_row *row)
{
    return row->limit ? row->limit->line : row->section->line;
}

static void put_limit(struct xpd_strbuf *out, const struct xpd_check_row *row)
{
    if (!row->limit) {
        xpd_strbuf_putc(out, '[');
        xpd_strbuf_add(out, row->section->pattern.data, row->section->pattern.size);
        xpd_strbuf_putc(out, ']');
        return;
    }
    xpd_strbuf_add(out, row->limit->name.data, row->limit->name.size);
}

/* "peak_bytes.HBM 7,465.6 MiB, limit <= 6.5GiB" */
static void put_row(struct xpd_strbuf *out, const struct xpd_check_row *row)
{
    if (row->module)
        xpd_strbuf_printf(out, "%s ", row->module);
    put_limit(out, row);
    if (row->value.size > 0) {
        xpd_strbuf_putc(out, ' ');
        xpd_strbuf_add(out, row->value.data, row->value.size);
    }
    if (row->limit) {
        xpd_strbuf_puts(out, ", limit ");
        xpd_strbuf_add(out, row->limit->text.data, row->limit->text.size);
    }
    if (row->state != XPD_CHECK_OK && row->reason.size > 0) {
        xpd_strbuf_puts(out, ": ");
        xpd_strbuf_add(out, row->reason.data, row->reason.size);
    }
}

void xpd_check_text(struct xpd_strbuf *out, const struct xpd_check *check)
{
    static const char *const word[] = {"ok       ", "BROKEN   ", "UNCHECKED"};
    for (int pass = 1; pass < 4; pass++) /* broken first, ok last */
        for (uint32_t i = 0; i < check->count; i++) {
            const struct xpd_check_row *row = &check->row[i];
            if ((int)row->state != pass % 3)
                continue;
            xpd_strbuf_printf(out, "%s  ", word[row->state]);
            put_row(out, row);
            xpd_strbuf_printf(out, "  (%s:%" PRIu32 ")\n", check->file, line_of(row));
        }
    xpd_strbuf_printf(out, "%" PRIu32 " of %" PRIu32 " limits broken, %" PRIu32 " not checked\n",
                      check->broken, check->count, check->not_judged);
}

void xpd_check_markdown(struct xpd_strbuf *out, const struct xpd_check *check)
{
    struct xpd_strbuf cell = {0};
    xpd_strbuf_puts(out, check->broken ? "### Memory budget broken"
                         : check->not_judged || check->incomparable
                             ? "### Memory budget not checked"
                             : "### Memory budget holds");
    if (check->about.size > 0)
        xpd_strbuf_puts(out, ": ");
    xpd_strbuf_add(out, check->about.data, check->about.size);
    xpd_strbuf_puts(out, "\n\n");
    xpd_strbuf_puts(out, "| program | measure | before | now | change | budget | |\n"
                         "|---|---|---|---|---|---|---|\n");
    for (int pass = 1; pass < 4; pass++)
        for (uint32_t i = 0; i < check->count; i++) {
            const struct xpd_check_row *row = &check->row[i];
            if ((int)row->state != pass % 3)
                continue;
            xpd_strbuf_puts(out, "| ");
            xpd_markdown_put(out, xpd_str_of(row->module));
            xpd_strbuf_puts(out, " | ");
            xpd_strbuf_clear(&cell);
            put_limit(&cell, row);
            xpd_markdown_put(out, (struct xpd_str){cell.data ? cell.data : "", cell.size});
            xpd_strbuf_puts(out, " | ");
            xpd_markdown_put(out, row->before);
            xpd_strbuf_puts(out, " | ");
            xpd_markdown_put(out, row->value.size ? row->value : row->reason);
            xpd_strbuf_puts(out, " | ");
            xpd_markdown_put(out, row->change);
            xpd_strbuf_puts(out, " | ");
            if (row->limit)
                xpd_markdown_put(out, row->limit->text);
            xpd_strbuf_printf(out, " | %s |\n",
                              row->state == XPD_CHECK_BROKEN ? "**broken**"
                              : row->state == XPD_CHECK_OK   ? "ok"
                                                             : "not checked");
        }
    xpd_strbuf_fini(&cell);
}

static const char *unit_of(const struct xpd_check_row *row)
{
    if (!row->limit)
        return NULL;
    return xpd_measure_is_share(row->limit->measure)   ? "percent"
           : xpd_measure_is_time(row->limit->measure)  ? "ps"
           : row->limit->measure == XPD_MEASURE_DOCTOR ? "findings"
                                                       : "bytes";
}

void xpd_check_json(struct xpd_jsonw *w, const struct xpd_check *check)
{
    xpd_json_obj(w);
    xpd_json_ki64(w, "schema", 1);
    xpd_json_ktext(w, "file", check->file);
    xpd_json_ku64(w, "broken", check->broken);
    xpd_json_ku64(w, "not_judged", check->not_judged);
    xpd_json_key(w, "limits");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < check->count; i++) {
        const struct xpd_check_row *row = &check->row[i];
        bool share = row->limit && xpd_measure_is_share(row->limit->measure);
        xpd_json_obj(w);
        xpd_json_ku64(w, "line", line_of(row));
        xpd_json_kstr(w, "section", row->section->pattern);
        xpd_json_ktext(w, "module", row->module);
        xpd_tools_kstr(w, "measure", row->limit ? row->limit->name : XPD_STR(""));
        xpd_tools_kstr(w, "limit", row->limit ? row->limit->text : XPD_STR(""));
        xpd_json_ktext(w, "state", xpd_check_state_word(row->state));
        xpd_tools_kstr(w, "value", row->value);
        xpd_json_ktext(w, "unit", unit_of(row));
        if (row->value.size == 0)
            xpd_json_knull(w, share ? "percent" : "number");
        else if (share)
            xpd_json_kdouble(w, "percent", (double)row->bytes / 1000);
        else
            xpd_json_ki64(w, "number", row->bytes);
        xpd_tools_kstr(w, "before", row->before);
        xpd_tools_kstr(w, "reason", row->reason);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

void xpd_check_junit(struct xpd_strbuf *out, const struct xpd_check *check)
{
    struct xpd_strbuf text = {0};
    xpd_strbuf_printf(out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite "
                      "name=\"xprofd check\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32
                      "\" skipped=\"%" PRIu32 "\">\n",
                      check->count, check->broken, check->not_judged);
    for (uint32_t i = 0; i < check->count; i++) {
        const struct xpd_check_row *row = &check->row[i];
        xpd_strbuf_puts(out, "    <testcase classname=\"");
        xpd_xml_put(out, xpd_str_of(row->module));
        xpd_strbuf_puts(out, "\" name=\"");
        xpd_strbuf_clear(&text);
        put_limit(&text, row);
        xpd_xml_put(out, (struct xpd_str){text.data ? text.data : "", text.size});
        xpd_strbuf_puts(out, row->state == XPD_CHECK_OK ? "\"/>\n" : "\">");
        if (row->state == XPD_CHECK_OK)
            continue;
        xpd_strbuf_puts(out, row->state == XPD_CHECK_BROKEN ? "<failure message=\""
                                                            : "<skipped message=\"");
        xpd_strbuf_clear(&text);
        put_row(&text, row);
        xpd_xml_put(out, (struct xpd_str){text.data ? text.data : "", text.size});
        xpd_strbuf_puts(out, "\"/></testcase>\n");
    }
    xpd_strbuf_puts(out, "  </testsuite>\n</testsuites>\n");
    xpd_strbuf_fini(&text);
}

void xpd_check_sarif(struct xpd_jsonw *w, const struct xpd_check *check)
{
    struct xpd_strbuf text = {0};
    xpd_sarif_begin(w);
    xpd_json_key(w, "rules");
    xpd_json_arr(w);
    xpd_json_obj(w);
    xpd_json_ktext(w, "id", "budget");
    xpd_json_ktext(w, "name", "memory_budget");
    xpd_json_obj_end(w);
    xpd_json_arr_end(w);
    xpd_sarif_results(w);
    for (uint32_t i = 0; i < check->count; i++) {
        const struct xpd_check_row *row = &check->row[i];
        if (row->state == XPD_CHECK_OK)
            continue;
        xpd_strbuf_clear(&text);
        put_row(&text, row);
        xpd_json_obj(w);
        xpd_json_ktext(w, "ruleId", "budget");
        xpd_json_ktext(w, "level", row->state == XPD_CHECK_BROKEN ? "error" : "warning");
        xpd_sarif_message(w, (struct xpd_str){text.data ? text.data : "", text.size});
        xpd_json_key(w, "locations");
        xpd_json_arr(w);
        xpd_json_obj(w);
        xpd_sarif_place(w, xpd_str_of(check->file), line_of(row));
        xpd_json_obj_end(w);
        xpd_json_arr_end(w);
        xpd_json_obj_end(w);
    }
    xpd_sarif_end(w);
    xpd_strbuf_fini(&text);
}

/* The largest that was measured for a limit, in the row's unit; -1 = nothing. */
static int64_t measured(const struct xpd_check *check, const struct xpd_limit *limit)
{
    int64_t most = -1;
    for (uint32_t i = 0; i < check->count; i++)
        if (check->row[i].limit == limit && check->row[i].value.size > 0 &&
            check->row[i].bytes > most)
            most = check->row[i].bytes;
    return most;
}

static void put_new_value(struct xpd_strbuf *out, const struct xpd_limit *limit, int64_t value,
                          double slack)
{
    double more = (double)value * (1 + slack);
    if (xpd_measure_is_share(limit->measure)) {
        xpd_strbuf_printf(out, "%.1f%%", ceil(more / 100) / 10);
        return;
    }
    if (xpd_measure_is_time(limit->measure)) {
        xpd_strbuf_printf(out, "%.3f%s", ceil(more / 1e6) / 1e3,
                          xpd_str_ends(limit->name, "_ms") ? "" : "ms");
        return;
    }
    double mib = ceil(more / 1048576);
    if (value > 0 && mib * 1048576 < (double)value)
        mib++;
    xpd_strbuf_printf(out, "%.0fMiB", mib);
}

uint32_t xpd_check_update(struct xpd_strbuf *out, const struct xpd_check *check,
                          struct xpd_str text, double slack)
{
    const char *at = text.data;
    const struct xpd_limit *last = NULL;
    uint32_t written = 0;
    for (uint32_t i = 0; i < check->count; i++) {
        const struct xpd_limit *limit = check->row[i].limit;
        int64_t value = limit ? measured(check, limit) : -1;
        /* rows of one limit and several modules follow in several rounds: the first is enough */
        if (!limit || limit->value.size == 0 || value < 0 || limit->value.data < at ||
            limit == last)
            continue;
        last = limit;
        written++;
        xpd_strbuf_add(out, at, (size_t)(limit->value.data - at));
        put_new_value(out, limit, value, slack);
        at = limit->value.data + limit->value.size;
    }
    xpd_strbuf_add(out, at, (size_t)(text.data + text.size - at));
    return written;
}

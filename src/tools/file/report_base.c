/* Pairs the programs of a run and its baseline. In: both runs, what is wanted. Out:
 * who is compared with whom, by the rule of `xprofd diff`, and sentences for the terminal. */
#include "report_base.h"

#include "report_ask.h"
#include "xprofd/json/reader.h"
#include "xprofd/tools/compare.h"
#include <inttypes.h>
#include <stdlib.h>

enum { ALONE_NAMED = 8 };

static int open_before(struct xpd_report_base *base, const struct xpd_report_of *before,
                       struct xpd_err *err)
{
    base->before = *before;
    if (base->before.run->module_count == 0)
        return xpd_run_no_modules(base->before.run, err);
    return base->after.run->module_count > 0 ? XPD_OK : xpd_run_no_modules(base->after.run, err);
}

static uint32_t *no_partners(uint32_t count)
{
    uint32_t *out = malloc(((size_t)count + 1) * sizeof *out);
    for (uint32_t i = 0; out && i < count; i++)
        out[i] = XPD_NO_INDEX;
    return out;
}

static int partner_of(const struct xpd_report_base *base, const struct xpd_report_want *want,
                      uint32_t module, uint32_t *partner, struct xpd_err *err)
{
    const struct xpd_run *after = base->after.run;
    const struct xpd_hlo *hlo;
    int rc = xpd_store_module(base->after.store, after, module, &hlo, NULL, err);
    if (rc != XPD_OK)
        return rc;
    return want->base_module
               ? xpd_run_find_module(base->before.run, xpd_str_of(want->base_module), partner, err)
               : xpd_compare_pair(base->after.store, base->before.run, &after->module[module], hlo,
                                  partner, err);
}

/* The wanted program first: why it has no partner is the reason when none has one. */
static int pair_all(struct xpd_report_base *base, const struct xpd_report_want *want,
                    uint32_t module, struct xpd_err *err)
{
    uint32_t count = base->after.run->module_count;
    base->opens = XPD_NO_INDEX;
    int rc = partner_of(base, want, module, &base->pair[module], err);
    if (rc == XPD_ENOMEM || (rc != XPD_OK && (want->base_module || want->module)))
        return rc;
    for (uint32_t i = 0; i < count && !want->module && !want->base_module; i++)
        if (i != module && partner_of(base, want, i, &base->pair[i], NULL) == XPD_ENOMEM)
            return xpd_no_memory(err, NULL, "for the report");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t partner = base->pair[i];
        if (partner == XPD_NO_INDEX)
            continue;
        if (base->opens == XPD_NO_INDEX || i == module)
            base->opens = i;
        if (base->back[partner] == XPD_NO_INDEX)
            base->back[partner] = i;
    }
    return base->opens == XPD_NO_INDEX ? rc : XPD_OK;
}

int xpd_report_base_open(struct xpd_report_base *base, const struct xpd_report_of *profile,
                         const struct xpd_report_of *before, const struct xpd_report_want *want,
                         uint32_t module, struct xpd_err *err)
{
    *base = (struct xpd_report_base){.after = *profile};
    int rc = open_before(base, before, err);
    if (rc != XPD_OK)
        return rc;
    base->pair = no_partners(base->after.run->module_count);
    base->back = no_partners(base->before.run->module_count);
    return base->pair && base->back ? pair_all(base, want, module, err)
                                    : xpd_no_memory(err, NULL, "for the report");
}

void xpd_report_base_close(struct xpd_report_base *base)
{
    free(base->pair);
    free(base->back);
    *base = (struct xpd_report_base){0};
}

/* ---- words ---- */

void xpd_report_base_alone(struct xpd_strbuf *out, const struct xpd_report_base *base,
                           const struct xpd_report_want *want)
{
    const struct xpd_run *after = base->after.run;
    uint32_t alone = 0;
    for (uint32_t i = 0; i < after->module_count && !want->module && !want->base_module; i++)
        if (base->pair[i] == XPD_NO_INDEX && alone++ < ALONE_NAMED)
            xpd_strbuf_printf(out, "%s%.200s", alone == 1 ? "no match before: " : ", ",
                              after->module[i].key);
    if (alone > ALONE_NAMED)
        xpd_strbuf_printf(out, " and %" PRIu32 " more", alone - ALONE_NAMED);
    if (alone > 0)
        xpd_strbuf_puts(out, " (--module=NAME --base-module=NAME compares two by hand)\n");
}

static void put_result(struct xpd_strbuf *out, const struct xpd_json *answer, const char *module)
{
    const struct xpd_json *mismatch = xpd_json_member(answer, "mismatches");
    int64_t different = -1, total = 0;
    xpd_json_to_i64(xpd_json_member(answer, "groups_different"), &different);
    xpd_json_to_i64(xpd_json_member(answer, "groups_total"), &total);
    if (different == 0)
        xpd_strbuf_printf(out, "no difference: all %" PRId64 " groups of %.200s are equal\n", total,
                          module);
    for (size_t i = 0; i < xpd_json_count(mismatch); i++) {
        const char *text = xpd_json_to_text(xpd_json_item(mismatch, i));
        xpd_strbuf_printf(out, "%s%s", i ? "; " : "not the same workload: ", text ? text : "");
    }
    if (xpd_json_count(mismatch) > 0)
        xpd_strbuf_putc(out, '\n');
}

static const char *nothing_in(const struct xpd_report_base *base)
{
    struct xpd_tool_ctx both[2] = {{.run = base->before.run, .module = base->pair[base->opens]},
                                   {.run = base->after.run, .module = base->opens}};
    for (int s = 0; s < 2; s++)
        if (xpd_store_module(base->after.store, both[s].run, both[s].module, &both[s].hlo, NULL,
                             NULL) != XPD_OK)
            return NULL;
    return xpd_compare_nothing(both);
}

void xpd_report_base_result(struct xpd_strbuf *out, const struct xpd_report_base *base,
                            const struct xpd_report_want *want)
{
    const struct xpd_run *before = base->before.run, *after = base->after.run;
    struct xpd_strbuf body = {0};
    struct xpd_param param[] = {
        {XPD_STR("base_run"), xpd_str_of(before->entry->id)},
        {XPD_STR("base_module"), xpd_str_of(before->module[base->pair[base->opens]].key)}};
    const char *module = after->module[base->opens].key, *nothing = nothing_in(base);
    if (nothing)
        xpd_strbuf_printf(out, "nothing to compare in %.200s: %s\n", module, nothing);
    else if (xpd_report_call(&base->after, want, "/api/v1/compare", module, -1, param, 2, &body) ==
             XPD_OK) {
        struct xpd_json *answer = xpd_json_parse_answer((struct xpd_str){body.data, body.size});
        put_result(out, answer, module);
        xpd_json_free(answer);
    }
    xpd_strbuf_fini(&body);
}

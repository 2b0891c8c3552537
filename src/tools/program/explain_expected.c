/* What an operation should take: its amounts, the peaks of the chips, the roofline. Out: one
 * object; unknown is null. */
#include "explain.h"
#include "xprofd/answer/write.h"

XPD_RECORD_TABLE(xpd_peaks, XPD_PEAKS_FIELDS)

static void put_chips(struct xpd_jsonw *w)
{
    xpd_json_key(w, "chips");
    xpd_json_arr(w);
    for (uint32_t i = 0; xpd_peaks_at(i); i++)
        xpd_answer_put(w, xpd_peaks_record(), xpd_peaks_at(i));
    xpd_json_arr_end(w);
}

static void put_traffic(struct xpd_explaining *e)
{
    struct xpd_jsonw *w = e->w;
    struct xpd_traffic traffic = {0};
    char scratch[24];
    if (e->from.hlo && e->from.costs)
        xpd_cost_traffic(e->from.costs, e->from.hlo, e->from.instruction, &traffic);
    xpd_json_key(w, "traffic");
    xpd_json_obj(w);
    XPD_COLUMN(w, "space", traffic.count,
               xpd_json_text(w, e->from.space_name(e->from.platform && e->from.platform[0]
                                                       ? e->from.platform
                                                       : "tpu",
                                                   traffic.at[row].space, scratch)));
    XPD_COLUMN(w, "read_bytes", traffic.count, xpd_json_i64(w, traffic.at[row].read_bytes));
    XPD_COLUMN(w, "written_bytes", traffic.count, xpd_json_i64(w, traffic.at[row].written_bytes));
    xpd_json_obj_end(w);
}

static const char *rule_of(const struct xpd_explaining *e)
{
    struct xpd_str opcode = e->line.opcode;
    if (!e->from.hlo)
        return "from the text alone: a dot's work from its dimensions, other work where operation "
               "and shape determine it";
    if (xpd_str_eq(opcode, XPD_STR("while")))
        return "computed here: body and condition once; the iteration count is not in the module";
    if (xpd_str_eq(opcode, XPD_STR("conditional")))
        return "computed here: the most expensive branch";
    if (xpd_str_eq(opcode, XPD_STR("custom-call")))
        return "unknown: the called code is not HLO";
    if (xpd_str_eq(opcode, XPD_STR("fusion")))
        return "computed here: the sum of what is inside; cycles are the compiler's";
    return "computed here by the rules of XLA's cost analysis; cycles are the compiler's";
}

void xpd_explain_put_expected(struct xpd_explaining *e)
{
    struct xpd_jsonw *w = e->w;
    const struct xpd_amounts *a = &e->amounts;
    const struct xpd_peaks *peaks = e->has_peaks ? &e->peaks : NULL;
    struct xpd_expected expected;
    xpd_expect(&expected, a, peaks);
    xpd_json_key(w, "expected");
    xpd_json_obj(w);
    xpd_tools_kknown(w, "flops", a->flops);
    xpd_tools_kknown(w, "hbm_bytes", a->hbm_bytes);
    xpd_tools_kknown(w, "link_bytes", a->link_bytes);
    xpd_tools_kknown(w, "cycles", a->cycles);
    xpd_json_kbool(w, "partial", a->partial);
    xpd_json_kbool(w, "collective", e->collective_kind != NULL);
    xpd_json_kbool(w, "vector", a->vector);
    xpd_json_ktext(w, "rule", rule_of(e));
    put_traffic(e);
    xpd_json_key(w, "peaks");
    xpd_answer_put(w, xpd_peaks_record(), peaks);
    put_chips(w);
    xpd_explain_kdouble(w, "work_peak_per_s", peaks ? xpd_work_peak(a, peaks) : -1);
    xpd_explain_kdouble(w, "compute_s", expected.compute_s);
    xpd_explain_kdouble(w, "hbm_s", expected.hbm_s);
    xpd_explain_kdouble(w, "vmem_s", expected.vmem_s);
    xpd_explain_kdouble(w, "cmem_s", expected.cmem_s);
    xpd_explain_kdouble(w, "link_s", expected.link_s);
    xpd_explain_kdouble(w, "cycles_s", expected.cycles_s);
    xpd_explain_kdouble(w, "roofline_s", expected.roofline_s);
    xpd_json_ktext(w, "bound", expected.bound);
    xpd_expect_words(&e->text, &expected, a, peaks);
    xpd_explain_ktext(e, "verdict");
    xpd_json_obj_end(w);
}

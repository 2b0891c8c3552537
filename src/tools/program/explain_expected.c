/* What an operation should take: its amounts, the peaks of the chips, the roofline. Out: one
 * object; unknown is null. */
#include "explain.h"

XPD_RECORD_TABLE(xpd_peaks, XPD_PEAKS_FIELDS)

XPD_RECORD_TABLE(xpd_explain_traffic, XPD_EXPLAIN_TRAFFIC_FIELDS)
XPD_RECORD_TABLE(xpd_explain_expected, XPD_EXPLAIN_EXPECTED_FIELDS)

static void fill_chips(struct xpd_explain_expected *out, struct xpd_arena *arena)
{
    uint32_t n = 0;
    while (xpd_peaks_at(n))
        n++;
    struct xpd_peaks *chip = XPD_NEW_ARRAY(arena, struct xpd_peaks, n);
    for (uint32_t i = 0; chip && i < n; i++)
        chip[i] = *xpd_peaks_at(i);
    out->chips.at = chip;
    out->chips.n = chip ? n : 0;
}

static void fill_traffic(struct xpd_explain_expected *out, const struct xpd_explaining *e)
{
    struct xpd_arena *arena = e->ctx->arena;
    const char *platform = e->from.platform && e->from.platform[0] ? e->from.platform : "tpu";
    struct xpd_traffic traffic = {0};
    char scratch[24];
    if (e->from.hlo && e->from.costs)
        xpd_cost_traffic(e->from.costs, e->from.hlo, e->from.instruction, &traffic);
    struct xpd_explain_traffic *row =
        XPD_NEW_ARRAY(arena, struct xpd_explain_traffic, traffic.count);
    for (uint32_t i = 0; row && i < traffic.count; i++) {
        const char *name = e->from.space_name(platform, traffic.at[i].space, scratch);
        row[i] =
            (struct xpd_explain_traffic){xpd_arena_str(arena, xpd_str_of(name)),
                                         traffic.at[i].read_bytes, traffic.at[i].written_bytes};
    }
    out->traffic.at = row;
    out->traffic.n = row ? traffic.count : 0;
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

const struct xpd_explain_expected *xpd_explain_expected_of(struct xpd_explaining *e)
{
    const struct xpd_amounts *a = &e->amounts;
    const struct xpd_peaks *peaks = e->has_peaks ? &e->peaks : NULL;
    struct xpd_expected expected;
    struct xpd_arena *arena = e->ctx->arena;
    struct xpd_explain_expected *out = XPD_NEW(arena, struct xpd_explain_expected);
    if (!out)
        return NULL;
    xpd_expect(&expected, a, peaks);
    xpd_expect_words(&e->text, &expected, a, peaks);
    *out = (struct xpd_explain_expected){
        .flops = a->flops,
        .hbm_bytes = a->hbm_bytes,
        .link_bytes = a->link_bytes,
        .cycles = a->cycles,
        .partial = a->partial,
        .collective = e->collective_kind != NULL,
        .vector = a->vector,
        .rule = rule_of(e),
        .peaks = peaks ? XPD_COPY_ARRAY(arena, peaks, 1) : NULL,
        .work_peak_per_s = peaks ? xpd_work_peak(a, peaks) : -1,
        .compute_s = expected.compute_s,
        .hbm_s = expected.hbm_s,
        .vmem_s = expected.vmem_s,
        .cmem_s = expected.cmem_s,
        .link_s = expected.link_s,
        .cycles_s = expected.cycles_s,
        .roofline_s = expected.roofline_s,
        .bound = expected.bound,
        .verdict = xpd_explain_keep(e),
    };
    fill_traffic(out, e);
    fill_chips(out, arena);
    return out;
}

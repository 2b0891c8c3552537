/* What an operation should take: its amounts, the peaks of the chips, the roofline. Out: one
 * object; unknown is null. */
#include "explain.h"
#include "explain_peaks.h"
#include <stdlib.h>

/* Texts of an explanation, from the scratch to the request's arena. */

struct xpd_str xpd_explain_keep(struct xpd_explaining *e)
{
    return xpd_strbuf_keep(&e->text, e->ctx->arena);
}

/* The mesh of devices and the sharding that a person gives. In: the parameters `mesh` and
 * `sharding`. Out: what replica groups and shardings mean along its axes, null where there is
 * nothing to say. */

int xpd_explain_read_mesh(struct xpd_explaining *e, struct xpd_err *err)
{
    const struct xpd_shape *array =
        e->from.hlo ? e->from.hlo->instructions.shape[e->from.instruction] : e->line.shape;
    int rc = XPD_OK;
    if (xpd_param_text(e->ctx, "mesh").size)
        rc = xpd_mesh_parse(&e->mesh, xpd_param_text(e->ctx, "mesh"), err);
    if (rc == XPD_OK && xpd_param_text(e->ctx, "sharding").size)
        rc = xpd_mesh_sharding(&e->sharding, e->ctx->arena, &e->mesh,
                               xpd_param_text(e->ctx, "sharding"), array, err);
    return rc;
}

struct xpd_str xpd_explain_mesh_groups(struct xpd_explaining *e, const struct xpd_groups *groups)
{
    if (e->mesh.count && groups)
        xpd_mesh_groups_words(&e->text, &e->mesh, groups);
    return xpd_tools_or_null(xpd_explain_keep(e));
}

struct xpd_str xpd_explain_mesh_sharding(struct xpd_explaining *e, struct xpd_str sharding)
{
    if (e->mesh.count)
        xpd_mesh_sharding_words(&e->text, e->ctx->arena, &e->mesh, sharding);
    return xpd_tools_or_null(xpd_explain_keep(e));
}

/* The peaks of the device a program ran on or was compiled for. In: the run. Out: peaks and where
 * they are from: typed in, else of the device planes, else of the table of chips. */

/* Of the first that says what its chip can do; else of the first that names its chip. */
static bool of_hosts(const struct xpd_run *run, uint32_t first, uint32_t count,
                     struct xpd_peaks *out)
{
    struct xpd_peaks named = XPD_PEAKS_UNKNOWN;
    for (uint32_t h = first; h < first + count; h++) {
        if (!run->host[h].space)
            continue;
        if (xpd_peaks_of_space(out, run->host[h].space))
            return true;
        if (named.device[0] == '\0')
            named = *out;
    }
    *out = named;
    return false;
}

/* Hosts of a run may have unlike chips: that of the named host counts, else that of a host with the
 * program, which may be one without a chip that only starts others. */
static bool of_planes(const struct xpd_tool_ctx *ctx, uint32_t named, struct xpd_peaks *out)
{
    uint32_t host = xpd_tools_host_of_program(ctx);
    if (named != XPD_NO_INDEX)
        return of_hosts(ctx->run, named, 1, out);
    bool said = host != XPD_NO_INDEX && of_hosts(ctx->run, host, 1, out);
    if (said || out->device[0])
        return said;
    return of_hosts(ctx->run, 0, ctx->run->host_count, out);
}

static struct xpd_str type_of(const struct xpd_run *run, uint32_t named)
{
    const struct xpd_xspace *space = named != XPD_NO_INDEX ? run->host[named].space : NULL;
    return space ? xpd_intern_get(&space->names, space->device_type) : xpd_str_of(run->device_type);
}

bool xpd_explain_peaks(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out)
{
    struct xpd_str type = XPD_STR("");
    if (ctx->hlo)
        type = xpd_hlo_text(ctx->hlo, ctx->hlo->device_type);
    uint32_t named = xpd_tools_host_named(ctx);
    if (type.size == 0 && ctx->run)
        type = type_of(ctx->run, named);
    *out = (struct xpd_peaks)XPD_PEAKS_UNKNOWN;
    bool said = ctx->run && of_planes(ctx, named, out);
    const struct xpd_peaks *sheet = xpd_peaks_find(xpd_str_of(out->device));
    sheet = sheet ? sheet : xpd_peaks_find(type);
    if (!sheet)
        out->device = said && type.size ? xpd_arena_strndup(ctx->arena, type.data, type.size) : "";
    else if (xpd_peaks_complete(out, sheet))
        out->source =
            said ? "the profile's device plane, completed by the table of chips" : sheet->source;
    return said || sheet;
}

static double typed(const struct xpd_tool_ctx *ctx, const char *name)
{
    struct xpd_str text = xpd_param_text(ctx, name);
    const char *digits = xpd_arena_strndup(ctx->arena, text.data, text.size);
    double value = text.size > 0 && digits ? strtod(digits, NULL) : -1;
    return value > 0 && value < 1e21 ? value : -1;
}

#define SAME 1e-9 /* a page sends all figures of a box, with 12 digits */

/* Puts what is typed over what is known. A figure typed as it was known is not typed. */
static uint32_t put_typed(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out)
{
    uint32_t count = 0;
    for (int i = 0; i < XPD_PEAKS; i++) {
        enum xpd_peak peak = (enum xpd_peak)i;
        double value = typed(ctx, xpd_peak_param(peak)), known = xpd_peak_of(out, peak);
        if (value <= 0 || (value >= known * (1 - SAME) && value <= known * (1 + SAME)))
            continue;
        *xpd_peak_at(out, peak) = value;
        out->from[peak] = XPD_FROM_TYPED;
        for (int k = 0; peak == XPD_PEAK_FLOPS && k < XPD_NUMBERS; k++)
            out->number_flops_per_s[k] = -1;
        count++;
    }
    return count;
}

const char *xpd_peak_param(enum xpd_peak peak)
{
    static const char *const name[XPD_PEAKS] = {
        "peak_flops",      "peak_vector",    "peak_bandwidth",  "peak_shared", "peak_vmem_read",
        "peak_vmem_write", "peak_cmem_read", "peak_cmem_write", "peak_link"};
    return name[peak];
}

bool xpd_explain_peaks_said(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out)
{
    const struct xpd_peaks *asked = xpd_peaks_find(xpd_param_text(ctx, "device"));
    if (!asked)
        return xpd_explain_peaks(ctx, out);
    *out = (struct xpd_peaks)XPD_PEAKS_UNKNOWN;
    (void)xpd_peaks_complete(out, asked);
    out->source = asked->source;
    return true;
}

bool xpd_explain_peaks_typed(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out)
{
    bool known = xpd_explain_peaks_said(ctx, out);
    uint32_t count = put_typed(ctx, out);
    bool both =
        out->from[XPD_PEAK_FLOPS] == XPD_FROM_TYPED && out->from[XPD_PEAK_HBM] == XPD_FROM_TYPED;
    if (count > 0)
        out->source = both         ? "entered by hand"
                      : count == 1 ? "one of them entered by hand"
                                   : "some of them entered by hand";
    return known || count > 0;
}

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

static const char *rule_of_call(const struct xpd_explaining *e)
{
    const struct xpd_hlo *hlo = e->from.hlo;
    struct xpd_str target = xpd_hlo_text(hlo, hlo->instructions.call_target[e->from.instruction]);
    bool pallas = xpd_str_eq(target, XPD_STR("tpu_custom_call"));
    if (e->amounts.flops >= 0)
        return pallas ? "as the kernel's author says (cost_estimate of pallas_call)"
                      : "computed here from the shapes and the config of the call";
    return pallas ? "unknown: the called code is not HLO; pallas_call(cost_estimate=...) tells it"
                  : "unknown: the called code is not HLO";
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
        return rule_of_call(e);
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

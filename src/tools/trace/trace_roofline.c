/* /api/v1/roofline: the roofs over the operations of a run, who proves one of them wrong, what is
 * lost against them in all, and where programs stand. The operations are trace/ops. */
#include "ops_chosen.h"
#include "ops_hosts.h"
#include "ops_sum.h"
#include "xprofd/answer/write.h"
#include "xprofd/ops/roofs.h"

#define XPD_ROOF_FIELDS(FIELD)                                                                     \
    FIELD(WORD("flops vector bandwidth shared vmem_read vmem_write cmem_read cmem_write link"),    \
          limit, "name of the unit, memory or link; the parameter peak_<limit> sets it")           \
    FIELD(STRING, name, "name on the pages")                                                       \
    FIELD(STRING, dtype, "for units: the number type with most time; \"\" none")                   \
    FIELD(BOOL, unit, "FLOP/s of a unit; else bytes")                                              \
    FIELD(MAYBE(REAL), peak_per_s, "peak rate, in FLOP or bytes")                                  \
    FIELD(MAYBE(WORD(XPD_FROM_WORDS)), source,                                                     \
          "derived: clock, cores or bandwidth of the profile, times XProf's table of its chip")    \
    FIELD(MAYBE(REAL), said_per_s, "before the user entered another")                              \
    FIELD(MAYBE(WORD(XPD_FROM_WORDS)), said_source, "")                                            \
    FIELD(COUNT, operations, "operations with work or bytes for it")                               \
    FIELD(INT, self_ps, "of them")                                                                 \
    FIELD(MAYBE(REAL), reached_share, "largest share of peak_per_s that an operation reached")     \
    FIELD(TEXT, reached_by, "name of that operation; \"\" none")                                   \
    FIELD(COUNT, beyond, "operations faster than peak_per_s by more than 1 %")                     \
    FIELD(COUNT, said_beyond,                                                                      \
          "operations faster than said_per_s, which therefore cannot be right")                    \
    FIELD(MAYBE(REAL), said_least_share, "smallest share of said_per_s that these reached")        \
    FIELD(MAYBE(REAL), said_most_share, "likewise")                                                \
    FIELD(MAYBE(REAL), ridge, "FLOP a byte at which it meets the matrix units")                    \
    FIELD(MAYBE(REAL), vector_ridge, "FLOP a byte at which it meets the vector units")
XPD_RECORD(xpd_roof_shown, XPD_ROOF_FIELDS)

#define XPD_ROOF_PROGRAM_FIELDS(FIELD)                                                             \
    FIELD(STRING, module, "key of the program, or its name in the events")                         \
    FIELD(MAYBE(REAL), total_flops, "of all executions of operations with known work; null: none") \
    FIELD(MAYBE(REAL), total_hbm_bytes, "likewise")                                                \
    FIELD(INT, work_ps, "self time of these operations")                                           \
    FIELD(INT, self_ps,                                                                            \
          "of its operations, waits included; without loops, calls and starts: `places` has the "  \
          "time of these")                                                                         \
    FIELD(MAYBE(REAL), intensity, "FLOP a byte of HBM")                                            \
    FIELD(MAYBE(REAL), flops_per_s, "during known work")                                           \
    FIELD(MAYBE(REAL), all_flops_per_s, "over self_ps")
XPD_RECORD(xpd_roof_program, XPD_ROOF_PROGRAM_FIELDS)

#define XPD_ROOF_PLACE_FIELDS(FIELD)                                                               \
    FIELD(WORD(XPD_PLACE_WORDS), place, "as in trace/ops")                                         \
    FIELD(COUNT, operations, "")                                                                   \
    FIELD(INT, self_ps, "")
XPD_RECORD(xpd_roof_place, XPD_ROOF_PLACE_FIELDS)

#define XPD_ROOFLINE_FIELDS(FIELD)                                                                 \
    FIELD(BOOL, known, "times of at least one program are known")                                  \
    FIELD(MAYBE(STRING), reason, "why not")                                                        \
    FIELD(MAYBE(WORD("device host mixed")), clock, "of all times")                                 \
    XPD_OPS_WHOSE_FIELDS(FIELD)                                                                    \
    FIELD(MAYBE(OBJECT(xpd_peaks)), peaks, "in use")                                               \
    FIELD(MAYBE(OBJECT(xpd_peaks)), said_peaks, "before the user entered any")                     \
    FIELD(COLUMNS(xpd_roof_shown), roofs,                                                          \
          "matrix units, one row for each rate, the one with most time first; then the other "     \
          "limits")                                                                                \
    FIELD(MAYBE(TEXT), proof, "peaks that cannot be right, and how to enter the right ones")       \
    FIELD(INT, all_self_ps, "of all operations, without the filter")                               \
    FIELD(COUNT, all_operations, "likewise")                                                       \
    FIELD(MAYBE(STRING), filter_note,                                                              \
          "what was not checked because of the limits of an expression")                           \
    FIELD(COUNT, operations,                                                                       \
          "operations that match the filter; all fields below cover these, but the roofs do not")  \
    FIELD(INT, self_ps, "self time of these: the sum over places")                                 \
    FIELD(MAYBE(REAL), flops_per_s, "during known work, as of `programs`: without waits")          \
    FIELD(MAYBE(REAL), hbm_bytes_per_s, "likewise")                                                \
    FIELD(MAYBE(REAL), roofline_share,                                                             \
          "for operations with a roofline: expected time at the peaks divided by measured time")   \
    FIELD(COLUMNS(xpd_roof_place), places, "the operations as points")                             \
    FIELD(COUNT, judged, "operations with a roofline, or a loss against the best rates")           \
    FIELD(INT, judged_ps, "self time of them")                                                     \
    FIELD(INT, lost_ps, "loss of these, sum")                                                      \
    FIELD(MAYBE(REAL), best_flops_per_s, "highest rate of an operation of 50 us or more")          \
    FIELD(TEXT, best_flops_by, "name of that operation; \"\" none")                                \
    FIELD(MAYBE(REAL), best_hbm_bytes_per_s, "likewise")                                           \
    FIELD(TEXT, best_hbm_by, "")                                                                   \
    FIELD(COUNT, above_best, "shorter operations that were faster")                                \
    FIELD(INT, above_best_ps, "self time of them")                                                 \
    FIELD(COLUMNS(xpd_roof_program), programs, "with times")
XPD_RECORD(xpd_roofline_answer, XPD_ROOFLINE_FIELDS)

struct making {
    const struct xpd_tool_ctx *ctx;
    struct xpd_ops_found found;
    struct xpd_ops_whose whose;
    struct xpd_op_rows matched;
    struct xpd_roofs roofs;    /* over all operations */
    struct xpd_roofs of_match; /* places and losses of the matched ones */
    struct xpd_peaks said;
    bool has_said;
    struct xpd_roofline_answer out;
};

static const char *name_of(const struct making *m, enum xpd_peak peak)
{
    static const char *const name[XPD_PEAKS] = {"matrix units",  "vector units", "HBM",
                                                "shared memory", "VMEM read",    "VMEM write",
                                                "CMEM read",     "CMEM write",   "link"};
    bool cpu = strcmp(m->ctx->run->platform, "cpu") == 0;
    return peak == XPD_PEAK_HBM && cpu ? "memory" : name[peak];
}

static struct xpd_str row_name(const struct making *m, uint32_t row)
{
    return row == XPD_NO_INDEX ? XPD_STR("") : m->found.ops.row[row].name;
}

/* ---- roofs ---- */

static bool is_unit(enum xpd_peak peak)
{
    return peak == XPD_PEAK_FLOPS || peak == XPD_PEAK_VECTOR;
}

static double ridge(double flops_per_s, const struct xpd_roof *roof)
{
    return is_unit(roof->peak) || roof->per_s <= 0 || flops_per_s <= 0 ? -1
                                                                       : flops_per_s / roof->per_s;
}

static void fill_roof(struct xpd_roof_shown *to, const struct making *m,
                      const struct xpd_roof *roof)
{
    const struct xpd_peaks *peaks = m->found.has_peaks ? &m->found.peaks : NULL;
    *to = (struct xpd_roof_shown){
        .limit = xpd_peak_param(roof->peak) + sizeof "peak_" - 1,
        .name = name_of(m, roof->peak),
        .dtype = roof->peak == XPD_PEAK_VECTOR ? xpd_number_name(XPD_NUMBER_F32)
                                               : xpd_number_name(roof->number),
        .unit = is_unit(roof->peak),
        .peak_per_s = roof->per_s,
        .source = xpd_peak_from_word(roof->from),
        .said_per_s = roof->said_per_s,
        .said_source = xpd_peak_from_word(roof->said_from),
        .operations = roof->operations,
        .self_ps = roof->self_ps,
        .reached_share = roof->reach,
        .reached_by = row_name(m, roof->reach_row),
        .beyond = roof->beyond,
        .said_beyond = roof->said_beyond,
        .said_least_share = roof->said_least,
        .said_most_share = roof->said_most,
        .ridge = ridge(m->roofs.roof[0].per_s, roof),
        .vector_ridge = ridge(peaks ? peaks->vector_flops_per_s : -1, roof),
    };
}

/* "HBM: the profile says 4.096 TB/s. 5 operations reached 155.8 to 172.3 % of it, so ..." */
static void say_proof(struct xpd_strbuf *out, const struct making *m, const struct xpd_roof *roof)
{
    const char *who = roof->said_from == XPD_FROM_TABLE ? "the table of chips" : "the profile";
    const char *unit = is_unit(roof->peak) ? "TFLOP/s" : "TB/s";
    const char *param = xpd_peak_param(roof->peak);
    xpd_strbuf_printf(out, "%s%s: %s says %.4g %s. ", out->size > 0 ? " " : "",
                      name_of(m, roof->peak), who, roof->said_per_s / 1e12, unit);
    if (roof->said_beyond == 1)
        xpd_strbuf_printf(out, "One operation reached %.1f %% of it", 100 * roof->said_most);
    else
        xpd_strbuf_printf(out, "%" PRIu32 " operations reached %.1f to %.1f %% of it",
                          roof->said_beyond, 100 * roof->said_least, 100 * roof->said_most);
    xpd_strbuf_printf(out, ", so it cannot be right%s.",
                      is_unit(roof->peak) ? "" : ", unless a cache served the bytes");
    if (roof->from != XPD_FROM_TYPED)
        xpd_strbuf_printf(out, " Set the right one with %s=.", param);
}

static int fill_roofs(struct making *m, struct xpd_err *err)
{
    struct xpd_roof_shown *shown =
        XPD_NEW_ARRAY(m->ctx->arena, struct xpd_roof_shown, m->roofs.count);
    struct xpd_strbuf text = {0};
    if (!shown)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < m->roofs.count; i++) {
        fill_roof(&shown[i], m, &m->roofs.roof[i]);
        if (m->roofs.roof[i].said_beyond > 0)
            say_proof(&text, m, &m->roofs.roof[i]);
    }
    m->out.roofs.at = shown;
    m->out.roofs.n = m->roofs.count;
    if (text.size > 0)
        m->out.proof = xpd_strbuf_keep(&text, m->ctx->arena);
    xpd_strbuf_fini(&text);
    return XPD_OK;
}

/* ---- sums ---- */

static int fill_places(struct making *m, struct xpd_err *err)
{
    struct xpd_roof_place *place =
        XPD_NEW_ARRAY(m->ctx->arena, struct xpd_roof_place, XPD_PLACE_COUNT);
    if (!place)
        return xpd_tools_no_memory(err);
    for (int i = 0; i < XPD_PLACE_COUNT; i++)
        place[i] =
            (struct xpd_roof_place){xpd_ops_place_word((enum xpd_op_place)i),
                                    m->of_match.place[i].operations, m->of_match.place[i].self_ps};
    m->out.places.at = place;
    m->out.places.n = XPD_PLACE_COUNT;
    return XPD_OK;
}

static double rate(double amount, int64_t time_ps)
{
    return time_ps > 0 && amount > 0 ? amount / (double)time_ps * 1e12 : -1;
}

static int fill_programs(struct making *m, struct xpd_err *err)
{
    uint32_t n = m->found.program_count;
    struct xpd_roof_program *program = XPD_NEW_ARRAY(m->ctx->arena, struct xpd_roof_program, n);
    if (!program)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_roof_sums sums;
        xpd_roofs_program(&sums, &m->matched, i);
        program[i] = (struct xpd_roof_program){
            .module = m->found.program[i].name,
            .total_flops = sums.work_ps > 0 ? sums.flops : -1,
            .total_hbm_bytes = sums.work_ps > 0 ? sums.hbm_bytes : -1,
            .work_ps = sums.work_ps,
            .self_ps = sums.self_ps,
            .intensity = sums.hbm_bytes > 0 ? sums.flops / sums.hbm_bytes : -1,
            .flops_per_s = rate(sums.flops, sums.work_ps),
            .all_flops_per_s = rate(sums.flops, sums.self_ps),
        };
    }
    m->out.programs.at = program;
    m->out.programs.n = n;
    return XPD_OK;
}

static void fill_best(struct making *m)
{
    const struct xpd_op_rows *rows = &m->found.ops;
    m->out.best_flops_per_s = rows->best_flops_per_s;
    m->out.best_flops_by = row_name(m, m->roofs.best_flops_row);
    m->out.best_hbm_bytes_per_s = rows->best_bytes_per_s;
    m->out.best_hbm_by = row_name(m, m->roofs.best_bytes_row);
    m->out.above_best = m->roofs.above_best.operations;
    m->out.above_best_ps = m->roofs.above_best.self_ps;
}

/* ---- which operations ---- */

static int choose(struct making *m, struct xpd_err *err)
{
    struct xpd_ops_lines lines;
    struct xpd_ops_sum sum = {0};
    struct xpd_roof_sums work;
    int rc = xpd_ops_lines_make(&lines, &m->found, m->ctx->arena, err);
    if (rc == XPD_OK)
        rc = xpd_ops_filter(&lines, &m->found, m->ctx, &m->out.filter_note, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_op_row *row = XPD_NEW_ARRAY(m->ctx->arena, struct xpd_op_row, lines.count);
    if (!row)
        return xpd_tools_no_memory(err);
    m->matched = m->found.ops;
    m->matched.row = row;
    m->matched.count = lines.count;
    for (uint32_t i = 0; i < lines.count; i++) {
        row[i] = *lines.at[i].row;
        xpd_ops_sum_add(&sum, &row[i]);
    }
    xpd_roofs_program(&work, &m->matched, XPD_NO_INDEX);
    m->out.operations = lines.count;
    m->out.self_ps = sum.self_ps;
    m->out.flops_per_s = rate(work.flops, work.work_ps);
    m->out.hbm_bytes_per_s = rate(work.hbm_bytes, work.work_ps);
    m->out.roofline_share = xpd_ops_sum_share(&sum);
    return XPD_OK;
}

static int roofline(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct making *m = XPD_NEW(ctx->arena, struct making);
    if (!m)
        return xpd_tools_no_memory(err);
    m->ctx = ctx;
    int rc = xpd_tools_ops(&m->found, ctx, err);
    if (rc == XPD_OK)
        rc = choose(m, err);
    if (rc != XPD_OK)
        return rc;
    rc = xpd_tools_ops_whose(&m->whose, &m->found, ctx, err);
    if (rc != XPD_OK)
        return rc;
    XPD_OPS_WHOSE_PUT(&m->out, &m->whose);
    m->has_said = xpd_explain_peaks_said(ctx, &m->said);
    const struct xpd_peaks *said = m->has_said ? &m->said : NULL;
    const struct xpd_peaks *peaks = m->found.has_peaks ? &m->found.peaks : NULL;
    xpd_roofs_make(&m->roofs, &m->found.ops, said, peaks);
    xpd_roofs_make(&m->of_match, &m->matched, said, peaks);
    m->out.known = !m->found.reason;
    m->out.reason = m->found.reason;
    m->out.clock = m->found.clock;
    m->out.peaks = m->found.has_peaks ? &m->found.peaks : NULL;
    m->out.said_peaks = m->has_said ? &m->said : NULL;
    m->out.all_self_ps = m->found.ops.self_ps;
    m->out.all_operations = m->found.ops.count;
    m->out.judged = m->of_match.judged.operations;
    m->out.judged_ps = m->of_match.judged.self_ps;
    m->out.lost_ps = m->of_match.lost_ps;
    fill_best(m);
    rc = fill_roofs(m, err);
    if (rc == XPD_OK)
        rc = fill_places(m, err);
    if (rc == XPD_OK)
        rc = fill_programs(m, err);
    *out = &m->out;
    return rc;
}

/* ---- for a terminal ---- */

static void put_place(struct xpd_strbuf *out, const struct xpd_roof_place *place, const char *words)
{
    if (place->operations > 0)
        xpd_strbuf_printf(out, "  %s: %" PRIu32 " operation%s, %.3f ms\n", words, place->operations,
                          place->operations == 1 ? "" : "s", (double)place->self_ps / 1e9);
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    static const char *const words[XPD_PLACE_COUNT] = {
        "on the roofline", "no FLOPs, bytes only", "work not known", "waits",
        "loops, calls and starts, whose work is listed elsewhere"};
    const struct xpd_roofline_answer *a = answer;
    if (!a->known) {
        xpd_strbuf_printf(out, "No times: %s.\n", a->reason);
        return;
    }
    if (a->operations < a->all_operations)
        xpd_strbuf_printf(out, "%" PRIu32 " of %" PRIu32 " operations match, %.1f %% of the time\n",
                          a->operations, a->all_operations,
                          a->all_self_ps > 0 ? 100 * (double)a->self_ps / (double)a->all_self_ps
                                             : 0);
    if (a->roofline_share >= 0)
        xpd_strbuf_printf(out, "at %.1f %% of their roofline\n", 100 * a->roofline_share);
    xpd_strbuf_printf(out, "%.3f ms of self time", (double)a->self_ps / 1e9);
    XPD_OPS_WHOSE_WORDS(out, a);
    xpd_strbuf_printf(out, "; clock: %s; peaks: ", a->clock);
    xpd_tools_ops_peaks_words(out, a->peaks);
    for (uint32_t i = 0; i < a->places.n; i++)
        put_place(out, &a->places.at[i], words[i]);
    xpd_strbuf_printf(out, "lost against %s: %.3f ms in %" PRIu32 " operations of %.3f ms\n\n",
                      a->peaks ? "the roofs" : "the best rates of this run",
                      (double)a->lost_ps / 1e9, a->judged, (double)a->judged_ps / 1e9);
    if (a->proof.size > 0)
        xpd_strbuf_printf(out, "warning: %.*s\n\n", (int)a->proof.size, a->proof.data);
    xpd_answer_table(out, xpd_record_table(xpd_roofline_answer_record(), "roofs"), a,
                     "name dtype peak_per_s source operations reached_share reached_by ridge "
                     "vector_ridge");
    xpd_strbuf_puts(out, "\n");
    xpd_answer_table(out, xpd_record_table(xpd_roofline_answer_record(), "programs"), a, NULL);
}

static const struct xpd_param_spec params[] = {
    {.name = "module", .type = XPD_PARAM_TEXT, .help = "only this program; default: all that ran"},
    {.name = "host",
     .type = XPD_PARAM_TEXT,
     .help = "host of the events; default, and ALL: all hosts together"},
    XPD_OPS_FILTER_PARAM,
    XPD_OPS_STEPS_PARAM,
    XPD_PARAM_FORMAT,
    XPD_PEAKS_PARAMS,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_roofline = {
    .route = "/api/v1/roofline",
    .title = "The roofs over the operations of a run, and the loss against them.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_roofline_answer_record,
    .make = roofline,
    .text = text,
    .file_name = "roofline.csv",
    XPD_IN_REPORT("", {150, XPD_EACH_HOST, "", "the roofline"}),
};

/* What an operation's work says about its time. In: a row with times and amounts. Out: rates, what
 * held it back, the time it should take at the peaks, what it loses against that. */
#include "xprofd/ops/ops.h"

#include "xprofd/base/checked.h"

const char *xpd_ops_bound_word(enum xpd_ops_bound bound)
{
    static const char *const words[XPD_BOUND_COUNT] = {"unknown", "compute", "HBM",     "VMEM",
                                                       "CMEM",    "link",    "latency", "wait"};
    return (unsigned)bound < XPD_BOUND_COUNT ? words[bound] : "unknown";
}

const char *xpd_ops_place_word(enum xpd_op_place place)
{
    static const char *const words[XPD_PLACE_COUNT] = {"point", "no_flops", "unknown", "wait",
                                                       "none"};
    return words[place];
}

/* ---- waits and wrappers ---- */

/* What a loop should take is not in its own work: its body is listed by itself. */
static bool is_wrapper(struct xpd_str opcode)
{
    static const char *const wrapper[] = {"while", "conditional", "call"};
    for (size_t i = 0; i < sizeof wrapper / sizeof *wrapper; i++)
        if (xpd_str_eq(opcode, xpd_str_of(wrapper[i])))
            return true;
    return false;
}

/* A done stands until what was started is there; a collective until the others are; a GPU's copy
 * until the memory is. */
static bool waits(const struct xpd_ops_program *of, uint32_t i, struct xpd_str opcode)
{
    if (i == XPD_NO_INDEX)
        return of->program->loose > XPD_LOOSE_KERNELS;
    bool collective = of->costs->collective[i] != XPD_NO_INDEX && !xpd_str_ends(opcode, "-start");
    return collective || xpd_str_ends(opcode, "-done") || xpd_str_eq(opcode, XPD_STR("infeed")) ||
           xpd_str_eq(opcode, XPD_STR("outfeed"));
}

/* ---- rates ---- */

static double rate(int64_t amount, double mean_ps)
{
    return amount >= 0 && mean_ps > 0 ? (double)amount / mean_ps * 1e12 : -1;
}

static void set_rates(struct xpd_op_row *row)
{
    double time_ps = row->works_elsewhere ? -1 : row->mean_ps;
    row->flops_per_s = rate(row->amounts.flops, time_ps);
    row->hbm_bytes_per_s = rate(row->hbm_bytes, time_ps);
    row->vmem_bytes_per_s = rate(row->vmem_bytes, time_ps);
    row->intensity = row->amounts.flops >= 0 && row->hbm_bytes > 0
                         ? (double)row->amounts.flops / (double)row->hbm_bytes
                         : -1;
}

/* ---- the roofline ---- */

static void set_lost(struct xpd_op_row *row, double least_ps, enum xpd_ops_against against)
{
    double lost = (double)row->self_ps - least_ps * (double)row->executions;
    row->lost_ps = lost > 0 ? (int64_t)lost : 0;
    row->lost_against = against;
}

static bool is_short(const struct xpd_op_row *row)
{
    return row->mean_ps < (double)XPD_LATENCY_PS && row->roofline_share >= 0 &&
           row->roofline_share < XPD_LATENCY_SHARE;
}

static enum xpd_ops_bound bound_of(const char *word)
{
    for (int bound = XPD_BOUND_COMPUTE; bound <= XPD_BOUND_LINK; bound++)
        if (strcmp(word, xpd_ops_bound_word((enum xpd_ops_bound)bound)) == 0)
            return (enum xpd_ops_bound)bound;
    return XPD_BOUND_UNKNOWN;
}

static void set_roofline(struct xpd_op_row *row, const struct xpd_peaks *peaks)
{
    struct xpd_expected expected;
    xpd_expect(&expected, &row->amounts, peaks);
    double least_ps = expected.roofline_s * 1e12;
    if (expected.roofline_s < 0 || least_ps * (double)row->executions >= 9e18)
        return;
    row->roofline_ps = (int64_t)(least_ps + 0.5);
    row->roof = expected.bound;
    row->roofline_share = row->mean_ps > 0 ? (double)row->roofline_ps / row->mean_ps : -1;
    row->bound = is_short(row) ? XPD_BOUND_LATENCY : bound_of(expected.bound);
    set_lost(row, least_ps, XPD_LOST_ROOFLINE);
}

static const char *why_no_roofline(const struct xpd_op_row *row, const struct xpd_peaks *peaks)
{
    if (row->amounts.flops < 0 && row->hbm_bytes < 0)
        return "its work is unknown from its shapes";
    if (row->amounts.flops <= 0 && row->bytes <= 0)
        return "it has no work of its own";
    if (!peaks)
        return "the peaks of this device are unknown";
    return "this device has no known peak for its kind of work";
}

static struct xpd_str opcode_of(const struct xpd_op_row *row, const struct xpd_ops_program *of)
{
    return row->instruction == XPD_NO_INDEX
               ? XPD_STR("")
               : xpd_hlo_text(of->hlo, of->hlo->instructions.opcode[row->instruction]);
}

/* Why an operation has no roofline regardless of the peaks; NULL: it can have one. */
static const char *why_never(const struct xpd_op_row *row, const struct xpd_ops_program *of)
{
    struct xpd_str opcode = opcode_of(row, of);
    if (of->program->loose)
        return "it belongs to no XLA program, so its shapes and work are unknown";
    if (row->instruction == XPD_NO_INDEX)
        return of->hlo          ? "the HLO of its program has no instruction of this name"
               : of->why_no_hlo ? of->why_no_hlo
                                : "the profile has no HLO for its program";
    if (is_wrapper(opcode))
        return "the instructions it calls are listed separately";
    return xpd_str_ends(opcode, "-start")
               ? "it only starts asynchronous work; the wait for it is at its done"
               : NULL;
}

static enum xpd_op_place place_of(const struct xpd_op_row *row)
{
    if (row->why_unknown && row->instruction != XPD_NO_INDEX)
        return XPD_PLACE_NONE;
    return row->amounts.flops < 0    ? XPD_PLACE_UNKNOWN
           : row->amounts.flops == 0 ? XPD_PLACE_NO_FLOPS
                                     : XPD_PLACE_POINT;
}

void xpd_ops_judge(struct xpd_op_row *row, const struct xpd_ops_program *of,
                   const struct xpd_peaks *peaks)
{
    struct xpd_str opcode = opcode_of(row, of);
    row->why_unknown = why_never(row, of);
    row->works_elsewhere =
        xpd_str_ends(opcode, "-done") || (row->why_unknown && row->instruction != XPD_NO_INDEX);
    set_rates(row);
    if (waits(of, row->instruction, opcode)) {
        row->why_unknown = NULL;
        row->bound = XPD_BOUND_WAIT;
        row->place = XPD_PLACE_WAIT;
        set_lost(row, 0, XPD_LOST_NOTHING);
        return;
    }
    row->place = place_of(row);
    if (row->why_unknown)
        return;
    set_roofline(row, peaks);
    if (row->bound == XPD_BOUND_UNKNOWN)
        row->why_unknown = why_no_roofline(row, peaks);
}

void xpd_ops_judge_by_best(struct xpd_op_row *row, const struct xpd_ops_program *of,
                           const struct xpd_peaks *best)
{
    struct xpd_expected expected;
    if (row->bound != XPD_BOUND_UNKNOWN || why_never(row, of))
        return;
    xpd_expect(&expected, &row->amounts, best);
    if (expected.roofline_s >= 0)
        set_lost(row, expected.roofline_s * 1e12, XPD_LOST_BEST);
}

/* The order of rows. In: lines and the key that is asked for. Out: the lines sorted, equal ones in
 * the order of the programs. */
#include "ops_order.h"
#include "ops_hosts.h"
#include "xprofd/ops/sum.h"
#include <math.h>

/* Rows of operations as answers show them. In: rows. Out: declared ones. */

XPD_RECORD_TABLE(xpd_ops_row, XPD_OPS_ROW_FIELDS)

static double flops_peak(const struct xpd_ops_found *found, const struct xpd_op_row *row)
{
    double peak =
        found->has_peaks && row->flops_per_s > 0 ? xpd_work_peak(&row->amounts, &found->peaks) : -1;
    return peak > 0 ? peak : -1;
}

static void show_hosts(struct xpd_ops_row *to, const struct xpd_ops_found *found,
                       const struct xpd_op_row *row)
{
    const struct xpd_ops_hosts *hosts = found->hosts ? &found->hosts[row - found->ops.row] : NULL;
    to->host_spread = -1;
    if (!hosts || hosts->count < 2)
        return;
    to->slowest_host = found->run->host[hosts->slowest].name;
    if (hosts->fastest_ps > 0)
        to->host_spread = hosts->slowest_ps / hosts->fastest_ps;
}

void xpd_ops_show(struct xpd_ops_row *to, const struct xpd_ops_found *found,
                  const struct xpd_op_row *row)
{
    int64_t all_ps = found->ops.self_ps;
    *to = (struct xpd_ops_row){
        .name = row->name,
        .module = found->program[row->program].name,
        .group = xpd_op_group_word(row->group),
        .phase = xpd_phase_word(row->phase),
        .operations = 1,
        .count = row->count,
        .executions = row->executions,
        .total_ps = row->total_ps,
        .self_ps = row->self_ps,
        .self_share = all_ps > 0 ? (double)row->self_ps / (double)all_ps : 0,
        .mean_ps = row->mean_ps,
        .p50_ps = row->p50_ps,
        .p99_ps = row->p99_ps,
        .min_ps = row->min_ps,
        .max_ps = row->max_ps,
        .other_total_ps = row->other_total_ps,
        .wait_total_ps = row->wait_total_ps,
        .chips = row->chips,
        .chip_spread = row->chip_spread,
        .flops = row->amounts.flops,
        .moved_bytes = row->bytes,
        .hbm_bytes = row->hbm_bytes,
        .vmem_bytes = row->vmem_bytes,
        .vmem_read_bytes = row->vmem_bytes < 0 ? -1 : row->amounts.on_chip.vmem_read_bytes,
        .cmem_bytes = row->cmem_bytes,
        .cmem_read_bytes = row->cmem_bytes < 0 ? -1 : row->amounts.on_chip.cmem_read_bytes,
        .other_bytes = row->other_bytes,
        .flops_per_s = row->flops_per_s,
        .flops_peak_per_s = flops_peak(found, row),
        .hbm_bytes_per_s = row->hbm_bytes_per_s,
        .vmem_bytes_per_s = row->vmem_bytes_per_s,
        .intensity = row->intensity,
        .place = xpd_ops_place_word(row->place),
        .bound = xpd_ops_bound_word(row->bound),
        .bound_reason = row->why_unknown,
        .roof = row->roof,
        .roofline_ps = row->roofline_ps,
        .roofline_share = row->roofline_share,
        .lost_ps = row->lost_ps,
        .lost_against = xpd_ops_against_word(row->lost_against),
        .cycles = row->amounts.cycles,
    };
    show_hosts(to, found, row);
}

void xpd_ops_show_texts(struct xpd_ops_row *to, const struct xpd_ops_found *found,
                        const struct xpd_op_row *row, struct xpd_strbuf *scratch,
                        struct xpd_arena *arena)
{
    const struct {
        enum xpd_op_text column;
        struct xpd_str *to;
    } text[] = {{XPD_OPS_OPCODE, &to->opcode}, {XPD_OPS_CATEGORY, &to->category},
                {XPD_OPS_SCOPE, &to->scope},   {XPD_OPS_SHAPE, &to->shape},
                {XPD_OPS_DTYPE, &to->dtype},   {XPD_OPS_SOURCE, &to->source}};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        xpd_op_row_text(scratch, text[i].column, row, &found->program[row->program]);
        *text[i].to = xpd_strbuf_keep(scratch, arena);
    }
}

int xpd_ops_lines_make(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                       struct xpd_arena *arena, struct xpd_err *err)
{
    uint32_t n = found->ops.count;
    *lines = (struct xpd_ops_lines){.at = XPD_NEW_ARRAY(arena, struct xpd_ops_line, n), .count = n};
    if (!lines->at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        lines->at[i].row = &found->ops.row[i];
        xpd_ops_show(&lines->at[i].shown, found, lines->at[i].row);
    }
    return XPD_OK;
}

void xpd_ops_lines_texts(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                         uint32_t first, uint32_t count, struct xpd_arena *arena)
{
    struct xpd_strbuf scratch = {0};
    for (uint32_t i = first; !lines->has_texts && i < first + count; i++)
        if (lines->at[i].row)
            xpd_ops_show_texts(&lines->at[i].shown, found, lines->at[i].row, &scratch, arena);
    lines->has_texts |= first == 0 && count == lines->count;
    xpd_strbuf_fini(&scratch);
}

/* ---- keys ---- */

struct sort_key {
    double number; /* NAN: unknown */
    struct xpd_str text;
    int64_t self_ps;
    uint32_t at;
};

static bool is_text(const struct xpd_record_field *field)
{
    return field->kind == XPD_TEXT || field->kind == XPD_STRING || field->kind == XPD_WORD;
}

static void read_key(struct sort_key *key, const struct xpd_record_field *field,
                     const struct xpd_ops_row *row)
{
    const void *at = (const char *)row + field->offset;
    switch (field->kind) {
    case XPD_INT: key->number = (double)*(const int64_t *)at; break;
    case XPD_COUNT: key->number = *(const uint32_t *)at; break;
    case XPD_REAL: key->number = *(const double *)at; break;
    case XPD_TEXT: key->text = *(const struct xpd_str *)at; return;
    case XPD_STRING:
    case XPD_WORD: key->text = xpd_str_of(*(const char *const *)at); return;
    default: break;
    }
    if (field->maybe && key->number < 0)
        key->number = NAN;
}

/* Amounts of one execution stand for all of them. */
static void read_amount(struct sort_key *key, int64_t one, const struct xpd_ops_row *row)
{
    key->number = one < 0 ? NAN : (double)one * (double)row->executions;
}

static int by_number(const struct sort_key *a, const struct sort_key *b, bool up)
{
    bool a_known = !isnan(a->number), b_known = !isnan(b->number);
    if (a_known != b_known)
        return a_known ? -1 : 1;
    if (!a_known || a->number == b->number)
        return 0;
    return (a->number < b->number) == up ? -1 : 1;
}

static int by_text(const struct sort_key *a, const struct sort_key *b, bool up)
{
    if ((a->text.size == 0) != (b->text.size == 0))
        return a->text.size == 0 ? 1 : -1;
    int order = xpd_str_order(a->text, b->text);
    return up ? order : -order;
}

/* Equal ones: the longest first, then as they stand in the program. */
static int by_time(const struct sort_key *a, const struct sort_key *b)
{
    if (a->self_ps != b->self_ps)
        return a->self_ps > b->self_ps ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static int number_down(const void *a, const void *b)
{
    int order = by_number(a, b, false);
    return order ? order : by_time(a, b);
}

static int number_up(const void *a, const void *b)
{
    int order = by_number(a, b, true);
    return order ? order : by_time(a, b);
}

static int text_down(const void *a, const void *b)
{
    int order = by_text(a, b, false);
    return order ? order : by_time(a, b);
}

static int text_up(const void *a, const void *b)
{
    int order = by_text(a, b, true);
    return order ? order : by_time(a, b);
}

/* ---- what is asked ---- */

static const struct xpd_record_field *field_of(struct xpd_str key)
{
    const struct xpd_record *record = xpd_ops_row_record();
    if (key.size == 0 || xpd_str_eq(key, XPD_STR("time")))
        key = XPD_STR("self_ps");
    else if (xpd_str_eq(key, XPD_STR("lost")))
        key = XPD_STR("lost_ps");
    else if (xpd_str_eq(key, XPD_STR("bytes")))
        key = XPD_STR("hbm_bytes");
    for (uint32_t i = 0; i < record->count; i++)
        if (xpd_str_eq(key, xpd_str_of(record->field[i].key)))
            return &record->field[i];
    return NULL;
}

static int put_in_order(struct xpd_ops_lines *lines, struct sort_key *key,
                        int (*order)(const void *, const void *), const struct xpd_tool_ctx *ctx,
                        struct xpd_err *err)
{
    struct xpd_ops_line *to = XPD_NEW_ROOM(ctx->arena, struct xpd_ops_line, lines->count);
    if (!to)
        return xpd_tools_no_memory(err);
    if (lines->count > 1)
        qsort(key, lines->count, sizeof *key, order);
    for (uint32_t i = 0; i < lines->count; i++)
        to[i] = lines->at[key[i].at];
    lines->at = to;
    return XPD_OK;
}

int xpd_ops_sort(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                 const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_str asked = xpd_param_text(ctx, "sort"), order = xpd_param_text(ctx, "order");
    const struct xpd_record_field *field = field_of(asked);
    struct sort_key *key = XPD_NEW_ARRAY(ctx->arena, struct sort_key, lines->count);
    if (!field)
        return xpd_fail(err, XPD_EINVAL, "sort", XPD_NO_OFFSET,
                        "There is no column \"%.*s\" to sort by: it takes time, lost, flops, "
                        "bytes, or a key of the rows.",
                        (int)asked.size, asked.data);
    if (!key)
        return xpd_tools_no_memory(err);
    bool text = is_text(field),
         amount = xpd_str_eq(asked, XPD_STR("flops")) || xpd_str_eq(asked, XPD_STR("bytes"));
    if (text)
        xpd_ops_lines_texts(lines, found, 0, lines->count, ctx->arena);
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct xpd_ops_row *row = &lines->at[i].shown;
        key[i] = (struct sort_key){.at = i, .self_ps = row->self_ps};
        read_key(&key[i], field, row);
        if (amount)
            read_amount(&key[i], *(const int64_t *)((const char *)row + field->offset), row);
    }
    bool up = order.size > 0 ? xpd_str_eq(order, XPD_STR("asc")) : text;
    return put_in_order(
        lines, key, text ? (up ? text_up : text_down) : (up ? number_up : number_down), ctx, err);
}

/* Attributes that describe how dimensions of operands map to each other: windows, convolutions,
 * dots, gathers, scatters, triangular solves. */
#include "print_own.h"

enum { SIZE = 1, STRIDE, PAD_LOW, PAD_HIGH, WINDOW_DILATION, BASE_DILATION, REVERSAL };

static bool any_differs(struct xpd_arena *scratch, const struct xpd_raw *window, uint32_t number,
                        int64_t usual)
{
    struct xpd_raw dim;
    uint32_t at = 0;
    while (xpd_raw_each(scratch, window, 1, &at, &dim))
        if (xpd_raw_int(&dim, number, 0) != usual)
            return true;
    return false;
}

static void put_part(struct xpd_print *p, const struct xpd_raw *window, const char *key,
                     uint32_t number)
{
    struct xpd_raw dim;
    uint32_t at = 0;
    xpd_strbuf_puts(p->out, key);
    for (bool first = true; xpd_raw_each(&p->printer->scratch, window, 1, &at, &dim);
         first = false) {
        int64_t value = xpd_raw_int(&dim, number, 0);
        if (!first)
            xpd_strbuf_putc(p->out, 'x');
        if (number == PAD_LOW)
            xpd_strbuf_printf(p->out, "%lld_%lld", (long long)value,
                              (long long)xpd_raw_int(&dim, PAD_HIGH, 0));
        else
            xpd_strbuf_i64(p->out, number == REVERSAL ? value != 0 : value);
    }
}

void xpd_print_window(struct xpd_print *p)
{
    struct xpd_raw window = xpd_raw_message(&p->printer->scratch, &p->raw, 15);
    if (xpd_raw_count(&window, 1) != 0)
        xpd_put_window(p);
}

void xpd_put_window(struct xpd_print *p)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw window = xpd_raw_message(scratch, &p->raw, 15);
    xpd_print_next(p);
    xpd_strbuf_puts(p->out, "window={");
    if (xpd_raw_count(&window, 1) != 0)
        put_part(p, &window, "size=", SIZE);
    if (any_differs(scratch, &window, STRIDE, 1))
        put_part(p, &window, " stride=", STRIDE);
    if (any_differs(scratch, &window, PAD_LOW, 0) || any_differs(scratch, &window, PAD_HIGH, 0))
        put_part(p, &window, " pad=", PAD_LOW);
    if (any_differs(scratch, &window, BASE_DILATION, 1))
        put_part(p, &window, " lhs_dilate=", BASE_DILATION);
    if (any_differs(scratch, &window, WINDOW_DILATION, 1))
        put_part(p, &window, " rhs_dilate=", WINDOW_DILATION);
    if (any_differs(scratch, &window, REVERSAL, 0))
        put_part(p, &window, " rhs_reversal=", REVERSAL);
    xpd_strbuf_putc(p->out, '}');
}

enum { LABELS_MAX = 32 }; /* dimensions of a convolution; the text has one letter for each */

static void put_labels(struct xpd_print *p, int64_t batch, char batch_label, int64_t feature,
                       char feature_label, struct xpd_raw_ints spatial)
{
    char label[LABELS_MAX];
    int64_t last = batch > feature ? batch : feature;
    for (uint32_t i = 0; i < spatial.count; i++)
        last = spatial.at[i] > last ? spatial.at[i] : last;
    int64_t count = last < 0 ? 0 : last < LABELS_MAX ? last + 1 : LABELS_MAX;
    memset(label, '?', sizeof label);
    if (batch >= 0 && batch < count)
        label[batch] = batch_label;
    if (feature >= 0 && feature < count)
        label[feature] = feature_label;
    for (uint32_t i = 0; i < spatial.count && i < 10; i++)
        if (spatial.at[i] >= 0 && spatial.at[i] < count)
            label[spatial.at[i]] = (char)('0' + i);
    xpd_strbuf_add(p->out, label, (size_t)count);
}

void xpd_print_convolution_dims(struct xpd_print *p)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw dims = xpd_raw_message(scratch, &p->raw, 16);
    xpd_print_next(p);
    xpd_strbuf_puts(p->out, "dim_labels=");
    put_labels(p, xpd_raw_int(&dims, 7, 0), 'b', xpd_raw_int(&dims, 8, 0), 'f',
               xpd_raw_ints(scratch, &dims, 11));
    xpd_strbuf_putc(p->out, '_');
    put_labels(p, xpd_raw_int(&dims, 3, 0), 'i', xpd_raw_int(&dims, 4, 0), 'o',
               xpd_raw_ints(scratch, &dims, 6));
    xpd_strbuf_puts(p->out, "->");
    put_labels(p, xpd_raw_int(&dims, 9, 0), 'b', xpd_raw_int(&dims, 10, 0), 'f',
               xpd_raw_ints(scratch, &dims, 12));
}

/* The lists of one attribute: `*any` is set if one was printed before. */
static void put_list(struct xpd_print *p, const struct xpd_raw *raw, const char *key,
                     uint32_t number, bool *any)
{
    if (*any)
        xpd_print_next_key(p);
    else
        xpd_print_next(p);
    *any = true;
    xpd_strbuf_printf(p->out, "%s={", key);
    xpd_print_ints(p->out, xpd_raw_ints(&p->printer->scratch, raw, number));
    xpd_strbuf_putc(p->out, '}');
}

static void put_list_if_any(struct xpd_print *p, const struct xpd_raw *raw, const char *key,
                            uint32_t number, bool *any)
{
    if (xpd_raw_ints(&p->printer->scratch, raw, number).count)
        put_list(p, raw, key, number, any);
}

static void print_dot_dims(struct xpd_print *p, const struct xpd_raw *dot)
{
    bool any = false;
    put_list_if_any(p, dot, "lhs_batch_dims", 3, &any);
    put_list(p, dot, "lhs_contracting_dims", 1, &any);
    put_list_if_any(p, dot, "rhs_batch_dims", 4, &any);
    put_list(p, dot, "rhs_contracting_dims", 2, &any);
}

static void print_gather(struct xpd_print *p)
{
    struct xpd_raw dims = xpd_raw_message(&p->printer->scratch, &p->raw, 33);
    bool any = false;
    put_list(p, &dims, "offset_dims", 1, &any);
    put_list(p, &dims, "collapsed_slice_dims", 2, &any);
    put_list(p, &dims, "start_index_map", 3, &any);
    put_list_if_any(p, &dims, "operand_batching_dims", 5, &any);
    put_list_if_any(p, &dims, "start_indices_batching_dims", 6, &any);
    xpd_print_next_key(p);
    xpd_strbuf_puts(p->out, "index_vector_dim=");
    xpd_strbuf_i64(p->out, xpd_raw_int(&dims, 4, 0));
}

static void print_scatter(struct xpd_print *p)
{
    struct xpd_raw dims = xpd_raw_message(&p->printer->scratch, &p->raw, 48);
    bool any = false;
    put_list(p, &dims, "update_window_dims", 1, &any);
    put_list(p, &dims, "inserted_window_dims", 2, &any);
    put_list(p, &dims, "scatter_dims_to_operand_dims", 3, &any);
    put_list_if_any(p, &dims, "input_batching_dims", 5, &any);
    put_list_if_any(p, &dims, "scatter_indices_batching_dims", 6, &any);
    xpd_print_next_key(p);
    xpd_strbuf_puts(p->out, "index_vector_dim=");
    xpd_strbuf_i64(p->out, xpd_raw_int(&dims, 4, 0));
}

void xpd_print_triangular(struct xpd_print *p)
{
    static const char *const transpose[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE",
                                            "ADJOINT"};
    static const char *const word[] = {NULL, "left_side=true", "lower=true", "unit_diagonal=true"};
    struct xpd_raw options = xpd_raw_message(&p->printer->scratch, &p->raw, 59);
    int64_t a = xpd_raw_int(&options, 4, 0);
    for (uint32_t i = 1; i <= 4; i++) {
        if (i == 4 ? !(a > 0 && a < 4) : !xpd_raw_int(&options, i, 0))
            continue;
        xpd_print_next(p);
        if (i == 4)
            xpd_strbuf_printf(p->out, "transpose_a=%s", transpose[a]);
        else
            xpd_strbuf_puts(p->out, word[i]);
    }
}

/* ---- by opcode ---- */

enum { FACTORS = 2 }; /* of a dot, besides other operands */

void xpd_own_group_counts(struct xpd_print *p)
{
    if (xpd_raw_int(&p->raw, 50, 1) > 1)
        xpd_put_int(p, "feature_group_count", xpd_print_int(p, 50));
    if (xpd_raw_int(&p->raw, 58, 1) > 1)
        xpd_put_int(p, "batch_group_count", xpd_print_int(p, 58));
}

void xpd_own_convolution(struct xpd_print *p)
{
    static const char *const kind[] = {NULL, "fprop", "dgrad", "wgrad"};
    xpd_print_window(p);
    xpd_print_convolution_dims(p);
    xpd_own_group_counts(p);
    int64_t which = xpd_print_int(p, 97);
    if (which > 3) {
        xpd_put(p, "convolution_kind");
        xpd_strbuf_printf(p->out, "unknown(%lld)", (long long)which);
    } else if (which)
        XPD_PUT_WORD(p, "convolution_kind", kind, which);
    xpd_print_precision(p, xpd_operands(p));
    xpd_print_scaling(p);
}

void xpd_own_dot(struct xpd_print *p)
{
    struct xpd_raw dims = xpd_raw_message(&p->printer->scratch, &p->raw, 30);
    print_dot_dims(p, &dims);
    xpd_print_precision(p, FACTORS);
    if (xpd_str_eq(xpd_print_opcode(p), XPD_STR("dot")))
        xpd_print_scaling(p);
}

void xpd_own_ragged_dot(struct xpd_print *p)
{
    struct xpd_raw ragged = xpd_raw_message(&p->printer->scratch, &p->raw, 90);
    struct xpd_raw dims = xpd_raw_message(&p->printer->scratch, &ragged, 1);
    print_dot_dims(p, &dims);
    bool any = true; /* one attribute with the dims of the dot */
    put_list(p, &ragged, "lhs_ragged_dims", 2, &any);
    put_list_if_any(p, &ragged, "rhs_group_dims", 3, &any);
    xpd_print_precision(p, FACTORS);
}

void xpd_own_gather(struct xpd_print *p)
{
    print_gather(p);
    xpd_put_list(p, "slice_sizes", 34);
    xpd_put_true(p, "indices_are_sorted", 67);
}

void xpd_own_scatter(struct xpd_print *p)
{
    print_scatter(p);
    xpd_put_true(p, "indices_are_sorted", 67);
    xpd_put_true(p, "unique_indices", 69);
}

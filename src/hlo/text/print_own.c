/* The attributes that only some opcodes have, in the order of XLA's text.
 *
 * In: an instruction's message taken apart. Out: ", key=value" for each. An opcode that is not in
 * the table has none. */
#include "print_own.h"

#include <stdlib.h>

enum { LENGTH = 2 };

/* ---- one function for each kind of attribute list ---- */

static void dimensions(struct xpd_print *p)
{
    xpd_put_list(p, "dimensions", 14);
}

static void batch_norm(struct xpd_print *p)
{
    const struct xpd_field *epsilon = xpd_raw_last(&p->raw, 24);
    float value = 0;
    uint32_t bits = epsilon ? (uint32_t)epsilon->value : 0;
    memcpy(&value, &bits, sizeof value);
    xpd_put(p, "epsilon");
    xpd_strbuf_printf(p->out, "%g", (double)value);
    xpd_put_int(p, "feature_index", xpd_print_int(p, 25));
}

static void fft(struct xpd_print *p)
{
    static const char *const type[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    XPD_PUT_WORD(p, "fft_type", type, xpd_print_int(p, 31));
    xpd_put_list(p, "fft_length", 32);
}

/* Floats compare partially (a NaN has no place), everything else totally. */
static bool compares_partially(int32_t type)
{
    switch (type) {
    case 10:
    case 11:
    case 12:
    case 15:
    case 16:
    case 18:
    case 19:
    case 20:
    case 23:
    case 24:
    case 25:
    case 28:
    case 29:
    case 32:
    case 33:
    case 35:
    case 36: return true;
    default: return false;
    }
}

/* XProf 2.24 says the order, and only one that is not that of the operand's type. A file that does
 * not say it may say a type, of which FLOAT is the one that is partial. */
static void compare(struct xpd_print *p)
{
    struct xpd_str direction = xpd_raw_text(&p->raw, 63), type = xpd_raw_text(&p->raw, 72);
    struct xpd_str order = xpd_raw_text(&p->raw, 102);
    const struct xpd_shape *shape = xpd_first_operand_shape(p);
    bool usual = shape && compares_partially(shape->type), partial = usual;
    if (order.size)
        partial = xpd_str_eq(order, XPD_STR("PARTIAL"));
    else if (type.size)
        partial = xpd_str_eq(type, XPD_STR("FLOAT"));
    xpd_put(p, "direction");
    xpd_strbuf_add(p->out, direction.data, direction.size);
    if (partial != usual) {
        xpd_put(p, "order");
        xpd_strbuf_puts(p->out, partial ? "PARTIAL" : "TOTAL");
    }
}

static void cholesky(struct xpd_print *p)
{
    struct xpd_raw options = xpd_raw_message(&p->printer->scratch, &p->raw, 62);
    if (xpd_raw_int(&options, 1, 0)) {
        xpd_put(p, "lower");
        xpd_strbuf_puts(p->out, "true");
    }
}

static void copy_start(struct xpd_print *p)
{
    if (xpd_raw_has(&p->raw, 80))
        xpd_put_int(p, "cross_program_prefetch_index", xpd_print_int(p, 80));
}

static void sort(struct xpd_print *p)
{
    dimensions(p);
    xpd_put_true(p, "is_stable", 60);
}

static void scan(struct xpd_print *p)
{
    dimensions(p);
    if (xpd_raw_has(&p->raw, 95))
        xpd_put_int(p, "num_carries", xpd_print_int(p, 95));
    xpd_put_true(p, "is_reverse", 94);
    if (xpd_print_int(p, 96)) {
        xpd_put(p, "is_associative");
        xpd_strbuf_puts(p->out, xpd_print_int(p, 96) == 1 ? "true" : "false");
    }
}

static void reshape(struct xpd_print *p)
{
    struct xpd_raw_ints dims = xpd_raw_ints(&p->printer->scratch, &p->raw, 14);
    if (dims.count)
        xpd_put_int(p, "inferred_dimension", dims.at[0]);
}

static void iota(struct xpd_print *p)
{
    struct xpd_raw_ints dims = xpd_raw_ints(&p->printer->scratch, &p->raw, 14);
    xpd_put_int(p, "iota_dimension", dims.count ? dims.at[0] : 0);
}

static void slice(struct xpd_print *p)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw dim;
    uint32_t at = 0;
    bool strided = false;
    while (xpd_raw_each(scratch, &p->raw, 17, &at, &dim))
        strided = strided || xpd_raw_int(&dim, 3, 0) != 1;
    xpd_put(p, "slice");
    xpd_strbuf_putc(p->out, '{');
    at = 0;
    for (bool first = true; xpd_raw_each(scratch, &p->raw, 17, &at, &dim); first = false) {
        xpd_strbuf_puts(p->out, first ? "[" : ", [");
        xpd_strbuf_i64(p->out, xpd_raw_int(&dim, 1, 0));
        xpd_strbuf_putc(p->out, ':');
        xpd_strbuf_i64(p->out, xpd_raw_int(&dim, 2, 0));
        if (strided) {
            xpd_strbuf_putc(p->out, ':');
            xpd_strbuf_i64(p->out, xpd_raw_int(&dim, 3, 0));
        }
        xpd_strbuf_putc(p->out, ']');
    }
    xpd_strbuf_putc(p->out, '}');
}

static void dynamic_slice(struct xpd_print *p)
{
    xpd_put_list(p, "dynamic_slice_sizes", 20);
}

static void pad(struct xpd_print *p)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw config = xpd_raw_message(scratch, &p->raw, 21), dim;
    uint32_t at = 0;
    bool interior = false;
    while (xpd_raw_each(scratch, &config, 1, &at, &dim))
        interior = interior || xpd_raw_int(&dim, 3, 0) != 0;
    xpd_put(p, "padding");
    at = 0;
    for (bool first = true; xpd_raw_each(scratch, &config, 1, &at, &dim); first = false) {
        xpd_strbuf_printf(p->out, "%s%lld_%lld", first ? "" : "x",
                          (long long)xpd_raw_int(&dim, 1, 0), (long long)xpd_raw_int(&dim, 2, 0));
        if (interior)
            xpd_strbuf_printf(p->out, "_%lld", (long long)xpd_raw_int(&dim, 3, 0));
    }
}

static void rng(struct xpd_print *p)
{
    static const char *const word[] = {"rng_invalid", "rng_uniform", "rng_normal"};
    XPD_PUT_WORD(p, "distribution", word, xpd_print_int(p, 23));
}

static void rng_bits(struct xpd_print *p)
{
    static const char *const word[] = {"rng_default", "rng_three_fry", "rng_philox"};
    XPD_PUT_WORD(p, "algorithm", word, xpd_print_int(p, 70));
}

static void rng_state(struct xpd_print *p)
{
    xpd_put_int(p, "delta", xpd_print_int(p, 66));
}

static void parameter(struct xpd_print *p)
{
    struct xpd_raw replication = xpd_raw_message(&p->printer->scratch, &p->raw, 61);
    struct xpd_raw_ints leaf = xpd_raw_ints(&p->printer->scratch, &replication, 1);
    for (uint32_t i = 0; i < leaf.count; i++) {
        xpd_put_item(p, i == 0, "parameter_replication={", ",");
        xpd_strbuf_puts(p->out, leaf.at[i] ? "true" : "false");
    }
    if (leaf.count)
        xpd_strbuf_putc(p->out, '}');
}

static void tuple_element(struct xpd_print *p)
{
    xpd_put_int(p, "index", p->hlo->instructions.tuple_index[p->instruction]);
}

static void reduce_precision(struct xpd_print *p)
{
    xpd_put_int(p, "exponent_bits", xpd_print_int(p, 18));
    xpd_put_int(p, "mantissa_bits", xpd_print_int(p, 19));
}

static void feed_config(struct xpd_print *p, const char *key, uint32_t number)
{
    if (xpd_raw_text(&p->raw, number).size && p->flags & XPD_PRINT_CONFIG)
        xpd_put_quoted(p, key, number);
}

static void infeed(struct xpd_print *p)
{
    feed_config(p, "infeed_config", 27);
}

static void outfeed(struct xpd_print *p)
{
    if (xpd_raw_has(&p->raw, 29)) {
        xpd_put(p, "outfeed_shape");
        xpd_print_shape(p, &p->raw, 29);
    }
    feed_config(p, "outfeed_config", 22);
}

static void topk(struct xpd_print *p)
{
    xpd_put_int(p, "k", xpd_print_int(p, 81));
    xpd_put_bool(p, "largest", 85);
    xpd_put_bool(p, "is_stable", 60);
}

static void shuffle(struct xpd_print *p)
{
    struct xpd_raw mode = xpd_raw_message(&p->printer->scratch, &p->raw, 103);
    bool rotates = xpd_raw_has(&mode, 1);
    struct xpd_raw own = p->raw;
    dimensions(p);
    xpd_put(p, "mode");
    xpd_strbuf_puts(p->out, rotates ? "rotate" : "invalid");
    if (!rotates)
        return;
    p->raw = xpd_raw_message(&p->printer->scratch, &mode, 1);
    xpd_put_list(p, "shifts", 1);
    p->raw = own;
}

static void domain(struct xpd_print *p)
{
    struct xpd_raw entry = xpd_raw_message(&p->printer->scratch, &p->raw, 54);
    struct xpd_raw exit = xpd_raw_message(&p->printer->scratch, &p->raw, 55);
    xpd_print_next(p);
    /* XLA calls the side of the users the entry, which the file keeps as the exit. */
    xpd_strbuf_puts(p->out, "domain={kind=\"sharding\", entry=");
    xpd_print_sharding(p, &exit, 0, false);
    xpd_strbuf_puts(p->out, ", exit=");
    xpd_print_sharding(p, &entry, 0, false);
    xpd_strbuf_putc(p->out, '}');
}

static void window(struct xpd_print *p)
{
    xpd_print_window(p);
}

static const struct own_printer {
    const char *opcode;
    void (*print)(struct xpd_print *p);
} table[] = {/* sorted by opcode */
             {"all-gather", xpd_own_all_gather},
             {"all-gather-start", xpd_own_all_gather},
             {"all-reduce", xpd_own_all_reduce},
             {"all-reduce-start", xpd_own_all_reduce},
             {"all-to-all", xpd_own_all_to_all},
             {"async-start", xpd_own_output_aliasing},
             {"async-update", xpd_own_output_aliasing},
             {"batch-norm-grad", batch_norm},
             {"batch-norm-inference", batch_norm},
             {"batch-norm-training", batch_norm},
             {"broadcast", dimensions},
             {"cholesky", cholesky},
             {"collective-broadcast", xpd_own_collective_broadcast},
             {"collective-permute", xpd_own_permute},
             {"collective-permute-start", xpd_own_permute},
             {"compare", compare},
             {"concatenate", dimensions},
             {"convolution", xpd_own_convolution},
             {"copy-start", copy_start},
             {"custom-call", xpd_own_custom_call},
             {"domain", domain},
             {"dot", xpd_own_dot},
             {"dynamic-slice", dynamic_slice},
             {"fft", fft},
             {"fusion", xpd_own_fusion},
             {"gather", xpd_own_gather},
             {"get-dimension-size", dimensions},
             {"get-tuple-element", tuple_element},
             {"infeed", infeed},
             {"iota", iota},
             {"map", dimensions},
             {"outfeed", outfeed},
             {"pad", pad},
             {"parameter", parameter},
             {"ragged-all-to-all", xpd_own_collective},
             {"ragged-dot", xpd_own_ragged_dot},
             {"recv", xpd_own_send_recv},
             {"recv-done", xpd_own_send_recv},
             {"reduce", dimensions},
             {"reduce-precision", reduce_precision},
             {"reduce-scatter", xpd_own_reduce_scatter},
             {"reduce-window", window},
             {"reshape", reshape},
             {"reverse", dimensions},
             {"rng", rng},
             {"rng-bit-generator", rng_bits},
             {"rng-get-and-update-state", rng_state},
             {"scaled-dot", xpd_own_dot},
             {"scan", scan},
             {"scatter", xpd_own_scatter},
             {"select-and-scatter", window},
             {"send", xpd_own_send_recv},
             {"send-done", xpd_own_send_recv},
             {"set-dimension-size", dimensions},
             {"shuffle", shuffle},
             {"slice", slice},
             {"sort", sort},
             {"topk", topk},
             {"transpose", dimensions},
             {"triangular-solve", xpd_print_triangular}};

static uint32_t find_row(struct xpd_str opcode)
{
    const struct own_printer *found = bsearch(&opcode, table, sizeof table / sizeof table[0],
                                              sizeof table[0], xpd_str_compare_row);
    return found ? (uint32_t)(found - table) + 1 : 0;
}

void xpd_print_own_attributes(struct xpd_print *p)
{
    xpd_name_id opcode = p->hlo->instructions.opcode[p->instruction];
    struct xpd_opcode_kept *kept = &p->printer->opcode_kept[opcode % XPD_OPCODES_KEPT];
    if (kept->opcode != opcode)
        *kept = (struct xpd_opcode_kept){opcode, find_row(xpd_hlo_text(p->hlo, opcode))};
    if (kept->row != 0)
        table[kept->row - 1].print(p);
}

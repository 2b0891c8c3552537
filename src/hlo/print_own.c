/* The attributes that only some opcodes have, in the order of XLA's text.
 *
 * In: an instruction's message taken apart. Out: ", key=value" for each. An opcode that is not in
 * the table has none. */
#include "print_put.h"

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

static const char *default_comparison(int32_t type)
{
    switch (type) {
    case 2:
    case 3:
    case 4:
    case 5:
    case 21:
    case 26:
    case 30: return "SIGNED";
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
    case 33: return "FLOAT";
    default: return "UNSIGNED";
    }
}

static void compare(struct xpd_print *p)
{
    struct xpd_str direction = xpd_raw_text(&p->raw, 63), type = xpd_raw_text(&p->raw, 72);
    const struct xpd_shape *shape = xpd_first_operand_shape(p);
    xpd_put(p, "direction");
    xpd_strbuf_add(p->out, direction.data, direction.size);
    if (type.size && !(shape && xpd_str_eq(type, xpd_str_of(default_comparison(shape->type))))) {
        xpd_put(p, "type");
        xpd_strbuf_add(p->out, type.data, type.size);
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

static void channel(struct xpd_print *p)
{
    if (xpd_print_int(p, 26) > 0)
        xpd_put_int(p, "channel_id", xpd_print_int(p, 26));
}

static void send_recv(struct xpd_print *p)
{
    channel(p);
    xpd_put_true(p, "is_host_transfer", 47);
}

static void collective(struct xpd_print *p)
{
    channel(p);
    xpd_put(p, "replica_groups");
    xpd_print_replica_groups(p);
    xpd_put_true(p, "constrain_layout", 56);
}

static void all_reduce(struct xpd_print *p)
{
    collective(p);
    xpd_put_true(p, "use_global_device_ids", 71);
}

static void all_gather(struct xpd_print *p)
{
    collective(p);
    dimensions(p);
    xpd_put_true(p, "use_global_device_ids", 71);
}

static void reduce_scatter(struct xpd_print *p)
{
    all_reduce(p);
    dimensions(p);
}

static void all_to_all(struct xpd_print *p)
{
    collective(p);
    if (xpd_raw_ints(&p->printer->scratch, &p->raw, 14).count)
        dimensions(p);
}

static void permute(struct xpd_print *p)
{
    struct xpd_raw pair;
    uint32_t at = 0;
    channel(p);
    xpd_put(p, "source_target_pairs");
    xpd_strbuf_putc(p->out, '{');
    for (bool first = true; xpd_raw_each(&p->printer->scratch, &p->raw, 52, &at, &pair);
         first = false)
        xpd_strbuf_printf(p->out, "%s{%lld,%lld}", first ? "" : ",",
                          (long long)xpd_raw_int(&pair, 1, 0), (long long)xpd_raw_int(&pair, 2, 0));
    xpd_strbuf_putc(p->out, '}');
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

static void put_index(struct xpd_print *p, const struct xpd_raw *raw, uint32_t number)
{
    xpd_strbuf_putc(p->out, '{');
    xpd_print_ints(p->out, xpd_raw_ints(&p->printer->scratch, raw, number));
    xpd_strbuf_putc(p->out, '}');
}

static void output_aliasing(struct xpd_print *p)
{
    struct xpd_raw entry;
    uint32_t at = 0;
    bool any = false;
    while (xpd_raw_each(&p->printer->scratch, &p->raw, 74, &at, &entry)) {
        xpd_put_item(p, !any, "output_to_operand_aliasing={", ", ");
        put_index(p, &entry, 1);
        xpd_strbuf_printf(p->out, ": (%lld, ", (long long)xpd_raw_int(&entry, 2, 0));
        put_index(p, &entry, 3);
        xpd_strbuf_putc(p->out, ')');
        any = true;
    }
    if (any)
        xpd_strbuf_putc(p->out, '}');
}

static void fusion(struct xpd_print *p)
{
    struct xpd_str kind = xpd_raw_text(&p->raw, 11);
    xpd_put(p, "kind");
    xpd_strbuf_add(p->out, kind.data, kind.size);
    output_aliasing(p);
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

static void group_counts(struct xpd_print *p)
{
    if (xpd_raw_int(&p->raw, 50, 1) != 1)
        xpd_put_int(p, "feature_group_count", xpd_print_int(p, 50));
    if (xpd_raw_int(&p->raw, 58, 1) != 1)
        xpd_put_int(p, "batch_group_count", xpd_print_int(p, 58));
}

static void convolution(struct xpd_print *p)
{
    static const char *const kind[] = {NULL, "fprop", "dgrad", "wgrad"};
    xpd_print_window(p);
    xpd_print_convolution_dims(p);
    group_counts(p);
    if (xpd_print_int(p, 97))
        XPD_PUT_WORD(p, "convolution_kind", kind, xpd_print_int(p, 97));
    xpd_print_precision(p);
}

static void dot(struct xpd_print *p)
{
    struct xpd_raw dims = xpd_raw_message(&p->printer->scratch, &p->raw, 30);
    xpd_print_dot_dims(p, &dims);
    xpd_print_precision(p);
}

static void ragged_dot(struct xpd_print *p)
{
    struct xpd_raw ragged = xpd_raw_message(&p->printer->scratch, &p->raw, 90);
    struct xpd_raw dims = xpd_raw_message(&p->printer->scratch, &ragged, 1);
    xpd_print_dot_dims(p, &dims);
    struct xpd_raw own = p->raw;
    p->raw = ragged;
    xpd_put_list(p, "lhs_ragged_dims", 2);
    xpd_put_list(p, "rhs_group_dims", 3);
    p->raw = own;
    xpd_print_precision(p);
}

static void gather(struct xpd_print *p)
{
    xpd_print_gather(p);
    xpd_put_list(p, "slice_sizes", 34);
    xpd_put_true(p, "indices_are_sorted", 67);
}

static void scatter(struct xpd_print *p)
{
    xpd_print_scatter(p);
    xpd_put_true(p, "indices_are_sorted", 67);
    xpd_put_true(p, "unique_indices", 69);
}

static void topk(struct xpd_print *p)
{
    xpd_put_int(p, "k", xpd_print_int(p, 81));
    xpd_put(p, "largest");
    xpd_strbuf_puts(p->out, xpd_print_int(p, 85) ? "true" : "false");
}

static void domain(struct xpd_print *p)
{
    struct xpd_raw entry = xpd_raw_message(&p->printer->scratch, &p->raw, 54);
    struct xpd_raw exit = xpd_raw_message(&p->printer->scratch, &p->raw, 55);
    xpd_print_next(p);
    xpd_strbuf_puts(p->out, "domain={kind=\"sharding\", entry=");
    xpd_print_sharding(p, &entry, 0);
    xpd_strbuf_puts(p->out, ", exit=");
    xpd_print_sharding(p, &exit, 0);
    xpd_strbuf_putc(p->out, '}');
}

static void layout_constraints(struct xpd_print *p)
{
    bool any = false;
    if (!xpd_print_int(p, 56))
        return;
    xpd_print_next(p);
    xpd_strbuf_puts(p->out, "operand_layout_constraints={");
    for (uint32_t i = 0; i < p->raw.count; i++) {
        const struct xpd_field *field = &p->raw.field[i];
        if (field->number != 57 || field->wire_type != LENGTH)
            continue;
        if (any)
            xpd_strbuf_puts(p->out, ", ");
        xpd_shape_text(p->out, xpd_print_shape_of(p->printer, field), true);
        any = true;
    }
    xpd_strbuf_putc(p->out, '}');
}

static void custom_literal(struct xpd_print *p)
{
    const struct xpd_field *field = xpd_raw_last(&p->raw, 8);
    if (!field || field->wire_type != LENGTH)
        return;
    struct xpd_raw literal = xpd_raw_read(&p->printer->scratch, field->bytes, (size_t)field->size);
    const struct xpd_field *of = xpd_raw_last(&literal, 1);
    if (!of || of->wire_type != LENGTH)
        return;
    const struct xpd_shape *shape = xpd_print_shape_of(p->printer, of);
    xpd_put(p, "literal");
    xpd_shape_text(p->out, shape, false);
    xpd_strbuf_putc(p->out, ' ');
    xpd_print_literal(p, shape, &literal, 0);
}

static void custom_call(struct xpd_print *p)
{
    static const char *const padding[] = {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"};
    static const char *const schedule[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
    static const char *const api[] = {
        "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
        "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
    xpd_print_window(p);
    if (xpd_raw_has(&p->raw, 16))
        xpd_print_convolution_dims(p);
    group_counts(p);
    xpd_print_precision(p);
    if (xpd_print_int(p, 75))
        XPD_PUT_WORD(p, "padding_type", padding, xpd_print_int(p, 75));
    xpd_put_quoted(p, "custom_call_target", 28);
    layout_constraints(p);
    xpd_put_true(p, "custom_call_has_side_effect", 65);
    custom_literal(p);
    output_aliasing(p);
    if (xpd_print_int(p, 76))
        XPD_PUT_WORD(p, "schedule", schedule, xpd_print_int(p, 76));
    if (xpd_print_int(p, 77) > 1)
        XPD_PUT_WORD(p, "api_version", api, xpd_print_int(p, 77));
}

static void window(struct xpd_print *p)
{
    xpd_print_window(p);
}

static const struct own_printer {
    const char *opcode;
    void (*print)(struct xpd_print *p);
} table[] = {/* sorted by opcode */
             {"all-gather", all_gather},
             {"all-gather-start", all_gather},
             {"all-reduce", all_reduce},
             {"all-reduce-start", all_reduce},
             {"all-to-all", all_to_all},
             {"async-done", output_aliasing},
             {"async-start", output_aliasing},
             {"async-update", output_aliasing},
             {"batch-norm-grad", batch_norm},
             {"batch-norm-inference", batch_norm},
             {"batch-norm-training", batch_norm},
             {"broadcast", dimensions},
             {"cholesky", cholesky},
             {"collective-broadcast", collective},
             {"collective-permute", permute},
             {"collective-permute-start", permute},
             {"compare", compare},
             {"concatenate", dimensions},
             {"convolution", convolution},
             {"copy-start", copy_start},
             {"custom-call", custom_call},
             {"domain", domain},
             {"dot", dot},
             {"dynamic-slice", dynamic_slice},
             {"fft", fft},
             {"fusion", fusion},
             {"gather", gather},
             {"get-dimension-size", dimensions},
             {"get-tuple-element", tuple_element},
             {"infeed", infeed},
             {"iota", iota},
             {"map", dimensions},
             {"outfeed", outfeed},
             {"pad", pad},
             {"parameter", parameter},
             {"ragged-all-to-all", collective},
             {"ragged-dot", ragged_dot},
             {"recv", send_recv},
             {"recv-done", send_recv},
             {"reduce", dimensions},
             {"reduce-precision", reduce_precision},
             {"reduce-scatter", reduce_scatter},
             {"reduce-window", window},
             {"reshape", reshape},
             {"reverse", dimensions},
             {"rng", rng},
             {"rng-bit-generator", rng_bits},
             {"rng-get-and-update-state", rng_state},
             {"scaled-dot", dot},
             {"scan", scan},
             {"scatter", scatter},
             {"select-and-scatter", window},
             {"send", send_recv},
             {"send-done", send_recv},
             {"set-dimension-size", dimensions},
             {"slice", slice},
             {"sort", sort},
             {"topk", topk},
             {"transpose", dimensions},
             {"triangular-solve", xpd_print_triangular}};

static int by_opcode(const void *key, const void *row)
{
    const struct xpd_str *opcode = key;
    const char *name = ((const struct own_printer *)row)->opcode;
    size_t size = strlen(name), least = opcode->size < size ? opcode->size : size;
    int order = least ? memcmp(opcode->data, name, least) : 0;
    return order ? order : (opcode->size > size) - (opcode->size < size);
}

static uint32_t find_row(struct xpd_str opcode)
{
    const struct own_printer *found =
        bsearch(&opcode, table, sizeof table / sizeof table[0], sizeof table[0], by_opcode);
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

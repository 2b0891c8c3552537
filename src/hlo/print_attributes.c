/* The attributes behind the operands, by opcode, in the order of XLA's text.
 *
 * In: an instruction's message taken apart. Out: ", key=value" for each. An opcode that is not in
 * the table has only the attributes that every instruction may have. */
#include "print_internal.h"

#include <stdlib.h>

enum { LENGTH = 2 };

static void put(struct xpd_print *p, const char *key)
{
    xpd_print_next(p);
    xpd_strbuf_puts(p->out, key);
    xpd_strbuf_putc(p->out, '=');
}

/* Before an item of a list: the attribute's beginning, or what stands between two. */
static void begin_item(struct xpd_print *p, bool first, const char *beginning, const char *between)
{
    if (first)
        xpd_print_next(p);
    xpd_strbuf_puts(p->out, first ? beginning : between);
}

static void put_int(struct xpd_print *p, const char *key, int64_t value)
{
    put(p, key);
    xpd_strbuf_i64(p->out, value);
}

static void put_true(struct xpd_print *p, const char *key, uint32_t number)
{
    if (xpd_raw_int(&p->raw, number, 0)) {
        put(p, key);
        xpd_strbuf_puts(p->out, "true");
    }
}

static void put_list(struct xpd_print *p, const char *key, uint32_t number)
{
    put(p, key);
    xpd_strbuf_putc(p->out, '{');
    xpd_print_ints(p->out, xpd_raw_ints(&p->printer->scratch, &p->raw, number));
    xpd_strbuf_putc(p->out, '}');
}

/* A word for an enum value, or the number when the file knows one that we do not. */
static void put_word(struct xpd_print *p, const char *key, const char *const *word, size_t count,
                     int64_t value)
{
    put(p, key);
    if (value >= 0 && (uint64_t)value < count && word[value])
        xpd_strbuf_puts(p->out, word[value]);
    else
        xpd_strbuf_i64(p->out, value);
}
#define PUT_WORD(p, key, words, value)                                                             \
    put_word((p), (key), (words), sizeof(words) / sizeof((words)[0]), (value))

static void put_quoted(struct xpd_print *p, const char *key, uint32_t number)
{
    put(p, key);
    xpd_strbuf_putc(p->out, '"');
    xpd_print_escaped(p->out, xpd_raw_text(&p->raw, number));
    xpd_strbuf_putc(p->out, '"');
}

static int64_t integer(const struct xpd_print *p, uint32_t number)
{
    return xpd_raw_int(&p->raw, number, 0);
}

/* ---- one function for each kind of attribute list ---- */

static void dimensions(struct xpd_print *p)
{
    put_list(p, "dimensions", 14);
}

static void batch_norm(struct xpd_print *p)
{
    const struct xpd_field *epsilon = xpd_raw_last(&p->raw, 24);
    float value = 0;
    uint32_t bits = epsilon ? (uint32_t)epsilon->value : 0;
    memcpy(&value, &bits, sizeof value);
    put(p, "epsilon");
    xpd_strbuf_printf(p->out, "%g", (double)value);
    put_int(p, "feature_index", integer(p, 25));
}

static void fft(struct xpd_print *p)
{
    static const char *const type[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    PUT_WORD(p, "fft_type", type, integer(p, 31));
    put_list(p, "fft_length", 32);
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

static const struct xpd_shape *operand_shape(const struct xpd_print *p)
{
    const struct xpd_hlo_instructions *ins = &p->hlo->instructions;
    uint32_t first = ins->operand_first[p->instruction];
    if (first == ins->operand_first[p->instruction + 1] || ins->operand[first] == XPD_NO_INDEX)
        return NULL;
    return ins->shape[ins->operand[first]];
}

static void compare(struct xpd_print *p)
{
    struct xpd_str direction = xpd_raw_text(&p->raw, 63), type = xpd_raw_text(&p->raw, 72);
    const struct xpd_shape *shape = operand_shape(p);
    put(p, "direction");
    xpd_strbuf_add(p->out, direction.data, direction.size);
    if (type.size && !(shape && xpd_str_eq(type, xpd_str_of(default_comparison(shape->type))))) {
        put(p, "type");
        xpd_strbuf_add(p->out, type.data, type.size);
    }
}

static void cholesky(struct xpd_print *p)
{
    struct xpd_raw options = xpd_raw_message(&p->printer->scratch, &p->raw, 62);
    if (xpd_raw_int(&options, 1, 0)) {
        put(p, "lower");
        xpd_strbuf_puts(p->out, "true");
    }
}

static void copy_start(struct xpd_print *p)
{
    if (xpd_raw_has(&p->raw, 80))
        put_int(p, "cross_program_prefetch_index", integer(p, 80));
}

static void channel(struct xpd_print *p)
{
    if (integer(p, 26) > 0)
        put_int(p, "channel_id", integer(p, 26));
}

static void send_recv(struct xpd_print *p)
{
    channel(p);
    put_true(p, "is_host_transfer", 47);
}

static void collective(struct xpd_print *p)
{
    channel(p);
    put(p, "replica_groups");
    xpd_print_replica_groups(p);
    put_true(p, "constrain_layout", 56);
}

static void all_reduce(struct xpd_print *p)
{
    collective(p);
    put_true(p, "use_global_device_ids", 71);
}

static void all_gather(struct xpd_print *p)
{
    collective(p);
    dimensions(p);
    put_true(p, "use_global_device_ids", 71);
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
    put(p, "source_target_pairs");
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
    put_true(p, "is_stable", 60);
}

static void scan(struct xpd_print *p)
{
    dimensions(p);
    if (xpd_raw_has(&p->raw, 95))
        put_int(p, "num_carries", integer(p, 95));
    put_true(p, "is_reverse", 94);
    if (integer(p, 96)) {
        put(p, "is_associative");
        xpd_strbuf_puts(p->out, integer(p, 96) == 1 ? "true" : "false");
    }
}

static void reshape(struct xpd_print *p)
{
    struct xpd_raw_ints dims = xpd_raw_ints(&p->printer->scratch, &p->raw, 14);
    if (dims.count)
        put_int(p, "inferred_dimension", dims.at[0]);
}

static void iota(struct xpd_print *p)
{
    struct xpd_raw_ints dims = xpd_raw_ints(&p->printer->scratch, &p->raw, 14);
    put_int(p, "iota_dimension", dims.count ? dims.at[0] : 0);
}

static void slice(struct xpd_print *p)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw dim;
    uint32_t at = 0;
    bool strided = false;
    while (xpd_raw_each(scratch, &p->raw, 17, &at, &dim))
        strided = strided || xpd_raw_int(&dim, 3, 0) != 1;
    put(p, "slice");
    xpd_strbuf_putc(p->out, '{');
    at = 0;
    for (bool first = true; xpd_raw_each(scratch, &p->raw, 17, &at, &dim); first = false) {
        xpd_strbuf_printf(p->out, "%s[%lld:%lld", first ? "" : ", ",
                          (long long)xpd_raw_int(&dim, 1, 0), (long long)xpd_raw_int(&dim, 2, 0));
        if (strided)
            xpd_strbuf_printf(p->out, ":%lld", (long long)xpd_raw_int(&dim, 3, 0));
        xpd_strbuf_putc(p->out, ']');
    }
    xpd_strbuf_putc(p->out, '}');
}

static void dynamic_slice(struct xpd_print *p)
{
    put_list(p, "dynamic_slice_sizes", 20);
}

static void pad(struct xpd_print *p)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw config = xpd_raw_message(scratch, &p->raw, 21), dim;
    uint32_t at = 0;
    bool interior = false;
    while (xpd_raw_each(scratch, &config, 1, &at, &dim))
        interior = interior || xpd_raw_int(&dim, 3, 0) != 0;
    put(p, "padding");
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
        begin_item(p, !any, "output_to_operand_aliasing={", ", ");
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
    put(p, "kind");
    xpd_strbuf_add(p->out, kind.data, kind.size);
    output_aliasing(p);
}

static void rng(struct xpd_print *p)
{
    static const char *const word[] = {"rng_invalid", "rng_uniform", "rng_normal"};
    PUT_WORD(p, "distribution", word, integer(p, 23));
}

static void rng_bits(struct xpd_print *p)
{
    static const char *const word[] = {"rng_default", "rng_three_fry", "rng_philox"};
    PUT_WORD(p, "algorithm", word, integer(p, 70));
}

static void rng_state(struct xpd_print *p)
{
    put_int(p, "delta", integer(p, 66));
}

static void parameter(struct xpd_print *p)
{
    struct xpd_raw replication = xpd_raw_message(&p->printer->scratch, &p->raw, 61);
    struct xpd_raw_ints leaf = xpd_raw_ints(&p->printer->scratch, &replication, 1);
    for (uint32_t i = 0; i < leaf.count; i++) {
        begin_item(p, i == 0, "parameter_replication={", ",");
        xpd_strbuf_puts(p->out, leaf.at[i] ? "true" : "false");
    }
    if (leaf.count)
        xpd_strbuf_putc(p->out, '}');
}

static void tuple_element(struct xpd_print *p)
{
    put_int(p, "index", p->hlo->instructions.tuple_index[p->instruction]);
}

static void reduce_precision(struct xpd_print *p)
{
    put_int(p, "exponent_bits", integer(p, 18));
    put_int(p, "mantissa_bits", integer(p, 19));
}

static void feed_config(struct xpd_print *p, const char *key, uint32_t number)
{
    if (xpd_raw_text(&p->raw, number).size && p->flags & XPD_PRINT_CONFIG)
        put_quoted(p, key, number);
}

static void infeed(struct xpd_print *p)
{
    feed_config(p, "infeed_config", 27);
}

static void outfeed(struct xpd_print *p)
{
    if (xpd_raw_has(&p->raw, 29)) {
        put(p, "outfeed_shape");
        xpd_print_shape(p, &p->raw, 29);
    }
    feed_config(p, "outfeed_config", 22);
}

static void group_counts(struct xpd_print *p)
{
    if (xpd_raw_int(&p->raw, 50, 1) != 1)
        put_int(p, "feature_group_count", integer(p, 50));
    if (xpd_raw_int(&p->raw, 58, 1) != 1)
        put_int(p, "batch_group_count", integer(p, 58));
}

static void convolution(struct xpd_print *p)
{
    static const char *const kind[] = {NULL, "fprop", "dgrad", "wgrad"};
    xpd_print_window(p);
    xpd_print_convolution_dims(p);
    group_counts(p);
    if (integer(p, 97))
        PUT_WORD(p, "convolution_kind", kind, integer(p, 97));
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
    put_list(p, "lhs_ragged_dims", 2);
    put_list(p, "rhs_group_dims", 3);
    p->raw = own;
    xpd_print_precision(p);
}

static void gather(struct xpd_print *p)
{
    xpd_print_gather(p);
    put_list(p, "slice_sizes", 34);
    put_true(p, "indices_are_sorted", 67);
}

static void scatter(struct xpd_print *p)
{
    xpd_print_scatter(p);
    put_true(p, "indices_are_sorted", 67);
    put_true(p, "unique_indices", 69);
}

static void topk(struct xpd_print *p)
{
    put_int(p, "k", integer(p, 81));
    put(p, "largest");
    xpd_strbuf_puts(p->out, integer(p, 85) ? "true" : "false");
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
    if (!integer(p, 56))
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
    put(p, "literal");
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
    if (integer(p, 75))
        PUT_WORD(p, "padding_type", padding, integer(p, 75));
    put_quoted(p, "custom_call_target", 28);
    layout_constraints(p);
    put_true(p, "custom_call_has_side_effect", 65);
    custom_literal(p);
    output_aliasing(p);
    if (integer(p, 76))
        PUT_WORD(p, "schedule", schedule, integer(p, 76));
    if (integer(p, 77) > 1)
        PUT_WORD(p, "api_version", api, integer(p, 77));
}

static void window(struct xpd_print *p)
{
    xpd_print_window(p);
}

static const struct {
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
    const char *name = *(const char *const *)row;
    size_t size = strlen(name), least = opcode->size < size ? opcode->size : size;
    int order = least ? memcmp(opcode->data, name, least) : 0;
    return order ? order : (opcode->size > size) - (opcode->size < size);
}

static void own_attributes(struct xpd_print *p)
{
    struct xpd_str opcode = xpd_print_opcode(p);
    const void *found =
        bsearch(&opcode, table, sizeof table / sizeof table[0], sizeof table[0], by_opcode);
    if (found)
        table[(size_t)((const char *)found - (const char *)table) / sizeof table[0]].print(p);
}

/* ---- what every instruction may have ---- */

static void put_computation(struct xpd_print *p, const char *key, uint32_t called)
{
    if (key)
        put(p, key);
    if (called == XPD_NO_INDEX)
        xpd_strbuf_putc(p->out, '?');
    else
        xpd_print_name(p, p->hlo->computations.name[called]);
}

static void put_computations(struct xpd_print *p, const char *key, const uint32_t *called,
                             uint32_t count, bool braces)
{
    put(p, key);
    if (braces)
        xpd_strbuf_putc(p->out, '{');
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0)
            xpd_strbuf_puts(p->out, ", ");
        put_computation(p, NULL, called[i]);
    }
    if (braces)
        xpd_strbuf_putc(p->out, '}');
}

static bool is_one_of(struct xpd_str opcode, const char *const *words)
{
    for (; *words; words++)
        if (xpd_str_eq(opcode, xpd_str_of(*words)))
            return true;
    return false;
}

static void called_computations(struct xpd_print *p, uint32_t wrapped)
{
    static const char *const applies[] = {
        "call",           "map",  "reduce-window",    "reduce", "scatter", "all-reduce",
        "reduce-scatter", "sort", "all-reduce-start", "scan",   NULL};
    static const char *const async[] = {"async-start", "async-update", "async-done", NULL};
    const struct xpd_hlo_instructions *ins = &p->hlo->instructions;
    const uint32_t *called = ins->called + ins->called_first[p->instruction];
    uint32_t n = ins->called_first[p->instruction + 1] - ins->called_first[p->instruction];
    struct xpd_str opcode = xpd_print_opcode(p);
    const struct xpd_shape *operand = operand_shape(p);
    if (n == 0)
        return;
    if (xpd_str_eq(opcode, XPD_STR("while")) && n >= 2) {
        put_computation(p, "condition", called[1]);
        put_computation(p, "body", called[0]);
    } else if (xpd_str_eq(opcode, XPD_STR("select-and-scatter")) && n >= 2) {
        put_computation(p, "select", called[0]);
        put_computation(p, "scatter", called[1]);
    } else if (xpd_str_eq(opcode, XPD_STR("conditional"))) {
        if (n == 2 && operand && operand->type == 1) {
            put_computation(p, "true_computation", called[0]);
            put_computation(p, "false_computation", called[1]);
        } else
            put_computations(p, "branch_computations", called, n, true);
    } else if (is_one_of(opcode, applies)) {
        put_computation(p, "to_apply", called[0]);
        if (xpd_str_eq(opcode, XPD_STR("call")))
            put_true(p, "is_composite", 89);
    } else if (xpd_str_eq(opcode, XPD_STR("custom-call"))) {
        put_computations(p, "called_computations", called, n, true);
    } else if (is_one_of(opcode, async)) {
        if (xpd_str_eq(opcode, XPD_STR("async-start")) && wrapped == XPD_NO_INDEX)
            put_computation(p, "calls", called[0]);
    } else {
        put_computations(p, "calls", called, n, false);
    }
}

struct attribute {
    struct xpd_str key, value;
};

static int by_key(const void *a, const void *b)
{
    const struct attribute *x = a, *y = b;
    size_t least = x->key.size < y->key.size ? x->key.size : y->key.size;
    int order = least ? memcmp(x->key.data, y->key.data, least) : 0;
    return order ? order : (x->key.size > y->key.size) - (x->key.size < y->key.size);
}

void xpd_print_frontend_attributes(struct xpd_print *p, uint32_t number)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw all = xpd_raw_message(scratch, &p->raw, number), entry;
    struct attribute *attribute = XPD_NEW_ARRAY(scratch, struct attribute, xpd_raw_count(&all, 1));
    uint32_t n = 0, at = 0;
    while (attribute && xpd_raw_each(scratch, &all, 1, &at, &entry))
        attribute[n++] = (struct attribute){xpd_raw_text(&entry, 1), xpd_raw_text(&entry, 2)};
    if (n == 0)
        return;
    qsort(attribute, n, sizeof *attribute, by_key);
    put(p, "frontend_attributes");
    for (uint32_t i = 0; i < n; i++) {
        xpd_strbuf_putc(p->out, i ? ',' : '{');
        xpd_strbuf_add(p->out, attribute[i].key.data, attribute[i].key.size);
        xpd_strbuf_putc(p->out, '=');
        xpd_print_dictionary(p->out, attribute[i].value);
    }
    xpd_strbuf_putc(p->out, '}');
}

uint32_t xpd_print_find_local(const struct xpd_print *p, int64_t id)
{
    const struct xpd_hlo *hlo = p->hlo;
    uint32_t computation = hlo->instructions.computation[p->instruction];
    uint32_t found = xpd_map64_get(&hlo->instruction_by_id, (uint64_t)id);
    if (found != XPD_NO_INDEX)
        return found;
    uint32_t first = hlo->computations.first[computation];
    for (uint32_t i = first; i < first + hlo->computations.instruction_count[computation]; i++)
        if ((uint32_t)hlo->instructions.id[i] == (uint32_t)id)
            return i;
    return XPD_NO_INDEX;
}

static void control_predecessors(struct xpd_print *p)
{
    struct xpd_raw_ints ids = xpd_raw_ints(&p->printer->scratch, &p->raw, 37);
    for (uint32_t i = 0; i < ids.count; i++) {
        uint32_t found = xpd_print_find_local(p, ids.at[i]);
        begin_item(p, i == 0, "control-predecessors={", ", ");
        if (found == XPD_NO_INDEX)
            xpd_strbuf_putc(p->out, '?');
        else
            xpd_print_name(p, p->hlo->instructions.name[found]);
    }
    if (ids.count)
        xpd_strbuf_putc(p->out, '}');
}

static void statistics(struct xpd_print *p)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw all = xpd_raw_message(scratch, &p->raw, 82), one;
    uint32_t at = 0;
    if (xpd_raw_count(&all, 2) == 0)
        return;
    xpd_print_next(p);
    xpd_strbuf_printf(p->out, "statistics={visualizing_index=%lld",
                      (long long)xpd_raw_int(&all, 1, 0));
    while (xpd_raw_each(scratch, &all, 2, &at, &one)) {
        struct xpd_str name = xpd_raw_text(&one, 1);
        const struct xpd_field *value = xpd_raw_last(&one, 2);
        double real = 0;
        if (value && value->wire_type == 1)
            memcpy(&real, &value->value, sizeof real);
        xpd_strbuf_putc(p->out, ',');
        xpd_strbuf_add(p->out, name.data, name.size);
        xpd_strbuf_printf(p->out, "=%g", real);
    }
    xpd_strbuf_putc(p->out, '}');
}

/* The start of a folded async pair says what the wrapped instruction says. */
static void folded_attributes(struct xpd_print *p, uint32_t wrapped)
{
    struct xpd_print inner = *p;
    struct xpd_str thread = xpd_raw_text(&p->raw, 79);
    const struct xpd_field *message = &p->printer->message[wrapped];
    if (thread.size && !xpd_str_eq(thread, XPD_STR("main")))
        put_quoted(p, "async_execution_thread", 79);
    inner.instruction = wrapped;
    inner.raw = xpd_raw_read(&p->printer->scratch, message->bytes, (size_t)message->size);
    xpd_print_attributes(&inner, XPD_NO_INDEX);
}

void xpd_print_attributes(struct xpd_print *p, uint32_t wrapped)
{
    if (wrapped != XPD_NO_INDEX && xpd_str_eq(xpd_print_opcode(p), XPD_STR("async-start")))
        folded_attributes(p, wrapped);
    own_attributes(p);
    if (!(p->flags & XPD_PRINT_NO_CALLED))
        called_computations(p, wrapped);
    if (xpd_raw_has(&p->raw, 40)) {
        struct xpd_raw sharding = xpd_raw_message(&p->printer->scratch, &p->raw, 40);
        put(p, "sharding");
        xpd_print_sharding(p, &sharding, 0);
    }
    xpd_print_frontend_attributes(p, 68);
    if (p->flags & XPD_PRINT_CONTROL)
        control_predecessors(p);
    statistics(p);
}

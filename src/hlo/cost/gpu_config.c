/* Properties of calls of cuDNN and cuBLASLt (MIOpen and hipBLASLt on other GPUs, under the same
 * names).
 *
 * In: target and backend config of a custom call. Out: XProf's lines. The tables are the messages
 * of XProf 2.24.2; configs of other kinds of operations are not read. */
#include "xprofd/hlo/gpu_config.h"
#include "xprofd/json/reader.h"

#include <math.h>
#include <stdlib.h>

enum kind { INT64, INT32, UINT64, DOUBLE, BOOL, WORD, TEXT, OTHER, KNOBS, MESSAGE };

struct field {
    const char *name;
    enum kind kind;
    bool is_list;
    const void *of; /* WORD: its words, ended by NULL; MESSAGE: its fields */
};

static const char *const activation_words[] = {"kNone",      "kSigmoid",   "kRelu",     "kRelu6",
                                               "kReluX",     "kTanh",      "kBandPass", "kElu",
                                               "kLeakyRelu", "kGeluExact", NULL};
static const char *const math_words[] = {"DEFAULT_MATH", "TENSOR_OP_MATH", NULL};
static const char *const device_words[] = {"DEVICE_TYPE_INVALID", "DEVICE_TYPE_DEVICE",
                                           "DEVICE_TYPE_HOST", NULL};
static const char *const epilogue_words[] = {"DEFAULT", "BIAS",      "RELU",      "BIAS_RELU",
                                             "GELU",    "GELU_AUX",  "BIAS_GELU", "BIAS_GELU_AUX",
                                             "SILU",    "BIAS_SILU", NULL};
static const char *const precision_words[] = {"DEFAULT", "HIGH", "HIGHEST", NULL};
static const char *const algorithm_words[] = {"ALG_UNSET",
                                              "ALG_DOT_ANY_F8_ANY_F8_F32",
                                              "ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM",
                                              "ALG_DOT_F16_F16_F16",
                                              "ALG_DOT_F16_F16_F32",
                                              "ALG_DOT_BF16_BF16_BF16",
                                              "ALG_DOT_BF16_BF16_F32",
                                              "ALG_DOT_BF16_BF16_F32_X3",
                                              "ALG_DOT_BF16_BF16_F32_X6",
                                              "ALG_DOT_TF32_TF32_F32",
                                              "ALG_DOT_TF32_TF32_F32_X3",
                                              "ALG_DOT_F32_F32_F32",
                                              "ALG_DOT_F64_F64_F64",
                                              "ALG_DOT_BF16_BF16_F32_X9",
                                              "ALG_DOT_BF16_BF16_FP8X3",
                                              "ALG_DOT_BF16_BF16_FP8X4",
                                              NULL};

#define FIELDS static const struct field
#define END                                                                                        \
    {                                                                                              \
        NULL, OTHER, false, NULL                                                                   \
    }
#define OF(name, kind, of)                                                                         \
    {                                                                                              \
        name, kind, false, of                                                                      \
    }
#define LIST_OF(name, kind, of)                                                                    \
    {                                                                                              \
        name, kind, true, of                                                                       \
    }
FIELDS algorithm_fields[] = {
    OF("algo_id", INT64, NULL),         OF("math_type", WORD, math_words),
    OF("tuning_knobs", KNOBS, NULL),    OF("is_cudnn_frontend", BOOL, NULL),
    OF("workspace_size", UINT64, NULL), END};
FIELDS convolution_fields[] = {OF("algorithm", MESSAGE, algorithm_fields),
                               OF("conv_result_scale", DOUBLE, NULL),
                               OF("activation_mode", WORD, activation_words),
                               OF("side_input_scale", DOUBLE, NULL),
                               OF("leakyrelu_alpha", DOUBLE, NULL),
                               OF("reordered_int8_nchw_vect", BOOL, NULL),
                               OF("serialized_graph", TEXT, NULL),
                               END};
FIELDS dimensions_fields[] = {LIST_OF("lhs_contracting_dimensions", INT64, NULL),
                              LIST_OF("rhs_contracting_dimensions", INT64, NULL),
                              LIST_OF("lhs_batch_dimensions", INT64, NULL),
                              LIST_OF("rhs_batch_dimensions", INT64, NULL), END};
FIELDS precision_fields[] = {LIST_OF("operand_precision", WORD, precision_words),
                             OF("algorithm", WORD, algorithm_words), END};
FIELDS product_fields[] = {OF("selected_algorithm", INT64, NULL),
                           OF("alpha_real", DOUBLE, NULL),
                           OF("alpha_imag", DOUBLE, NULL),
                           OF("beta", DOUBLE, NULL),
                           OF("dot_dimension_numbers", MESSAGE, dimensions_fields),
                           OF("precision_config", MESSAGE, precision_fields),
                           OF("epilogue", WORD, epilogue_words),
                           OF("lhs_stride", INT64, NULL),
                           OF("rhs_stride", INT64, NULL),
                           OF("grad_x", BOOL, NULL),
                           OF("grad_y", BOOL, NULL),
                           OF("damax_output", BOOL, NULL),
                           OF("autotune_workspace_size", INT64, NULL),
                           OF("scale_mode", INT32, NULL),
                           OF("has_d_scale", BOOL, NULL),
                           END};
FIELDS cost_fields[] = {OF("end_to_end_cycles", DOUBLE, NULL),
                        OF("exec_time_us", DOUBLE, NULL),
                        OF("compute_time_us", DOUBLE, NULL),
                        OF("memory_access_time_us", DOUBLE, NULL),
                        OF("name", TEXT, NULL),
                        END};
FIELDS config_fields[] = {
    OF("operation_queue_id", INT64, NULL), OF("force_earliest_schedule", BOOL, NULL),
    LIST_OF("reification_cost", MESSAGE, cost_fields), OF("device_type", WORD, device_words), END};
/* A config holds at most one of these. */
FIELDS one_of_fields[] = {OF("cudnn_conv_backend_config", MESSAGE, convolution_fields),
                          OF("gemm_backend_config", MESSAGE, product_fields),
                          OF("bitcast_backend_config", OTHER, NULL),
                          OF("collective_backend_config", OTHER, NULL),
                          OF("fusion_backend_config", OTHER, NULL),
                          OF("cudnn_norm_backend_config", OTHER, NULL),
                          OF("cudnn_fmha_backend_config", OTHER, NULL),
                          OF("custom_call_backend_config", OTHER, NULL),
                          OF("block_scaled_dot_backend_config", OTHER, NULL),
                          OF("native_emitter_backend_config", OTHER, NULL),
                          OF("collective_metadata_backend_config", OTHER, NULL),
                          OF("grouped_gemm_backend_config", OTHER, NULL),
                          OF("dynamic_slice_config", OTHER, NULL),
                          END};

/* ---- whether XLA's messages take it ---- */

static const struct field *find(const struct field *fields, const char *name)
{
    while (fields->name && strcmp(fields->name, name) != 0)
        fields++;
    return fields->name ? fields : NULL;
}

/* The number of a word, or of one that is written as a number. */
static bool word_number(const char *const *words, const struct xpd_json *value, int64_t *out)
{
    const char *text = xpd_json_to_text(value);
    for (int64_t i = 0; text && words[i]; i++)
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return true;
        }
    return xpd_json_to_i64(value, out) && *out >= INT32_MIN && *out <= INT32_MAX;
}

static bool is_bool(const struct xpd_json *value)
{
    const char *text = xpd_json_to_text(value);
    return xpd_json_kind(value) == XPD_JSON_BOOL ||
           (text && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0));
}

static bool is_double(const struct xpd_json *value)
{
    double number;
    return xpd_json_to_double(value, &number) &&
           (xpd_json_kind(value) == XPD_JSON_TEXT || isfinite(number));
}

static bool is_uint64(const struct xpd_json *value)
{
    const char *text = xpd_json_to_text(value);
    int64_t number;
    return text ? xpd_str_to_u64(xpd_str_of(text), &(uint64_t){0})
                : xpd_json_to_i64(value, &number) && number >= 0;
}

static bool are_knobs(const struct xpd_json *value)
{
    const struct xpd_json *knob;
    int64_t number;
    for (size_t i = 0; (knob = xpd_json_child(value, i)); i++)
        if (!xpd_str_to_i64(xpd_str_of(xpd_json_key_of(knob)), &number) ||
            (xpd_json_kind(knob) != XPD_JSON_NULL && !xpd_json_to_i64(knob, &number)))
            return false;
    return xpd_json_kind(value) == XPD_JSON_OBJECT;
}

static bool fits_message(const struct field *fields, const struct xpd_json *object);

static bool fits_one(const struct field *field, const struct xpd_json *value)
{
    int64_t number;
    switch (field->kind) {
    case INT64: return xpd_json_to_i64(value, &number);
    case INT32:
        return xpd_json_to_i64(value, &number) && number >= INT32_MIN && number <= INT32_MAX;
    case UINT64: return is_uint64(value);
    case DOUBLE: return is_double(value);
    case BOOL: return is_bool(value);
    case WORD: return word_number(field->of, value, &number);
    case TEXT: return xpd_json_kind(value) == XPD_JSON_TEXT;
    case KNOBS: return are_knobs(value);
    case MESSAGE: return fits_message(field->of, value);
    case OTHER: return xpd_json_kind(value) == XPD_JSON_OBJECT;
    }
    return false;
}

static bool fits(const struct field *field, const struct xpd_json *value)
{
    const struct xpd_json *item;
    if (xpd_json_kind(value) == XPD_JSON_NULL)
        return true;
    if (!field->is_list || xpd_json_kind(value) != XPD_JSON_ARRAY)
        return fits_one(field, value);
    for (size_t i = 0; (item = xpd_json_child(value, i)); i++)
        if (xpd_json_kind(item) != XPD_JSON_NULL && !fits_one(field, item))
            return false;
    return true;
}

static bool fits_message(const struct field *fields, const struct xpd_json *object)
{
    const struct xpd_json *member;
    for (size_t i = 0; (member = xpd_json_child(object, i)); i++) {
        const struct field *field = find(fields, xpd_json_key_of(member));
        if (!field || !fits(field, member))
            return false;
    }
    return xpd_json_kind(object) == XPD_JSON_OBJECT;
}

static bool fits_config(const struct xpd_json *object)
{
    const struct xpd_json *member;
    uint32_t configs = 0;
    for (size_t i = 0; (member = xpd_json_child(object, i)); i++) {
        const struct field *one = find(one_of_fields, xpd_json_key_of(member));
        const struct field *field = one ? one : find(config_fields, xpd_json_key_of(member));
        if (!field || !fits(field, member))
            return false;
        configs += one && xpd_json_kind(member) != XPD_JSON_NULL;
    }
    return xpd_json_kind(object) == XPD_JSON_OBJECT && configs <= 1;
}

/* ---- output ---- */

static double number_of(const struct xpd_json *object, const char *name)
{
    double number = 0;
    (void)xpd_json_to_double(xpd_json_member(object, name), &number);
    return number;
}

static int64_t word_of(const struct xpd_json *object, const char *name, const char *const *words)
{
    int64_t number = 0;
    (void)word_number(words, xpd_json_member(object, name), &number);
    return number;
}

static uint32_t put_number(struct xpd_strbuf *out, const char *name, double number)
{
    xpd_strbuf_printf(out, "%s=%g\n", name, number);
    return 1;
}

struct knob {
    int64_t number, value;
};

static int by_number(const void *a, const void *b)
{
    const struct knob *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static void put_knobs(struct xpd_strbuf *out, const struct xpd_json *knobs)
{
    size_t count = 0;
    while (xpd_json_child(knobs, count))
        count++;
    struct knob *knob = calloc(count + 1, sizeof *knob);
    out->failed |= !knob;
    for (size_t i = 0; knob && i < count; i++) {
        const struct xpd_json *one = xpd_json_child(knobs, i);
        (void)xpd_str_to_i64(xpd_str_of(xpd_json_key_of(one)), &knob[i].number);
        (void)xpd_json_to_i64(one, &knob[i].value);
    }
    if (knob)
        qsort(knob, count, sizeof *knob, by_number);
    for (size_t i = 0; knob && i < count; i++)
        xpd_strbuf_printf(out, "%sk%lld=%lld", i ? "," : "", (long long)knob[i].number,
                          (long long)knob[i].value);
    free(knob);
}

static uint32_t put_convolution(const struct xpd_json *config, struct xpd_strbuf *out)
{
    static const char *const names[] = {"none", "sigmoid",  "relu", "relu6",    "reluX",
                                        "tanh", "bandpass", "elu",  "leakyrelu"};
    enum { NAMES = sizeof names / sizeof *names, LEAKY = NAMES - 1 };
    const struct xpd_json *algorithm = xpd_json_member(config, "algorithm");
    double scale = number_of(config, "conv_result_scale");
    double side = number_of(config, "side_input_scale");
    int64_t mode = word_of(config, "activation_mode", activation_words), id = 0;
    uint32_t count = 2;
    if (scale != 1)
        count += put_number(out, "conv_result_scale", scale);
    if (side != 0 && side != 1)
        count += put_number(out, "side_input_scale", side);
    if (mode == LEAKY)
        count += put_number(out, "leakyrelu_alpha", number_of(config, "leakyrelu_alpha"));
    if (mode >= 0 && mode < NAMES)
        xpd_strbuf_printf(out, "activation_mode=%s\n", names[mode]);
    else
        xpd_strbuf_printf(out, "activation_mode=unknown: %lld\n", (long long)mode);
    (void)xpd_json_to_i64(xpd_json_member(algorithm, "algo_id"), &id);
    xpd_strbuf_printf(out, "algo=eng%lld{", (long long)id);
    put_knobs(out, xpd_json_member(algorithm, "tuning_knobs"));
    xpd_strbuf_puts(out, "}\n");
    return count;
}

static void put_dimensions(struct xpd_strbuf *out, const char *name, const struct xpd_json *list,
                           bool if_empty)
{
    bool alone =
        list && xpd_json_kind(list) != XPD_JSON_ARRAY && xpd_json_kind(list) != XPD_JSON_NULL;
    size_t count = alone ? 1 : xpd_json_count(list);
    if (count == 0 && !if_empty)
        return;
    xpd_strbuf_printf(out, "%s={", name);
    for (size_t i = 0; i < count; i++) {
        int64_t dimension = 0;
        (void)xpd_json_to_i64(alone ? list : xpd_json_item(list, i), &dimension);
        xpd_strbuf_printf(out, "%s%lld", i ? "," : "", (long long)dimension);
    }
    xpd_strbuf_puts(out, "}\n");
}

/* XProf writes the real factor for the imaginary one too. */
static uint32_t put_product(const struct xpd_json *config, bool is_complex, struct xpd_strbuf *out)
{
    const struct xpd_json *dims = xpd_json_member(config, "dot_dimension_numbers");
    const struct xpd_json *algorithm = xpd_json_member(config, "selected_algorithm");
    double real = number_of(config, "alpha_real"), beta = number_of(config, "beta");
    int64_t epilogue = word_of(config, "epilogue", epilogue_words), id;
    uint32_t count = 1;
    if (is_complex && (real != 1 || number_of(config, "alpha_imag") != 1))
        count += put_number(out, "alpha_real", real) + put_number(out, "alpha_imag", real);
    else if (!is_complex && real != 1)
        count += put_number(out, "alpha", real);
    if (beta != 0 && beta != 1)
        count += put_number(out, "beta", beta);
    put_dimensions(out, "lhs_batch_dims", xpd_json_member(dims, "lhs_batch_dimensions"), false);
    put_dimensions(out, "lhs_contracting_dims", xpd_json_member(dims, "lhs_contracting_dimensions"),
                   true);
    put_dimensions(out, "rhs_batch_dims", xpd_json_member(dims, "rhs_batch_dimensions"), false);
    put_dimensions(out, "rhs_contracting_dims", xpd_json_member(dims, "rhs_contracting_dimensions"),
                   true);
    if (xpd_json_to_i64(algorithm, &id)) {
        xpd_strbuf_printf(out, "algorithm=%lld\n", (long long)id);
        count++;
    }
    if (epilogue != 0) {
        int64_t words = (int64_t)(sizeof epilogue_words / sizeof *epilogue_words) - 1;
        xpd_strbuf_printf(out, "epilogue=%s\n",
                          epilogue > 0 && epilogue < words ? epilogue_words[epilogue] : "");
        count++;
    }
    return count;
}

static bool is_one_of(struct xpd_str target, const char *const *names)
{
    for (; *names; names++)
        if (xpd_str_eq(target, xpd_str_of(*names)))
            return true;
    return false;
}

uint32_t xpd_gpu_config_lines(struct xpd_str target, struct xpd_str config, bool is_complex,
                              struct xpd_strbuf *out)
{
    static const char *const convolutions[] = {
        "__cudnn$convForward",        "__cudnn$convBackwardInput",
        "__cudnn$convBackwardFilter", "__cudnn$convBiasActivationForward",
        "__cudnn$convForwardGraph",   NULL};
    static const char *const products[] = {"__cublas$lt$matmul", "__cublas$lt$matmul$f8",
                                           "__cublas$lt$matmul$mx", "__cublas$lt$groupedMatmul",
                                           NULL};
    bool convolution = is_one_of(target, convolutions);
    uint32_t count = 0;
    if (!convolution && !is_one_of(target, products))
        return 0;
    struct xpd_json *doc = xpd_json_parse(config.size ? config : XPD_STR("{}"));
    if (doc && fits_config(doc))
        count = convolution
                    ? put_convolution(xpd_json_member(doc, "cudnn_conv_backend_config"), out)
                    : put_product(xpd_json_member(doc, "gemm_backend_config"), is_complex, out);
    xpd_json_free(doc);
    return count;
}

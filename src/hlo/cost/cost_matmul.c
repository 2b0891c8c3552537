/* Dots and convolutions: what they multiply.
 *
 * In: attributes out of the proto's bytes, shapes out of the columns. Out: batch, m, n, k and the
 * multiply-adds that meet real data. Sizes and dimension numbers are the file's: each is checked
 * against the shape it speaks of. */
#include "cost_internal.h"

enum { WINDOW = 15, CONVOLUTION_DIMS = 16, DOT_DIMS = 30, FEATURE_GROUPS = 50, BATCH_GROUPS = 58 };
enum { DIMS_MAX = 64 };

/* ---- dot ---- */

/* Product of the named dimensions; false when one does not exist or stands twice. */
static bool take(const struct xpd_shape *shape, struct xpd_raw_ints dims, uint64_t *taken,
                 int64_t *product)
{
    bool overflow = false;
    *product = 1;
    for (uint32_t i = 0; i < dims.count; i++) {
        int64_t at = dims.at[i];
        if (at < 0 || at >= shape->rank || at >= DIMS_MAX || (*taken >> at & 1) ||
            shape->dims[at] < 0)
            return false;
        *taken |= UINT64_C(1) << at;
        *product = xpd_mul_i64(*product, shape->dims[at], &overflow);
    }
    return !overflow;
}

static bool rest_of(const struct xpd_shape *shape, uint64_t taken, int64_t *product)
{
    bool overflow = false;
    *product = 1;
    if (shape->rank > DIMS_MAX)
        return false;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (taken >> i & 1)
            continue;
        if (shape->dims[i] < 0)
            return false;
        *product = xpd_mul_i64(*product, shape->dims[i], &overflow);
    }
    return !overflow;
}

bool xpd_cost_dot(struct xpd_cost_work *work, uint32_t instruction, const struct xpd_raw *raw,
                  struct xpd_matmul *out)
{
    struct xpd_arena *scratch = &work->printer->scratch;
    struct xpd_raw dims = xpd_raw_message(scratch, raw, DOT_DIMS);
    const struct xpd_shape *lhs = xpd_cost_operand_shape(work->hlo, instruction, 0);
    const struct xpd_shape *rhs = xpd_cost_operand_shape(work->hlo, instruction, 1);
    uint64_t left = 0, right = 0;
    int64_t k_left, k_right, batch_left, batch_right;
    bool overflow = false;
    if (!lhs || !rhs || !take(lhs, xpd_raw_ints(scratch, &dims, 1), &left, &k_left) ||
        !take(rhs, xpd_raw_ints(scratch, &dims, 2), &right, &k_right) ||
        !take(lhs, xpd_raw_ints(scratch, &dims, 3), &left, &batch_left) ||
        !take(rhs, xpd_raw_ints(scratch, &dims, 4), &right, &batch_right) || k_left != k_right ||
        batch_left != batch_right || !rest_of(lhs, left, &out->m) || !rest_of(rhs, right, &out->n))
        return false;
    out->instruction = instruction;
    out->batch = batch_left;
    out->k = k_left;
    out->flops = xpd_mul_i64(xpd_mul_i64(out->batch, out->m, &overflow),
                             xpd_mul_i64(out->n, out->k, &overflow), &overflow);
    out->flops = xpd_mul_i64(out->flops, 2, &overflow);
    return !overflow;
}

/* ---- convolution ---- */

struct window_dim {
    int64_t size, stride, pad_low, dilation, base_dilation;
};

static int64_t ceil_div(int64_t a, int64_t b) /* b > 0 */
{
    return a / b + (a % b > 0);
}

static int64_t floor_div(int64_t a, int64_t b) /* b > 0 */
{
    return a / b - (a % b < 0);
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* How many i in [0, count) have start + i*step in [0, limit] and divisible by `by`. All sizes are
 * below 2^31 here, step > 0. */
static int64_t hits(int64_t start, int64_t step, int64_t count, int64_t limit, int64_t by,
                    int64_t *steps_left)
{
    int64_t first = start < 0 ? ceil_div(-start, step) : 0;
    int64_t last = floor_div(limit - start, step);
    last = last < count - 1 ? last : count - 1;
    int64_t period = by / greatest_divisor(by, step);
    for (int64_t i = 0; period > 1 && (start + first * step) % by != 0; first++, i++)
        if (i >= period || --*steps_left <= 0)
            return 0;
    return first > last ? 0 : (last - first) / period + 1;
}

enum { SIZE_MOST = 1 << 30 };

static bool sane(int64_t value, int64_t least)
{
    return value >= least && value <= SIZE_MOST;
}

/* Pairs of an output position and a kernel position that meet an element of the input, over one
 * spatial dimension; -1 when the sizes make no sense. */
static int64_t valid_positions(const struct window_dim *w, int64_t input, int64_t output,
                               int64_t *steps_left)
{
    if (!sane(w->size, 0) || !sane(w->stride, 1) || !sane(w->dilation, 1) ||
        !sane(w->base_dilation, 1) || !sane(input, 0) || !sane(output, 0) ||
        w->pad_low < -SIZE_MOST || w->pad_low > SIZE_MOST)
        return -1;
    if (input == 0)
        return 0;
    /* The two positions enter alike: go through the shorter, count the longer in one step. */
    bool over_kernel = w->size <= output;
    int64_t outer = over_kernel ? w->size : output, inner = over_kernel ? output : w->size;
    int64_t outer_step = over_kernel ? w->dilation : w->stride;
    int64_t inner_step = over_kernel ? w->stride : w->dilation;
    int64_t limit = (input - 1) * w->base_dilation, sum = 0;
    for (int64_t i = 0; i < outer; i++) {
        if (--*steps_left <= 0)
            return -1;
        sum += hits(i * outer_step - w->pad_low, inner_step, inner, limit, w->base_dilation,
                    steps_left);
    }
    return *steps_left > 0 ? sum : -1;
}

static struct window_dim read_window_dim(const struct xpd_raw *raw)
{
    return (struct window_dim){.size = xpd_raw_int(raw, 1, 0),
                               .stride = xpd_raw_int(raw, 2, 1),
                               .pad_low = xpd_raw_int(raw, 3, 0),
                               .dilation = xpd_raw_int(raw, 5, 1),
                               .base_dilation = xpd_raw_int(raw, 6, 1)};
}

static bool size_of(const struct xpd_shape *shape, int64_t dimension, int64_t *size)
{
    if (!shape || dimension < 0 || dimension >= shape->rank || shape->dims[dimension] < 0)
        return false;
    *size = shape->dims[dimension];
    return true;
}

struct spatial { /* products over the spatial dimensions */
    int64_t valid, batch, m, n, k;
};

/* TPU programs write matrix products as convolutions; a spatial dimension then stands for a batch
 * dimension (each output meets one element of both sides), a free dimension of one side, or one
 * that is summed over. A window that slides is m x k: positions by window elements. */
static void classify(struct spatial *out, const struct window_dim *w, int64_t input, int64_t output,
                     int64_t valid, bool *overflow)
{
    bool single = valid == output && w->size == output;
    if (w->size == 1)
        out->m = xpd_mul_i64(out->m, output, overflow);
    else if (single && input == 1)
        out->n = xpd_mul_i64(out->n, output, overflow);
    else if (single && input == output)
        out->batch = xpd_mul_i64(out->batch, output, overflow);
    else if (output == 1)
        out->k = xpd_mul_i64(out->k, valid, overflow);
    else {
        out->m = xpd_mul_i64(out->m, output, overflow);
        out->k = xpd_mul_i64(out->k, w->size, overflow);
    }
    out->valid = xpd_mul_i64(out->valid, valid, overflow);
}

/* What a convolution reads and gives, by the names that its dimension numbers have for it. */
struct sides {
    const struct xpd_shape *input, *output;
    const struct xpd_shape *kernel; /* NULL: as large as the window */
};

/* A convolution by cuDNN also gives the room that it works in. */
static struct sides sides_as_forward(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_shape *shape = hlo->instructions.shape[instruction];
    return (struct sides){xpd_cost_operand_shape(hlo, instruction, 0),
                          shape->element_count ? &shape->element[0] : shape,
                          xpd_cost_operand_shape(hlo, instruction, 1)};
}

/* One that goes backward has the dimension numbers and the window of the forward one, whose input
 * or kernel is its result: it multiplies the same pairs. */
static struct sides sides_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    struct sides as = sides_as_forward(hlo, instruction);
    struct xpd_str target = xpd_hlo_text(hlo, hlo->instructions.call_target[instruction]);
    if (xpd_str_starts(target, "__cudnn$convBackwardInput"))
        return (struct sides){as.output, as.input, NULL};
    if (xpd_str_starts(target, "__cudnn$convBackwardFilter"))
        return (struct sides){as.input, as.kernel, NULL};
    return (struct sides){as.input, as.output, NULL};
}

static bool read_spatial(struct xpd_cost_work *work, struct sides sides, const struct xpd_raw *raw,
                         const struct xpd_raw *dims, struct spatial *out)
{
    struct xpd_arena *scratch = &work->printer->scratch;
    struct xpd_raw_ints in = xpd_raw_ints(scratch, dims, 11);
    struct xpd_raw_ints kernel = xpd_raw_ints(scratch, dims, 6);
    struct xpd_raw_ints to = xpd_raw_ints(scratch, dims, 12);
    struct xpd_raw window = xpd_raw_message(scratch, raw, WINDOW), one;
    uint32_t at = 0;
    bool overflow = false;
    *out = (struct spatial){1, 1, 1, 1, 1};
    for (uint32_t i = 0; i < in.count; i++) {
        int64_t input, output;
        if (i >= to.count || !xpd_raw_each(scratch, &window, 1, &at, &one) ||
            !size_of(sides.input, in.at[i], &input) || !size_of(sides.output, to.at[i], &output))
            return false;
        struct window_dim w = read_window_dim(&one);
        if (sides.kernel && (i >= kernel.count || !size_of(sides.kernel, kernel.at[i], &w.size)))
            return false;
        int64_t valid = valid_positions(&w, input, output, &work->steps_left);
        if (valid < 0)
            return false;
        classify(out, &w, input, output, valid, &overflow);
    }
    return !overflow;
}

static bool convolve(struct xpd_cost_work *work, struct sides sides, const struct xpd_raw *raw,
                     struct xpd_matmul *out)
{
    struct xpd_raw dims = xpd_raw_message(&work->printer->scratch, raw, CONVOLUTION_DIMS);
    int64_t groups = xpd_raw_int(raw, FEATURE_GROUPS, 1);
    int64_t batch_groups = xpd_raw_int(raw, BATCH_GROUPS, 1);
    int64_t batch, features, output_features;
    struct spatial s;
    bool overflow = false;
    groups = groups == 0 ? 1 : groups; /* old files leave it out */
    batch_groups = batch_groups == 0 ? 1 : batch_groups;
    if (!xpd_raw_has(raw, CONVOLUTION_DIMS) || groups < 0 || batch_groups < 0 ||
        !size_of(sides.input, xpd_raw_int(&dims, 7, 0), &batch) ||
        !size_of(sides.input, xpd_raw_int(&dims, 8, 0), &features) ||
        !size_of(sides.output, xpd_raw_int(&dims, 10, 0), &output_features) ||
        !read_spatial(work, sides, raw, &dims, &s))
        return false;
    int64_t blocks = groups > batch_groups ? groups : batch_groups;
    out->batch = xpd_mul_i64(blocks, s.batch, &overflow);
    out->m = xpd_mul_i64(batch / batch_groups, s.m, &overflow);
    out->n = xpd_mul_i64(output_features / blocks, s.n, &overflow);
    out->k = xpd_mul_i64(features / groups, s.k, &overflow);
    int64_t rows = xpd_mul_i64(batch / batch_groups, s.valid, &overflow);
    int64_t columns = xpd_mul_i64(features / groups, output_features, &overflow);
    out->flops = xpd_mul_i64(xpd_mul_i64(rows, columns, &overflow), 2, &overflow);
    return !overflow;
}

bool xpd_cost_convolution(struct xpd_cost_work *work, uint32_t instruction,
                          const struct xpd_raw *raw, struct xpd_matmul *out)
{
    struct xpd_matmul forward = {0};
    *out = (struct xpd_matmul){.instruction = instruction, .is_convolution = true};
    bool fits = convolve(work, sides_as_forward(work->hlo, instruction), raw, &forward);
    out->flops_as_forward = fits ? forward.flops : XPD_COST_UNKNOWN;
    return convolve(work, sides_of(work->hlo, instruction), raw, out);
}

int64_t xpd_cost_window_elements(struct xpd_cost_work *work, const struct xpd_raw *raw)
{
    struct xpd_arena *scratch = &work->printer->scratch;
    struct xpd_raw window = xpd_raw_message(scratch, raw, WINDOW), one;
    int64_t elements = 1;
    bool overflow = false;
    for (uint32_t at = 0; xpd_raw_each(scratch, &window, 1, &at, &one);)
        elements = xpd_mul_i64(elements, xpd_raw_int(&one, 1, 0), &overflow);
    return elements < 0 ? 0 : elements;
}

/* Whether every position of the window covers the whole input: the compiler's way to write a
 * reduction whose result is broadcast again. */
static bool covers_all(const struct window_dim *w, int64_t input, int64_t output)
{
    int64_t last = (output - 1) * w->stride - w->pad_low; /* where the last window starts */
    return w->dilation == 1 && w->base_dilation == 1 && output > 1 && last <= 0 &&
           w->size - w->pad_low >= input;
}

int64_t xpd_cost_window_folds(struct xpd_cost_work *work, uint32_t instruction,
                              const struct xpd_raw *raw)
{
    struct xpd_arena *scratch = &work->printer->scratch;
    struct xpd_raw window = xpd_raw_message(scratch, raw, WINDOW), one;
    const struct xpd_shape *in = xpd_cost_operand_shape(work->hlo, instruction, 0);
    const struct xpd_shape *out = work->hlo->instructions.shape[instruction];
    int64_t results = 1, each = 1, input, output;
    bool overflow = false;
    uint32_t at = 0;
    out = out->element_count ? &out->element[0] : out;
    for (int64_t d = 0; xpd_raw_each(scratch, &window, 1, &at, &one); d++) {
        struct window_dim w = read_window_dim(&one);
        if (!size_of(in, d, &input) || !size_of(out, d, &output) || !sane(w.size, 0) ||
            !sane(w.stride, 1) || !sane(input, 0) || !sane(output, 0) || w.pad_low < -SIZE_MOST ||
            w.pad_low > SIZE_MOST)
            return -1;
        bool all = covers_all(&w, input, output);
        results = xpd_mul_i64(results, all ? 1 : output, &overflow);
        each = xpd_mul_i64(each, all ? input : w.size, &overflow);
    }
    return each < 1 ? 0 : xpd_mul_i64(results, each - 1, &overflow);
}

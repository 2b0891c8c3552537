/* How exactly, how sparsely and in which scale a dot or a convolution multiplies. */
#include "print_put.h"

static const char *const algorithm[] = {NULL,
                                        "dot_any_f8_any_f8_f32",
                                        "dot_any_f8_any_f8_f32_fast_accum",
                                        "dot_f16_f16_f16",
                                        "dot_f16_f16_f32",
                                        "dot_bf16_bf16_bf16",
                                        "dot_bf16_bf16_f32",
                                        "dot_bf16_bf16_f32_x3",
                                        "dot_bf16_bf16_f32_x6",
                                        "dot_tf32_tf32_f32",
                                        "dot_tf32_tf32_f32_x3",
                                        "dot_f32_f32_f32",
                                        "dot_f64_f64_f64",
                                        "dot_bf16_bf16_f32_x9",
                                        "dot_bf16_bf16_fp8x3",
                                        "dot_bf16_bf16_fp8x4"};

void xpd_print_precision(struct xpd_print *p, uint32_t factors)
{
    static const char *const word[] = {"default", "high", "highest", "packed_nibble"};
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw config = xpd_raw_message(scratch, &p->raw, 51);
    struct xpd_raw_ints operand = xpd_raw_ints(scratch, &config, 1);
    int64_t which = xpd_raw_int(&config, 2, 0);
    bool any = false;
    for (uint32_t i = 0; i < operand.count && i < factors; i++)
        any = any || operand.at[i] != 0;
    for (uint32_t i = 0; any && i < factors; i++) { /* one each; the default if missing */
        int64_t how = i < operand.count ? operand.at[i] : 0;
        if (i == 0)
            xpd_print_next(p);
        xpd_strbuf_puts(p->out, i ? "," : "operand_precision={");
        if (how >= 0 && how < 4)
            xpd_strbuf_puts(p->out, word[how]);
        else
            xpd_strbuf_i64(p->out, how);
    }
    if (any)
        xpd_strbuf_putc(p->out, '}');
    if (which == 0)
        return;
    xpd_print_next(p);
    if (which > 0 && (uint64_t)which < sizeof algorithm / sizeof algorithm[0])
        xpd_strbuf_printf(p->out, "algorithm=%s", algorithm[which]);
    else
        xpd_strbuf_printf(p->out, "algorithm=%lld", (long long)which);
}

/* ---- sparsity_config, block_scaling_config ---- */

static void put_sparsity(struct xpd_print *p, const struct xpd_raw *of)
{
    xpd_strbuf_printf(p->out, "{sparsity=%lldx%lld dimension=%lld stride=%lld idx=%lld}",
                      (long long)xpd_raw_int(of, 1, 0), (long long)xpd_raw_int(of, 2, 0),
                      (long long)xpd_raw_int(of, 3, 0), (long long)xpd_raw_int(of, 4, 0),
                      (long long)xpd_raw_int(of, 5, 0));
}

static void put_sizes(struct xpd_print *p, const char *key, struct xpd_raw_ints sizes)
{
    for (uint32_t i = 0; i < sizes.count; i++) {
        xpd_strbuf_puts(p->out, i ? "x" : key);
        xpd_strbuf_i64(p->out, sizes.at[i]);
    }
}

static void put_scaling(struct xpd_print *p, const struct xpd_raw *of)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    xpd_strbuf_printf(p->out, "{scale_idx=%lld", (long long)xpd_raw_int(of, 1, 0));
    if (xpd_raw_int(of, 2, 0))
        xpd_strbuf_printf(p->out, " zero_idx=%lld", (long long)xpd_raw_int(of, 2, 0));
    put_sizes(p, " strides=", xpd_raw_ints(scratch, of, 3));
    put_sizes(p, " steps=", xpd_raw_ints(scratch, of, 4));
    xpd_strbuf_putc(p->out, '}');
}

/* {lhs={...} rhs={...}} of those present. */
static void put_sides(struct xpd_print *p, const char *key, uint32_t number,
                      void (*put)(struct xpd_print *p, const struct xpd_raw *of))
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw config = xpd_raw_message(scratch, &p->raw, number);
    bool left = xpd_raw_has(&config, 1), right = xpd_raw_has(&config, 2);
    if (!left && !right)
        return;
    xpd_put(p, key);
    xpd_strbuf_putc(p->out, '{');
    if (left) {
        struct xpd_raw of = xpd_raw_message(scratch, &config, 1);
        xpd_strbuf_puts(p->out, "lhs=");
        put(p, &of);
    }
    if (right) {
        struct xpd_raw of = xpd_raw_message(scratch, &config, 2);
        xpd_strbuf_puts(p->out, left ? " rhs=" : "rhs=");
        put(p, &of);
    }
    xpd_strbuf_putc(p->out, '}');
}

void xpd_print_scaling(struct xpd_print *p)
{
    put_sides(p, "sparsity_config", 98, put_sparsity);
    put_sides(p, "block_scaling_config", 101, put_scaling);
}

/* Writing one attribute: ", key=value" and its kin. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_PRINT_PUT_H
#define XPROFD_SRC_HLO_PRINT_PUT_H

#include "print_internal.h"

static inline void xpd_put(struct xpd_print *p, const char *key)
{
    xpd_print_next(p);
    xpd_strbuf_puts(p->out, key);
    xpd_strbuf_putc(p->out, '=');
}

/* Before an item of a list: the start of the attribute, or the separator. */
static inline void xpd_put_item(struct xpd_print *p, bool first, const char *beginning,
                                const char *between)
{
    if (first)
        xpd_print_next(p);
    xpd_strbuf_puts(p->out, first ? beginning : between);
}

static inline void xpd_put_int(struct xpd_print *p, const char *key, int64_t value)
{
    xpd_put(p, key);
    xpd_strbuf_i64(p->out, value);
}

static inline void xpd_put_true(struct xpd_print *p, const char *key, uint32_t number)
{
    if (xpd_raw_int(&p->raw, number, 0)) {
        xpd_put(p, key);
        xpd_strbuf_puts(p->out, "true");
    }
}

static inline void xpd_put_bool(struct xpd_print *p, const char *key, uint32_t number)
{
    xpd_put(p, key);
    xpd_strbuf_puts(p->out, xpd_raw_int(&p->raw, number, 0) ? "true" : "false");
}

static inline void xpd_put_list(struct xpd_print *p, const char *key, uint32_t number)
{
    xpd_put(p, key);
    xpd_strbuf_putc(p->out, '{');
    xpd_print_ints(p->out, xpd_raw_ints(&p->printer->scratch, &p->raw, number));
    xpd_strbuf_putc(p->out, '}');
}

/* A word for an enum value, or the number when the file knows one that we do not. */
static inline void xpd_put_word(struct xpd_print *p, const char *key, const char *const *word,
                                size_t count, int64_t value)
{
    xpd_put(p, key);
    if (value >= 0 && (uint64_t)value < count && word[value])
        xpd_strbuf_puts(p->out, word[value]);
    else
        xpd_strbuf_i64(p->out, value);
}
#define XPD_PUT_WORD(p, key, words, value)                                                         \
    xpd_put_word((p), (key), (words), sizeof(words) / sizeof((words)[0]), (value))

static inline void xpd_put_quoted(struct xpd_print *p, const char *key, uint32_t number)
{
    xpd_put(p, key);
    xpd_strbuf_putc(p->out, '"');
    xpd_print_escaped(p->out, xpd_raw_text(&p->raw, number));
    xpd_strbuf_putc(p->out, '"');
}

static inline int64_t xpd_print_int(const struct xpd_print *p, uint32_t number)
{
    return xpd_raw_int(&p->raw, number, 0);
}

static inline uint32_t xpd_operands(const struct xpd_print *p)
{
    const struct xpd_hlo_instructions *ins = &p->hlo->instructions;
    return ins->operand_first[p->instruction + 1] - ins->operand_first[p->instruction];
}

/* NULL when there is no first operand. */
static inline const struct xpd_shape *xpd_first_operand_shape(const struct xpd_print *p)
{
    const struct xpd_hlo_instructions *ins = &p->hlo->instructions;
    uint32_t first = ins->operand_first[p->instruction];
    if (first == ins->operand_first[p->instruction + 1] || ins->operand[first] == XPD_NO_INDEX)
        return NULL;
    return ins->shape[ins->operand[first]];
}

#endif

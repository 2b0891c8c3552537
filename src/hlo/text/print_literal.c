/* Literals as XLA prints them.
 *
 * In: a shape and a LiteralProto taken apart. Out: { 1, 2 } and the like, on one line as in the
 * text of a program, or with line breaks between rows as in labels of a graph (XLA's
 * ToStringWithoutShapeOneline and ToStringWithoutShape). A literal shorter than its shape prints
 * its values, then a '?' and the number of values of the total. */
#include "print_values.h"

#include <stdlib.h>

struct nest {
    struct xpd_strbuf *out;
    const struct xpd_shape *shape;
    const struct xpd_values *values;
    char line_break; /* between braces and rows of several dimensions: ' ' or '\n' */
    uint64_t next;
    bool cut;      /* printed that the rest is missing */
    bool empty;    /* there are no elements: only braces */
    uint32_t rows; /* of an empty array, that are left to be written */
};

enum { EMPTY_ROWS = 4096 }; /* more are said to be more: a dimension may be anything beside a 0 */

static void put_row(struct nest *nest, uint32_t depth)
{
    int64_t n = nest->shape->dims[depth];
    bool bare = nest->shape->rank == 1 || n <= 1;
    if (nest->shape->rank > 1 && nest->line_break == '\n')
        xpd_strbuf_puts(nest->out, "  ");
    xpd_strbuf_puts(nest->out, bare ? "{" : "{ ");
    for (int64_t i = 0; i < n && !nest->out->failed; i++) {
        if (i != 0)
            xpd_strbuf_puts(nest->out, ", ");
        if (nest->next >= nest->values->count) { /* the rest is missing: once is enough */
            if (!nest->cut)
                xpd_put_missing(nest->out, nest->values, nest->shape);
            nest->cut = true;
            break;
        }
        xpd_put_value(nest->out, nest->values, nest->next++, nest->shape);
    }
    xpd_strbuf_puts(nest->out, bare ? "}" : " }");
}

static void begin_nest(struct nest *nest, uint32_t depth, int64_t index)
{
    const struct xpd_shape *shape = nest->shape;
    bool numbered = shape->rank > 3 && depth > 0;
    xpd_strbuf_putc(nest->out, '{');
    if (numbered)
        xpd_strbuf_printf(nest->out, " /*i%u=%lld*/", depth - 1, (long long)index);
    if (!numbered || shape->dims[depth] > 0)
        xpd_strbuf_putc(nest->out, nest->line_break);
}

static void put_nest(struct nest *nest, uint32_t depth, int64_t index)
{
    const struct xpd_shape *shape = nest->shape;
    if (depth + 1 == shape->rank) {
        put_row(nest, depth);
        return;
    }
    begin_nest(nest, depth, index);
    for (int64_t i = 0; i < shape->dims[depth] && !nest->out->failed; i++) {
        if (i != 0) {
            xpd_strbuf_putc(nest->out, ',');
            xpd_strbuf_putc(nest->out, nest->line_break);
        }
        if (nest->empty && nest->rows-- == 0) {
            nest->rows = 0;
            xpd_strbuf_puts(nest->out, "...");
            break;
        }
        if (!nest->empty && i != 0 && nest->next >= nest->values->count) { /* as above */
            if (nest->cut)
                xpd_strbuf_putc(nest->out, '?');
            else
                xpd_put_missing(nest->out, nest->values, shape);
            nest->cut = true;
            break;
        }
        put_nest(nest, depth + 1, i);
    }
    xpd_strbuf_putc(nest->out, nest->line_break);
    xpd_strbuf_putc(nest->out, '}');
}

static void put_tuple(struct xpd_print *p, const struct xpd_shape *shape,
                      const struct xpd_raw *literal, int depth)
{
    struct xpd_raw element;
    uint32_t at = 0;
    xpd_strbuf_puts(p->out, "( ");
    for (uint32_t i = 0; i < shape->element_count; i++) {
        if (i != 0)
            xpd_strbuf_puts(p->out, ", ");
        if (!xpd_raw_each(&p->printer->scratch, literal, 10, &at, &element))
            xpd_strbuf_putc(p->out, '?');
        else
            xpd_print_literal(p, &shape->element[i], &element, depth + 1);
    }
    xpd_strbuf_puts(p->out, " )");
}

void xpd_print_literal(struct xpd_print *p, const struct xpd_shape *shape,
                       const struct xpd_raw *literal, int depth)
{
    if (shape->type == XPD_TYPE_TUPLE) {
        if (depth < XPD_PRINT_DEPTH)
            put_tuple(p, shape, literal, depth);
        return;
    }
    struct xpd_values values = xpd_read_values(p, shape, literal);
    struct nest nest = {.out = p->out,
                        .shape = shape,
                        .values = &values,
                        .line_break = p->in_lines ? '\n' : ' ',
                        .empty = xpd_values_of(shape) == 0,
                        .rows = EMPTY_ROWS};
    if (shape->rank == 0)
        xpd_put_value(p->out, &values, 0, shape);
    else if (shape->rank <= XPD_PRINT_DEPTH)
        put_nest(&nest, 0, 0);
    else
        xpd_strbuf_puts(p->out, "{...}");
}

void xpd_print_literal_counts(struct xpd_print *p, const struct xpd_shape *shape,
                              const struct xpd_raw *literal, int depth, uint64_t *have,
                              uint64_t *want)
{
    if (shape->type != XPD_TYPE_TUPLE) {
        struct xpd_values values = xpd_read_values(p, shape, literal);
        uint64_t all = values.kind ? xpd_values_of(shape) : 0;
        *have += values.count < all ? values.count : all;
        *want += all;
        return;
    }
    struct xpd_raw element;
    uint32_t at = 0;
    for (uint32_t i = 0; i < shape->element_count && depth < XPD_PRINT_DEPTH; i++) {
        if (!xpd_raw_each(&p->printer->scratch, literal, 10, &at, &element))
            memset(&element, 0, sizeof element); /* none of its values is there */
        xpd_print_literal_counts(p, &shape->element[i], &element, depth + 1, have, want);
    }
}

bool xpd_print_literal_first(struct xpd_print *p, const struct xpd_shape *shape,
                             const struct xpd_raw *literal, uint64_t most, uint64_t *all)
{
    struct xpd_values values = xpd_read_values(p, shape, literal);
    *all = xpd_values_of(shape);
    if (shape->type == XPD_TYPE_TUPLE || !values.kind)
        return false;
    for (uint64_t i = 0; i < *all && i < most; i++) {
        xpd_strbuf_puts(p->out, i > 0 ? ", " : "");
        xpd_put_value(p->out, &values, i, shape);
        if (!xpd_value_is_there(&values, i)) /* the rest is missing: once is enough */
            break;
    }
    return true;
}

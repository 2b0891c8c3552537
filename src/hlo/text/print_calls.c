/* Attributes of fusions and custom calls: kind, target, aliasing, layouts, literal. */
#include "print_own.h"

enum { LENGTH = 2 };

static void put_index(struct xpd_print *p, const struct xpd_raw *raw, uint32_t number)
{
    xpd_strbuf_putc(p->out, '{');
    xpd_print_ints(p->out, xpd_raw_ints(&p->printer->scratch, raw, number));
    xpd_strbuf_putc(p->out, '}');
}

void xpd_own_output_aliasing(struct xpd_print *p)
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

void xpd_own_fusion(struct xpd_print *p)
{
    struct xpd_str kind = xpd_raw_text(&p->raw, 11);
    xpd_put(p, "kind");
    xpd_strbuf_add(p->out, kind.data, kind.size);
    xpd_own_output_aliasing(p);
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
    xpd_shape_text(p->out, shape, true);
    xpd_strbuf_putc(p->out, ' ');
    xpd_print_literal(p, shape, &literal, 0);
}

void xpd_own_custom_call(struct xpd_print *p)
{
    static const char *const padding[] = {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"};
    static const char *const schedule[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
    static const char *const api[] = {
        "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
        "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
    if (xpd_raw_has(&p->raw, 15))
        xpd_put_window(p);
    if (xpd_raw_has(&p->raw, 16))
        xpd_print_convolution_dims(p);
    xpd_own_group_counts(p);
    xpd_print_precision(p, xpd_operands(p));
    if (xpd_print_int(p, 75))
        XPD_PUT_WORD(p, "padding_type", padding, xpd_print_int(p, 75));
    xpd_put_quoted(p, "custom_call_target", 28);
    layout_constraints(p);
    xpd_put_true(p, "custom_call_has_side_effect", 65);
    custom_literal(p);
    xpd_own_output_aliasing(p);
    if (xpd_print_int(p, 76))
        XPD_PUT_WORD(p, "schedule", schedule, xpd_print_int(p, 76));
    if (xpd_print_int(p, 77) != 1)
        XPD_PUT_WORD(p, "api_version", api, xpd_print_int(p, 77));
}

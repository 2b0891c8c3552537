/* Replica groups and the attributes of operations between devices. */
#include "print_own.h"

/* Attributes of fusions and custom calls: kind, target, aliasing, layouts, literal. */

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

static void put_iota(struct xpd_print *p, const struct xpd_raw *iota)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    xpd_strbuf_printf(p->out, "[%lld,%lld]<=", (long long)xpd_raw_int(iota, 1, 0),
                      (long long)xpd_raw_int(iota, 2, 0));
    xpd_print_iota(p, xpd_raw_ints(scratch, iota, 3), xpd_raw_ints(scratch, iota, 4));
}

static void put_lists(struct xpd_print *p, const struct xpd_raw *raw, uint32_t number)
{
    struct xpd_raw group;
    uint32_t at = 0;
    xpd_strbuf_putc(p->out, '{');
    for (bool first = true; xpd_raw_each(&p->printer->scratch, raw, number, &at, &group);
         first = false) {
        xpd_strbuf_puts(p->out, first ? "{" : ",{");
        xpd_print_ints(p->out, xpd_raw_ints(&p->printer->scratch, &group, 1));
        xpd_strbuf_putc(p->out, '}');
    }
    xpd_strbuf_putc(p->out, '}');
}

static void print_replica_groups(struct xpd_print *p)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw groups = xpd_raw_message(scratch, &p->raw, 93);
    if (xpd_raw_has(&p->raw, 93)) {
        xpd_print_mesh_groups(p, &groups);
        return;
    }
    struct xpd_raw list = xpd_raw_message(scratch, &p->raw, 87);
    groups = xpd_raw_message(scratch, &p->raw, 92);
    if (xpd_raw_has(&p->raw, 92) && xpd_raw_count(&list, 1) == 0) {
        put_iota(p, &groups);
        return;
    }
    if (xpd_raw_has(&p->raw, 49)) {
        put_lists(p, &p->raw, 49);
        return;
    }
    struct xpd_raw old = xpd_raw_message(scratch, &list, 2);
    if (xpd_raw_has(&list, 2) && !(p->flags & XPD_PRINT_XPROF))
        put_iota(p, &old);
    else
        put_lists(p, &list, 1);
}

/* ---- attributes of collectives, send and receive ---- */

static void channel(struct xpd_print *p)
{
    if (xpd_print_int(p, 26) > 0)
        xpd_put_int(p, "channel_id", xpd_print_int(p, 26));
}

void xpd_own_send_recv(struct xpd_print *p)
{
    channel(p);
    xpd_put_true(p, "is_host_transfer", 47);
}

void xpd_own_collective(struct xpd_print *p)
{
    channel(p);
    xpd_put(p, "replica_groups");
    print_replica_groups(p);
    xpd_put_true(p, "constrain_layout", 56);
}

void xpd_own_collective_broadcast(struct xpd_print *p)
{
    xpd_own_collective(p);
    xpd_put_bool(p, "has_dynamic_root", 100);
}

void xpd_own_all_reduce(struct xpd_print *p)
{
    if (xpd_print_int(p, 26) <= 0 && xpd_print_int(p, 45) > 0) /* all_reduce_id, its name before */
        xpd_put_int(p, "channel_id", xpd_print_int(p, 45));
    xpd_own_collective(p);
    xpd_put_true(p, "use_global_device_ids", 71);
}

void xpd_own_all_gather(struct xpd_print *p)
{
    xpd_own_collective(p);
    xpd_put_list(p, "dimensions", 14);
    xpd_put_true(p, "use_global_device_ids", 71);
}

void xpd_own_reduce_scatter(struct xpd_print *p)
{
    xpd_own_all_reduce(p);
    xpd_put_list(p, "dimensions", 14);
}

void xpd_own_all_to_all(struct xpd_print *p)
{
    xpd_own_collective(p);
    if (xpd_raw_ints(&p->printer->scratch, &p->raw, 14).count)
        xpd_put_list(p, "dimensions", 14);
}

/* The sizes follow each other, one for each dimension of each sent array; XLA reads those of the
 * existing arrays. */
static void slice_sizes(struct xpd_print *p)
{
    struct xpd_raw_ints size = xpd_raw_ints(&p->printer->scratch, &p->raw, 20);
    const struct xpd_shape *sent = xpd_first_operand_shape(p);
    if (size.count == 0)
        return;
    uint32_t arrays = 1;
    if (sent && sent->type == XPD_TYPE_TUPLE && sent->element_count) {
        arrays = sent->element_count;
        sent = &sent->element[0];
    }
    uint32_t rank = sent && sent->rank ? sent->rank : size.count;
    xpd_put(p, "slice_sizes");
    xpd_strbuf_putc(p->out, '{');
    for (uint32_t i = 0; i < size.count; i += rank) {
        uint32_t left = size.count - i;
        xpd_strbuf_puts(p->out, i ? ",{" : "{");
        xpd_print_ints(p->out, (struct xpd_raw_ints){size.at + i, left < rank ? left : rank});
        xpd_strbuf_putc(p->out, '}');
        if (left <= rank || --arrays == 0)
            break;
    }
    xpd_strbuf_putc(p->out, '}');
}

void xpd_own_permute(struct xpd_print *p)
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
    slice_sizes(p);
}

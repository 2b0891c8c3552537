/* Texts of shapes, kept: a program has few shapes and names each of them thousands of times.
 *
 * In: a frozen shape, identified by its address (equal shapes of a module are one). Out: its text.
 * Invariant: every entry's text lies in printer->shape_text, which is emptied together with the
 * entries. */
#include "print_internal.h"

enum { KEPT_BYTES = 65536, KEPT_TEXT_BYTES = 256 }; /* of all texts, of one */

static struct xpd_shape_kept *entry_of(struct xpd_hlo_printer *printer,
                                       const struct xpd_shape *shape)
{
    uint64_t hash = (uint64_t)(uintptr_t)shape * 0x9E3779B97F4A7C15u;
    return &printer->shape_kept[hash >> (64 - XPD_SHAPES_KEPT_BITS)];
}

static void keep(struct xpd_hlo_printer *printer, const struct xpd_shape *shape,
                 struct xpd_str text)
{
    if (text.size > KEPT_TEXT_BYTES)
        return;
    if (printer->shape_text.size + text.size > KEPT_BYTES) {
        memset(printer->shape_kept, 0, sizeof printer->shape_kept);
        xpd_strbuf_clear(&printer->shape_text);
    }
    size_t at = printer->shape_text.size;
    xpd_strbuf_add(&printer->shape_text, text.data, text.size);
    if (!printer->shape_text.failed)
        *entry_of(printer, shape) =
            (struct xpd_shape_kept){shape, (uint32_t)at, (uint32_t)text.size};
}

void xpd_print_known_shape(struct xpd_print *p, const struct xpd_shape *shape)
{
    const struct xpd_shape_kept *kept = entry_of(p->printer, shape);
    if (kept->shape == shape) {
        xpd_strbuf_add(p->out, p->printer->shape_text.data + kept->at, kept->size);
        return;
    }
    size_t from = p->out->size;
    xpd_shape_text(p->out, shape, true);
    if (!p->out->failed)
        keep(p->printer, shape, (struct xpd_str){p->out->data + from, p->out->size - from});
}

/* Values of an HloProto: protobuf's text format (TextFormat of protobuf's C++) and its JSON.
 *
 * In: a field of the table and its value. Out: "name: value" on a line of its own, or the bare
 * value in JSON, where the caller has written the key. */
#include "proto_put.h"

#include "print_internal.h"
#include "xprofd/base/base64.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void xpd_proto_put_indent(struct xpd_proto_put *p)
{
    static const char spaces[] = "                                ";
    for (size_t left = (size_t)p->indent * 2; left > 0;) {
        size_t n = left < sizeof spaces - 1 ? left : sizeof spaces - 1;
        xpd_strbuf_add(p->out, spaces, n);
        left -= n;
    }
}

/* ---- numbers ---- */

static int64_t signed_value(const struct xpd_proto_field *field, uint64_t bits)
{
    bool is_64 = field->kind == XPD_KIND_I64;
    return is_64 ? (int64_t)bits : (int64_t)(int32_t)(uint32_t)bits;
}

bool xpd_proto_is_zero(const struct xpd_proto_field *field, uint64_t bits)
{
    switch (field->kind) {
    case XPD_KIND_I32:
    case XPD_KIND_U32:
    case XPD_KIND_ENUM: return (uint32_t)bits == 0;
    default: return bits == 0; /* -0.0 is not left out: its bits are not zero */
    }
}

/* The fewest of two numbers of digits that read back equal, as protobuf writes them. */
static void real_text(const struct xpd_proto_field *field, double value, char *text, size_t room)
{
    bool is_float = field->kind == XPD_KIND_F32;
    snprintf(text, room, "%.*g", is_float ? 6 : 15, value);
    double back = is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
    if (back < value || back > value)
        snprintf(text, room, "%.*g", is_float ? 9 : 17, value);
    for (char *comma = text; *comma; comma++)
        if (*comma == ',') /* a library may have set another locale */
            *comma = '.';
}

static double real_of(const struct xpd_proto_field *field, uint64_t bits)
{
    if (field->kind == XPD_KIND_F64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
}

static void put_real(struct xpd_proto_put *p, const struct xpd_proto_field *field, uint64_t bits)
{
    double value = real_of(field, bits);
    char text[40];
    if (isfinite(value)) {
        real_text(field, value, text, sizeof text);
        if (p->is_json)
            xpd_json_raw(&p->json, xpd_str_of(text));
        else
            xpd_strbuf_puts(p->out, text);
    } else if (p->is_json) {
        xpd_json_text(&p->json, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
    } else {
        xpd_strbuf_puts(p->out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    }
}

static void put_word(struct xpd_proto_put *p, const struct xpd_proto_field *field, int64_t value)
{
    struct xpd_str word = xpd_proto_word(field->sub, value);
    if (value >= 0 && word.size) {
        if (p->is_json)
            xpd_json_str(&p->json, word);
        else
            xpd_strbuf_add(p->out, word.data, word.size);
    } else if (p->is_json) {
        xpd_json_i64(&p->json, value);
    } else {
        xpd_strbuf_i64(p->out, value);
    }
}

static void put_value(struct xpd_proto_put *p, const struct xpd_proto_field *field, uint64_t bits)
{
    switch (field->kind) {
    case XPD_KIND_F32:
    case XPD_KIND_F64: put_real(p, field, bits); break;
    case XPD_KIND_ENUM: put_word(p, field, signed_value(field, bits)); break;
    case XPD_KIND_BOOL:
        if (p->is_json)
            xpd_json_bool(&p->json, bits != 0);
        else
            xpd_strbuf_puts(p->out, bits ? "true" : "false");
        break;
    case XPD_KIND_U32: bits = (uint32_t)bits; /* fall through */
    case XPD_KIND_U64:
        if (p->is_json)
            xpd_json_u64(&p->json, bits);
        else
            xpd_strbuf_u64(p->out, bits);
        break;
    default:
        if (p->is_json)
            xpd_json_i64(&p->json, signed_value(field, bits));
        else
            xpd_strbuf_i64(p->out, signed_value(field, bits));
        break;
    }
}

static void put_name(struct xpd_proto_put *p, const struct xpd_proto_field *field)
{
    xpd_proto_put_indent(p);
    xpd_strbuf_puts(p->out, field->name);
    xpd_strbuf_add(p->out, ": ", 2);
}

void xpd_proto_put_number(struct xpd_proto_put *p, const struct xpd_proto_field *field,
                          uint64_t bits)
{
    if (!p->is_json)
        put_name(p, field);
    put_value(p, field, bits);
    if (!p->is_json)
        xpd_strbuf_putc(p->out, '\n');
}

/* ---- text and bytes ---- */

static void put_base64(struct xpd_proto_put *p, struct xpd_str bytes)
{
    xpd_json_raw(&p->json, XPD_STR("\""));
    xpd_base64_add(p->out, bytes.data, bytes.size);
    xpd_strbuf_putc(p->out, '"');
}

void xpd_proto_put_text(struct xpd_proto_put *p, const struct xpd_proto_field *field,
                        struct xpd_str text)
{
    if (p->is_json && field->kind == XPD_KIND_BYTES) {
        put_base64(p, text);
    } else if (p->is_json) {
        xpd_json_str(&p->json, text);
    } else {
        put_name(p, field);
        xpd_strbuf_putc(p->out, '"');
        xpd_print_escaped(p->out, text);
        xpd_strbuf_add(p->out, "\"\n", 2);
    }
}

void xpd_proto_put_note(struct xpd_proto_put *p, const char *note)
{
    if (p->is_json) {
        xpd_json_ktext(&p->json, "_note", note);
        return;
    }
    xpd_proto_put_indent(p);
    xpd_strbuf_printf(p->out, "# %s\n", note);
}

#include "hlo_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct xpd_hlo *ht_load_bytes(const void *bytes, size_t size, struct xpd_err *err)
{
    struct xpd_hlo *hlo = NULL;
    int code = xpd_hlo_load(&hlo, bytes, size, 0, "test", NULL, err);
    assert_true((code == XPD_OK) == (hlo != NULL));
    return hlo;
}

struct xpd_hlo *ht_load(struct hb *hb)
{
    struct pbw out = {0};
    hb_finish(hb, &out);
    struct xpd_err err = {0};
    struct xpd_hlo *hlo = ht_load_bytes(out.data, out.len, &err);
    pbw_free(&out);
    if (!hlo)
        fail_msg("%s", err.text);
    return hlo;
}

struct xpd_hlo *ht_load_shape(const struct hb_shape *shape)
{
    struct hb hb;
    hb_init(&hb, "shapes");
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(&hb,
                   &(struct hb_instr){.name = "p", .opcode = "parameter", .id = 1, .shape = shape});
    hb_end_computation(&hb, 1);
    return ht_load(&hb);
}

const char *ht_text(const struct xpd_shape *shape, bool with_layout)
{
    static char text[4096];
    struct xpd_strbuf out = {0};
    xpd_shape_text(&out, shape, with_layout);
    assert_false(out.failed);
    assert_true(out.size < sizeof text);
    memcpy(text, out.data ? out.data : "", out.size);
    text[out.size] = '\0';
    xpd_strbuf_fini(&out);
    return text;
}

uint64_t ht_warned(const struct xpd_hlo *hlo, const char *code)
{
    for (uint32_t i = 0; i < hlo->warnings.count; i++)
        if (strcmp(hlo->warnings.item[i].code, code) == 0)
            return hlo->warnings.item[i].count;
    return 0;
}

bool ht_is(const struct xpd_hlo *hlo, xpd_name_id id, const char *text)
{
    return xpd_str_eq(xpd_hlo_text(hlo, id), xpd_str_of(text));
}

const struct xpd_shape *ht_array(const struct ht_array *from)
{
    static struct ht_array kept;
    static struct xpd_tile tile[3];
    static struct xpd_layout layout;
    static struct xpd_shape shape;
    kept = *from;
    layout = (struct xpd_layout){.minor_to_major = kept.minor,
                                 .minor_to_major_count = kept.rank,
                                 .tile = tile,
                                 .element_size_bits = kept.bits,
                                 .tail_padding_elements = kept.tail};
    for (uint32_t i = 0; i < 3 && kept.tiles[i][0] != 0; i++) {
        uint32_t n = 0;
        while (n < 6 && kept.tiles[i][n] != 0)
            n++;
        tile[i] = (struct xpd_tile){kept.tiles[i], n};
        layout.tile_count++;
    }
    shape = (struct xpd_shape){
        .type = kept.type, .rank = kept.rank, .dims = kept.dims, .layout = &layout};
    return &shape;
}

/* A HloProto as protobuf text and JSON. The expected texts are protobuf's rules written out by hand
 * (TextFormat, JSON mapping); XProf's recorded pbtxt is compared in tests/golden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "hlo_test.h"
#include "xprofd/hlo/proto_text.h"

static void expect(const void *bytes, size_t size, enum xpd_proto_form form, const char *wanted)
{
    struct xpd_strbuf out = {0};
    assert_int_equal(xpd_hlo_proto_text(form, bytes, size, &out, NULL, NULL), XPD_OK);
    assert_string_equal(out.data ? out.data : "", wanted);
    xpd_strbuf_fini(&out);
}
#define EXPECT(bytes, form, wanted) expect((bytes), sizeof(bytes) - 1, (form), (wanted))

/* hlo_module{name:.. id: -1} : 1, length; 1 name; 5 id as ten bytes */
static void test_scalars(void **state)
{
    (void)state;
    EXPECT("", XPD_PROTO_TEXT, "");
    EXPECT("\x0a\x0f\x0a\x02\"\xff\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", XPD_PROTO_TEXT,
           "hlo_module {\n  name: \"\\\"\\377\"\n  id: -1\n}\n");
    /* fields in the order of their numbers, zeros and unknown fields (200) left out */
    EXPECT("\x0a\x0a\x28\x07\x0a\x01m\x30\x00\xc0\x0c\x01", XPD_PROTO_TEXT,
           "hlo_module {\n  name: \"m\"\n  id: 7\n}\n");
    /* beyond 2^53 JSON has a text */
    EXPECT("\x0a\x09\x28\x81\x80\x80\x80\x80\x80\x80\x10", XPD_PROTO_JSON,
           "{\"hlo_module\":{\"id\":\"9007199254740993\"}}\n");
}

/* A message written in two parts is one; the last of two scalars counts. */
static void test_parts(void **state)
{
    (void)state;
    EXPECT("\x0a\x03\x0a\x01x\x0a\x05\x0a\x01y\x28\x02", XPD_PROTO_TEXT,
           "hlo_module {\n  name: \"y\"\n  id: 2\n}\n");
}

/* hlo_module.schedule.sequences: a map, by key, of two equal keys the last */
static void test_map(void **state)
{
    (void)state;
    static const char bytes[] = "\x0a\x16\x3a\x14"
                                "\x0a\x02\x08\x02"
                                "\x0a\x06\x08\x01\x12\x02\x08\x09"
                                "\x0a\x06\x08\x02\x12\x02\x08\x08";
    EXPECT(
        bytes, XPD_PROTO_TEXT,
        "hlo_module {\n  schedule {\n"
        "    sequences {\n      key: 1\n      value {\n        instruction_ids: 9\n      }\n    }\n"
        "    sequences {\n      key: 2\n      value {\n        instruction_ids: 8\n      }\n    }\n"
        "  }\n}\n");
    EXPECT(bytes, XPD_PROTO_JSON,
           "{\"hlo_module\":{\"schedule\":{\"sequences\":["
           "{\"key\":1,\"value\":{\"instruction_ids\":[9]}},"
           "{\"key\":2,\"value\":{\"instruction_ids\":[8]}}]}}}\n");
}

/* computations.instructions: literal{f32s packed 1.5, nan}, shape{element_type F32, an unknown one}
 */
static void test_literal(void **state)
{
    (void)state;
    static const char bytes[] = "\x0a\x18\x1a\x16\x12\x14"
                                "\x1a\x02\x10\x63"
                                "\x42\x0e\x0a\x02\x10\x0b\x42\x08\x00\x00\xc0\x3f\x00\x00\xc0\x7f";
    EXPECT(bytes, XPD_PROTO_TEXT,
           "hlo_module {\n  computations {\n    instructions {\n"
           "      shape {\n        element_type: 99\n      }\n"
           "      literal {\n        shape {\n          element_type: F32\n        }\n"
           "        f32s: 1.5\n        f32s: nan\n      }\n"
           "    }\n  }\n}\n");
    EXPECT(bytes, XPD_PROTO_JSON,
           "{\"hlo_module\":{\"computations\":[{\"instructions\":[{\"shape\":{\"element_type\":99},"
           "\"literal\":{\"shape\":{\"element_type\":\"F32\"},\"f32s\":[1.5,\"NaN\"]}}]}]}}\n");
}

/* payloads: bytes are base64 in JSON, one, two and three of them */
static void test_bytes(void **state)
{
    (void)state;
    EXPECT("\x0a\x0f\xb2\x01\x01M\xb2\x01\x02Ma\xb2\x01\x03Man", XPD_PROTO_JSON,
           "{\"hlo_module\":{\"payloads\":[\"TQ==\",\"TWE=\",\"TWFu\"]}}\n");
}

/* A length that passes the end: what is before it, and a note. */
static void test_damage(void **state)
{
    (void)state;
    static const char bytes[] = "\x0a\x06\x0a\x01m\x0a\x7fx";
    struct xpd_strbuf out = {0};
    assert_int_equal(xpd_hlo_proto_text(XPD_PROTO_TEXT, (const uint8_t *)bytes, sizeof bytes - 1,
                                        &out, NULL, NULL),
                     XPD_OK);
    assert_non_null(strstr(out.data, "  name: \"m\"\n  # damaged from byte "));
    xpd_strbuf_fini(&out);
}

/* Shapes inside shapes: cut with a note, in both forms. */
static void test_depth(void **state)
{
    (void)state;
    enum { DEEP = 200 };
    struct pbw at = {0};
    for (int i = 0; i < DEEP; i++) {
        struct pbw outer = {0};
        pbw_bytes(&outer,
                  i == DEEP - 1   ? 1
                  : i == DEEP - 2 ? 3
                  : i == DEEP - 3 ? 2
                  : i == DEEP - 4 ? 3
                                  : 4,
                  at.data, at.len);
        pbw_free(&at);
        at = outer;
    }
    for (int json = 0; json < 2; json++) {
        struct xpd_strbuf out = {0};
        assert_int_equal(xpd_hlo_proto_text(json ? XPD_PROTO_JSON : XPD_PROTO_TEXT, at.data, at.len,
                                            &out, NULL, NULL),
                         XPD_OK);
        assert_non_null(strstr(out.data, " bytes are nested too deep and left out"));
        xpd_strbuf_fini(&out);
    }
    pbw_free(&at);
}

static bool count_pieces(void *self, struct xpd_strbuf *piece)
{
    size_t *all = self;
    assert_in_range(piece->size, XPD_HLO_PIECE_BYTES, XPD_HLO_PIECE_BYTES + 100);
    *all += piece->size;
    xpd_strbuf_clear(piece);
    return *all < 4 * (size_t)XPD_HLO_PIECE_BYTES;
}

/* Pieces go to the sink as they get ready; it can say that it has had enough. */
static void test_sink(void **state)
{
    (void)state;
    struct pbw module = {0}, out = {0};
    for (int i = 0; i < 100000; i++)
        pbw_bytes(&module, 22, "abcd", 4);
    pbw_bytes(&out, 1, module.data, module.len);
    size_t all = 0;
    struct xpd_strbuf piece = {0};
    struct xpd_hlo_sink sink = {count_pieces, &all};
    assert_int_equal(xpd_hlo_proto_text(XPD_PROTO_TEXT, out.data, out.len, &piece, &sink, NULL),
                     XPD_OK);
    assert_in_range(all, 4 * XPD_HLO_PIECE_BYTES, 5 * XPD_HLO_PIECE_BYTES);
    xpd_strbuf_fini(&piece);
    pbw_free(&module);
    pbw_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars), cmocka_unit_test(test_parts), cmocka_unit_test(test_map),
        cmocka_unit_test(test_literal), cmocka_unit_test(test_bytes), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_depth),   cmocka_unit_test(test_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Guard: depth, cut and wrong bytes with their offset, the estimate against what is really taken.
 */
#include "support/pbw.h"
#include "tree_message.h"
#include "xprofd/wire/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FAR UINT64_C(5000000000)

static int check(uint32_t max_depth, uint64_t max_bytes, const void *bytes, size_t size,
                 struct xpd_err *err)
{
    struct xpd_guard guard = {.max_depth = max_depth, .max_unpacked_bytes = max_bytes};
    return xpd_guard_check(&guard, &tree_descriptor, bytes, size, FAR, "tree", err);
}

/* `depth` messages, the outermost included, each in a field of the one around it. */
static struct pbw nested(size_t depth, uint32_t field)
{
    /* Built from the inside: lengths of the inner are known, bytes are put in reverse order. */
    size_t room = depth * 12 + 16, at = room;
    uint8_t *bytes = malloc(room);
    assert_non_null(bytes);
    for (size_t i = 1; i < depth; i++) {
        uint8_t header[12];
        size_t n = 0, size = room - at;
        header[n++] = (uint8_t)(field << 3 | 2);
        for (; size > 127; size >>= 7)
            header[n++] = (uint8_t)(size & 127) | 128;
        header[n++] = (uint8_t)size;
        at -= n;
        memcpy(bytes + at, header, n);
    }
    struct pbw w = {0};
    pbw_raw(&w, bytes + at, room - at);
    free(bytes);
    return w;
}

static void depth_is_exact(void **state)
{
    (void)state;
    struct xpd_err err;
    for (uint32_t field = 4; field <= 5; field++) {
        struct pbw w = nested(64, field);
        assert_int_equal(check(64, 0, w.data, w.len, &err), XPD_OK);
        assert_int_equal(check(63, 0, w.data, w.len, &err), XPD_ELIMIT);
        assert_non_null(strstr(err.text, "63"));
        assert_string_equal(err.where, "tree");
        /* The innermost of 64 is the empty one at the very end. */
        assert_true(err.offset == FAR + w.len);
        pbw_free(&w);
    }
    struct pbw w = nested(1, 4);
    assert_int_equal(w.len, 0);
    assert_int_equal(check(1, 0, w.data, w.len, &err), XPD_OK);
    pbw_free(&w);
    w = nested(128, 4); /* 0 and more than 128 mean 128 */
    assert_int_equal(check(0, 0, w.data, w.len, &err), XPD_OK);
    assert_int_equal(check(UINT32_MAX, 0, w.data, w.len, &err), XPD_OK);
    pbw_free(&w);
    w = nested(129, 4);
    assert_int_equal(check(UINT32_MAX, 0, w.data, w.len, &err), XPD_ELIMIT);
    assert_non_null(strstr(err.text, "128"));
    pbw_free(&w);
}

static void hundred_thousand_deep(void **state)
{
    (void)state;
    struct pbw w = nested(100000, 4);
    struct xpd_err err;
    struct xpd_arena arena = {0};
    struct xpd_guard guard = {.max_depth = 64};
    assert_int_equal(check(64, 0, w.data, w.len, &err), XPD_ELIMIT);
    assert_null(xpd_pb_unpack(&guard, &tree_descriptor, w.data, w.len, 0, "tree", &arena, &err));
    assert_int_equal(err.code, XPD_ELIMIT);
    assert_int_equal(arena.used_bytes, 0); /* protobuf-c was never called */
    xpd_arena_fini(&arena);
    pbw_free(&w);
}

/* Many messages side by side are no depth. */
static void width_is_no_depth(void **state)
{
    (void)state;
    struct pbw w = {0};
    for (int i = 0; i < 10000; i++) {
        size_t mark = pbw_begin(&w, 5);
        pbw_uint(&w, 1, (uint64_t)i);
        pbw_end(&w, mark);
    }
    struct xpd_err err;
    assert_int_equal(check(2, 0, w.data, w.len, &err), XPD_OK);
    assert_int_equal(check(1, 0, w.data, w.len, &err), XPD_ELIMIT);
    assert_true(err.offset == FAR + 2); /* the payload of the first */
    pbw_free(&w);
}

static void unpacks(void **state)
{
    (void)state;
    static const int64_t values[] = {1, -1, 300};
    struct pbw w = {0};
    pbw_uint(&w, 1, 42);
    pbw_str(&w, 2, "root");
    pbw_bytes(&w, 3, "a\0b", 3);
    size_t mark = pbw_begin(&w, 4);
    pbw_str(&w, 2, "child");
    pbw_end(&w, mark);
    pbw_ints(&w, 6, values, 3, true);
    pbw_ints(&w, 6, values, 3, false);
    pbw_str(&w, 9, "w0");
    pbw_str(&w, 9, "w1");
    pbw_uint(&w, 77, 5); /* unknown */
    struct xpd_guard guard = {.max_depth = 2};
    struct xpd_err err;
    struct xpd_arena arena = {0};
    struct tree *tree =
        xpd_pb_unpack(&guard, &tree_descriptor, w.data, w.len, 0, "tree", &arena, &err);
    assert_non_null(tree);
    assert_int_equal(tree->id, 42);
    assert_string_equal(tree->name, "root");
    assert_int_equal(tree->blob.len, 3);
    assert_memory_equal(tree->blob.data, "a\0b", 3);
    assert_string_equal(tree->child->name, "child");
    assert_null(tree->child->child);
    assert_int_equal(tree->n_values, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(tree->values[i], values[i % 3]);
    assert_int_equal(tree->n_words, 2);
    assert_string_equal(tree->words[1], "w1");
    assert_int_equal(tree->base.n_unknown_fields, 1);
    xpd_arena_fini(&arena);
    pbw_free(&w);

    tree = xpd_pb_unpack(&guard, &tree_descriptor, NULL, 0, 0, "tree", &arena, &err);
    assert_non_null(tree); /* nothing is a message of defaults */
    assert_int_equal(tree->id, 0);
    xpd_arena_fini(&arena);
}

struct bad {
    uint8_t bytes[12];
    size_t size;
    uint64_t offset;
    const char *what;
};

static void bad_bytes(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {{0x08}, 1, 0, "cut"},
        {{0x12, 0x05, 'a'}, 3, 0, "length"},
        {{0x08, 0x01, 0x22, 0x02, 0x08, 0x80}, 6, 4, "cut"}, /* inside the child */
        {{0x08, 0x01, 0x22, 0x02, 0x12, 0x09}, 6, 4, "length"},
        {{0x23, 0x24}, 2, 0, "group"},
        {{0x22, 0x02, 0x00, 0x00}, 4, 2, "number"},
        {{0xF8, 0x05, 0x80}, 3, 0, "cut"},             /* an unknown field */
        {{0xFA, 0x05, 0x02, 'a'}, 4, 0, "length"},     /* an unknown field */
        {{0x10, 0x05}, 2, 1, "wrong wire type"},       /* text as a number */
        {{0x20, 0x05}, 2, 1, "wrong wire type"},       /* a message as a number */
        {{0x0A, 0x01, 'x'}, 3, 2, "wrong wire type"},  /* a number as text */
        {{0x0D, 1, 2, 3, 4}, 5, 1, "wrong wire type"}, /* int64 as fixed32 */
        {{0x40, 0x05}, 2, 1, "wrong wire type"},       /* fixed32 as varint */
        {{0x08, 0x01, 0x32, 0x02, 0x01, 0x80}, 6, 4, "ends inside a number"},
        {{0x42, 0x05, 1, 2, 3, 4, 5}, 7, 2, "ends inside a number"},
    };
    struct xpd_arena arena = {0};
    struct xpd_guard guard = {.max_depth = 8};
    struct xpd_err err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct bad *bad = &cases[i];
        assert_int_equal(check(8, 0, bad->bytes, bad->size, &err), XPD_EFORMAT);
        assert_int_equal(err.code, XPD_EFORMAT);
        assert_true(err.offset == FAR + bad->offset);
        assert_non_null(strstr(err.text, bad->what));
        assert_null(xpd_pb_unpack(&guard, &tree_descriptor, bad->bytes, bad->size, 7, "tree",
                                  &arena, &err));
        assert_int_equal(err.offset, 7 + bad->offset);
    }
    assert_int_equal(arena.used_bytes, 0);
    /* The guard takes a packed value of 11 bytes for two; protobuf-c refuses it, and that is told.
     */
    static const uint8_t overlong[] = {0x32, 0x0B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                       0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};
    assert_null(xpd_pb_unpack(&guard, &tree_descriptor, overlong, sizeof overlong, 7, "tree",
                              &arena, &err));
    assert_int_equal(err.code, XPD_EFORMAT);
    assert_int_equal(err.offset, 7);
    assert_false(arena.failed);
    xpd_arena_fini(&arena);
}

/* What protobuf-c asks of its allocator, each piece rounded as the arena rounds it. */
struct meter {
    uint64_t bytes;
};

static void *metered_alloc(void *data, size_t size)
{
    struct meter *meter = data;
    meter->bytes += (size + 15) & ~(size_t)15;
    return malloc(size);
}

static void metered_free(void *data, void *piece)
{
    (void)data; /* an arena gets nothing back */
    free(piece);
}

static uint64_t really_taken(const struct pbw *w)
{
    struct meter meter = {0};
    ProtobufCAllocator allocator = {metered_alloc, metered_free, &meter};
    ProtobufCMessage *message =
        protobuf_c_message_unpack(&tree_descriptor, &allocator, w->len, w->data);
    assert_non_null(message);
    protobuf_c_message_free_unpacked(message, &allocator);
    return meter.bytes;
}

/* The least limit that the guard accepts is its estimate. */
static uint64_t estimate(const struct pbw *w)
{
    uint64_t low = 0, high = UINT64_C(1) << 40;
    assert_int_equal(check(64, high, w->data, w->len, NULL), XPD_OK);
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        if (check(64, middle, w->data, w->len, NULL) == XPD_OK)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* An upper estimate, and no wild one. Consumes w. */
static void estimate_holds(struct pbw *w, uint64_t at_most_times)
{
    uint64_t taken = really_taken(w), estimated = estimate(w);
    assert_true(estimated >= taken);
    assert_true(estimated <= at_most_times * taken + 100);
    pbw_free(w);
}

static void estimate_is_an_upper_one(void **state)
{
    (void)state;
    struct pbw w = {0};
    estimate_holds(&w, 1); /* the empty message */

    w = nested(60, 4);
    estimate_holds(&w, 2);
    w = nested(60, 5);
    estimate_holds(&w, 2);

    for (uint32_t i = 0; i < 1000; i++) /* a child and its text */
        pbw_str(&w, 9, i % 2 ? "x" : "a longer text than the others");
    estimate_holds(&w, 2);

    int64_t values[500];
    for (int i = 0; i < 500; i++)
        values[i] = i * i * i;
    pbw_ints(&w, 6, values, 500, true);
    estimate_holds(&w, 2);
    pbw_ints(&w, 6, values, 500, false); /* 500 fields: the scan's tables weigh more */
    estimate_holds(&w, 2);

    uint8_t flags[333] = {0};
    pbw_bytes(&w, 7, flags, sizeof flags);
    pbw_bytes(&w, 8, flags, 332);
    estimate_holds(&w, 2);

    for (uint32_t i = 0; i < 300; i++) /* unknown ones */
        pbw_uint(&w, 100 + i, UINT64_MAX);
    for (uint32_t i = 0; i < 300; i++)
        pbw_str(&w, 100 + i, "unknown text");
    estimate_holds(&w, 2);

    static const char large[16398]; /* with its length 16401 bytes: one more than fits 1025 x 16 */
    for (uint32_t i = 0; i < 16; i++)
        pbw_bytes(&w, 100, large, sizeof large);
    estimate_holds(&w, 2);

    for (uint32_t i = 0; i < 50; i++) /* a text that is replaced and never given back */
        pbw_str(&w, 2, "again and again");
    estimate_holds(&w, 2);
}

/* A single message given k times is joined k times: arrays of 1, 2 ... k elements. The file grows
 * by k, the arena by k^2, and the estimate has to see it. */
static void joined_messages_are_counted(void **state)
{
    (void)state;
    static const int64_t values[] = {1, 2, 3};
    struct pbw w = {0};
    for (int i = 0; i < 2000; i++) {
        size_t mark = pbw_begin(&w, 4);
        pbw_ints(&w, 6, values, 3, true);
        pbw_str(&w, 9, "w");
        pbw_end(&w, mark);
    }
    uint64_t taken = really_taken(&w);
    assert_true(taken > 1000 * w.len); /* the danger is real */
    assert_true(estimate(&w) >= taken);
    struct xpd_err err;
    assert_int_equal(check(64, 16 << 20, w.data, w.len, &err), XPD_ELIMIT);
    assert_non_null(strstr(err.text, "16777216"));
    pbw_free(&w);
}

static void limit_and_budget(void **state)
{
    (void)state;
    struct pbw w = {0};
    pbw_uint(&w, 1, 1);
    char *text = malloc(100000);
    assert_non_null(text);
    memset(text, 'x', 100000);
    pbw_bytes(&w, 2, text, 100000);
    free(text);
    struct xpd_err err;
    assert_int_equal(check(64, 100000, w.data, w.len, &err), XPD_ELIMIT);
    assert_non_null(strstr(err.text, "100000"));
    assert_true(err.offset == FAR + 6); /* the text: 2 + 1 + 3 */
    assert_int_equal(check(64, 101000, w.data, w.len, &err), XPD_OK);

    struct xpd_guard guard = {.max_depth = 64};
    struct xpd_arena arena;
    xpd_arena_init(&arena, 50000); /* the guard knows no limit, the arena does */
    assert_null(xpd_pb_unpack(&guard, &tree_descriptor, w.data, w.len, 3, "tree", &arena, &err));
    assert_int_equal(err.code, XPD_ELIMIT);
    assert_int_equal(err.offset, 3);
    assert_non_null(strstr(err.text, "50000"));
    assert_true(arena.failed);
    /* A failure before does not make a good message look bad. */
    w.len = 2;
    struct tree *tree =
        xpd_pb_unpack(&guard, &tree_descriptor, w.data, w.len, 3, "tree", &arena, &err);
    assert_non_null(tree);
    assert_int_equal(tree->id, 1);
    assert_true(arena.failed);
    xpd_arena_fini(&arena);
    pbw_free(&w);

    assert_int_equal(check(64, 0, (const uint8_t *)"", (size_t)INT32_MAX + 1, &err), XPD_ELIMIT);
    assert_non_null(strstr(err.text, "2147483647")); /* refused before a byte is looked at */
}

static uint32_t random_state;

static uint32_t any(uint32_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (random_state >> 4) % below;
}

static void random_tree(struct pbw *w, int depth)
{
    int64_t values[20];
    char text[20] = "abcdefghijklmnopqrs";
    for (size_t i = 0; i < 20; i++)
        values[i] = any(100000);
    for (uint32_t fields = any(depth == 0 ? 30 : 6); fields > 0; fields--) {
        size_t mark;
        switch (any(9)) {
        case 0: pbw_uint(w, 1, any(1000)); break;
        case 1: pbw_bytes(w, 2 + any(2), text, any(20)); break;
        case 2:
        case 3:
            if (depth == 4)
                break;
            mark = pbw_begin(w, 4 + any(2));
            random_tree(w, depth + 1);
            pbw_end(w, mark);
            break;
        case 4: pbw_ints(w, 6, values, any(20), any(2)); break;
        case 5: pbw_bytes(w, 7, text, any(20)); break;
        case 6: pbw_bytes(w, 8, text, 4 * any(5)); break;
        case 7: pbw_bytes(w, 9, text, any(20)); break;
        default: pbw_uint(w, 10 + any(5), any(1000)); break;
        }
    }
}

/* Random trees, some of them with wrong bytes: what the guard lets pass, protobuf-c takes within
 * the estimate or refuses cleanly. */
static void random_messages(void **state)
{
    (void)state;
    struct xpd_guard guard = {.max_depth = 6};
    struct xpd_arena arena = {0};
    struct xpd_err err;
    int passed = 0, refused = 0;
    random_state = 88172645;
    for (int round = 0; round < 4000; round++) {
        struct pbw w = {0};
        random_tree(&w, 0);
        for (int wrong = round % 4; wrong > 0 && w.len > 0; wrong--)
            w.data[any((uint32_t)w.len)] = (unsigned char)any(256);
        err.code = XPD_OK;
        if (xpd_pb_unpack(&guard, &tree_descriptor, w.data, w.len, 0, "r", &arena, &err)) {
            assert_true(estimate(&w) >= really_taken(&w));
            passed++;
        } else {
            assert_int_not_equal(err.code, XPD_OK);
            assert_int_not_equal(round % 4, 0);
            refused++;
        }
        assert_false(arena.failed);
        xpd_arena_reset(&arena);
        pbw_free(&w);
    }
    assert_in_range(passed, 1000, 3500);
    assert_in_range(refused, 500, 3000);
    xpd_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_exact),
        cmocka_unit_test(hundred_thousand_deep),
        cmocka_unit_test(width_is_no_depth),
        cmocka_unit_test(unpacks),
        cmocka_unit_test(bad_bytes),
        cmocka_unit_test(estimate_is_an_upper_one),
        cmocka_unit_test(joined_messages_are_counted),
        cmocka_unit_test(limit_and_budget),
        cmocka_unit_test(random_messages),
    };
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}

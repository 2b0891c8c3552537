/* Which buffer holds the result of an instruction that has none of its own: by hand, and against
 * the places of each value that XLA printed when it assigned the buffers. */
#include "mem_test.h"
#include "xprofd/memory/holder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY = 1, BODY = 2, CONDITION = 3, WRAPPED = 4, NONE = -1 };

static const struct hb_shape f32 = {.type = HB_F32, .rank = 1, .dims = {1024}};
static const struct hb_shape big = {.type = HB_F32, .rank = 1, .dims = {2048}};
static const struct hb_shape pred = {.type = HB_PRED};
static const struct hb_shape pair_of[2] = {{.type = HB_F32, .rank = 1, .dims = {1024}},
                                           {.type = HB_F32, .rank = 1, .dims = {2048}}};
static const struct hb_shape pair = {.type = HB_TUPLE, .elements = pair_of, .n_elements = 2};
static const struct hb_shape async_of[2] = {
    {.type = HB_TUPLE, .elements = pair_of, .n_elements = 1},
    {.type = HB_F32, .rank = 1, .dims = {1024}}};
static const struct hb_shape async = {.type = HB_TUPLE, .elements = async_of, .n_elements = 2};

struct op {
    int64_t id;
    const char *name, *opcode;
    const struct hb_shape *shape;
    int64_t operand[3]; /* ends with 0 */
    int64_t called[2];
    int64_t index; /* of a parameter or get-tuple-element */
};

static void computation(struct hb *hb, const char *name, int64_t id, const struct op *op, size_t n)
{
    hb_begin_computation(hb, name, id, false);
    for (size_t i = 0; i < n; i++) {
        int operands = 0, called = 0;
        while (operands < 3 && op[i].operand[operands])
            operands++;
        while (called < 2 && op[i].called[called])
            called++;
        hb_instruction(hb, &(struct hb_instr){.name = op[i].name,
                                              .opcode = op[i].opcode,
                                              .id = op[i].id,
                                              .shape = op[i].shape,
                                              .operands = op[i].operand,
                                              .n_operands = operands,
                                              .called = op[i].called,
                                              .n_called = called,
                                              .parameter_number = op[i].index,
                                              .tuple_index = op[i].index});
    }
    hb_end_computation(hb, op[n - 1].id);
}

#define COMPUTATION(hb, name, id, ops) computation(hb, name, id, ops, sizeof ops / sizeof *ops)

/* Buffer id = id of the instruction; `part` < 0: the whole result. */
static void buffer(struct hb *hb, int64_t id, int64_t size, int64_t part)
{
    hb_logical(hb, &(struct hb_logical){.id = id,
                                        .size = size,
                                        .instruction_id = id,
                                        .shape_index = &part,
                                        .n_shape_index = part < 0 ? 0 : 1});
}

static uint32_t instruction_named(const struct mem_case *c, const char *name)
{
    for (uint32_t i = 0; i < c->hlo->instructions.count; i++)
        if (xpd_str_eq(xpd_hlo_text(c->hlo, c->hlo->instructions.name[i]), xpd_str_of(name)))
            return i;
    fail_msg("no instruction %s", name);
    return XPD_NO_INDEX;
}

/* The id of the buffer that holds the result, NONE without one. */
static void held_by(const struct mem_case *c, const char *name, int64_t id)
{
    const uint32_t *holder = xpd_mem_holders(c->mem, &((struct mem_case *)(uintptr_t)c)->arena);
    assert_non_null(holder);
    uint32_t found = holder[instruction_named(c, name)];
    int64_t got = found == XPD_NO_INDEX ? NONE : c->hlo->buffers.id[found];
    if (got != id)
        fail_msg("%s: buffer %lld, expected %lld", name, (long long)got, (long long)id);
}

static void test_passed_on(void **state)
{
    static const struct op inside[] = {{90, "inner", "parameter", &f32, {0}, {0}, 0},
                                       {91, "twice", "add", &f32, {90, 90}, {0}, 0}};
    static const struct op wrapped[] = {{40, "wp", "parameter", &f32, {0}, {0}, 0},
                                        {41, "slow", "custom-call", &f32, {40}, {0}, 0}};
    static const struct op entry[] = {
        {1, "p", "parameter", &f32, {0}, {0}, 0},
        {2, "src", "fusion", &f32, {1}, {9}, 0},
        {3, "copy-start", "copy-start", &pair, {2}, {0}, 0},
        {4, "copy-done", "copy-done", &f32, {3}, {0}, 0},
        {5, "turned", "bitcast", &f32, {4}, {0}, 0},
        {6, "gather-start", "all-gather-start", &pair, {5}, {0}, 0},
        {7, "gather-done", "all-gather-done", &big, {6}, {0}, 0},
        {8, "both", "tuple", &pair, {5, 7}, {0}, 0},
        {9, "barrier", "opt-barrier", &pair, {8}, {0}, 0},
        {10, "first", "get-tuple-element", &f32, {9}, {0}, 0},
        {11, "second", "get-tuple-element", &big, {9}, {0}, 1},
        {12, "async-start", "async-start", &async, {10}, {WRAPPED}, 0},
        {13, "async-done", "async-done", &f32, {12}, {0}, 0},
        {14, "lost", "get-tuple-element", &f32, {2}, {0}, 0},
    };
    struct mem_case c;
    struct hb hb;
    (void)state;
    hb_init(&hb, "passed");
    COMPUTATION(&hb, "fused", 9, inside);
    COMPUTATION(&hb, "wrapped", WRAPPED, wrapped);
    COMPUTATION(&hb, "main", ENTRY, entry);
    buffer(&hb, 1, 4096, -1);
    buffer(&hb, 2, 4096, -1);
    buffer(&hb, 3, 4096, 0);
    buffer(&hb, 6, 8192, 1);
    buffer(&hb, 41, 4096, -1);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 24576},
             "1@0:4096 2@4096:4096 3@8192:4096 6@12288:8192 41@20480:4096");
    mem_open_builder(&c, &hb);
    held_by(&c, "src", 2);
    held_by(&c, "copy-start", 3);
    held_by(&c, "copy-done", 3);
    held_by(&c, "turned", 3);
    held_by(&c, "gather-done", 6);
    held_by(&c, "both", 6); /* has no table here: the larger of its parts */
    held_by(&c, "barrier", 6);
    held_by(&c, "first", 3);
    held_by(&c, "second", 6);
    held_by(&c, "wp", 3);          /* what the async-start was given */
    held_by(&c, "async-start", 3); /* operand and result are as large: the first */
    held_by(&c, "async-done", 41);
    held_by(&c, "twice", NONE); /* inside of a fusion nothing has bytes */
    held_by(&c, "inner", NONE);
    held_by(&c, "lost", NONE); /* a part of what has no parts */
    mem_close(&c);
}

/* One part goes around unchanged, the other is written in the body; a branch gets its operand. */
static void test_called(void **state)
{
    static const struct op body[] = {
        {20, "bp", "parameter", &pair, {0}, {0}, 0},
        {21, "kept", "get-tuple-element", &f32, {20}, {0}, 0},
        {22, "old", "get-tuple-element", &big, {20}, {0}, 1},
        {23, "new", "fusion", &big, {21, 22}, {0}, 0},
        {24, "bt", "tuple", &pair, {21, 23}, {0}, 0},
    };
    static const struct op condition[] = {{30, "cp", "parameter", &pair, {0}, {0}, 0},
                                          {32, "less", "compare", &pred, {30, 30}, {0}, 0}};
    static const struct op branch[] = {{50, "given", "parameter", &f32, {0}, {0}, 0},
                                       {51, "same", "bitcast", &f32, {50}, {0}, 0}};
    static const struct op other[] = {{60, "also", "parameter", &f32, {0}, {0}, 0},
                                      {61, "negated", "fusion", &f32, {60}, {0}, 0}};
    static const struct op entry[] = {
        {1, "which", "parameter", &pred, {0}, {0}, 0},
        {2, "a", "fusion", &f32, {1}, {0}, 0},
        {3, "b", "fusion", &big, {1}, {0}, 0},
        {4, "t", "tuple", &pair, {2, 3}, {0}, 0},
        {5, "w", "while", &pair, {4}, {BODY, 3}, 0},
        {6, "w0", "get-tuple-element", &f32, {5}, {0}, 0},
        {7, "w1", "get-tuple-element", &big, {5}, {0}, 1},
        {8, "choice", "conditional", &f32, {1, 2, 6}, {5, 6}, 0},
    };
    struct mem_case c;
    struct hb hb;
    (void)state;
    hb_init(&hb, "called");
    COMPUTATION(&hb, "body", BODY, body);
    COMPUTATION(&hb, "condition", CONDITION, condition);
    COMPUTATION(&hb, "branch", 5, branch);
    COMPUTATION(&hb, "other", 6, other);
    COMPUTATION(&hb, "main", ENTRY, entry);
    buffer(&hb, 2, 4096, -1);
    buffer(&hb, 3, 8192, -1);
    buffer(&hb, 23, 8192, -1);
    buffer(&hb, 61, 4096, -1);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 24576},
             "2@0:4096 3@4096:8192 23@12288:8192 61@20480:4096");
    mem_open_builder(&c, &hb);
    held_by(&c, "w0", 2);
    held_by(&c, "w1", 23);
    held_by(&c, "w", 23);
    held_by(&c, "kept", 2);
    held_by(&c, "old", 3);
    held_by(&c, "cp", 3);
    held_by(&c, "given", 2);
    held_by(&c, "same", 2);
    held_by(&c, "also", 2); /* through the loop's part that stays */
    held_by(&c, "choice", 2);
    mem_close(&c);
}

/* A damaged program: computations that call each other in a circle end in nothing. */
static void test_circle(void **state)
{
    static const struct op one[] = {{10, "q", "parameter", &f32, {0}, {0}, 0},
                                    {11, "c1", "call", &f32, {10}, {3}, 0}};
    static const struct op two[] = {{12, "r", "parameter", &f32, {0}, {0}, 0},
                                    {13, "c2", "call", &f32, {12}, {2}, 0}};
    static const struct op entry[] = {{1, "p", "parameter", &f32, {0}, {0}, 0},
                                      {2, "c0", "call", &f32, {1}, {2}, 0}};
    struct mem_case c;
    struct hb hb;
    (void)state;
    hb_init(&hb, "circle");
    COMPUTATION(&hb, "one", 2, one);
    COMPUTATION(&hb, "two", 3, two);
    COMPUTATION(&hb, "main", ENTRY, entry);
    buffer(&hb, 1, 64, -1);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 64}, "1@0:64");
    mem_open_builder(&c, &hb);
    held_by(&c, "c0", NONE);
    mem_close(&c);
}

/* ---- against XLA ---- */

/* "name{0,1}" or "name {0,1}" taken apart. */
struct spot {
    char name[200];
    int64_t index[8];
    uint32_t index_count;
};

static struct spot spot_of(const char *text, size_t size)
{
    struct spot spot = {.name = ""};
    const char *brace = memchr(text, '{', size);
    size_t name = brace ? (size_t)(brace - text) : size;
    while (name > 0 && text[name - 1] == ' ')
        name--;
    snprintf(spot.name, sizeof spot.name, "%.*s", (int)name, text);
    for (const char *at = brace ? brace + 1 : NULL; at && *at != '}' && spot.index_count < 8;) {
        char *end;
        spot.index[spot.index_count++] = strtol(at, &end, 10);
        at = end + strspn(end, ", ");
    }
    return spot;
}

static bool is_spot(const struct mem_case *c, uint32_t found, const struct spot *spot)
{
    const struct xpd_hlo_buffers *all = &c->hlo->buffers;
    if (found == XPD_NO_INDEX || all->instruction[found] == XPD_NO_INDEX)
        return false;
    struct xpd_str name = xpd_hlo_text(c->hlo, c->hlo->instructions.name[all->instruction[found]]);
    uint32_t first = all->index_first[found], count = all->index_first[found + 1] - first;
    return xpd_str_eq(name, xpd_str_of(spot->name)) && count == spot->index_count &&
           memcmp(all->shape_index + first, spot->index, count * sizeof *spot->index) == 0;
}

/* Each value of the text and the places it is seen at: the way back from there leads to it. */
static uint32_t compare_places(struct mem_case *c, char *text)
{
    struct xpd_buffers_of of;
    struct spot value = {.name = ""};
    bool positions = false;
    uint32_t passed_on = 0;
    assert_true(xpd_hlo_buffers_of(&of, c->hlo, &c->arena));
    /* Each line ends as a text: functions of texts look no further under AddressSanitizer. */
    for (const char *line; (line = strsep(&text, "\n")) != NULL;) {
        size_t size = strlen(line);
        if (*line == '<') {
            const char *name = memchr(line, ' ', size), *end = strstr(line, " @");
            value = spot_of(name + 1, (size_t)(end - name - 1));
            positions = false;
        } else if (strncmp(line, " positions:", 11) == 0) {
            positions = true;
        } else if (strncmp(line, "  ", 2) != 0) {
            positions = false;
        } else if (positions) {
            struct spot seen = spot_of(line + 2, size - 2);
            uint32_t i = instruction_named(c, seen.name);
            uint32_t found = xpd_mem_holder_at(c->mem, &of, i, seen.index, seen.index_count);
            if (!is_spot(c, found, &value))
                fail_msg("%.*s is not led to %s", (int)size, line, value.name);
            passed_on += strcmp(seen.name, value.name) != 0;
        }
    }
    return passed_on;
}

static void places_of(const char *set, const char *dump, uint32_t at_least)
{
    struct xspace_hlos hlos;
    struct mem_case c;
    char path[1500];
    if (!mem_has_shared())
        skip();
    snprintf(path, sizeof path, "%s/data/%s/xla/xla_dump/%s", shared_dir(), set, dump);
    char *text = shared_read(path, NULL);
    assert_non_null(text);
    mem_hlos(&hlos, set);
    mem_open_bytes(&c, hlos.at[0].bytes, hlos.at[0].size);
    uint32_t passed_on = compare_places(&c, text);
    assert_true(passed_on >= at_least);
    mem_close(&c);
    xspace_hlos_free(&hlos);
    free(text);
}

#define VALUES "cl_1003875606.after_optimizations-buffer-assignment-values.txt"

static void test_places_transformer(void **state)
{
    (void)state;
    places_of("tpu_transformer_oom", "module_0000.jit_train_step." VALUES, 800);
}

static void test_places_padded(void **state)
{
    (void)state;
    places_of("tpu_padded_oom", "module_0000.jit_padded_step." VALUES, 10);
    places_of("tpu_padded_demo", "module_0000.jit_padded_step." VALUES, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_passed_on),
                                       cmocka_unit_test(test_called), cmocka_unit_test(test_circle),
                                       cmocka_unit_test(test_places_transformer),
                                       cmocka_unit_test(test_places_padded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

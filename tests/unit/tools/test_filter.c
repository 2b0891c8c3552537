/* The filter of the buffer table against a plain look at every buffer's texts, on a generated
 * module. */
#include "generated.h"

#include "tools/memory/table_buffers.h"

static struct generated place;

static int open_place(void **state)
{
    (void)state;
    generated_open(&place, &(struct bench_size){3000, 4000, 8000});
    for (uint32_t i = 0; i < place.ctx.hlo->instructions.count; i += 31)
        place.ctx.hlo->instructions.name[i] =
            0; /* what a damaged file may leave; no table is made yet */
    return 0;
}

static int close_place(void **state)
{
    (void)state;
    generated_close(&place);
    return 0;
}

/* Tries the text in the buffer and clears it. */
static bool fits(struct xpd_match *match, struct xpd_strbuf *text)
{
    bool yes = text->size > 0 &&
               xpd_match_test(match, (struct xpd_str){text->data, text->size}) != XPD_MATCH_NONE;
    xpd_strbuf_clear(text);
    return yes;
}

/* As docs/API.md says: name, op name, opcode, source line; the shape when a [ or , is asked for. */
static bool is_match(struct xpd_match *match, const char *typed, uint32_t buffer,
                     struct xpd_strbuf *text)
{
    const struct xpd_hlo *hlo = place.ctx.hlo;
    const struct xpd_mem *mem = place.ctx.mem;
    uint32_t instruction = xpd_mem_instruction(mem, buffer);
    struct xpd_str opcode = xpd_hlo_opcode(hlo, instruction);
    struct xpd_str op_name = xpd_hlo_op_name(hlo, instruction);
    xpd_mem_buffer_name(text, mem, buffer);
    bool yes = fits(match, text);
    xpd_strbuf_add(text, opcode.data, opcode.size);
    yes |= fits(match, text);
    xpd_strbuf_add(text, op_name.data, op_name.size);
    yes |= fits(match, text);
    xpd_source_put_of(text, hlo, instruction);
    yes |= fits(match, text);
    if (strpbrk(typed, "[,")) {
        xpd_shape_text(text, mem->buffer[buffer].shape, true);
        yes |= fits(match, text);
    }
    return yes;
}

/* Each row of the answer is one that matches, none comes twice, and they are as many. */
static void look(const char *typed, const char *class)
{
    const struct xpd_all_rows *rows = xpd_table_rows(&place.ctx, NULL);
    bool *expected = calloc(place.ctx.hlo->buffers.count, sizeof *expected);
    struct xpd_match match;
    struct xpd_strbuf text = {0};
    int64_t count = 0, bytes = 0;
    struct answer answer;
    assert_non_null(rows);
    assert_non_null(expected);
    xpd_match_init(&match, xpd_str_of(typed));
    match.allowed_ns = INT64_MAX; /* a text at a time takes long where sanitizers look on */
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct xpd_buffer_row *row = &rows->row[i];
        if (row->buffer == XPD_NO_INDEX || !is_match(&match, typed, row->buffer, &text) ||
            (class[0] && strcmp(class, xpd_mem_class_word(row->mem_class)) != 0))
            continue;
        expected[row->buffer] = true;
        count++;
        bytes += row->size_bytes;
    }
    assert_false(match.stopped);
    ask_ok(&answer, place.store, "/api/v1/memory/buffers", "filter=%s&limit=10000&class=%s", typed,
           class);
    assert_int_equal(number_at(answer.json, "matched"), count);
    assert_true((double)bytes == number_at(answer.json, "matched_bytes"));
    const cJSON *buffer = at(answer.json, "buffer");
    assert_int_equal(cJSON_GetArraySize(buffer), count < 10000 ? count : 10000);
    for (const cJSON *one = buffer->child; one; one = one->next) {
        assert_true(expected[one->valueint]);
        expected[one->valueint] = false;
    }
    answer_free(&answer);
    xpd_match_fini(&match);
    xpd_strbuf_fini(&text);
    free(expected);
}

static void rows_are_those_a_plain_look_finds(void **state)
{
    static const char *const typed[] = {
        "fusion",    "7",         "{1}",     "fusion.12",   "/fusion.*7/", "/[a-e].[7]/",
        "/\\w7\\>/", "/7\\>/",    "/{1}$/",  "/\\d\\d{0}/", "f32[",        "/\\[1\\d*,/",
        "buffer 7",  "/^buffer/", "{",       "/r.*\\d$/",   "/x*/",        "n.1{",
        "dot",       "nothere",   "/^copy/", "(",           "/[,[]/",      ".py:1"};
    (void)state;
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        look(typed[i], "");
        look(typed[i], "temporary");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_those_a_plain_look_finds)};
    return cmocka_run_group_tests(tests, open_place, close_place);
}

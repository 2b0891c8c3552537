#include "graph_test.h"

#include "xprofd/base/str.h"

const struct hb_shape gt_big = {
    .type = HB_F32, .rank = 2, .dims = {64, 128}, .layout = HB_DESCENDING};
const struct hb_shape gt_half = {
    .type = HB_F32, .rank = 2, .dims = {32, 128}, .layout = HB_DESCENDING};
const struct hb_shape gt_small = {.type = HB_F32, .rank = 1, .dims = {2}, .layout = HB_DESCENDING};

void gt_begin(struct gt *t)
{
    *t = (struct gt){0};
    hb_init(&t->hb, "m");
    t->hb.no_assignment = true;
}

int64_t gt_add_more(struct gt *t, const char *name, const char *opcode, int64_t id,
                    const struct hb_shape *shape, const char *operands, int64_t called,
                    int64_t number)
{
    int64_t ids[64];
    int count = 0;
    for (char *end; *operands && count < 64; operands = end + (*end == ' '))
        ids[count++] = strtoll(operands, &end, 10);
    hb_instruction(&t->hb, &(struct hb_instr){.name = name,
                                              .opcode = opcode,
                                              .id = id,
                                              .shape = shape,
                                              .operands = ids,
                                              .n_operands = count,
                                              .called = &called,
                                              .n_called = called != 0,
                                              .parameter_number = number,
                                              .tuple_index = number});
    return id;
}

int64_t gt_add(struct gt *t, const char *name, const char *opcode, int64_t id,
               const struct hb_shape *shape, const char *operands)
{
    return gt_add_more(t, name, opcode, id, shape, operands, 0, 0);
}

void gt_load(struct gt *t)
{
    hb_finish(&t->hb, &t->bytes);
    assert_int_equal(xpd_hlo_load(&t->hlo, t->bytes.data, t->bytes.len, 0, "m", NULL, NULL), 0);
    assert_int_equal(xpd_hlo_printer_new(&t->printer, t->hlo, t->bytes.data, t->bytes.len, NULL),
                     0);
    assert_int_equal(xpd_graph_index_make(&t->index, &t->arena, t->hlo, t->printer, NULL), 0);
}

void gt_free(struct gt *t)
{
    xpd_arena_fini(&t->arena);
    xpd_hlo_printer_free(t->printer);
    xpd_hlo_free(t->hlo);
    pbw_free(&t->bytes);
}

uint32_t gt_find(const struct gt *t, const char *name)
{
    xpd_name_id id = xpd_intern_find(&t->hlo->names, xpd_str_of(name));
    uint32_t i = id != XPD_NO_NAME ? t->hlo->instruction_by_name[id] : XPD_NO_INDEX;
    if (i == XPD_NO_INDEX)
        fail_msg("no instruction %s", name);
    return i;
}

const char *gt_name(const struct gt *t, uint32_t i)
{
    return xpd_hlo_text(t->hlo, t->hlo->instructions.name[i]).data;
}

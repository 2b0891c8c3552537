/* See doctor_test.h. */
#include "doctor_test.h"

static int read_proto(void *of, const uint8_t **bytes, size_t *size)
{
    struct sick_proto *proto = of;
    proto->asked++;
    *bytes = proto->bytes;
    *size = proto->size;
    return XPD_OK;
}

void sick_open_bytes(struct sick *s, const void *bytes, size_t size)
{
    struct xpd_err err = {0};
    memset(s, 0, sizeof *s);
    if (xpd_hlo_load(&s->hlo, bytes, size, 0, "test", NULL, &err) != XPD_OK ||
        xpd_mem_analyse(&s->mem, s->hlo, 0, &err) != XPD_OK)
        fail_msg("%s", err.text);
    s->proto = calloc(1, sizeof *s->proto);
    assert_non_null(s->proto);
    *s->proto = (struct sick_proto){.bytes = bytes, .size = size};
    s->input = (struct xpd_doctor_input){.mem = s->mem,
                                         .platform = "tpu",
                                         .capacity_bytes = -1,
                                         .error_color = -1,
                                         .read_proto = read_proto,
                                         .of = s->proto,
                                         .runtime_peak_bytes = -1,
                                         .runtime_fragmentation = -1};
}

void sick_open(struct sick *s, struct hb *hb)
{
    struct pbw bytes = {0};
    hb_finish(hb, &bytes);
    sick_open_bytes(s, bytes.data, bytes.len);
    s->bytes = bytes;
}

void sick_examine(struct sick *s)
{
    struct xpd_err err = {0};
    if (xpd_doctor_run(&s->doctor, &s->input, xpd_mem_space_of(s->mem, 0), &s->arena, &err) !=
        XPD_OK)
        fail_msg("%s", err.text);
}

void sick_close(struct sick *s)
{
    xpd_arena_fini(&s->arena);
    xpd_mem_free(s->mem);
    xpd_hlo_free(s->hlo);
    free(s->proto);
    pbw_free(&s->bytes);
}

const struct xpd_finding *sick_finding(const struct sick *s, const char *id, uint32_t n)
{
    for (uint32_t i = 0; i < s->doctor.count; i++)
        if (strcmp(s->doctor.finding[i].rule->id, id) == 0 && n-- == 0)
            return &s->doctor.finding[i];
    return NULL;
}

static void put(struct hb *hb, const struct op *op)
{
    int operands = 0, called = 0;
    while (operands < 4 && op->operand[operands])
        operands++;
    while (called < 3 && op->called[called])
        called++;
    hb_instruction(hb, &(struct hb_instr){.name = op->name,
                                          .opcode = op->opcode,
                                          .id = op->id,
                                          .shape = op->shape,
                                          .operands = op->operand,
                                          .n_operands = operands,
                                          .called = op->called,
                                          .n_called = called,
                                          .op_name = op->op_name,
                                          .custom_call_target = op->target,
                                          .parameter_number = op->index,
                                          .tuple_index = op->index});
}

void sick_computation(struct hb *hb, const char *name, int64_t id, bool fusion, const struct op *op,
                      size_t n)
{
    hb_begin_computation(hb, name, id, fusion);
    for (size_t i = 0; i < n; i++)
        put(hb, &op[i]);
    hb_end_computation(hb, op[n - 1].id);
}

void sick_program(struct hb *hb, const struct op *op, size_t n, const char *trace)
{
    int64_t index = 1, offset = 0, order[64];
    hb_begin_computation(hb, "main", 1, false);
    for (size_t i = 0; i < n; i++) {
        put(hb, &op[i]);
        order[i] = op[i].id;
    }
    hb_end_computation(hb, op[n - 1].id);
    hb_sequence(hb, 1, order, n);
    for (size_t i = 0; i < n; i++) {
        if (op[i].mib == 0)
            continue;
        hb_logical(hb, &(struct hb_logical){
                           .id = op[i].id, .size = op[i].mib * MIB, .instruction_id = op[i].id});
        if (op[i].kind == 't') {
            offset += op[i].mib * MIB;
            continue;
        }
        hb_alloc_begin(hb, &(struct hb_alloc){.index = index++,
                                              .size = op[i].mib * MIB,
                                              .parameter = op[i].kind == 'p',
                                              .live_out = op[i].kind == 'o',
                                              .constant = op[i].kind == 'c',
                                              .parameter_number = op[i].index});
        hb_assign(hb, op[i].id, 0, op[i].mib * MIB);
        hb_alloc_end(hb);
    }
    hb_alloc_begin(hb, &(struct hb_alloc){.index = 0, .size = offset});
    offset = 0;
    for (size_t i = 0; i < n; i++)
        if (op[i].mib > 0 && op[i].kind == 't') {
            hb_assign(hb, op[i].id, offset, op[i].mib * MIB);
            offset += op[i].mib * MIB;
        }
    hb_alloc_end(hb);
    hb_trace(hb, trace);
}

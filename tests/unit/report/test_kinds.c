/* S1.48, S1.51: where storages are filed, on a program made by hand with one of each: infeed,
 * outfeed, callback of the host, collectives, copies, tables of pointers. */
#include "../memory/mem_test.h"
#include "xprofd/report/report.h"

#include <string.h>

enum { SIZE_MOST = 18 };

static const struct {
    const char *opcode, *target;
    int64_t operand;
    int64_t size; /* each another one, so that a sum tells its members */
    enum xpd_report_kind kind;
    int shape; /* index into shapes[] */
} values[SIZE_MOST] = {
    {"infeed", NULL, 0, 1 << 0, XPD_REPORT_HOST, 0},
    {"outfeed", NULL, 1, 1 << 1, XPD_REPORT_HOST, 0},
    {"custom-call", "xla_python_cpu_callback", 1, 1 << 2, XPD_REPORT_HOST, 0},
    {"custom-call", "xla_ffi_python_gpu_callback", 1, 1 << 3, XPD_REPORT_HOST, 0},
    {"custom-call", "tpu_custom_call", 1, 1 << 4, XPD_REPORT_COMPUTE, 0},
    {"all-gather", NULL, 1, 1 << 5, XPD_REPORT_COLLECTIVE, 0},
    {"all-reduce", NULL, 1, 1 << 6, XPD_REPORT_COLLECTIVE, 0},
    {"reduce-scatter", NULL, 1, 1 << 7, XPD_REPORT_COLLECTIVE, 0},
    {"send", NULL, 1, 1 << 8, XPD_REPORT_COLLECTIVE, 0},
    {"recv", NULL, 0, 1 << 9, XPD_REPORT_COLLECTIVE, 0},
    {"copy", NULL, 1, 1 << 10, XPD_REPORT_COMPUTE, 0},    /* same order, same space */
    {"copy", NULL, 1, 1 << 11, XPD_REPORT_RELAYOUT, 1},   /* {0,1} of {1,0} */
    {"copy", NULL, 1, 1 << 12, XPD_REPORT_SPACE_COPY, 2}, /* into S(1) */
    {"transpose", NULL, 1, 1 << 13, XPD_REPORT_RELAYOUT, 1},
    {"add", NULL, 1, 1 << 14, XPD_REPORT_COMPUTE, 0},
    {"dot", NULL, 1, 1 << 15, XPD_REPORT_COMPUTE, 0},
    {"send", "host", 1, 1 << 16, XPD_REPORT_HOST, 0}, /* is_host_transfer */
    {"recv", "host", 0, 1 << 17, XPD_REPORT_HOST, 0},
};

static const struct hb_shape shapes[] = {
    {.type = HB_F32, .rank = 2, .dims = {4, 8}, .layout = HB_DESCENDING},
    {.type = HB_F32, .rank = 2, .dims = {4, 8}, .layout = HB_MINOR, .minor = {0, 1}},
    {.type = HB_F32, .rank = 2, .dims = {4, 8}, .layout = HB_DESCENDING, .memory_space = 1},
};

static const struct {
    struct hb_alloc is;
    enum xpd_report_kind kind;
} resident[] = {
    {{.size = 3, .parameter = true}, XPD_REPORT_ARGUMENT},
    {{.size = 5, .live_out = true}, XPD_REPORT_OUTPUT},
    {{.size = 7, .constant = true}, XPD_REPORT_CONSTANT},
    {{.size = 11, .tuple = true, .live_out = true}, XPD_REPORT_TUPLE},
    {{.size = 13, .tuple = true, .parameter = true}, XPD_REPORT_TUPLE},
};
enum { RESIDENTS = sizeof resident / sizeof *resident };

static void put_temporaries(struct hb *hb)
{
    int64_t offset = 0;
    for (int i = 0; i < SIZE_MOST; i++)
        offset += values[i].size;
    hb_alloc_begin(hb, &(struct hb_alloc){.index = 0, .size = offset});
    offset = 0;
    for (int i = 0; i < SIZE_MOST; i++) {
        hb_assign(hb, i + 1, offset, values[i].size);
        offset += values[i].size;
    }
    hb_alloc_end(hb);
    hb_trace_begin(hb);
    for (int i = 0; i < SIZE_MOST; i++)
        hb_event(hb, HB_ALLOC, i + 1, "main", values[i].opcode, 0);
    for (int i = 0; i < SIZE_MOST; i++)
        hb_event(hb, HB_FREE, i + 1, "main", values[i].opcode, 0);
    hb_trace_end(hb, true, 0);
}

static void put_residents(struct hb *hb)
{
    for (int i = 0; i < RESIDENTS; i++) {
        struct hb_alloc alloc = resident[i].is;
        alloc.index = i + 1;
        hb_alloc_begin(hb, &alloc);
        hb_assign(hb, SIZE_MOST + 1 + i, 0, alloc.size);
        hb_alloc_end(hb);
    }
}

static void put_program(struct hb *hb)
{
    struct pbw host = {0};
    pbw_int(&host, 47, 1); /* is_host_transfer */
    hb_begin_computation(hb, "main", 1, false);
    for (int i = 0; i < SIZE_MOST; i++) {
        bool to_host = values[i].target && strcmp(values[i].target, "host") == 0;
        hb_instruction(hb,
                       &(struct hb_instr){.name = values[i].opcode,
                                          .opcode = values[i].opcode,
                                          .id = i + 1,
                                          .shape = &shapes[values[i].shape],
                                          .operands = &values[i].operand,
                                          .n_operands = values[i].operand != 0,
                                          .custom_call_target = to_host ? NULL : values[i].target,
                                          .more = to_host ? &host : NULL});
    }
    pbw_free(&host);
    for (int i = 0; i < RESIDENTS; i++)
        hb_instruction(hb, &(struct hb_instr){.name = "resident",
                                              .opcode = "parameter",
                                              .id = SIZE_MOST + 1 + i,
                                              .shape = &shapes[0]});
    hb_end_computation(hb, SIZE_MOST);
    for (int i = 0; i < SIZE_MOST + RESIDENTS; i++)
        hb_logical(hb, &(struct hb_logical){.id = i + 1,
                                            .size = i < SIZE_MOST ? values[i].size
                                                                  : resident[i - SIZE_MOST].is.size,
                                            .instruction_id = i + 1});
}

static void each_is_filed(void **state)
{
    (void)state;
    struct hb hb;
    struct mem_case c;
    struct xpd_report report;
    int64_t want[XPD_REPORT_KIND_COUNT] = {0}, all = 0;
    hb_init(&hb, "m");
    put_program(&hb);
    put_temporaries(&hb);
    put_residents(&hb);
    mem_open_builder(&c, &hb);
    for (int i = 0; i < SIZE_MOST; i++)
        want[values[i].kind] += values[i].size;
    for (int i = 0; i < RESIDENTS; i++)
        want[resident[i].kind] += resident[i].is.size;
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_int_equal(xpd_report_make(&report, c.mem, space, NULL, &c.arena, NULL), XPD_OK);
    assert_int_equal(report.resident_count, RESIDENTS);
    uint32_t *key = XPD_NEW_ARRAY(&c.arena, uint32_t, report.row_count + 1);
    for (uint32_t i = 0; i < report.row_count; i++)
        key[i] = report.row[i].kind;
    uint32_t peak = space->peak_step;
    struct xpd_report_steps steps = {&peak, 1};
    int64_t *bytes = xpd_report_bytes(&report, key, XPD_REPORT_KIND_COUNT, steps, &c.arena);
    for (int k = 0; k < XPD_REPORT_KIND_COUNT; k++) {
        if (bytes[k] != want[k])
            fail_msg("%s: %lld bytes, not %lld", xpd_report_kind_word((enum xpd_report_kind)k),
                     (long long)bytes[k], (long long)want[k]);
        all += bytes[k];
    }
    assert_int_equal(all, space->peak_bytes);
    mem_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_filed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Wrong HloProtos, each in an XSpace that is right. */
#include "broken.h"

#include "hlo_builder.h"
#include "xspace_wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { K = 1024, M = 1024 * 1024, MANY = 100000 };

static const struct hb_shape f32 = {
    .type = HB_F32, .rank = 2, .dims = {96, 512}, .layout = HB_DESCENDING};

/* Ends hb and puts it into an XSpace as the only module. */
static void finish(struct hb *hb, struct pbw *out)
{
    struct pbw hlo = {0};
    const char *name = hb->name;
    if (hb->computation)
        hb_end_computation(hb, 1);
    hb_finish(hb, &hlo);
    xspace_wrap(out, name, 7, &hlo);
    pbw_free(&hlo);
}

/* Two buffers of 100K and 50K in a heap of 256K: what most cases put their own events on. */
static void start(struct hb *hb, const char *name)
{
    hb_init(hb, name);
    hb_buffer(hb, 1, 100 * K, 80 * K, 0);
    hb_buffer(hb, 2, 50 * K, 50 * K, 0);
}

static void one_heap(struct pbw *out, const char *name, const char *events)
{
    struct hb hb;
    start(&hb, name);
    hb_alloc(&hb, &(struct hb_alloc){.size = 256 * K}, "1@0 2@100K");
    hb_trace(&hb, events);
    finish(&hb, out);
}

void broken_good(struct pbw *out, const char *module_name)
{
    one_heap(out, module_name, "A1 A2 F1 F2");
}

static void good(struct pbw *out)
{
    broken_good(out, "jit_good");
}

static void no_assignment(struct pbw *out)
{
    struct hb hb;
    start(&hb, "jit_no_assignment");
    hb.no_assignment = true;
    finish(&hb, out);
}

/* As XLA's dumps after code generation: no assignment, but scratch memory of an instruction. */
static void scoped_alone(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "jit_scoped_alone");
    hb.no_assignment = true;
    hb_begin_computation(&hb, "main", 1, true);
    hb_instruction(&hb, &(struct hb_instr){.name = "kernel",
                                           .opcode = "custom-call",
                                           .id = 1,
                                           .shape = &f32,
                                           .backend_config =
                                               "{\"used_scoped_memory_configs\":[{\"memory_space\":"
                                               "\"1\",\"size\":\"4096\"}]}"});
    finish(&hb, out);
}

static void no_trace(struct pbw *out)
{
    struct hb hb;
    start(&hb, "jit_no_trace");
    hb_alloc(&hb, &(struct hb_alloc){.size = 256 * K}, "1@0 2@100K");
    finish(&hb, out);
}

static void empty_module(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "jit_empty");
    finish(&hb, out);
}

static void no_name(struct pbw *out)
{
    one_heap(out, "", "A1 A2 F1 F2");
}

/* ---- events ---- */

static void double_free(struct pbw *out)
{
    one_heap(out, "jit_double_free", "A1 A2 F1 F1 F2 F2");
}

static void free_before_alloc(struct pbw *out)
{
    one_heap(out, "jit_free_before_alloc", "F1 A1 F2 A2 F1 F2");
}

static void alloc_twice(struct pbw *out)
{
    one_heap(out, "jit_alloc_twice", "A1 A1 A2 F1 F1 F2");
}

static void never_freed(struct pbw *out)
{
    one_heap(out, "jit_never_freed", "A1 A2");
}

static void odd_shares(struct pbw *out)
{
    one_heap(out, "jit_odd_shares", "S1>1 S2>99 A1 S1>2 S2>1 F2 F1 S2>1 S1>2 F1 F2 F1");
}

static void unknown_buffers(struct pbw *out)
{
    one_heap(out, "jit_unknown_buffers", "A99 A1 F98 F1 F99 S97>1");
}

static void two_allocations(struct pbw *out)
{
    struct hb hb;
    start(&hb, "jit_two_allocations");
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 100 * K}, "1@0");
    hb_alloc(&hb, &(struct hb_alloc){.index = 1, .size = 50 * K}, "2@0");
    hb_trace(&hb, "A1 A2 F1 F2");
    finish(&hb, out);
}

static void event_kinds(struct pbw *out)
{
    struct hb hb;
    start(&hb, "jit_event_kinds");
    hb_alloc(&hb, &(struct hb_alloc){.size = 256 * K}, "1@0 2@100K");
    hb_trace_begin(&hb);
    static const int kinds[] = {0, 3, 255, -1, 1000000, 1};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        hb_event(&hb, (enum hb_event_kind)kinds[i], 1, "main", "op.1", 0);
    hb_trace_end(&hb, true, -5);
    finish(&hb, out);
}

static void many_traces(struct pbw *out)
{
    struct hb hb;
    start(&hb, "jit_many_traces");
    hb_alloc(&hb, &(struct hb_alloc){.size = 256 * K}, "1@0 2@100K");
    for (int i = 0; i < 3000; i++)
        hb_trace_at(&hb, i % 3 == 0 ? "A1 F1" : i % 3 == 1 ? "" : "A2 A1 F2 F1", i % 2, i);
    finish(&hb, out);
}

/* ---- ids ---- */

static void ids_missing(struct pbw *out)
{
    struct hb hb;
    static const int64_t none[] = {77, -1, INT64_MAX, INT64_MIN, 0};
    hb_init(&hb, "jit_ids_missing");
    hb.entry_id = 42;
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(&hb, &(struct hb_instr){.name = "a",
                                           .opcode = "add",
                                           .id = 1,
                                           .shape = &f32,
                                           .operands = none,
                                           .n_operands = 5,
                                           .called = none,
                                           .n_called = 5,
                                           .control = none,
                                           .n_control = 5,
                                           .stack_frame_id = 12345});
    hb_end_computation(&hb, 999);
    hb_sequence(&hb, 1, none, 5);
    hb_sequence(&hb, 555, none, 5);
    hb_logical(&hb, &(struct hb_logical){.id = 1, .size = 4096, .instruction_id = 88});
    hb_logical(&hb, &(struct hb_logical){.id = 2, .size = 4096, .instruction_name = "nobody"});
    hb_logical(&hb, &(struct hb_logical){.id = 3, .size = 4096});
    hb_alloc(&hb, &(struct hb_alloc){.index = 9, .size = 64 * K}, "1@0 2@4096 50@8192:16");
    hb_trace_at(&hb, "A1 A2 A3 F3 F2 F1", true, 400);
    hb_frame(&hb, 9, 9);
    hb_alias(&hb, none, 5, 3, none, 5, 1);
    finish(&hb, out);
}

static void ids_twice(struct pbw *out)
{
    struct hb hb;
    start(&hb, "jit_ids_twice");
    hb_buffer(&hb, 1, 7 * K, 7 * K, 0);
    hb_buffer(&hb, 1, 9 * K, 9 * K, 1);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 256 * K}, "1@0 1@512 2@100K");
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 256 * K, .constant = true}, "1@0");
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 64 * K}, "2@0");
    hb_trace(&hb, "A1 A2 F1 F2");
    hb_end_computation(&hb, 1);
    hb_begin_computation(&hb, "main", 1, false);
    hb_end_computation(&hb, 1);
    finish(&hb, out);
}

static void ids_negative(struct pbw *out)
{
    struct hb hb;
    static const int64_t index[] = {-1, INT64_MIN};
    hb_init(&hb, "jit_ids_negative");
    hb.entry_id = -1;
    hb_begin_computation(&hb, "main", -1, false);
    hb_instruction(&hb, &(struct hb_instr){.name = "n",
                                           .opcode = "parameter",
                                           .id = -7,
                                           .shape = &f32,
                                           .parameter_number = -3,
                                           .tuple_index = -4,
                                           .source_line = -5,
                                           .stack_frame_id = -6});
    hb_end_computation(&hb, -7);
    hb_logical(&hb, &(struct hb_logical){.id = -2,
                                         .size = 4096,
                                         .instruction_id = -7,
                                         .shape_index = index,
                                         .n_shape_index = 2});
    hb_alloc_begin(&hb, &(struct hb_alloc){.index = -1,
                                           .size = 8192,
                                           .color = -3,
                                           .parameter = true,
                                           .parameter_number = -9,
                                           .parameter_shape_index = index,
                                           .n_parameter_shape_index = 2});
    hb_assign(&hb, -2, -512, -1);
    hb_alloc_end(&hb);
    hb_alloc_begin(&hb, &(struct hb_alloc){.index = INT64_MIN, .size = 8192});
    hb_assign(&hb, -2, -512, 4096);
    hb_alloc_end(&hb);
    hb_trace_begin(&hb);
    hb_event(&hb, HB_ALLOC, -2, "main", "n", 0);
    hb_event(&hb, HB_SHARE, -2, "main", "n", -2);
    hb_event(&hb, HB_FREE, -2, "main", "n", 0);
    hb_trace_end(&hb, false, -1);
    finish(&hb, out);
}

/* ---- sizes ---- */

static void sizes_overflow(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "jit_sizes_overflow");
    for (int i = 1; i <= 4; i++)
        hb_buffer(&hb, i, INT64_MAX - i, INT64_MAX, i == 4 ? 1 : 0);
    for (int i = 1; i <= 4; i++) {
        hb_alloc_begin(&hb, &(struct hb_alloc){.index = i,
                                               .size = INT64_MAX - 3 * i,
                                               .color = i == 4 ? 1 : 0,
                                               .parameter = i == 3});
        hb_assign(&hb, i, INT64_MAX - 100, INT64_MAX);
        hb_alloc_end(&hb);
    }
    hb_trace(&hb, "A1 A2 A4 F1 F2 F4");
    finish(&hb, out);
}

static void sizes_negative(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "jit_sizes_negative");
    hb_buffer(&hb, 1, -4096, -80, 0);
    hb_buffer(&hb, 2, INT64_MIN, INT64_MIN, 0);
    hb_alloc_begin(&hb, &(struct hb_alloc){.size = -1});
    hb_assign(&hb, 1, INT64_MIN, INT64_MIN);
    hb_assign(&hb, 2, -1, -1);
    hb_alloc_end(&hb);
    hb_trace(&hb, "A1 A2 F1 F2");
    finish(&hb, out);
}

static void outside_heap(struct pbw *out)
{
    struct hb hb;
    start(&hb, "jit_outside_heap");
    hb_alloc(&hb, &(struct hb_alloc){.size = 4 * K}, "1@0 2@100M");
    hb_trace(&hb, "A1 A2 F1 F2");
    finish(&hb, out);
}

static void shape_dims(struct pbw *out)
{
    struct hb hb;
    static const struct hb_shape odd[] = {
        {.type = HB_F32,
         .rank = 8,
         .dims = {INT64_MAX, INT64_MAX, 3, 4, 5, 6, 7, 8},
         .layout = HB_DESCENDING,
         .tiles = {{8, 128}, {2, 1}}},
        {.type = HB_F32, .rank = 2, .dims = {-5, 7}, .layout = HB_DESCENDING, .tiles = {{8, 128}}},
        {.type = HB_BF16, .rank = 2, .dims = {3, 7}, .layout = HB_MINOR, .minor = {5, 5}},
        {.type = HB_S4, .rank = 2, .dims = {3, 7}, .layout = HB_DESCENDING, .element_bits = -1},
        {.type = HB_F32,
         .rank = 2,
         .dims = {3, 7},
         .layout = HB_DESCENDING,
         .tiles = {{-1, -1}, {INT64_MIN, INT64_MAX}},
         .tail_align = INT64_MAX},
        {.type = (enum hb_type)7777, .rank = 1, .dims = {3}},
        {.type = HB_TUPLE, .rank = 3, .dims = {1, 2, 3}, .layout = HB_DESCENDING},
    };
    hb_init(&hb, "jit_shape_dims");
    int n = sizeof odd / sizeof *odd;
    for (int i = 0; i < n; i++)
        hb_shaped_buffer(&hb, i + 1, 64 * K, 0, &odd[i], NULL, 0);
    hb_alloc(&hb, &(struct hb_alloc){.size = 512 * K},
             "1@0 2@64K 3@128K 4@192K 5@256K 6@320K 7@384K");
    hb_trace(&hb, "A1 A2 A3 A4 A5 A6 A7 F7 F6 F5 F4 F3 F2 F1");
    finish(&hb, out);
}

static void many_colors(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "jit_many_colors");
    for (int i = 0; i < 600; i++) {
        int64_t color = i == 0 ? INT64_MIN : i == 1 ? INT64_MAX : i * 1000003LL;
        hb_buffer(&hb, i + 1, 512, 512, color);
        hb_alloc_begin(&hb, &(struct hb_alloc){.index = i, .size = 512, .color = color});
        hb_assign(&hb, i + 1, 0, 512);
        hb_alloc_end(&hb);
    }
    hb_trace(&hb, "A1 F1");
    finish(&hb, out);
}

/* ---- cycles and depth ---- */

static void cyclic_frames(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "jit_cyclic_frames");
    hb_file(&hb, "train.py");
    hb_function(&hb, "step");
    hb_location(&hb, 1, 1, 12, 3);
    hb_frame(&hb, 1, 2);
    hb_frame(&hb, 1, 1);
    hb_frame(&hb, 1, 3);
    hb_begin_computation(&hb, "main", 1, false);
    for (int i = 1; i <= 3; i++)
        hb_instruction(
            &hb, &(struct hb_instr){
                     .name = "a", .opcode = "add", .id = i, .shape = &f32, .stack_frame_id = i});
    hb_logical(&hb, &(struct hb_logical){.id = 1, .size = 64 * K, .instruction_id = 1});
    hb_alloc(&hb, &(struct hb_alloc){.size = 64 * K}, "1@0:65536");
    hb_trace(&hb, "A1 F1");
    finish(&hb, out);
}

static void cyclic_calls(struct pbw *out)
{
    struct hb hb;
    static const int64_t second[] = {2}, first[] = {1}, self[] = {11, 12};
    hb_init(&hb, "jit_cyclic_calls");
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(&hb, &(struct hb_instr){.name = "while.1",
                                           .opcode = "while",
                                           .id = 11,
                                           .shape = &f32,
                                           .operands = self,
                                           .n_operands = 2,
                                           .called = second,
                                           .n_called = 1});
    hb_end_computation(&hb, 11);
    hb_begin_computation(&hb, "body", 2, true);
    hb_instruction(&hb, &(struct hb_instr){.name = "fusion.1",
                                           .opcode = "fusion",
                                           .id = 12,
                                           .shape = &f32,
                                           .operands = self,
                                           .n_operands = 2,
                                           .called = first,
                                           .n_called = 1});
    hb_instruction(&hb, &(struct hb_instr){.name = "call.1",
                                           .opcode = "call",
                                           .id = 13,
                                           .shape = &f32,
                                           .called = second,
                                           .n_called = 1});
    hb_end_computation(&hb, 12);
    hb_sequence(&hb, 1, self, 1);
    hb_sequence(&hb, 2, self + 1, 1);
    for (int i = 1; i <= 3; i++)
        hb_logical(&hb, &(struct hb_logical){.id = i, .size = 64 * K, .instruction_id = 10 + i});
    hb_alloc(&hb, &(struct hb_alloc){.size = 256 * K}, "1@0:65536 2@64K:65536 3@128K:65536");
    hb_trace(&hb, "A1 A2 A3 F1 F2 F3");
    finish(&hb, out);
}

/* A chain of computations, each calling the next: 100,000 deep. */
static void deep_calls(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "jit_deep_calls");
    for (int64_t i = 1; i <= MANY; i++) {
        int64_t next = i + 1;
        hb_begin_computation(&hb, "c", i, false);
        hb_instruction(&hb, &(struct hb_instr){.name = "call",
                                               .opcode = i % 2 ? "call" : "fusion",
                                               .id = i,
                                               .called = &next,
                                               .n_called = 1});
        hb_end_computation(&hb, i);
    }
    hb_logical(&hb, &(struct hb_logical){.id = 1, .size = 64 * K, .instruction_id = 1});
    hb_alloc(&hb, &(struct hb_alloc){.size = 64 * K}, "1@0:65536");
    hb_trace(&hb, "A1 F1");
    finish(&hb, out);
}

/* A chain of bitcasts, each reading the one before, and a chain of frames. */
static void deep_operands(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "jit_deep_operands");
    hb_file(&hb, "deep.py");
    hb_function(&hb, "f");
    hb_location(&hb, 1, 1, 1, 1);
    for (int64_t i = 0; i < MANY; i++)
        hb_frame(&hb, 1, i);
    hb_begin_computation(&hb, "main", 1, false);
    for (int64_t i = 1; i <= MANY; i++) {
        int64_t before = i - 1;
        hb_instruction(&hb, &(struct hb_instr){.name = "b",
                                               .opcode = "bitcast",
                                               .id = i,
                                               .operands = &before,
                                               .n_operands = 1,
                                               .stack_frame_id = i});
    }
    hb_logical(&hb, &(struct hb_logical){.id = 1, .size = 64 * K, .instruction_id = 1});
    hb_logical(&hb, &(struct hb_logical){.id = 2, .size = 64 * K, .instruction_id = MANY});
    hb_alloc(&hb, &(struct hb_alloc){.size = 128 * K}, "1@0:65536 2@64K:65536");
    hb_trace(&hb, "A1 A2 F1 F2");
    finish(&hb, out);
}

/* A field that holds itself `depth` times. The lengths are not known before the inside is, so it is
 * built from the inside, backwards. */
static void nested(struct pbw *out, uint32_t field, int depth)
{
    size_t room = (size_t)depth * 8 + 16, at = room;
    unsigned char *bytes = malloc(room);
    if (!bytes)
        abort();
    for (int i = 0; i < depth; i++) {
        unsigned char header[8];
        size_t n = 0, size = room - at;
        header[n++] = (unsigned char)(field << 3 | 2);
        for (; size > 127; size >>= 7)
            header[n++] = (unsigned char)(size & 127) | 128;
        header[n++] = (unsigned char)size;
        at -= n;
        memcpy(bytes + at, header, n);
    }
    pbw_raw(out, bytes + at, room - at);
    free(bytes);
}

static void deep_shape(struct pbw *out)
{
    struct hb hb;
    start(&hb, "jit_deep_shape");
    size_t instruction = pbw_begin(&hb.computations, 2);
    pbw_str(&hb.computations, 1, "deep");
    pbw_int(&hb.computations, 35, 3);
    size_t shape = pbw_begin(&hb.computations, 3);
    pbw_int(&hb.computations, 2, HB_TUPLE);
    nested(&hb.computations, 4, MANY);
    pbw_end(&hb.computations, shape);
    pbw_end(&hb.computations, instruction);
    hb_alloc(&hb, &(struct hb_alloc){.size = 256 * K}, "1@0 2@100K");
    hb_trace(&hb, "A1 A2 F1 F2");
    finish(&hb, out);
}

static void deep_json(struct pbw *out)
{
    struct hb hb;
    char *json = malloc(MANY + 1);
    if (!json)
        abort();
    memset(json, '[', MANY);
    json[MANY] = '\0';
    hb_init(&hb, "jit_deep_json");
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(&hb, &(struct hb_instr){.name = "a",
                                           .opcode = "custom-call",
                                           .id = 1,
                                           .shape = &f32,
                                           .backend_config = json,
                                           .backend_config_payload = json});
    hb_logical(&hb, &(struct hb_logical){.id = 1, .size = 64 * K, .instruction_id = 1});
    hb_alloc(&hb, &(struct hb_alloc){.size = 64 * K}, "1@0:65536");
    hb_trace(&hb, "A1 F1");
    finish(&hb, out);
    free(json);
}

/* ---- names ---- */

static void named(struct pbw *out, const char *module, const char *name)
{
    struct hb hb;
    hb_init(&hb, module);
    hb_begin_computation(&hb, name, 1, false);
    hb_instruction(&hb, &(struct hb_instr){.name = name,
                                           .opcode = name,
                                           .id = 1,
                                           .shape = &f32,
                                           .op_name = name,
                                           .source_file = name,
                                           .source_line = 3,
                                           .fusion_kind = name,
                                           .custom_call_target = name});
    hb_logical(&hb, &(struct hb_logical){.id = 1, .size = 64 * K, .instruction_id = 1});
    hb_alloc(&hb, &(struct hb_alloc){.size = 64 * K}, "1@0:65536");
    hb_trace_begin(&hb);
    hb_event(&hb, HB_ALLOC, 1, name, name, 0);
    hb_event(&hb, HB_FREE, 1, name, name, 0);
    hb_trace_end(&hb, true, 0);
    finish(&hb, out);
}

static void name_markup(struct pbw *out)
{
    named(out, "<img src=x onerror=alert(1)>&quot;'\"",
          "</script><script>alert('xss')</script>&<b>\"'`${1}");
}

static void name_control(struct pbw *out)
{
    named(out, "jit_\x1b[31mred\x1b]0;title\x07\r\n\t\x7f",
          "\x1b[2J\x1b[1;1Hgone\b\b\r\nx\x7f\xc2\x9b"
          "31m");
}

static void name_invalid_utf8(struct pbw *out)
{
    named(out, "jit_\xff\xfe\xc3", "\xc0\xaf\xed\xa0\x80\xf5\x80\x80\x80 ok \xe2\x82");
}

static void name_path(struct pbw *out)
{
    named(out, "../../../../etc/passwd", "..\\..\\windows=cmd|' /C calc'!A0");
}

static void name_formula(struct pbw *out)
{
    named(out, "=1+1", "=HYPERLINK(\"http://a\",\"b\"),\r\n@x");
}

static void name_long(struct pbw *out)
{
    char *name = malloc(M + 1);
    if (!name)
        abort();
    for (int i = 0; i < M; i++)
        name[i] = (char)('a' + i % 26);
    name[M] = '\0';
    named(out, "jit_name_long", name);
    free(name);
}

const struct broken broken_hlo[] = {{"good", good, false},
                                    {"no_assignment", no_assignment, false},
                                    {"scoped_alone", scoped_alone, false},
                                    {"no_trace", no_trace, false},
                                    {"empty_module", empty_module, false},
                                    {"no_name", no_name, false},
                                    {"double_free", double_free, false},
                                    {"free_before_alloc", free_before_alloc, false},
                                    {"alloc_twice", alloc_twice, false},
                                    {"never_freed", never_freed, false},
                                    {"odd_shares", odd_shares, false},
                                    {"unknown_buffers", unknown_buffers, false},
                                    {"two_allocations", two_allocations, false},
                                    {"event_kinds", event_kinds, false},
                                    {"many_traces", many_traces, false},
                                    {"ids_missing", ids_missing, false},
                                    {"ids_twice", ids_twice, false},
                                    {"ids_negative", ids_negative, false},
                                    {"sizes_overflow", sizes_overflow, false},
                                    {"sizes_negative", sizes_negative, false},
                                    {"outside_heap", outside_heap, false},
                                    {"shape_dims", shape_dims, false},
                                    {"many_colors", many_colors, false},
                                    {"cyclic_frames", cyclic_frames, false},
                                    {"cyclic_calls", cyclic_calls, false},
                                    {"deep_calls", deep_calls, true},
                                    {"deep_operands", deep_operands, true},
                                    {"deep_shape", deep_shape, true},
                                    {"deep_json", deep_json, true},
                                    {"name_markup", name_markup, false},
                                    {"name_control", name_control, false},
                                    {"name_invalid_utf8", name_invalid_utf8, false},
                                    {"name_path", name_path, false},
                                    {"name_formula", name_formula, false},
                                    {"name_long", name_long, true}};
const size_t n_broken_hlo = sizeof broken_hlo / sizeof *broken_hlo;

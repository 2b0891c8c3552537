#include "hlo_bench.h"

#include "hlo_bench_names.h"
#include "hlo_bench_plan.h"
#include "hlo_builder.h"

#include <stdio.h>
#include <stdlib.h>

static void *zalloc(int64_t n, size_t size)
{
    void *p = calloc((size_t)n + 1, size);
    if (!p) {
        fprintf(stderr, "bench: out of memory\n");
        abort();
    }
    return p;
}

/* ---- what is written besides the trace ---- */

static void write_logical(struct bench *b)
{
    for (int64_t id = 0; id < b->size.buffers; id++) {
        const struct buffer *x = &b->buffers[id];
        int64_t first = b->first_buffer[x->step];
        int64_t index = id - first;
        bool tuple = b->first_buffer[x->step + 1] - first > 1;
        hb_logical(&b->hb, &(struct hb_logical){.id = id + 1,
                                                .size = bench_shape_bytes(x->shape),
                                                .instruction_id = bench_step_id(b, x->step),
                                                .shape_index = &index,
                                                .n_shape_index = tuple});
    }
}

static void write_allocations(struct bench *b)
{
    int64_t index = 0;
    for (int64_t id = 0; id < b->size.buffers; id++) {
        const struct buffer *x = &b->buffers[id];
        if (x->kind != BUF_PARAM && x->kind != BUF_OUTPUT) {
            continue;
        }
        bool donated = x->kind == BUF_PARAM && id < N_TIED;
        hb_alloc_begin(&b->hb, &(struct hb_alloc){.index = index++,
                                                  .size = bench_shape_bytes(x->shape),
                                                  .parameter = x->kind == BUF_PARAM,
                                                  .parameter_number = x->kind == BUF_PARAM ? id : 0,
                                                  .live_out = donated || x->kind == BUF_OUTPUT,
                                                  .aliased = donated});
        hb_assign(&b->hb, id + 1, 0, bench_shape_bytes(x->shape));
        hb_alloc_end(&b->hb);
        if (donated) {
            hb_alias(&b->hb, &id, 1, id, NULL, 0, 1);
        }
    }
    /* Untraced members lie end to end behind the heap, as XLA combines temps. */
    int64_t size = b->heap_size;
    for (int64_t id = 0; id < b->size.buffers; id++) {
        struct buffer *x = &b->buffers[id];
        if (x->kind == BUF_UNTRACED) {
            x->offset = size;
            size += bench_shape_bytes(x->shape);
        }
    }
    hb_alloc_begin(&b->hb, &(struct hb_alloc){.index = index, .size = size});
    for (int64_t id = 0; id < b->size.buffers; id++) {
        const struct buffer *x = &b->buffers[id];
        if (x->kind != BUF_PARAM && x->kind != BUF_OUTPUT) {
            hb_assign(&b->hb, id + 1, x->offset, bench_shape_bytes(x->shape));
        }
    }
    hb_alloc_end(&b->hb);
}

/* An earlier instruction of the same computation: what an operand may be. */
static int64_t earlier(struct bench *b, int64_t step)
{
    int64_t at = step - 1 - bench_below(b, 48);
    if (at >= 0 && bench_part_of(b, at) == bench_part_of(b, step)) {
        return bench_step_id(b, at);
    }
    int64_t first[N_PARTS] = {bench_below(b, b->n_params), b->loop_at, b->body_at};
    return bench_step_id(b, first[bench_part_of(b, step)]);
}

static void write_step(struct bench *b, int64_t step)
{
    int64_t first = b->first_buffer[step];
    int n = (int)(b->first_buffer[step + 1] - first);
    struct hb_shape elements[MAX_OUT + 2] = {{.type = HB_TOKEN}};
    for (int i = 0; i < n && i < MAX_OUT + 2; i++) {
        elements[i] = *bench_shape(b->buffers[first + i].shape);
    }
    struct hb_shape tuple = {.type = HB_TUPLE, .elements = elements, .n_elements = n};

    char name[64];
    bench_step_name(b, step, name, sizeof name);
    struct hb_instr in = {.name = name,
                          .opcode = bench_opcode(step),
                          .id = bench_step_id(b, step),
                          .shape = n > 1 ? &tuple : &elements[0],
                          .op_name = bench_op_name(&b->names, step, b->n_steps),
                          .stack_frame_id = bench_frame(&b->names, step)};
    int64_t operands[3];
    int64_t called[2] = {PART_BODY + 1, PART_COND + 1}; /* what a while calls */
    int64_t fused = bench_fusion_of(b, step);
    bool parameter = step < b->n_params || step == b->loop_at || step == b->body_at;
    if (parameter) {
        in.opcode = "parameter";
        in.parameter_number = step < b->n_params ? step : 0;
    } else {
        in.n_operands = (int)(1 + bench_below(b, 3));
        for (int i = 0; i < in.n_operands; i++) {
            operands[i] = earlier(b, step);
        }
        in.operands = operands;
    }
    if (step == b->loop_end) {
        in.opcode = "while";
        in.called = called;
        in.n_called = 2;
    } else if (step == b->n_steps - 1) {
        in.opcode = "tuple";
    } else if (fused != NONE) {
        called[0] = N_PARTS + 1 + fused;
        in.opcode = "fusion";
        in.fusion_kind = "kLoop";
        in.called = called;
        in.n_called = 1;
    }
    hb_instruction(&b->hb, &in);
}

static void write_fused(struct bench *b, int64_t step, int64_t number)
{
    int64_t id = N_PARTS + 1 + number;
    char name[64];
    snprintf(name, sizeof name, "fused_computation.%lld", (long long)number);
    hb_begin_computation(&b->hb, name, id, true);
    for (int64_t i = 0; i < PER_FUSION; i++) {
        bool parameter = i < 2;
        const char *opcode = parameter ? "parameter" : bench_opcode(step + i);
        int64_t operands[2] = {id << 32 | 1, id << 32 | i};
        snprintf(name, sizeof name, "%s.%lld.%lld", parameter ? "param" : opcode, (long long)number,
                 (long long)i);
        hb_instruction(&b->hb,
                       &(struct hb_instr){.name = name,
                                          .opcode = opcode,
                                          .id = id << 32 | (i + 1),
                                          .shape = bench_shape(bench_below(b, BENCH_SHAPES)),
                                          .op_name = bench_op_name(&b->names, step, b->n_steps),
                                          .stack_frame_id = bench_frame(&b->names, step),
                                          .operands = operands,
                                          .n_operands = parameter ? 0 : 2,
                                          .parameter_number = parameter ? i : 0});
    }
    hb_end_computation(&b->hb, id << 32 | PER_FUSION);
}

static void write_module(struct bench *b)
{
    for (int64_t step = 0; step < b->n_steps; step++) {
        int64_t fused = bench_fusion_of(b, step);
        if (fused != NONE) {
            write_fused(b, step, fused);
        }
    }
    int64_t *sequence = zalloc(b->n_steps, sizeof *sequence);
    for (int part = N_PARTS - 1; part >= 0; part--) { /* callees first */
        size_t n = 0;
        hb_begin_computation(&b->hb, bench_part_name[part], part + 1, false);
        for (int64_t step = 0; step < b->n_steps; step++) {
            if ((int)bench_part_of(b, step) == part) {
                write_step(b, step);
                sequence[n++] = bench_step_id(b, step);
            }
        }
        hb_end_computation(&b->hb, sequence[n - 1]);
        hb_sequence(&b->hb, part + 1, sequence, n);
    }
    free(sequence);
}

void bench_build(struct pbw *out, struct bench_size *size)
{
    struct bench b = {.size = *size, .random = 88172645463325252u};
    bench_plan_steps(&b);
    b.buffers = zalloc(b.size.buffers, sizeof *b.buffers);
    b.first_buffer = zalloc(b.n_steps + 1, sizeof *b.first_buffer);
    b.dying = zalloc(b.n_steps, sizeof *b.dying);
    hb_init(&b.hb, "jit_train_step");
    b.hb.entry_name = bench_part_name[PART_ENTRY];
    bench_names_init(&b.names, &b.hb);
    bench_plan_buffers(&b);
    bench_run_heap(&b); /* before the rest: a sharer takes over the shape of its root */
    write_module(&b);
    write_logical(&b);
    write_allocations(&b);
    *size = b.size;
    hb_finish(&b.hb, out);
    bench_names_free(&b.names);
    free(b.buffers);
    free(b.first_buffer);
    free(b.dying);
}

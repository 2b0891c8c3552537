#include "hlo_bench_plan.h"

#include <stdio.h>

const char *const bench_part_name[N_PARTS] = {"main.1", "while_cond.2", "while_body.3"};

/* xorshift64*: the same numbers on every machine. */
int64_t bench_below(struct bench *b, int64_t limit)
{
    b->random ^= b->random >> 12;
    b->random ^= b->random << 25;
    b->random ^= b->random >> 27;
    return (int64_t)((b->random * 2685821657736338717u >> 33) % (uint64_t)limit);
}

enum part bench_part_of(const struct bench *b, int64_t step)
{
    if (step < b->loop_at || step >= b->loop_end) {
        return PART_ENTRY;
    }
    return step < b->body_at ? PART_COND : PART_BODY;
}

/* Ids as XLA makes them since 2025: computation << 32 | number in it. */
int64_t bench_step_id(const struct bench *b, int64_t step)
{
    return ((int64_t)bench_part_of(b, step) + 1) << 32 | (step + 1);
}

/* Fusions are spread evenly; returns the number of the step's fused computation or NONE. */
int64_t bench_fusion_of(const struct bench *b, int64_t step)
{
    int64_t first = b->n_params;
    int64_t n = b->n_steps - 1 - first; /* the last step is the root tuple */
    if (step < first || step == b->n_steps - 1 || step == b->loop_at || step == b->body_at ||
        step == b->loop_end) {
        return NONE;
    }
    int64_t i = step - first;
    int64_t before = i * b->n_fused / n;
    return (i + 1) * b->n_fused / n > before ? before : NONE;
}

void bench_step_name(const struct bench *b, int64_t step, char *out, size_t size)
{
    const char *kind = bench_opcode(step);
    if (step < b->n_params || step == b->loop_at || step == b->body_at) {
        kind = "param";
    } else if (step == b->loop_end) {
        kind = "while";
    } else if (step == b->n_steps - 1) {
        kind = "tuple";
    } else if (bench_fusion_of(b, step) != NONE) {
        kind = "fusion";
    }
    snprintf(out, size, "%s.%lld", kind, (long long)step);
}

/* ---- buffers: who lives when, and where ---- */

void bench_plan_steps(struct bench *b)
{
    int64_t total = b->size.instructions < 200 ? 200 : b->size.instructions;
    b->n_fused = total * 2 / 5 / PER_FUSION;
    b->n_steps = total - b->n_fused * PER_FUSION;
    b->n_params = b->n_steps / 40 + 1;
    b->n_outputs = b->n_steps / 200 + 1;
    b->loop_at = b->n_steps / 4;
    b->body_at = b->loop_at + COND_STEPS;
    b->loop_end = b->body_at + b->n_steps / 4;
    b->size.instructions = total;
    if (b->size.buffers < b->n_steps) {
        b->size.buffers = b->n_steps;
    }
    if (b->size.buffers > b->n_steps * MAX_OUT) {
        b->size.buffers = b->n_steps * MAX_OUT;
    }
}

/* Activations live until the backward pass reaches their mirror image, the others a few steps. */
static int64_t death_of(struct bench *b, int64_t step)
{
    int64_t last = b->n_steps - 1;
    int64_t death = step + 1 + bench_below(b, 12);
    if (step < last / 2 && bench_below(b, 8) == 0) {
        death = last - step;
    }
    return death < last ? death : last;
}

void bench_plan_buffers(struct bench *b)
{
    int64_t n = b->size.buffers;
    int64_t others = n - b->n_params; /* every parameter has one */
    int64_t steps = b->n_steps - b->n_params;
    int64_t id = 0;
    int64_t traced = b->size.events / 2;
    int64_t traceable = others - b->n_outputs;
    for (int64_t step = 0; step < b->n_steps; step++) {
        b->first_buffer[step] = id;
        int64_t i = step - b->n_params;
        int64_t end = i < 0 ? id + 1 : b->n_params + (i + 1) * others / steps;
        for (; id < end; id++) {
            struct buffer *x = &b->buffers[id];
            x->step = step;
            x->root = id;
            x->shape = (unsigned char)bench_below(b, BENCH_SHAPES);
            if (i < 0) {
                x->kind = BUF_PARAM;
            } else if (id >= n - b->n_outputs) {
                x->kind = BUF_OUTPUT;
            } else if ((id - b->n_params + 1) * traced / traceable >
                           (id - b->n_params) * traced / traceable ||
                       traced >= traceable) {
                x->kind = BUF_TEMP;
            } else {
                x->kind = BUF_UNTRACED;
            }
        }
    }
    b->first_buffer[b->n_steps] = id;
}

/* Sharing an operand's storage: one buffer in ten takes over one of an earlier step. */
static void maybe_share(struct bench *b, int64_t id)
{
    struct buffer *x = &b->buffers[id];
    if (id < b->n_params + 64 || bench_below(b, 10) != 0) {
        return;
    }
    int64_t victim = id - 1 - bench_below(b, 48);
    struct buffer *v = &b->buffers[victim];
    /* Only storage that is still held: its last holder must not die before this step. */
    if ((v->kind != BUF_TEMP && v->kind != BUF_SHARER) || v->death < x->step ||
        v->step == x->step) {
        return;
    }
    x->kind = BUF_SHARER;
    x->root = v->root;
    x->shape = v->shape;
    x->offset = v->offset;
}

/*
 * A free list for every kind of shape, and the end of the heap when it is empty: two buffers that
 * are alive at the same time never overlap, and it takes constant time.
 */
void bench_run_heap(struct bench *b)
{
    int64_t free_list[BENCH_SHAPES];
    for (int i = 0; i < BENCH_SHAPES; i++) {
        free_list[i] = NONE;
    }
    for (int64_t i = 0; i < b->n_steps; i++) {
        b->dying[i] = NONE;
    }
    hb_trace_begin(&b->hb);
    int64_t n_events = 0;
    for (int64_t step = 0; step < b->n_steps; step++) {
        char name[64];
        bench_step_name(b, step, name, sizeof name);
        const char *computation = bench_part_name[bench_part_of(b, step)];
        for (int64_t id = b->first_buffer[step]; id < b->first_buffer[step + 1]; id++) {
            struct buffer *x = &b->buffers[id];
            if (x->kind != BUF_TEMP) {
                continue;
            }
            maybe_share(b, id);
            if (x->kind == BUF_SHARER) {
                hb_event(&b->hb, HB_SHARE, id + 1, computation, name, x->root + 1);
            } else {
                int64_t reuse = free_list[x->shape];
                if (reuse != NONE) {
                    free_list[x->shape] = b->buffers[reuse].next;
                    x->offset = b->buffers[reuse].offset;
                } else {
                    x->offset = b->heap_size;
                    b->heap_size += bench_shape_bytes(x->shape);
                }
                hb_event(&b->hb, HB_ALLOC, id + 1, computation, name, 0);
            }
            b->buffers[x->root].users++;
            x->death = death_of(b, step);
            x->next = b->dying[x->death];
            b->dying[x->death] = id;
            n_events++;
        }
        for (int64_t id = b->dying[step], next; id != NONE; id = next) {
            struct buffer *x = &b->buffers[id];
            next = x->next;
            /* A FREE names the instruction that defined the value, not the one that runs. */
            bench_step_name(b, x->step, name, sizeof name);
            hb_event(&b->hb, HB_FREE, id + 1, bench_part_name[bench_part_of(b, x->step)], name, 0);
            n_events++;
            if (--b->buffers[x->root].users == 0) {
                struct buffer *root = &b->buffers[x->root];
                root->next = free_list[root->shape];
                free_list[root->shape] = x->root;
            }
        }
    }
    b->size.events = n_events;
    hb_trace_end(&b->hb, true, b->n_params + b->n_outputs);
}

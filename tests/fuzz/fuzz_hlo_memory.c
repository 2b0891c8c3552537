/* A HloProto through everything the memory tool computes, with what must hold of any file.
 *
 * The replay's curve is recomputed from the tenancies, unions and savings by brute force on a
 * sample of steps and buffers. Sums that overflow are told as a warning; then only memory safety is
 * checked. */
#include "must.h"

#include "../../src/memory/memory_internal.h"
#include "xprofd/hlo/source_info.h"
#include "xprofd/hlo/tiling.h"
#include "xprofd/memory/query.h"
#include "xprofd/memory/xprof.h"

#include <string.h>

enum { ARENA = 256 << 20, SAMPLES = 24, BRUTE_STEPS = 4096, BRUTE_TENANCIES = 512, COLUMNS = 40 };

struct input {
    struct xpd_hlo *hlo;
    struct xpd_mem *mem;
    struct xpd_arena arena; /* of queries */
    bool exact;             /* no sum overflowed */
};

/* The k-th of `count` things when only SAMPLES of them are looked at. */
static uint32_t sample(uint32_t k, uint32_t count)
{
    return count <= SAMPLES ? k : (uint32_t)((uint64_t)k * count / SAMPLES);
}

static uint32_t samples(uint32_t count)
{
    return count < SAMPLES ? count : SAMPLES;
}

/* ---- the module ---- */

static void check_shape(const struct xpd_shape *shape)
{
    struct xpd_strbuf text = {.limit_bytes = 1 << 16};
    struct xpd_tiling tiling;
    struct xpd_order_choice orders[8];
    bool overflow = false;
    MUST(shape);
    xpd_shape_text(&text, shape, true);
    xpd_shape_text(&text, shape, false);
    xpd_strbuf_fini(&text);
    MUST(xpd_shape_unpadded_bytes(shape, &overflow) >= 0 || overflow || shape->rank > 0);
    xpd_shape_unpadded_bytes_xprof(shape, &overflow);
    xpd_tiling_of(&tiling, shape);
    for (uint32_t i = 0; tiling.known && i < tiling.dim_count; i++) {
        MUST(tiling.dim[i].dimension < shape->rank);
        MUST(tiling.dim[i].size == shape->dims[tiling.dim[i].dimension]);
        MUST(tiling.dim[i].cost_bytes >= 0 || shape->layout->split_count > 0);
    }
    uint32_t n = xpd_tiling_orders(shape, orders, 8);
    MUST(n <= 8);
    for (uint32_t i = 1; i < n; i++)
        MUST(orders[i - 1].tiled_bytes <= orders[i].tiled_bytes);
}

static void check_instruction(const struct xpd_hlo *hlo, uint32_t i)
{
    struct xpd_source_info info;
    struct xpd_strbuf stack = {.limit_bytes = 1 << 20};
    struct xpd_str file;
    int32_t line;
    check_shape(hlo->instructions.shape[i]);
    xpd_source_of(hlo, i, &info);
    MUST(info.frame_count <= XPD_STACK_MAX);
    for (uint32_t k = 0; k < info.frame_count; k++)
        MUST(info.frame[k] >= 1 && info.frame[k] <= hlo->frame_count);
    MUST(info.from == XPD_NO_INDEX || info.from < hlo->instructions.count);
    xpd_source_of_xprof(hlo, i, &file, &line, &stack);
    xpd_strbuf_fini(&stack);
    MUST(xpd_op_group_of(hlo, i) < XPD_OP_GROUP_COUNT);
    MUST(hlo->instructions.computation[i] < hlo->computations.count);
}

static void check_ranges(const uint32_t *first, uint32_t count, const uint32_t *item,
                         uint32_t item_limit)
{
    for (uint32_t i = 0; i < count; i++) {
        MUST(first[i] <= first[i + 1]);
        for (uint32_t k = first[i]; k < first[i + 1]; k++)
            MUST(item[k] < item_limit || item[k] == XPD_NO_INDEX);
    }
}

static void check_module(const struct xpd_hlo *hlo)
{
    const struct xpd_hlo_instructions *in = &hlo->instructions;
    MUST(hlo->entry == XPD_NO_INDEX || hlo->entry < hlo->computations.count);
    check_ranges(in->operand_first, in->count, in->operand, in->count);
    check_ranges(in->called_first, in->count, in->called, hlo->computations.count);
    check_ranges(hlo->computations.schedule_first, hlo->computations.count,
                 hlo->computations.schedule, in->count);
    for (uint32_t k = 0; k < samples(in->count); k++)
        check_instruction(hlo, sample(k, in->count));
    for (uint32_t i = 0; i < hlo->trace_count; i++)
        MUST((uint64_t)hlo->trace[i].first + hlo->trace[i].count <= hlo->events.count);
    for (uint32_t i = 0; i < hlo->events.count; i++)
        MUST(hlo->events.buffer[i] < hlo->buffers.count || hlo->events.buffer[i] == XPD_NO_INDEX);
    for (uint32_t i = 0; i < hlo->allocation_count; i++)
        MUST((uint64_t)hlo->allocation[i].assigned_first + hlo->allocation[i].assigned_count <=
             hlo->assigned_count);
    MUST(xpd_hlo_memory_bytes(hlo) > 0);
}

/* ---- one space ---- */

/* What a tenancy holds at a step: a larger value may have joined later. */
static int64_t size_at(const struct xpd_mem_space *space, uint32_t tenancy, uint32_t step)
{
    uint32_t count, first = xpd_growths_of(space->index, tenancy, &count);
    int64_t bytes = space->tenancy[tenancy].size_bytes;
    for (uint32_t i = first + count; i > first && space->index->growth[i - 1].step > step; i--)
        bytes = space->index->growth[i - 1].before_bytes;
    return bytes;
}

struct range {
    int64_t offset_bytes, size_bytes;
};

static int by_low(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return (x->offset_bytes > y->offset_bytes) - (x->offset_bytes < y->offset_bytes);
}

static int64_t union_of(struct range *range, uint32_t count)
{
    int64_t top = INT64_MIN, bytes = 0;
    if (count > 1)
        qsort(range, count, sizeof *range, by_low);
    for (uint32_t i = 0; i < count; i++) {
        int64_t low = range[i].offset_bytes > top ? range[i].offset_bytes : top;
        int64_t high = range[i].offset_bytes + range[i].size_bytes;
        bytes += high > low ? high - low : 0;
        top = high > top ? high : top;
    }
    return bytes;
}

/* Live bytes from the tenancies, without those that `gone` marks (may be NULL). */
static int64_t live_without(struct input *in, const struct xpd_mem_space *space, uint32_t step,
                            const bool *gone)
{
    uint32_t count = xpd_live_at(space, step, NULL, 0), kept = 0;
    uint32_t *live = XPD_NEW_ARRAY(&in->arena, uint32_t, count);
    struct range *range = XPD_NEW_ARRAY(&in->arena, struct range, count);
    int64_t sum = 0;
    MUST(live && range && xpd_live_at(space, step, live, count) == count);
    for (uint32_t i = 0; i < count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[live[i]];
        MUST(i == 0 || live[i - 1] < live[i]);
        MUST(t->start_step <= step && step < t->end_step);
        if ((t->flags & XPD_TENANCY_UNTRACED) || (gone && gone[live[i]]))
            continue;
        range[kept++] = (struct range){t->offset_bytes, size_at(space, live[i], step)};
        sum += range[kept - 1].size_bytes;
    }
    return space->live_is_union ? union_of(range, kept) : sum;
}

static void check_step(struct input *in, const struct xpd_mem_space *space, uint32_t step)
{
    MUST(space->event[step] < in->hlo->events.count);
    uint32_t running = xpd_mem_running(in->mem, space, step);
    MUST(running == XPD_NO_INDEX || running < in->hlo->instructions.count);
    MUST(space->live_bytes[step] >= 0 && space->listed_bytes[step] >= 0);
    if (in->exact)
        MUST(live_without(in, space, step, NULL) == space->live_bytes[step]);
    if (in->exact && !space->live_is_union)
        MUST(space->unpadded_bytes[step] <= space->live_bytes[step]);
}

static void check_tenancy(const struct input *in, const struct xpd_mem_space *space, uint32_t i)
{
    const struct xpd_tenancy *t = &space->tenancy[i];
    const struct xpd_mem_buffer *buffer = &in->mem->buffer[t->buffer];
    uint32_t growths;
    MUST(t->buffer < in->hlo->buffers.count && t->size_bytes >= 0 && t->unpadded_bytes >= 0);
    MUST(t->end_step <= space->step_count && t->unpadded_bytes <= t->size_bytes);
    MUST(t->start_step < t->end_step || space->step_count == 0);
    MUST((t->flags & XPD_TENANCY_UNTRACED) || t->lane < space->lane_count);
    MUST(t->next_of_buffer == XPD_NO_INDEX ||
         (t->next_of_buffer > i && t->next_of_buffer < space->tenancy_count));
    if (i > 0) {
        const struct xpd_tenancy *before = t - 1;
        MUST(before->start_step < t->start_step ||
             (before->start_step == t->start_step && before->offset_bytes <= t->offset_bytes));
    }
    xpd_growths_of(space->index, i, &growths);
    const struct xpd_hlo_allocation *a = &in->hlo->allocation[buffer->allocation];
    bool fits =
        t->size_bytes <= a->size_bytes && buffer->offset_bytes <= a->size_bytes - t->size_bytes;
    if (in->exact && fits && growths == 0)
        MUST(t->offset_bytes >= 0 && t->offset_bytes + t->size_bytes <= space->heap_bytes);
}

static void check_curve(const struct xpd_mem_space *space, uint32_t from, uint32_t to)
{
    struct xpd_curve_column column[COLUMNS];
    uint32_t n = xpd_curve(space, (struct xpd_step_window){from, to}, COLUMNS, column);
    uint32_t next = from, end = to < space->step_count ? to : space->step_count;
    MUST(n <= COLUMNS && (n > 0) == (from < end));
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_curve_column *c = &column[i];
        int64_t low = INT64_MAX, high = INT64_MIN;
        MUST(c->first_step == next && c->step_count > 0);
        next += c->step_count;
        for (uint32_t s = c->first_step; s < next; s++) {
            low = space->live_bytes[s] < low ? space->live_bytes[s] : low;
            high = space->live_bytes[s] > high ? space->live_bytes[s] : high;
        }
        MUST(c->min_live == low && c->max_live == high);
        MUST(c->max_step >= c->first_step && c->max_step < next);
        MUST(space->live_bytes[c->max_step] == high);
    }
    MUST(n == 0 || next == end);
}

static void check_peaks(const struct input *in, const struct xpd_mem_space *space)
{
    struct xpd_near_peak peak[8] = {0};
    uint32_t n = xpd_near_peaks(space, 0.1, peak, 8);
    MUST((space->peak_step == XPD_NO_STEP) == (space->step_count == 0));
    if (space->peak_step == XPD_NO_STEP)
        return;
    MUST(space->peak_step < space->step_count);
    MUST(space->peak_live_bytes == space->live_bytes[space->peak_step]);
    for (uint32_t i = 0; i < space->step_count; i++)
        MUST(space->live_bytes[i] < space->peak_live_bytes ||
             (space->live_bytes[i] == space->peak_live_bytes && i >= space->peak_step));
    MUST(n >= 1 && peak[0].bytes == space->peak_bytes);
    MUST(peak[0].step == space->peak_step);
    for (uint32_t i = 1; i < n && i < 8; i++)
        MUST(peak[i].bytes <= peak[i - 1].bytes && peak[i].step < space->step_count);
    if (in->exact)
        MUST(space->peak_bytes == space->totals.resident + space->peak_live_bytes);
}

/* What is left of the highest step when the storages of these buffers are gone. */
static int64_t brute_saving(struct input *in, const struct xpd_mem_space *space,
                            const uint32_t *buffer, uint32_t count)
{
    bool *gone = XPD_NEW_ARRAY(&in->arena, bool, space->tenancy_count);
    bool *counted = XPD_NEW_ARRAY(&in->arena, bool, in->hlo->allocation_count);
    int64_t resident = 0, left = 0;
    MUST(gone && counted);
    for (uint32_t i = 0; i < count; i++) {
        const struct xpd_mem_buffer *b = &in->mem->buffer[buffer[i]];
        if (b->allocation == XPD_NO_INDEX ||
            in->hlo->allocation[b->allocation].color != space->color)
            continue;
        const struct xpd_hlo_allocation *a = &in->hlo->allocation[b->allocation];
        if (xpd_mem_resident(a->flags)) {
            if (!counted[b->allocation] && a->size_bytes > 0)
                resident += a->size_bytes;
            counted[b->allocation] = true;
        } else if (!xpd_mem_indefinite(a->flags)) {
            for (uint32_t t = in->mem->buffer[b->root].storage_tenancy; t != XPD_NO_INDEX;
                 t = space->tenancy[t].next_of_buffer)
                gone[t] = true;
        }
    }
    for (uint32_t s = 0; s < space->step_count; s++) {
        int64_t live = live_without(in, space, s, gone);
        left = live > left ? live : left;
    }
    return space->peak_live_bytes - left + resident;
}

static void check_saving(struct input *in, const struct xpd_mem_space *space, uint32_t buffer,
                         uint32_t other)
{
    uint32_t pair[2] = {buffer, other}, step;
    int64_t peak;
    int64_t one = xpd_saving(in->mem, space, pair, 1, &peak, &step, &in->arena);
    int64_t two = xpd_saving(in->mem, space, pair, 2, NULL, NULL, &in->arena);
    MUST(step == XPD_NO_STEP || step < space->step_count);
    MUST(one >= 0 && one <= space->peak_bytes && peak == space->peak_bytes - one);
    MUST(two >= 0 && two <= space->peak_bytes);
    if (!in->exact)
        return;
    MUST(two >= one && two <= space->peak_bytes);
    if (space->step_count > 64 || space->tenancy_count > BRUTE_TENANCIES)
        return;
    MUST(one == brute_saving(in, space, pair, 1));
    MUST(two == brute_saving(in, space, pair, 2));
}

static void check_neighbours(const struct xpd_mem_space *space, uint32_t tenancy)
{
    uint32_t before, before_more, after, after_more;
    xpd_neighbours(space, tenancy, &before, &before_more, &after, &after_more);
    MUST(before == XPD_NO_INDEX || before < space->tenancy_count);
    MUST(after == XPD_NO_INDEX || after < space->tenancy_count);
    if (before != XPD_NO_INDEX)
        MUST(space->tenancy[before].end_step <= space->tenancy[tenancy].start_step);
    if (after != XPD_NO_INDEX)
        MUST(space->tenancy[after].start_step >= space->tenancy[tenancy].end_step);
    MUST(before != XPD_NO_INDEX || before_more == 0);
    MUST(after != XPD_NO_INDEX || after_more == 0);
}

static void check_xprof(struct input *in, int64_t color)
{
    struct xpd_xprof_memory x;
    struct xpd_err err = {0};
    for (int small = 0; small < 2; small++) {
        int rc = xpd_xprof_memory(&x, in->mem, color, small ? XPD_XPROF_SMALL_BYTES : 0, &in->arena,
                                  &err);
        MUST(rc == XPD_OK || rc == XPD_ENOMEM || rc == XPD_ELIMIT);
        if (rc != XPD_OK)
            continue;
        MUST(x.trace == XPD_NO_INDEX || x.trace < in->hlo->trace_count);
        MUST((x.trace == XPD_NO_INDEX) == (x.point_count == 0) || x.error_text);
        for (uint32_t i = 0; i < x.bar_count; i++)
            MUST(x.by_size[i] < x.bar_count);
        for (uint32_t i = 1; i < x.bar_count; i++)
            MUST(x.bar[x.by_size[i - 1]].size_bytes >= x.bar[x.by_size[i]].size_bytes);
        for (uint32_t i = 0; i < x.block_count; i++)
            MUST(x.block[i].buffer == XPD_NO_INDEX || x.block[i].buffer < in->hlo->buffers.count);
    }
}

static void check_space(struct input *in, const struct xpd_mem_space *space)
{
    uint32_t steps = space->step_count;
    char scratch[24];
    MUST(space->totals.resident >= 0 && space->totals.reserved >= space->totals.resident);
    MUST(space->totals.alias <= space->totals.argument);
    MUST(xpd_mem_space_of(in->mem, space->color) == space);
    MUST(strlen(xpd_space_name("", space->color, scratch)) < 24);
    check_peaks(in, space);
    for (uint32_t i = 0; i < space->tenancy_count; i++)
        check_tenancy(in, space, i);
    for (uint32_t k = 0; k < samples(steps); k++)
        check_step(in, space, sample(k, steps));
    if (steps > 0)
        check_step(in, space, steps - 1);
    if (steps <= BRUTE_STEPS && space->tenancy_count <= BRUTE_STEPS) {
        check_curve(space, 0, UINT32_MAX);
        check_curve(space, steps / 3, steps - steps / 4);
        check_curve(space, steps / 2, steps / 2 + 1);
        check_curve(space, steps, steps);
    }
    for (uint32_t k = 0; k < samples(space->tenancy_count); k++)
        check_neighbours(space, sample(k, space->tenancy_count));
    uint32_t buffers = in->hlo->buffers.count;
    for (uint32_t k = 0; k < samples(buffers); k++) {
        uint32_t buffer = sample(k, buffers);
        struct xpd_use_span span;
        check_saving(in, space, buffer, (buffer + 1 + k) % buffers);
        xpd_uses_of(in->mem, space, buffer, &span);
        MUST(span.first_step == XPD_NO_STEP || span.first_step <= span.last_step);
        MUST(span.use_count == xpd_users_of(in->mem, buffer, NULL, 0));
        MUST((span.use_count == 0) == (span.first_instruction == XPD_NO_INDEX));
    }
    xpd_saving(in->mem, space, &(uint32_t){UINT32_MAX}, 1, NULL, NULL, &in->arena);
    check_xprof(in, space->color);
    xpd_arena_reset(&in->arena);
}

static void check_memory(struct input *in)
{
    static const char *const platforms[] = {"tpu", "gpu", "cpu", "", NULL};
    struct xpd_jax_analysis jax;
    for (uint32_t i = 0; i < in->hlo->buffers.count; i++) {
        const struct xpd_mem_buffer *b = &in->mem->buffer[i];
        MUST(b->size_bytes >= 0 && b->unpadded_bytes >= 0 && b->unpadded_bytes <= b->size_bytes);
        MUST(b->shape && b->xprof_shape && b->root < in->hlo->buffers.count);
        MUST(b->allocation == XPD_NO_INDEX || b->allocation < in->hlo->allocation_count);
        MUST(b->mem_class < XPD_CLASS_COUNT && xpd_mem_class_word(b->mem_class));
    }
    for (uint32_t k = 0; k < samples(in->hlo->buffers.count); k++)
        check_shape(in->mem->buffer[sample(k, in->hlo->buffers.count)].shape);
    for (uint32_t s = 0; s < in->mem->space_count; s++)
        MUST(s == 0 || in->mem->space[s - 1].color < in->mem->space[s].color);
    for (uint32_t s = 0; s < samples(in->mem->space_count); s++)
        check_space(in, &in->mem->space[sample(s, in->mem->space_count)]);
    check_xprof(in, 77);
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
        xpd_mem_jax_analysis(in->mem, platforms[i], &jax);
    MUST(xpd_mem_memory_bytes(in->mem) > 0);
}

static bool warned(const struct xpd_warnings *list, const char *code)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i].code, code) == 0)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {0};
    struct xpd_err err = {0};
    struct xpd_hlo_limits limits = {.arena_bytes = ARENA};
    int rc = xpd_hlo_load(&in.hlo, data, size, 0, "input", &limits, &err);
    MUST((rc == XPD_OK) == (in.hlo != NULL));
    MUST(rc == XPD_OK || (err.code == rc && err.text[0]));
    if (rc != XPD_OK)
        return 0;
    check_module(in.hlo);
    rc = xpd_mem_analyse(&in.mem, in.hlo, ARENA, &err);
    MUST((rc == XPD_OK) == (in.mem != NULL));
    if (rc == XPD_OK) {
        in.exact = true;
        MUST(!warned(&in.mem->warnings, "overflow"));
        xpd_arena_init(&in.arena, ARENA);
        check_memory(&in);
        xpd_arena_fini(&in.arena);
    }
    xpd_mem_free(in.mem);
    xpd_hlo_free(in.hlo);
    return 0;
}

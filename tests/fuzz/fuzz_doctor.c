/* The doctor, plans and comparisons on a HloProto of any bytes.
 *
 * What must hold of whatever is read: no saving is more than the peak, findings are in order, every
 * claim has words, a comparison with itself is empty and closes, and a plan of all actions ends. */
#include "must.h"

#include "xprofd/doctor/compare.h"
#include "xprofd/doctor/doctor.h"
#include "xprofd/memory/curve_blocks.h"
#include "xprofd/memory/plan.h"

#include <string.h>

enum { ARENA = 256 << 20, ACTIONS_OF = 64 };

static void check_findings(const struct xpd_doctor *d, const struct xpd_mem *mem,
                           const struct xpd_mem_space *space)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const struct xpd_finding *f = &d->finding[i];
        MUST(f->claim.size > 0 && f->advice.size > 0 && f->place.size > 0);
        MUST(f->saving_bytes >= -1);
        MUST(!space || f->saving_bytes <= space->peak_bytes);
        MUST(i == 0 || xpd_finding_compare(f - 1, f) <= 0);
        for (uint32_t k = 0; k < f->buffer_count; k++)
            MUST(f->buffer[k] < mem->hlo->buffers.count);
    }
}

struct bytes {
    const uint8_t *at;
    size_t size;
};

static int read_proto(void *of, const uint8_t **bytes, size_t *size)
{
    const struct bytes *data = of;
    *bytes = data->at;
    *size = data->size;
    return XPD_OK;
}

static void examine(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                    const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct xpd_arena arena;
    struct xpd_doctor d;
    struct xpd_err err = {0};
    struct xpd_doctor_input input = {.mem = mem,
                                     .platform = "tpu",
                                     .capacity_bytes = 1 << 20,
                                     .error_color = -1,
                                     .read_proto = read_proto,
                                     .of = &bytes,
                                     .runtime_peak_bytes = 5,
                                     .runtime_where = XPD_STR("0"),
                                     .runtime_fragmentation = 0.5,
                                     .runtime_request_bytes = 3,
                                     .runtime_piece_bytes = 2,
                                     .runtime_free_bytes = 4};
    xpd_arena_init(&arena, ARENA);
    if (xpd_doctor_run(&d, &input, space, &arena, &err) == XPD_OK)
        check_findings(&d, mem, space);
    else
        MUST(err.code == XPD_ENOMEM);
    xpd_arena_fini(&arena);
}

static void compare(const struct xpd_mem *mem, const struct xpd_mem_space *space)
{
    struct xpd_arena arena;
    struct xpd_compare c;
    struct xpd_err err = {0};
    struct xpd_compare_side side[2] = {{mem, space}, {mem, space}};
    xpd_arena_init(&arena, ARENA);
    if (xpd_compare_run(&c, side, &arena, &err) == XPD_OK)
        MUST(c.different_count == 0 && c.difference == 0 && c.sum[0] == c.sum[1]);
    else
        MUST(err.code == XPD_ENOMEM);
    xpd_arena_fini(&arena);
}

static void plan(const struct xpd_mem *mem, const struct xpd_mem_space *space)
{
    struct xpd_arena arena;
    struct xpd_plan p;
    struct xpd_plan_result result;
    xpd_arena_init(&arena, ARENA);
    xpd_plan_init(&p, mem, space, &arena);
    for (uint32_t i = 0; i < mem->hlo->buffers.count && i < ACTIONS_OF; i++)
        xpd_plan_add(&p, i, (enum xpd_action)(i % XPD_ACTION_COUNT), 2 + i);
    if (xpd_plan_run(&p, &result)) {
        struct xpd_near_peak peak[4];
        struct xpd_curve_blocks curve;
        if (result.live_bytes &&
            xpd_curve_blocks_init(&curve, result.live_bytes, space->step_count, &arena)) {
            for (uint32_t b = 0; b < curve.count; b++)
                xpd_curve_block_measure(&curve, b);
            xpd_curve_peaks(&curve, 0.015, peak, 4);
        }
    }
    xpd_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_hlo_limits limits = {.arena_bytes = ARENA};
    struct xpd_hlo *hlo = NULL;
    struct xpd_mem *mem = NULL;
    struct xpd_err err = {0};
    if (xpd_hlo_load(&hlo, data, size, 0, "fuzz", &limits, &err) != XPD_OK)
        return 0;
    if (xpd_mem_analyse(&mem, hlo, ARENA, &err) == XPD_OK) {
        if (mem->space_count == 0)
            examine(mem, NULL, data, size);
        for (uint32_t i = 0; i < mem->space_count && i < 3; i++) {
            examine(mem, &mem->space[i], data, size);
            compare(mem, &mem->space[i]);
            plan(mem, &mem->space[i]);
        }
        xpd_mem_free(mem);
    }
    xpd_hlo_free(hlo);
    return 0;
}

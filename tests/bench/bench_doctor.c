/* The doctor, comparisons and plans (issue 6, 6): on a generated module of 500,000 heap events, on
 * another one of that size, and on the real one of 54,323 instructions. Least processor time, of
 * the pure functions behind their tools; the analysis is made before. */
#include "bench.h"
#include "hlo_bench.h"
#include "xprofd/doctor/compare.h"
#include "xprofd/doctor/doctor.h"
#include "xprofd/memory/plan.h"
#include <stdio.h>
#include <stdlib.h>

struct program {
    const uint8_t *bytes;
    size_t size;
    struct xpd_hlo *hlo;
    struct xpd_mem *mem;
    const struct xpd_mem_space *space; /* with the most steps */
};
struct pair {
    const struct program *side[2];
};

static bool open_program(struct program *p, const uint8_t *bytes, size_t size)
{
    struct xpd_hlo_limits limits = {0};
    *p = (struct program){.bytes = bytes, .size = size};
    if (xpd_hlo_load(&p->hlo, bytes, size, 0, "bench", &limits, NULL) != XPD_OK ||
        xpd_mem_analyse(&p->mem, p->hlo, 0, NULL) != XPD_OK)
        return false;
    for (uint32_t i = 0; i < p->mem->space_count; i++)
        if (!p->space || p->mem->space[i].step_count > p->space->step_count)
            p->space = &p->mem->space[i];
    return p->space != NULL;
}

static void close_program(struct program *p)
{
    xpd_mem_free(p->mem);
    xpd_hlo_free(p->hlo);
}

static int read_proto(void *of, const uint8_t **bytes, size_t *size)
{
    const struct program *p = of;
    *bytes = p->bytes;
    *size = p->size;
    return XPD_OK;
}

static void examine(void *arg)
{
    struct program *p = arg;
    struct xpd_arena arena = {0};
    struct xpd_doctor found;
    struct xpd_doctor_input input = {.mem = p->mem,
                                     .platform = "tpu",
                                     .capacity_bytes = -1,
                                     .error_color = -1,
                                     .read_proto = read_proto,
                                     .of = p,
                                     .runtime_peak_bytes = -1,
                                     .runtime_fragmentation = -1};
    if (xpd_doctor_run(&found, &input, p->space, &arena, NULL) != XPD_OK)
        printf("  the doctor failed\n");
    xpd_arena_fini(&arena);
}

static void compare(void *arg)
{
    const struct pair *pair = arg;
    struct xpd_arena arena = {0};
    struct xpd_compare found;
    struct xpd_compare_side side[2] = {
        {pair->side[0]->mem, xpd_mem_space_of(pair->side[0]->mem, pair->side[0]->space->color)},
        {pair->side[1]->mem, xpd_mem_space_of(pair->side[1]->mem, pair->side[0]->space->color)}};
    if (!side[1].space || xpd_compare_run(&found, side, &arena, NULL) != XPD_OK || !found.closes)
        printf("  the comparison failed\n");
    xpd_arena_fini(&arena);
}

/* Twelve buffers, every action once and more. */
static void plan(void *arg)
{
    const struct program *p = arg;
    struct xpd_arena arena = {0};
    struct xpd_plan plan;
    struct xpd_plan_result result;
    xpd_plan_init(&plan, p->mem, p->space, &arena);
    for (uint32_t i = 0; i < 12; i++)
        xpd_plan_add(&plan, i * 1009 % p->hlo->buffers.count,
                     (enum xpd_action)(i % XPD_ACTION_COUNT), 4);
    if (!xpd_plan_run(&plan, &result))
        printf("  the plan failed\n");
    xpd_arena_fini(&arena);
}

static void measure(const char *name, struct program *p, const struct program *other, int runs)
{
    struct pair same = {{p, p}}, two = {{p, other}};
    printf("%s: %u instructions, %u heap events\n", name, p->hlo->instructions.count,
           p->hlo->events.count);
    printf("  findings of 30 rules                %8.1f ms\n",
           bench_least_cpu_ms(examine, p, runs));
    if (other)
        printf("  compared with another of its size   %8.1f ms\n",
               bench_least_cpu_ms(compare, &two, runs));
    printf("  compared with itself                %8.1f ms\n",
           bench_least_cpu_ms(compare, &same, runs));
    printf("  what if, a plan of twelve           %8.2f ms\n", bench_least_cpu_ms(plan, p, runs));
}

static void generated(void)
{
    struct pbw a = {0}, b = {0};
    struct program one = {0}, other = {0};
    struct bench_size size = {200000, 250000, 500000}, more = {210000, 250000, 510000};
    bench_build(&a, &size);
    bench_build(&b, &more);
    if (open_program(&one, a.data, a.len) && open_program(&other, b.data, b.len))
        measure("doctor, generated module", &one, &other, 5);
    else
        printf("the generated modules cannot be read\n");
    close_program(&one);
    close_program(&other);
    pbw_free(&a);
    pbw_free(&b);
}

void bench_doctor(const char *shared, const char *words)
{
    (void)words;
    char path[4096];
    struct program real = {0};
    size_t size;
    generated();
    snprintf(path, sizeof path,
             "%s/data/tpu_big_transformer/logdir/plugins/profile/aot/host0.xplane.pb",
             shared ? shared : "");
    uint8_t *bytes = bench_hlo_of(path, NULL, &size);
    if (bytes && open_program(&real, bytes, size))
        measure("doctor, real module (tpu_big_transformer)", &real, NULL, 7);
    else
        printf("no shared data: the doctor was not measured on the real module\n");
    close_program(&real);
    free(bytes);
}

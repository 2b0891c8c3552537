/* Loading and analysing HloProtos: a generated one (200,000 instructions, 250,000 buffers, 500,000
 * events) and the real module of 54,323 instructions; the floor is bare protobuf-c unpacking of the
 * same bytes with the same proto. */
#include "bench.h"
#include "hlo.pb-c.h"
#include "hlo_bench.h"
#include "xprofd/memory/query.h"
#include "xprofd/memory/xprof.h"
#include "xprofd/wire/guard.h"
#include <stdio.h>
#include <stdlib.h>

struct job {
    const uint8_t *bytes;
    size_t size;
    struct xpd_hlo *hlo;
    struct xpd_mem *mem;
    const struct xpd_mem_space *space;
    uint32_t cursor; /* walks over steps and buffers, so that queries differ */
};

static void unpack(void *arg)
{
    struct job *job = arg;
    struct xpd_arena arena = {0};
    ProtobufCAllocator allocator = xpd_pb_allocator(&arena);
    if (!protobuf_c_message_unpack(&xla__hlo_proto__descriptor, &allocator, job->size, job->bytes))
        printf("  bare unpacking failed\n");
    xpd_arena_fini(&arena);
}

static void load(void *arg)
{
    struct job *job = arg;
    struct xpd_hlo_limits limits = {0};
    xpd_hlo_free(job->hlo);
    job->hlo = NULL;
    if (xpd_hlo_load(&job->hlo, job->bytes, job->size, 0, "bench", &limits, NULL) != XPD_OK)
        printf("  loading failed\n");
}

static void analyse(void *arg)
{
    struct job *job = arg;
    xpd_mem_free(job->mem);
    job->mem = NULL;
    if (xpd_mem_analyse(&job->mem, job->hlo, 0, NULL) != XPD_OK)
        printf("  analysis failed\n");
}

static void xprofs_numbers(void *arg)
{
    struct job *job = arg;
    struct xpd_arena arena = {0};
    struct xpd_xprof_memory xprof;
    if (xpd_xprof_memory(&xprof, job->mem, 0, XPD_XPROF_SMALL_BYTES, &arena, NULL) != XPD_OK)
        printf("  XProf's numbers failed\n");
    xpd_arena_fini(&arena);
}

static uint32_t next_step(struct job *job)
{
    job->cursor = job->cursor * 1664525u + 1013904223u;
    return job->space->step_count ? job->cursor % job->space->step_count : 0;
}

static void live(void *arg)
{
    struct job *job = arg;
    static uint32_t out[1 << 18];
    xpd_live_at(job->space, next_step(job), out, 1 << 18);
}

static void curve(void *arg)
{
    struct job *job = arg;
    static struct xpd_curve_column out[2048];
    uint32_t from = next_step(job) / 2;
    xpd_curve(job->space, (struct xpd_step_window){from, job->space->step_count}, 2048, out);
}

static void details(void *arg)
{
    struct job *job = arg;
    struct xpd_arena scratch = {0};
    uint32_t buffer = next_step(job) % job->hlo->buffers.count;
    struct xpd_use_span uses;
    xpd_saving(job->mem, job->space, &buffer, 1, NULL, NULL, &scratch);
    xpd_uses_of(job->mem, job->space, buffer, &uses);
    xpd_arena_fini(&scratch);
}

static void whole(const char *name, struct job *job, int runs)
{
    uint64_t before = bench_rss_bytes();
    double floor_ms = bench_median_ms(unpack, job, runs);
    double load_ms = bench_median_ms(load, job, runs);
    double analyse_ms = bench_median_ms(analyse, job, runs);
    double xprof_ms = bench_median_ms(xprofs_numbers, job, runs);
    uint64_t held = xpd_hlo_memory_bytes(job->hlo) + xpd_mem_memory_bytes(job->mem);
    printf("%s: %.1f MB, %u instructions, %u buffers, %u events\n", name, (double)job->size / 1e6,
           job->hlo->instructions.count, job->hlo->buffers.count, job->hlo->events.count);
    printf("  bare protobuf-c unpacking (floor)   %8.1f ms\n", floor_ms);
    printf("  load into columns                   %8.1f ms  %.2fx the floor\n", load_ms,
           load_ms / floor_ms);
    printf("  analysis                            %8.1f ms  %.2fx the floor\n", analyse_ms,
           analyse_ms / floor_ms);
    printf("  XProf's numbers beside it           %8.1f ms  %.2fx the floor\n", xprof_ms,
           xprof_ms / floor_ms);
    printf("  load and analysis                   %8.1f ms  %.2fx the floor\n",
           load_ms + analyse_ms, (load_ms + analyse_ms) / floor_ms);
    printf("  memory held                         %8.1f MB  %.2fx the HloProto; process grew by "
           "%.1f MB\n",
           (double)held / 1e6, (double)held / (double)job->size,
           (double)(bench_rss_bytes() - before) / 1e6);
}

static void interactions(struct job *job)
{
    for (uint32_t i = 0; i < job->mem->space_count; i++)
        if (!job->space || job->mem->space[i].step_count > job->space->step_count)
            job->space = &job->mem->space[i];
    printf("  contents of a step                  %8.3f ms\n", bench_median_ms(live, job, 31));
    printf("  curve window, 2,048 columns         %8.3f ms\n", bench_median_ms(curve, job, 31));
    printf("  saving and uses of one buffer       %8.3f ms\n", bench_median_ms(details, job, 31));
}

static void finish(struct job *job)
{
    xpd_mem_free(job->mem);
    xpd_hlo_free(job->hlo);
}

void bench_memory(const char *shared, const char *words)
{
    struct pbw out = {0};
    struct job job = {0};
    struct bench_size size = {200000, 250000, 500000};
    bench_build(&out, &size);
    job.bytes = out.data;
    job.size = out.len;
    whole("generated module", &job, words ? 1 : 5);
    interactions(&job);
    bench_tools(job.bytes, job.size, job.mem, words, words ? 40 : 1);
    finish(&job);
    pbw_free(&out);
    if (words)
        return;
    if (!shared) {
        printf("XPD_SHARED is not set: no real data sets measured\n");
        return;
    }
    char path[4096];
    snprintf(path, sizeof path,
             "%s/data/tpu_big_transformer/logdir/plugins/profile/aot/host0.xplane.pb", shared);
    struct job real = {0};
    uint8_t *bytes = bench_hlo_of(path, NULL, &real.size);
    if (!bytes) {
        printf("%s: not there, not measured\n", path);
        return;
    }
    real.bytes = bytes;
    whole("real module (tpu_big_transformer)", &real, 5);
    interactions(&real);
    bench_tools(real.bytes, real.size, real.mem, NULL, 1);
    finish(&real);
    free(bytes);
}

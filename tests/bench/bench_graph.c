/* Programs as graphs: a generated module of 130,000 instructions and the real one of 54,323: what
 * is made once (load, tables), and what each question costs after that. The floor of loading is
 * bare protobuf-c unpacking of the same bytes. */
#include "bench.h"
#include "hlo.pb-c.h"
#include "hlo_bench.h"
#include "xprofd/graph/order.h"
#include "xprofd/graph/path.h"
#include "xprofd/graph/search.h"
#include "xprofd/graph/tree.h"
#include "xprofd/graph/view.h"
#include "xprofd/wire/guard.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 9 };

struct job {
    const uint8_t *bytes;
    size_t size;
    struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    struct xpd_graph_index index;
    struct xpd_costs costs;
    struct xpd_outline_index tree;
    struct xpd_arena kept, arena;
    uint32_t cursor, radius;
    size_t text_bytes;
    const char *word;
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
    xpd_hlo_free(job->hlo);
    job->hlo = NULL;
    if (xpd_hlo_load(&job->hlo, job->bytes, job->size, 0, "bench", NULL, NULL) != XPD_OK)
        printf("  loading failed\n");
}

static void make_printer(void *arg)
{
    struct job *job = arg;
    xpd_hlo_printer_free(job->printer);
    if (xpd_hlo_printer_new(&job->printer, job->hlo, job->bytes, job->size, NULL) != XPD_OK)
        printf("  no printer\n");
}

static void make_index(void *arg)
{
    struct job *job = arg;
    xpd_arena_fini(&job->kept);
    if (xpd_graph_index_make(&job->index, &job->kept, job->hlo, job->printer, NULL) != XPD_OK)
        printf("  no index\n");
}

static void make_costs(void *arg)
{
    struct job *job = arg;
    if (xpd_costs_make(&job->costs, &job->kept, job->hlo, job->bytes, job->size, NULL) != XPD_OK)
        printf("  no costs\n");
}

static uint32_t next_instruction(struct job *job)
{
    job->cursor = job->cursor * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)job->cursor * job->hlo->instructions.count >> 32);
}

static void around(void *arg)
{
    struct job *job = arg;
    struct xpd_graph_view view;
    struct xpd_view_options options = {
        .radius = job->radius, .users = 16, .limit = 300, .far_lines = 300};
    xpd_view_make(&view, &job->arena, &job->index, next_instruction(job), XPD_NO_INDEX, &options,
                  NULL);
    xpd_arena_reset(&job->arena);
}

static void around_all(void *arg)
{
    struct job *job = arg;
    struct xpd_graph *graph;
    struct xpd_graph_options options = {job->radius, false};
    if (xpd_graph_make(&graph, &job->index, next_instruction(job), XPD_NO_INDEX, &options, NULL) ==
        XPD_OK)
        xpd_graph_free(graph);
}

static void pixels(void *arg)
{
    struct job *job = arg;
    struct xpd_order order;
    xpd_graph_order(&order, &job->arena, &job->index, job->costs.cycles, job->hlo->entry, 1200,
                    NULL);
    xpd_arena_reset(&job->arena);
}

static void path(void *arg)
{
    struct job *job = arg;
    struct xpd_path way;
    xpd_graph_path(&way, &job->arena, &job->index, next_instruction(job), next_instruction(job),
                   NULL);
    xpd_arena_reset(&job->arena);
}

static void critical(void *arg)
{
    struct job *job = arg;
    struct xpd_critical chain;
    xpd_graph_critical(&chain, &job->arena, &job->index, job->costs.cycles, job->hlo->entry, NULL);
    xpd_arena_reset(&job->arena);
}

static void top_of_tree(void *arg)
{
    struct job *job = arg;
    struct xpd_outline level;
    char key[16];
    snprintf(key, sizeof key, "c%u", job->hlo->entry);
    xpd_outline_level(&level, &job->arena, &job->index, &job->tree, &job->costs, xpd_str_of(key),
                      NULL);
    xpd_arena_reset(&job->arena);
}

static bool holds(void *self, struct xpd_str text)
{
    return xpd_str_find(text, xpd_str_of(self), true) != SIZE_MAX;
}

static void search(void *arg)
{
    struct job *job = arg;
    struct xpd_found found;
    xpd_graph_search(&found, &job->arena, &job->index, XPD_FIND_NAME, 0, 100, holds,
                     (void *)(uintptr_t)job->word, NULL);
    xpd_arena_reset(&job->arena);
}

/* Computation by computation, as it is sent: what is held is one of them. */
static void text(void *arg)
{
    struct job *job = arg;
    struct xpd_strbuf out = {0};
    job->text_bytes = 0;
    for (uint32_t k = 0; k < job->index.computation_count; k++) {
        xpd_strbuf_clear(&out);
        xpd_hlo_print_computation(job->printer, job->index.computation[k], XPD_PRINT_LONG, &out);
        job->text_bytes += out.size;
    }
    xpd_strbuf_fini(&out);
}

static void measure(const char *name, struct job *job)
{
    double floor_ms = bench_median_ms(unpack, job, RUNS),
           load_ms = bench_median_ms(load, job, RUNS);
    printf("%s: %u instructions, %.1f MiB\n", name, job->hlo->instructions.count,
           (double)job->size / 1048576.0);
    printf("  bare protobuf-c unpacking (floor)   %8.1f ms\n", floor_ms);
    printf("  load                                %8.1f ms  (%.2f x)\n", load_ms,
           load_ms / floor_ms);
    printf("  printer                             %8.1f ms\n",
           bench_median_ms(make_printer, job, RUNS));
    printf("  index of the graph, once            %8.1f ms\n",
           bench_median_ms(make_index, job, RUNS));
    printf("  costs, once                         %8.1f ms\n", bench_median_ms(make_costs, job, 5));
    xpd_outline_index_make(&job->tree, &job->kept, &job->index, &job->costs, NULL);
    for (job->radius = 1; job->radius <= 3; job->radius++)
        printf("  around, radius %u: folded, unfolded  %8.3f ms %8.3f ms\n", job->radius,
               bench_median_ms(around, job, 31), bench_median_ms(around_all, job, 31));
    printf("  program order in 1200 pixels        %8.3f ms\n", bench_median_ms(pixels, job, RUNS));
    printf("  path between two                    %8.3f ms\n", bench_median_ms(path, job, 31));
    printf("  critical path                       %8.3f ms\n",
           bench_median_ms(critical, job, RUNS));
    printf("  the entry's level of the tree       %8.3f ms\n",
           bench_median_ms(top_of_tree, job, RUNS));
    job->word = "fusion.12";
    printf("  search by name                      %8.3f ms\n", bench_median_ms(search, job, RUNS));
    double text_ms = bench_median_ms(text, job, RUNS), cpu_ms = bench_least_cpu_ms(text, job, RUNS);
    printf(
        "  long text                           %8.1f ms, %.0f MB/s; %.0f MB/s of processor time\n",
        text_ms, (double)job->text_bytes / 1e3 / text_ms, (double)job->text_bytes / 1e3 / cpu_ms);
    xpd_arena_fini(&job->arena);
    xpd_arena_fini(&job->kept);
    xpd_hlo_printer_free(job->printer);
    xpd_hlo_free(job->hlo);
}

void bench_graph(const char *shared, const char *words)
{
    (void)words;
    struct bench_size size = {.instructions = 130000, .buffers = 100, .events = 200};
    struct pbw made = {0};
    char file[512];
    bench_build(&made, &size);
    struct job generated = {.bytes = made.data, .size = made.len};
    measure("generated", &generated);
    pbw_free(&made);
    if (!shared)
        return;
    snprintf(file, sizeof file,
             "%s/data/tpu_big_transformer/logdir/plugins/profile/aot/host0.xplane.pb", shared);
    struct job real = {0};
    uint8_t *bytes = bench_hlo_of(file, NULL, &real.size);
    real.bytes = bytes;
    if (bytes)
        measure("tpu_big_transformer", &real);
    free(bytes);
}

/* Overview, Ops and Roofline on a run of eight chips: 280 MB, 3.7 million events with five stats
 * each, 92 steps of 5,000 operations of a generated program. Each answer: the first one, which
 * makes what is kept for all others, and then the median; memory of the process beside that of the
 * index. */
#include "bench.h"
#include "hlo_bench.h"
#include "tempfile.h"
#include "xprofd/hlo/module.h"
#include "xprofd/tools/tool.h"
#include "xspace_parts.h"
#include "xspace_wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHIPS = 8, OPS = 5000, STEPS = 92, RUNS = 9, PARAMS_MOST = 8 };
enum { OFFSET = 1, DURATION, PROGRAM, CORRELATION, OCCUPANCY, QUEUE, DEVICE_TYPE };
#define PROGRAM_ID 77
#define STEP_PS    INT64_C(60000000000)

/* ---- the profile ---- */

/* Operations that a chip may run: those of the entry that do something. */
static uint32_t choose(uint32_t *op, const struct xpd_hlo *hlo)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < hlo->instructions.count && n < OPS; i++) {
        struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[i]);
        if (!xpd_str_eq(opcode, XPD_STR("parameter")) && !xpd_str_eq(opcode, XPD_STR("tuple")) &&
            !xpd_str_eq(opcode, XPD_STR("constant")))
            op[n++] = i;
    }
    return n;
}

static void put_name(struct pbw *plane, uint64_t id, struct xpd_str name)
{
    size_t entry = pbw_begin(plane, 4), value, stat;
    pbw_uint(plane, 1, id);
    value = pbw_begin(plane, 2);
    pbw_uint(plane, 1, id);
    pbw_bytes(plane, 2, name.data, name.size);
    stat = pbw_begin(plane, 5);
    pbw_uint(plane, 1, PROGRAM);
    pbw_uint(plane, 3, PROGRAM_ID);
    pbw_end(plane, stat);
    pbw_end(plane, value);
    pbw_end(plane, entry);
}

static void put_number(struct pbw *event, uint64_t id, uint64_t value)
{
    size_t stat = pbw_begin(event, 4);
    pbw_uint(event, 1, id);
    pbw_uint(event, 3, value);
    pbw_end(event, stat);
}

static void put_event(struct pbw *line, uint64_t name, int64_t at_ps, int64_t ps)
{
    char text[40];
    size_t event = xsp_event(line, name, (uint64_t)at_ps, (uint64_t)ps);
    snprintf(text, sizeof text, "correlation %016llx", (unsigned long long)at_ps * 2654435761u);
    put_number(line, OFFSET, (uint64_t)at_ps + 4096);
    put_number(line, DURATION, (uint64_t)(ps - ps / 1024));
    xsp_stat_text(line, CORRELATION, text);
    put_number(line, OCCUPANCY, (uint64_t)at_ps % 101);
    put_number(line, QUEUE, (uint64_t)at_ps % 100000);
    pbw_end(line, event);
}

static void put_chip(struct pbw *space, int chip, const struct xpd_hlo *hlo, const uint32_t *op,
                     uint32_t ops)
{
    static const char *const stat[] = {"device_offset_ps",  "device_duration_ps", "program_id",
                                       "correlation",       "occupancy",          "queue",
                                       "device_type_string"};
    char name[32];
    snprintf(name, sizeof name, "/device:TPU:%d", chip);
    size_t plane = xsp_plane(space, name);
    size_t line = xsp_line(space, 1, "XLA Modules", 0);
    for (int64_t s = 0; s < STEPS; s++)
        put_event(space, OPS + 1, s * STEP_PS, STEP_PS - 1000000);
    pbw_end(space, line);
    line = xsp_line(space, 2, "XLA Ops", 0);
    for (int64_t s = 0; s < STEPS; s++)
        for (int64_t i = 0, at = s * STEP_PS; i < ops; i++) {
            int64_t ps = 3000000 + (i * 7919 + s * 104729 + chip * 1299709) % 8000000;
            put_event(space, (uint64_t)i + 1, at, ps);
            at += ps + 1000;
        }
    pbw_end(space, line);
    for (uint32_t i = 0; i < ops; i++)
        put_name(space, i + 1, xpd_hlo_text(hlo, hlo->instructions.name[op[i]]));
    put_name(space, OPS + 1, XPD_STR("jit_step(77)"));
    for (uint64_t i = 0; i < sizeof stat / sizeof *stat; i++)
        xsp_stat_name(space, i + 1, stat[i]);
    size_t said = pbw_begin(space, 6);
    pbw_uint(space, 1, DEVICE_TYPE);
    pbw_str(space, 5, "TPU v5e");
    pbw_end(space, said);
    pbw_end(space, plane);
}

static bool append(FILE *file, struct pbw *bytes)
{
    bool fine = fwrite(bytes->data, 1, bytes->len, file) == bytes->len;
    pbw_free(bytes);
    *bytes = (struct pbw){0};
    return fine;
}

static bool make_profile(const char *path)
{
    struct bench_size wanted = {20000, 25000, 49000};
    struct pbw bytes = {0}, space = {0};
    struct xpd_hlo *hlo = NULL;
    uint32_t op[OPS];
    bench_build(&bytes, &wanted);
    FILE *file = fopen(path, "wb");
    bool fine = file && xpd_hlo_load(&hlo, bytes.data, bytes.len, 0, "bench", NULL, NULL) == XPD_OK;
    uint32_t ops = fine ? choose(op, hlo) : 0;
    for (int chip = 0; fine && chip < CHIPS; chip++) {
        put_chip(&space, chip, hlo, op, ops);
        fine = append(file, &space);
    }
    if (fine) {
        xspace_wrap(&space, "jit_step", PROGRAM_ID, &bytes);
        fine = append(file, &space);
    }
    xpd_hlo_free(hlo);
    pbw_free(&bytes);
    pbw_free(&space);
    return file && fclose(file) == 0 && fine;
}

/* In a process of its own: what it takes does not count for the server. */
static bool make_apart(const char *path)
{
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        _exit(make_profile(path) ? 0 : 1);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* ---- questions ---- */

static const struct question {
    const char *what, *route, *query;
    double target_ms;
} questions[] = {
    {"the index", "trace/rows", "derived=0", 0},
    {"rows with what is derived", "trace/rows", "derived=1", 0},
    {"Overview", "overview", "", 100},
    {"Overview of one step", "overview", "step=40", 20},
    {"Overview of one chip", "overview", "chip=3", 20},
    {"steps, 1,200 pixels", "trace/stepsplit", "px=1200", 20},
    {"steps of each chip", "trace/stepsplit", "chip=all", 200},
    {"Ops", "trace/ops", "limit=10000", 200},
    {"Ops with percentiles", "trace/ops", "limit=10000&percentiles=1", 200},
    {"Ops, another order", "trace/ops", "limit=10000&sort=lost", 20},
    {"Ops, a filter", "trace/ops", "limit=10000&filter=group:matmul", 20},
    {"Ops by scope", "trace/ops", "limit=10000&group=scope", 20},
    {"Ops by opcode", "trace/ops", "limit=10000&group=opcode", 20},
    {"Ops of steps 10 to 40", "trace/ops", "limit=10000&steps=10-40", 20},
    {"Ops by scope of steps 20 to 60", "trace/ops", "limit=10000&group=scope&steps=20-60", 20},
    {"icicle by scope", "trace/ops/tree", "by=scope", 20},
    {"icicle by source line", "trace/ops/tree", "by=source", 20},
    {"icicle of steps 10 to 40", "trace/ops/tree", "by=scope&steps=10-40", 20},
    {"steps 0-40 against 50-90", "trace/ops/compare", "base_steps=0-40&steps=50-90", 200},
    {"layers", "trace/layers", "", 200},
    {"roofs", "roofline", "", 200},
    {"roofs of a filter", "roofline", "filter=group:matmul", 20},
    {"steps", "trace/steps", "", 200},
    {"findings of time", "doctor", "kind=time", 300},
};

struct session {
    struct xpd_store *store;
    const struct question *question;
    size_t size;
};

static void call(void *arg)
{
    struct session *session = arg;
    char route[64], query[200], *save = NULL;
    struct xpd_param param[PARAMS_MOST];
    struct xpd_arena arena = {0};
    struct xpd_tool_result result = {0};
    struct xpd_load_state state = {0};
    struct xpd_err err = {0};
    struct xpd_tool_ctx ctx = {
        .arena = &arena, .param = param, .hbm_override_bytes = -1, .stays = true};
    snprintf(route, sizeof route, "/api/v1/%s", session->question->route);
    snprintf(query, sizeof query, "%s", session->question->query);
    for (char *part = strtok_r(query, "&", &save); part && ctx.param_count < PARAMS_MOST;
         part = strtok_r(NULL, "&", &save)) {
        char *equals = strchr(part, '=');
        *equals = '\0';
        param[ctx.param_count++] = (struct xpd_param){xpd_str_of(part), xpd_str_of(equals + 1)};
    }
    if (xpd_tool_call(xpd_tool_find(xpd_str_of(route)), session->store, &ctx, -1, &result, &state,
                      &err) != XPD_OK)
        printf("  %s: %s\n", session->question->what, err.text);
    session->size = result.body.size;
    xpd_strbuf_fini(&result.body);
    xpd_arena_fini(&arena);
}

static double peak_mb(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss * 1024 / 1e6;
}

static void ask_all(struct session *session, const char *words)
{
    printf("  %-34s %10s %10s %10s %10s %9s %9s %8s\n", "", "first", "its cpu", "median",
           "least cpu", "target", "answer", "peak");
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        if (i > 1 && words && !strstr(questions[i].what, words))
            continue;
        session->question = &questions[i];
        double start = bench_now_ms(), cpu = bench_process_now_ms();
        call(session);
        double first_ms = bench_now_ms() - start;
        cpu = bench_process_now_ms() - cpu;
        double ms = bench_median_ms(call, session, RUNS);
        struct bench_least least = bench_least_of(call, session, RUNS);
        printf("  %-34s %7.1f ms %7.1f ms %7.2f ms %7.2f ms %6.0f ms %6.0f kB %5.0f MB\n",
               questions[i].what, first_ms, cpu, ms, least.cpu_ms, questions[i].target_ms,
               (double)session->size / 1e3, peak_mb());
    }
}

void bench_pages(const char *shared, const char *words)
{
    (void)shared;
    struct session session = {0};
    char *path = temp_file("", 0, ".xplane.pb");
    struct stat file = {0};
    bool made = make_apart(path) && stat(path, &file) == 0;
    printf("pages: %.0f MB, %.1f million events of %d chips, %d steps of %d operations\n",
           (double)file.st_size / 1e6, (double)CHIPS * STEPS * (OPS + 1) / 1e6, CHIPS, STEPS, OPS);
    if (made && xpd_store_open(&session.store, path, NULL, NULL) == XPD_OK)
        ask_all(&session, words);
    else
        printf("  the profile cannot be made or opened\n");
    xpd_store_close(session.store);
    temp_remove(path);
}

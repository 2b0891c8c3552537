/* Each route as the server asks it, on a generated module of 200,000 instructions: the first answer
 * (the server keeps equal ones, so every call here asks for something else), its time, the least of
 * all calls and the least processor time of all threads, which neighbours on the machine change
 * little, and its size. */
#include "bench.h"
#include "tempfile.h"
#include "xprofd/tools/tool.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define RUNS       21
#define PARAMS_MAX 8

struct question {
    const char *what, *route;
    const char *query; /* name=value&...; %u is another number in each call, below `span` */
    uint32_t span;     /* 0: %u is a step, 1: the start of a window of a twentieth of the steps */
};

enum { ANY_STEP = 0, ANY_WINDOW = 1, ANY_BUFFER = 250000 };
#define STEPS_NEEDED 300000 /* by the questions that name a step */

static const struct question questions[] = {
    {"headline", "memory/summary", "hbm=%u", ANY_BUFFER},
    {"curve, whole program", "memory/curve", "px=1800&from=%u", 100},
    {"curve, a twentieth", "memory/curve", "px=1800&from=%u&to=%u", ANY_WINDOW},
    {"steps, 2,000", "memory/steps", "from=100000&to=102%03u", 999},
    {"strip of scopes, whole program", "memory/scopes", "px=1800&from=%u", 100},
    {"strip of scopes, a twentieth", "memory/scopes", "px=1800&from=%u&to=%u", ANY_WINDOW},
    {"address map, whole program", "memory/map", "px=1800&py=400&from=%u", 100},
    {"address map, a twentieth", "memory/map", "px=1800&py=400&from=%u&to=%u", ANY_WINDOW},
    {"live at a step", "memory/live", "step=%u", ANY_STEP},
    {"live by size, 500 rows", "memory/live", "order=size&limit=500&step=%u", ANY_STEP},
    {"difference of two steps", "memory/diff", "a=250000&b=%u", ANY_STEP},
    {"range of steps", "memory/range", "from=%u", 200000},
    {"buffer card", "memory/buffer", "buffer=%u", ANY_BUFFER},
    {"buffers by saving", "memory/buffers", "offset=%u", 100},
    {"buffers by size", "memory/buffers", "sort=size&offset=%u", 100},
    {"buffers by name", "memory/buffers", "sort=name&offset=%u", 100},
    {"buffers of a step by saving", "memory/buffers", "at=%u", ANY_STEP},
    {"buffers, filter", "memory/buffers", "filter=fusion.%u", 10000},
    {"buffers, grouped by scope", "memory/buffers", "by=scope&offset=%u", 100},
    {"report details", "report/details", "steps=%u", ANY_STEP},
    {"report details, eight steps", "report/details", "steps=%u,1,2,3,4,5,6,7", ANY_STEP},
    {"report areas", "report/areas", "by=scope&steps=%u", ANY_STEP},
    {"report areas by op", "report/areas", "by=op&steps=%u", ANY_STEP},
    {"report ops", "report/groups", "by=op&px=150&steps=%u", ANY_STEP},
    {"report kinds", "report/groups", "by=signature&px=150&steps=%u", ANY_STEP},
    {"report ops by what is inside", "report/groups", "by=op&inner=add&px=150&steps=%u", ANY_STEP},
    {"report transfers", "report/transfers", "px=150&steps=%u", ANY_STEP},
    {"report, four chosen buffers", "report/plot", "buffers=7,70,700,%u", ANY_BUFFER},
    {"report, heap at a step", "report/heap", "at=%u", ANY_STEP},
    {"report, tenants of a place", "report/place", "limit=12&lists=tenants&address=%u", ANY_BUFFER},
    {"report buffers", "report/groups", "by=buffer&steps=%u", ANY_STEP},
    {"tree by scope", "memory/tree", "at=%u", ANY_STEP},
    {"tree by source", "memory/tree", "by=source&at=%u", ANY_STEP},
    {"tree by class", "memory/tree", "by=class&at=%u", ANY_STEP},
    {"what if, one buffer", "memory/whatif", "buffers=%u", ANY_BUFFER},
    {"what if, a plan of four", "memory/whatif",
     "columns=1200&plan=%u:drop,100:halve,200:offload,300:recompute", ANY_BUFFER},
    {"what if, rows, tries and a menu", "memory/whatif",
     "columns=1200&plan=%u:drop,100-140:halve&try=200-260:offload,300-330:recompute&menu=5",
     ANY_BUFFER},
    {"findings of 30 rules", "doctor", "hbm=9%u000000", ANY_BUFFER},
    {"two curves of itself", "compare/curve", "px=%u", 1000},
    {"compared with itself", "compare", "format=json&x=%u", 100},
    {"search, exact name", "search", "q=fusion.%u", 10000},
    {"search, part of many names", "search", "q=fusion&limit=4%u", 10},
    {"search, regular expression", "search", "q=/fusion.*%u/", 50},
    {"search, expression, rarer part", "search", "q=/add.*%u/", 50},
    {"search, expression without a part", "search", "q=/[a-e].[%u]/", 50},
    {"search, words and classes", "search", "q=/\\w%u\\>/", 50},
    {"buffers, filter by expression", "memory/buffers", "filter=/fusion.*%u/", 50},
    {"buffers, filter without a part", "memory/buffers", "filter=/[a-e].[%u]/", 50},
    {"buffers, filter by classes", "memory/buffers", "filter=/\\w%u/", 50},
    {"buffers, filter by word ends", "memory/buffers", "filter=/%u\\>/", 50},
    {"buffers, filter by a digit", "memory/buffers", "filter=%u", 10},
};

struct session {
    struct xpd_store *store;
    const struct question *question;
    uint32_t cursor, steps, buffers;
    size_t size;
    int code;
};

static uint32_t split(char *text, struct xpd_param *param)
{
    uint32_t n = 0;
    char *save = NULL;
    for (char *part = strtok_r(text, "&", &save); part && n < PARAMS_MAX;
         part = strtok_r(NULL, "&", &save)) {
        char *equals = strchr(part, '=');
        if (!equals)
            continue;
        *equals = '\0';
        param[n].name = xpd_str_of(part);
        param[n++].value = xpd_str_of(equals + 1);
    }
    return n;
}

/* Replaces each %u and %03u. */
static void fill_in(char *out, size_t capacity, const char *query, uint32_t first, uint32_t second)
{
    size_t at = 0;
    for (uint32_t number = first; *query && at + 12 < capacity;) {
        if (*query != '%') {
            out[at++] = *query++;
            continue;
        }
        bool wide = query[1] == '0';
        at += (size_t)snprintf(out + at, capacity - at, wide ? "%03u" : "%u", number);
        query += wide ? 4 : 2;
        number = second;
    }
    out[at] = '\0';
}

static void call(void *arg)
{
    struct session *session = arg;
    const struct question *question = session->question;
    char route[64], query[200];
    struct xpd_param param[PARAMS_MAX];
    struct xpd_arena arena = {0};
    struct xpd_tool_result result = {0};
    struct xpd_load_state state = {0};
    struct xpd_err err = {0};
    uint32_t span = question->span == ANY_BUFFER  ? session->buffers
                    : question->span > ANY_WINDOW ? question->span
                                                  : session->steps;
    session->cursor = session->cursor * 1664525u + 1013904223u;
    uint32_t number = (session->cursor >> 8) % (span ? span : 1);
    if (question->span == ANY_WINDOW)
        number = number / 20 * 19;
    snprintf(route, sizeof route, "/api/v1/%s", question->route);
    fill_in(query, sizeof query, question->query, number, number + session->steps / 20);
    struct xpd_tool_ctx ctx = {
        .arena = &arena, .param = param, .hbm_override_bytes = -1, .stays = true};
    ctx.param_count = split(query, param);
    session->code = xpd_tool_call(xpd_tool_find(xpd_str_of(route)), session->store, &ctx, -1,
                                  &result, &state, &err);
    if (session->code != XPD_OK)
        printf("  %s: %s\n", question->what, err.text);
    session->size = result.body.size;
    xpd_strbuf_fini(&result.body);
    xpd_arena_fini(&arena);
}

static bool names_step(const struct question *question)
{
    return strstr(question->query, "00000") || question->span == 200000 ||
           strstr(question->query, "250000");
}

/* The floor: one pass over a column of all buffers. */
static void add_up(void *arg)
{
    static int64_t column[ANY_BUFFER];
    struct session *session = arg;
    uint64_t sum = session->cursor;
    for (uint32_t i = 0; i < ANY_BUFFER; i++) {
        column[i] += (int64_t)i;
        sum += (uint64_t)column[i];
    }
    session->cursor = (uint32_t)sum;
}

/* Whether a thread of low priority is there. */
static bool is_working_ahead(void)
{
    bool found = false;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        found |= entry->d_name[0] != '.' &&
                 getpriority(PRIO_PROCESS, (id_t)strtoul(entry->d_name, NULL, 10)) > 0;
    if (dir)
        closedir(dir);
    return found;
}

/* The first answer starts a thread of low priority that makes tables; when it has ended they are
 * there. Beside busy neighbours it waits long, so its processor time is what says something. */
static void wait_for_tables(struct session *session)
{
    struct xpd_store_stats before, now;
    session->question = &questions[0];
    call(session);
    xpd_store_stats(session->store, &before);
    double start = bench_now_ms(), spent = bench_process_now_ms();
    do
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    while (is_working_ahead());
    xpd_store_stats(session->store, &now);
    printf("  tables made after the first answer  %8.0f ms of a core, %.0f ms by the clock, "
           "%.1f MB\n",
           bench_process_now_ms() - spent, bench_now_ms() - start,
           (double)(now.memory_bytes - before.memory_bytes) / 1e6);
}

void bench_tools(const uint8_t *hlo, size_t size, const struct xpd_mem *mem, const char *only,
                 int rounds)
{
    const struct xpd_mem_space *space = xpd_mem_space_of(mem, 0); /* what the tools show */
    struct session session = {.steps = space ? space->step_count : 0,
                              .buffers = mem->hlo->buffers.count};
    char *path = temp_file(hlo, size, ".hlo_proto.pb");
    if (xpd_store_open(&session.store, path, NULL, NULL) != XPD_OK) {
        printf("  the store does not open %s\n", path);
        temp_remove(path);
        return;
    }
    double floor_ms = bench_median_ms(add_up, &session, RUNS);
    printf("  tools in the server, first answers     median     x floor      least  processor:  "
           "least     median     answer      first*\n"
           "  floor: a pass over 250,000 int64     %8.3f ms\n",
           floor_ms);
    wait_for_tables(&session);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        session.question = &questions[i];
        if (only && !strstr(questions[i].what, only))
            continue;
        if (session.steps < STEPS_NEEDED && names_step(&questions[i]))
            continue;
        /* what the first one makes for all others counts here; processor time of this thread */
        double start = bench_cpu_now_ms();
        call(&session);
        double first_ms = bench_cpu_now_ms() - start;
        for (int round = 1; round < rounds; round++)
            bench_median_ms(call, &session, RUNS);
        double ms = bench_median_ms(call, &session, RUNS);
        struct bench_least least = bench_least_of(call, &session, RUNS * rounds);
        printf("  %-35s %8.3f ms %8.1fx %8.3f ms %8.3f ms %8.3f ms %8.1f KB %8.1f ms\n",
               questions[i].what, ms, ms / floor_ms, least.wall_ms, least.cpu_ms,
               least.median_cpu_ms, (double)session.size / 1e3, first_ms);
    }
    xpd_store_close(session.store);
    temp_remove(path);
}

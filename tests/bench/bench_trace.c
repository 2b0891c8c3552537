/* Events: the index of a 25 million event profile beside read() of the same file, its memory, every
 * zoom with and without JSON, the time from start to the first window, and how shapes made to be
 * hard grow. Files are made here and removed again; each index runs in a process of its own. */
#include "bench.h"
#include "http_client.h"
#include "xprofd/tools/tool.h"
#include "xprofd/trace/totals.h"
#include "xprofd/trace/window.h"
#include "xspace_gen.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS 25000000
#define ROWS   200
#define PX     2000
#define ZOOMS  6

static char folder[512], path[600];

struct index_result {
    double module_ms; /* totals by module */
    double ms, cpu_ms, directory_ms;
    uint64_t events, memory_bytes;
    long peak_kb;
    double window_ms[ZOOMS], first_ms[ZOOMS];
    uint64_t boxes[ZOOMS];
};

static bool make(enum xsg_shape shape, uint64_t events)
{
    return xsg_write(path, shape, events);
}

static double file_mb(void)
{
    struct stat st;
    return stat(path, &st) == 0 ? (double)st.st_size / 1e6 : 0;
}

static void read_all(void *arg)
{
    static char buffer[256 * 1024];
    int fd = open(arg, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && read(fd, buffer, sizeof buffer) > 0)
        ;
    if (fd >= 0)
        close(fd);
}

static double cpu_ms(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3;
}

static void count_box(void *user, const struct xpd_box *box)
{
    *(int64_t *)user += box->end_ps;
}

/* The depths with most events, as a page full of rows. */
static uint32_t largest_depths(const struct xpd_trace *trace, const struct xpd_depth **out)
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < trace->depth_count; d++) {
        uint32_t at = count < ROWS ? count++ : ROWS - 1;
        if (at == ROWS - 1 && count == ROWS && out[at] && out[at]->count >= trace->depth[d].count)
            continue;
        out[at] = &trace->depth[d];
        for (; at > 0 && out[at - 1]->count < out[at]->count; at--) {
            const struct xpd_depth *swap = out[at];
            out[at] = out[at - 1];
            out[at - 1] = swap;
        }
    }
    return count;
}

static double zoom_factor(int zoom)
{
    double factor = 1;
    for (int i = 0; i < zoom; i++)
        factor *= 10;
    return factor;
}

static void zooms(const struct xpd_trace *trace, struct index_result *result)
{
    const struct xpd_depth *depth[ROWS] = {0};
    uint32_t rows = largest_depths(trace, depth);
    for (int zoom = 0; zoom < ZOOMS; zoom++) {
        int64_t span = (int64_t)((double)(trace->end_ps - trace->first_ps) / zoom_factor(zoom)) + 1;
        int64_t from = trace->first_ps + (trace->end_ps - trace->first_ps - span) / 5 * 2, sum = 0;
        struct xpd_trace_window window = {from, from + span, xpd_cell_shift(span, PX)};
        double best = 1e9;
        for (int round = 0; round < 7; round++) {
            double start = bench_now_ms();
            result->boxes[zoom] = 0;
            for (uint32_t r = 0; r < rows; r++)
                result->boxes[zoom] += xpd_depth_boxes(depth[r], &window, count_box, &sum);
            double took = bench_now_ms() - start;
            if (round == 0)
                result->first_ms[zoom] = took;
            best = took < best ? took : best;
        }
        result->window_ms[zoom] = sum == INT64_MIN ? 0 : best;
    }
}

/* Of all rows by module, which looks at what runs on a device at a time; without percentiles. */
static double module_totals_ms(const struct xpd_trace *trace)
{
    struct xpd_view view = {.trace = trace};
    struct xpd_totals totals;
    uint32_t *row = malloc(((size_t)trace->row_count + 1) * sizeof *row);
    for (uint32_t i = 0; row && i < trace->row_count; i++)
        row[i] = i;
    struct xpd_totals_ask ask = {.view = &view,
                                 .by = XPD_BY_MODULE,
                                 .row = row,
                                 .row_count = row ? trace->row_count : 0,
                                 .range = xpd_view_all(&view),
                                 .threads = 1};
    double before = cpu_ms();
    if (xpd_totals_make(&totals, &ask, NULL) == XPD_OK)
        xpd_totals_fini(&totals);
    free(row);
    return cpu_ms() - before;
}

static void index_once(uint32_t threads, bool with_zooms, struct index_result *result)
{
    struct xpd_source *source = NULL, *directory = NULL;
    struct xpd_xspace *space = NULL;
    struct xpd_trace *trace = NULL;
    struct xpd_trace_options options = {.threads = threads};
    double cpu = cpu_ms(), start = bench_now_ms();
    if (xpd_source_open(&directory, path, 0, NULL) != XPD_OK ||
        xpd_source_open(&source, path, 0, NULL) != XPD_OK ||
        xpd_xspace_load_by(&space, directory, threads, NULL, 0, NULL) != XPD_OK)
        return;
    result->directory_ms = bench_now_ms() - start;
    if (xpd_trace_load(&trace, space, source, &options, NULL, 0, NULL) != XPD_OK)
        return;
    result->ms = bench_now_ms() - start;
    result->cpu_ms = cpu_ms() - cpu;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    result->peak_kb = use.ru_maxrss;
    result->events = trace->event_count;
    result->memory_bytes = trace->memory_bytes;
    if (with_zooms) {
        zooms(trace, result);
        result->module_ms = module_totals_ms(trace);
    }
    xpd_trace_free(trace);
    xpd_xspace_free(space);
    xpd_source_close(directory);
}

/* A virtual machine may give free pages back to its host, and touching them again then takes longer
 * than all the work: they are touched once before, by a process that ends at once. */
static void warm_memory(uint64_t bytes)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at != MAP_FAILED) {
            (void)madvise(at, bytes, MADV_HUGEPAGE);
            memset(at, 1, bytes);
        }
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

/* In a process of its own, so that its memory is its own. */
static struct index_result index_apart(uint32_t threads, bool with_zooms)
{
    struct index_result result = {0};
    int pipes[2];
    if (pipe(pipes) != 0)
        return result;
    warm_memory((uint64_t)(file_mb() * 1.5e6));
    pid_t pid = fork();
    if (pid == 0) {
        index_once(threads, with_zooms, &result);
        _exit(write(pipes[1], &result, sizeof result) == (ssize_t)sizeof result ? 0 : 1);
    }
    close(pipes[1]);
    if (read(pipes[0], &result, sizeof result) != (ssize_t)sizeof result)
        result = (struct index_result){0};
    close(pipes[0]);
    waitpid(pid, NULL, 0);
    return result;
}

static struct index_result best_index(uint32_t threads, bool with_zooms, int rounds)
{
    struct index_result best = {0};
    for (int i = 0; i < rounds; i++) {
        struct index_result result = index_apart(threads, with_zooms);
        if (best.ms == 0 || (result.ms != 0 && result.ms < best.ms))
            best = result;
    }
    return best;
}

/* ---- the large profile ---- */

static void print_index(const char *what, const struct index_result *result, double floor_ms)
{
    double events = result->events ? (double)result->events : 1;
    printf("  %-35s %8.1f ms  %.1f ns an event, %.1fx the floor; processor time %.1f ns an event; "
           "directory %.0f ms\n",
           what, result->ms, result->ms * 1e6 / events, result->ms / floor_ms,
           result->cpu_ms * 1e6 / events, result->directory_ms);
    printf("  %-35s %8.1f MB  %.1f bytes an event; peak of the process %.1f MB, %.1f bytes\n", "",
           (double)result->memory_bytes / 1e6, (double)result->memory_bytes / events,
           (double)result->peak_kb * 1024 / 1e6, (double)result->peak_kb * 1024 / events);
}

static void answers(bool zooms);

static void large_profile(void)
{
    if (!make(XSG_TPU, EVENTS))
        return;
    double floor_ms = bench_median_ms(read_all, path, 5);
    struct index_result one = best_index(1, false, 3), two = best_index(2, true, 3);
    printf("events: %.2f GB, %.1f million events, best of 3\n", file_mb() / 1e3,
           (double)one.events / 1e6);
    printf("  read() of the same file (floor)     %8.1f ms\n", floor_ms);
    print_index("index, one thread", &one, floor_ms);
    print_index("index, two threads", &two, floor_ms);
    printf("  two threads are                     %8.2fx as fast\n", two.ms ? one.ms / two.ms : 0);
    for (int zoom = 0; zoom < ZOOMS; zoom++)
        printf("  window 1/%-6.0f of %d rows, %d px    %7.2f ms, first %.2f ms, %llu boxes\n",
               zoom_factor(zoom), ROWS, PX, two.window_ms[zoom], two.first_ms[zoom],
               (unsigned long long)two.boxes[zoom]);
    answers(true);
}

/* ---- with JSON ---- */

static struct xpd_param param(const char *name, const char *value)
{
    return (struct xpd_param){xpd_str_of(name), xpd_str_of(value)};
}

static size_t ask(struct xpd_store *store, const char *route, struct xpd_param *params,
                  uint32_t count, double *ms)
{
    const struct xpd_tool *tool = xpd_tool_find(xpd_str_of(route));
    struct xpd_arena arena = {0};
    struct xpd_tool_ctx ctx = {
        .arena = &arena, .param = params, .param_count = count, .hbm_override_bytes = -1};
    struct xpd_tool_result out = {0};
    struct xpd_err err = {0};
    size_t size = 0;
    double start = bench_now_ms();
    if (tool && xpd_tool_call(tool, store, &ctx, -1, &out, NULL, &err) == XPD_OK)
        size = out.body.size;
    else
        printf("  %s: %s\n", route, tool ? err.text : "no such tool");
    *ms = bench_now_ms() - start;
    xpd_strbuf_fini(&out.body);
    xpd_arena_fini(&arena);
    return size;
}

/* Selection totals of all rows: of everything, and of a thousandth of the time (a screenful). */
static void totals(struct xpd_store *store, const struct xpd_trace *trace)
{
    static const char *const by[] = {"name", "category", "module", "step", "chip"};
    char rows[32], from[32], to[32];
    int64_t span = trace->end_ps - trace->first_ps, first = span / 5 * 2;
    snprintf(rows, sizeof rows, "0-%u", trace->row_count - 1);
    snprintf(from, sizeof from, "%lld", (long long)first);
    snprintf(to, sizeof to, "%lld", (long long)(first + span / 1000));
    struct xpd_param params[6] = {param("run", "bench"), param("derived", "0"), param("rows", rows),
                                  param("by", ""),       param("from", from),   param("to", to)};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        double all = 1e9, part = 1e9, ms, cpu = 1e9;
        params[3] = param("by", by[i]);
        for (int round = 0; round < 7; round++) {
            double before = cpu_ms();
            ask(store, "/api/v1/trace/totals", params, 4, &ms);
            cpu = cpu_ms() - before < cpu ? cpu_ms() - before : cpu;
            all = ms < all ? ms : all;
            ask(store, "/api/v1/trace/totals", params, 6, &ms);
            part = ms < part ? ms : part;
        }
        printf("  trace/totals by %-8s            %8.1f ms (processor time %.0f ms), of 1/1000 "
               "%.2f ms\n",
               by[i], all, cpu, part);
    }
    /* Asked without rows: the operations of the devices. The first call makes the derived rows. */
    double ms, cpu = 1e9;
    struct xpd_param whole[3] = {param("run", "bench"), param("derived", "1"), param("by", "name")};
    for (int round = 0; round < 4; round++) {
        double before = cpu_ms();
        ask(store, "/api/v1/trace/totals", whole, 3, &ms);
        cpu = cpu_ms() - before < cpu ? cpu_ms() - before : cpu;
    }
    printf("  trace/totals by name, operations of devices: processor time %.0f ms\n", cpu);
}

/* `zooms`: the windows, too. */
static void answers(bool zooms)
{
    struct xpd_store *store = NULL;
    double ms, span = 0, base = 0;
    char from[32], to[32];
    if (xpd_store_open(&store, folder, NULL, NULL) != XPD_OK)
        return;
    struct xpd_param params[6] = {param("run", "bench"), param("derived", "0")};
    const struct xpd_run *run = NULL;
    const struct xpd_trace *trace = NULL;
    if (xpd_store_acquire(store, XPD_STR("bench"), -1, &run, NULL, NULL) == XPD_OK &&
        xpd_store_trace(store, run, 0, -1, &trace, NULL, NULL) == XPD_OK) {
        span = (double)(trace->end_ps - trace->first_ps);
        ask(store, "/api/v1/trace/rows", params, 2, &ms);
        printf("  trace/rows with JSON                %8.2f ms\n", ms);
        for (int zoom = 0; zooms && zoom < ZOOMS; zoom++) {
            double width = span / zoom_factor(zoom), best = 1e9;
            base = (span - width) * 0.4;
            snprintf(from, sizeof from, "%.0f", base);
            snprintf(to, sizeof to, "%.0f", base + width);
            params[1] = param("rows", "0-199");
            params[2] = param("from", from);
            params[3] = param("to", to);
            params[4] = param("px", "2000");
            size_t size = 0;
            for (int round = 0; round < 5; round++) {
                size = ask(store, "/api/v1/trace/window", params, 5, &ms);
                best = ms < best ? ms : best;
            }
            printf("  trace/window 1/%-6.0f with JSON       %7.2f ms, %.0f kB\n", zoom_factor(zoom),
                   best, (double)size / 1e3);
        }
        totals(store, trace);
    }
    xpd_store_release(store, run);
    xpd_store_close(store);
}

/* ---- start to first window ---- */

static int port_of(FILE *out)
{
    char line[512];
    const char *colon = fgets(line, sizeof line, out) ? strrchr(line, ':') : NULL;
    return colon ? (int)strtol(colon + 1, NULL, 10) : 0;
}

static long rss_kb_of(pid_t pid)
{
    char name[64], line[256];
    long kb = 0;
    snprintf(name, sizeof name, "/proc/%d/status", (int)pid);
    FILE *f = fopen(name, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %ld", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb;
}

static size_t get(int port, const char *route)
{
    struct http_reply reply = http_get_loaded((uint16_t)port, route);
    size_t size = reply.status == 200 ? reply.size : 0;
    http_reply_free(&reply);
    return size;
}

static void first_window(void)
{
    const char *binary = getenv("XPD_BINARY");
    if (!binary || !make(XSG_FAT, 3700000))
        return;
    double best = 1e9;
    size_t size = 0;
    long rss = 0;
    for (int round = 0; round < 5; round++) {
        int pipes[2];
        warm_memory((uint64_t)(file_mb() * 1e6));
        double start = bench_now_ms();
        if (pipe(pipes) != 0)
            return;
        pid_t pid = fork();
        if (pid == 0) {
            dup2(pipes[1], 1);
            execl(binary, binary, "--port=0", path, (char *)NULL);
            _exit(127);
        }
        close(pipes[1]);
        FILE *out = fdopen(pipes[0], "r");
        int port = out ? port_of(out) : 0;
        size_t rows = port ? get(port, "/api/v1/trace/rows?derived=0") : 0;
        size =
            rows ? get(port, "/api/v1/trace/window?rows=0-199&from=0&to=9000000000000&px=2000") : 0;
        double took = bench_now_ms() - start;
        rss = rss_kb_of(pid);
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
        if (out)
            fclose(out);
        best = took < best ? took : best;
    }
    printf("start to first complete window, %.0f MB, 3.7 million events (best of 5)\n"
           "  rows and window over HTTP           %8.1f ms, RSS then %.0f MB%s\n",
           file_mb(), best, (double)rss * 1024 / 1e6, size ? "" : " (no answer)");
}

/* ---- a whole process ---- */

/* `xprofd trace FILE --top=5 --by=name --json`, from fork to its end. */
static void command(void)
{
    const char *binary = getenv("XPD_BINARY");
    if (!binary || !make(XSG_TPU, EVENTS))
        return;
    double best = 1e9;
    struct rusage use = {0};
    for (int round = 0; round < 5; round++) {
        warm_memory((uint64_t)(file_mb() * 1.2e6));
        double start = bench_now_ms();
        pid_t pid = fork();
        if (pid == 0) {
            if (!freopen("/dev/null", "w", stdout))
                _exit(126);
            execl(binary, binary, "trace", path, "--top=5", "--by=name", "--json", (char *)NULL);
            _exit(127);
        }
        int status = 0;
        struct rusage used;
        wait4(pid, &status, 0, &used);
        double took = bench_now_ms() - start;
        if (status != 0) {
            printf("xprofd trace: no answer\n");
            return;
        }
        if (took < best) {
            best = took;
            use = used;
        }
    }
    double cpu = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
                 (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3;
    printf("xprofd trace --top=5 --by=name --json, %.0f MB, %d million events (best of 5)\n"
           "  the whole process                   %8.1f ms, %.1f ns an event; processor time %.1f "
           "ns an event; peak %.0f MB\n",
           file_mb(), EVENTS / 1000000, best, best * 1e6 / EVENTS, cpu * 1e6 / EVENTS,
           (double)use.ru_maxrss * 1024 / 1e6);
}

/* ---- growth ---- */

/* Processor time of the index on one thread, which neighbours stretch least; and the window of all
 * of it. */
static struct index_result least_work(enum xsg_shape shape, uint64_t events)
{
    struct index_result best = {0};
    for (int i = 0; i < 4 && (i > 0 || make(shape, events)); i++) {
        struct index_result result = index_apart(1, true);
        if (result.cpu_ms > 0 && (best.cpu_ms == 0 || result.cpu_ms < best.cpu_ms))
            best = result;
    }
    return best;
}

static void growth(void)
{
    static const struct {
        enum xsg_shape shape;
        uint64_t events;
    } shapes[] = {{XSG_ONE_ROW, 2500000}, {XSG_MANY_ROWS, 50000}, {XSG_DEEP, 1000000},
                  {XSG_INSTANT, 500000},  {XSG_ZERO, 2500000},    {XSG_UNSORTED, 1000000}};
    printf("growth when the events double (2.0 is linear), processor time\n");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct index_result once = least_work(shapes[i].shape, shapes[i].events);
        struct index_result twice = least_work(shapes[i].shape, 2 * shapes[i].events);
        printf(
            "  %-26s %8llu  %8.1f ms -> %8.1f ms  %.2f; %.0f ns an event; window %.2f ms; totals "
            "by module %.1f -> %.1f ms\n",
            xsg_shape_name(shapes[i].shape), (unsigned long long)shapes[i].events, once.cpu_ms,
            twice.cpu_ms, once.cpu_ms ? twice.cpu_ms / once.cpu_ms : 0,
            twice.events ? twice.cpu_ms * 1e6 / (double)twice.events : 0, twice.first_ms[0],
            once.module_ms, twice.module_ms);
    }
}

void bench_trace(const char *shared, const char *words)
{
    (void)shared;
    const char *dir = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/xprofd-bench-XXXXXX", dir ? dir : "/tmp");
    if (!mkdtemp(folder)) {
        printf("no temporary folder for events\n");
        return;
    }
    char run[560];
    snprintf(run, sizeof run, "%s/bench", folder);
    snprintf(path, sizeof path, "%s/host0.xplane.pb", run);
    if (mkdir(run, 0700) == 0) {
        if (!words || strcmp(words, "large") == 0)
            large_profile();
        if (words && strcmp(words, "totals") == 0 && make(XSG_TPU, EVENTS))
            answers(false);
        if (!words || strcmp(words, "first") == 0)
            first_window();
        if (!words || strcmp(words, "command") == 0)
            command();
        if (!words || strcmp(words, "growth") == 0)
            growth();
    }
    unlink(path);
    rmdir(run);
    rmdir(folder);
}

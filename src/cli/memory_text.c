/* The text form of `xprofd memory`: what a person reads in a terminal, sizes with their unit. */
#include "memory_text.h"
#include "cli_trace_args.h"
#include "json_out.h"
#include "over_time.h"
#include "profile_args.h"
#include "xprofd/base/bytes_text.h"
#include "xprofd/cli/exit_codes.h"
#include "xprofd/memory/held.h"
#include "xprofd/tools/over_time.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One call of printf may hold several: each has a text of its own. */
struct size {
    char text[48];
};
static struct size size_of(const struct xpd_mem_space *space, int64_t bytes)
{
    struct size size = {"unknown"};
    if (bytes >= 0)
        xpd_bytes_text(size.text, bytes, space->peak_bytes);
    return size;
}

/* At least `width` columns, cut there; width 0 = as long as it is, up to 200. */
static void put(struct xpd_str text, size_t width)
{
    size_t written = xpd_cli_put(stdout, text, width ? width : 200);
    for (; written < width; written++)
        putchar(' ');
}

/* What makes the numbers doubtful: files of two compilations, say. */
static void put_doubts(const struct xpd_warnings *warnings)
{
    for (uint32_t i = 0; i < warnings->count; i++) {
        if (warnings->item[i].severity == XPD_NOTE)
            continue;
        printf("warning  ");
        xpd_cli_put_lines(stdout, xpd_str_of(warnings->item[i].text));
    }
}

/* Of a dump in text the events are derived. */
static bool from_live_ranges(const struct xpd_warnings *warnings)
{
    for (uint32_t i = 0; i < warnings->count; i++)
        if (strcmp(warnings->item[i].code, "events_from_live_ranges") == 0)
            return true;
    return false;
}

void xpd_memory_text_head(const struct xpd_run *run, const struct xpd_module *module,
                          const struct xpd_hlo *hlo)
{
    printf("module   ");
    put(xpd_str_of(module->key), 0);
    printf("\nrun      ");
    put(xpd_str_of(run->entry->id), 0);
    /* The one host of a dump has no name. */
    bool named = module->host_count > 1 ||
                 (module->host_count == 1 && run->host[module->host[0]].name[0] != '\0');
    if (named)
        printf(", host%s", module->host_count > 1 ? "s" : "");
    for (uint32_t i = 0; named && i < module->host_count; i++) {
        putchar(' ');
        put(xpd_str_of(run->host[module->host[i]].name), 0);
    }
    if (!module->run_count_known)
        printf(", number of runs unknown");
    else if (module->run_count == 1)
        printf(", ran once");
    else if (module->run_count)
        printf(", ran %llu times", (unsigned long long)module->run_count);
    else
        printf(", no recorded run");
    printf("\nprogram  %u instructions, %u buffers, %u heap events%s\n", hlo->instructions.count,
           hlo->buffers.count, hlo->events.count,
           from_live_ranges(&hlo->warnings) ? " from live ranges" : "");
    if (run->device_type[0])
        printf("device   %s, %u in this run\n", run->device_type, run->device_count);
    put_doubts(&hlo->warnings);
}

static void put_line(const char *what, const char *size, const char *note)
{
    printf("  %-16s %16s%s%s\n", what, size, note[0] ? "  " : "", note);
}

static void line(const struct xpd_mem_space *space, const char *what, int64_t bytes,
                 const char *note)
{
    put_line(what, size_of(space, bytes).text, note);
}

/* In units of its own: it is of the device, not of the program. */
static void capacity(const struct xpd_tool_ctx *ctx, const struct xpd_mem_space *space)
{
    struct xpd_capacity known;
    xpd_tools_capacity(ctx, space->color, &known);
    if (known.bytes < 0)
        return;
    char note[400], size[48], rest[48];
    int64_t left = known.bytes - space->peak_bytes;
    xpd_bytes_text_own(size, known.bytes);
    xpd_bytes_text_own(rest, left >= 0 ? left : -left);
    snprintf(note, sizeof note, "%s; %s %s", known.from, left >= 0 ? "left" : "missing", rest);
    put_line("capacity", size, note);
}

static void totals(const struct xpd_mem_space *space)
{
    const struct xpd_mem_totals *t = &space->totals;
    char note[128];
    line(space, "arguments", t->argument, "");
    snprintf(note, sizeof note, "and %s written into arguments", size_of(space, t->alias).text);
    line(space, "outputs", t->output - t->alias, t->alias ? note : "");
    line(space, "constants", t->constant, "");
    line(space, "temporaries", xpd_mem_peak_temp(space),
         space->step_count || !space->heap_bytes ? "live at the peak"
                                                 : "no heap events show what is live");
    snprintf(note, sizeof note, "heap of %s", size_of(space, space->heap_bytes).text);
    if (t->untraced)
        snprintf(note + strlen(note), sizeof note - strlen(note), "; %s without heap events",
                 size_of(space, t->untraced).text);
    line(space, "fragmentation", xpd_mem_fragmentation(space), note);
    line(space, "padding", space->peak_bytes - space->peak_unpadded_bytes,
         "at the peak, including arguments");
    line(space, "reserved", t->reserved, "peak and fragmentation");
    if (t->thread_local_)
        line(space, "thread local", t->thread_local_, "not in reserved");
    if (space->scoped_bytes)
        line(space, "scoped", space->scoped_bytes, "largest of one instruction");
}

static int larger_first(const void *a, const void *b)
{
    const struct xpd_held *x = a, *y = b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes < y->size_bytes ? 1 : -1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static void buffer_row(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                       const struct xpd_held *row, struct xpd_arena *arena)
{
    struct xpd_strbuf text = {0};
    printf("  %12s %12s %12s  %-12s ", size_of(space, row->size_bytes).text,
           size_of(space, xpd_held_padding(row)).text,
           size_of(space, xpd_held_saving(row, mem, space, arena)).text,
           xpd_mem_class_word(row->mem_class));
    xpd_mem_buffer_name(&text, mem, row->buffer);
    put((struct xpd_str){text.data ? text.data : "", text.size}, 32);
    struct xpd_strbuf source = {0};
    if (row->buffer != XPD_NO_INDEX && mem->buffer[row->buffer].instruction != XPD_NO_INDEX)
        xpd_source_put_of(&source, mem->hlo, mem->buffer[row->buffer].instruction);
    xpd_strbuf_clear(&text);
    if (row->buffer != XPD_NO_INDEX)
        xpd_shape_text(&text, mem->buffer[row->buffer].shape, true);
    putchar(' ');
    put((struct xpd_str){text.data ? text.data : "", text.size}, source.size ? 40 : 0);
    if (source.size) {
        putchar(' ');
        put((struct xpd_str){source.data, source.size}, 0);
    }
    xpd_strbuf_fini(&source);
    putchar('\n');
    xpd_strbuf_fini(&text);
}

static int buffers(const struct xpd_mem *mem, const struct xpd_mem_space *space, uint32_t top,
                   uint32_t step, struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_held_list list;
    int rc = xpd_held_at(&list, mem, space, step, &arena, err);
    if (rc == XPD_OK && list.count > 0) {
        uint32_t shown = list.count < top ? list.count : top;
        qsort(list.at, list.count, sizeof *list.at, larger_first);
        printf("\n  %u buffers, %s, the %u largest:\n", list.count, size_of(space, list.bytes).text,
               shown);
        printf("  %12s %12s %12s  %-12s %-32s %-40s %s\n", "size", "padding", "saving", "class",
               "buffer", "shape", "source");
        for (uint32_t i = 0; i < shown; i++)
            buffer_row(mem, space, &list.at[i], &arena);
    }
    xpd_arena_fini(&arena);
    return rc;
}

int xpd_memory_text_check_step(const struct xpd_mem_space *space, uint32_t step,
                               struct xpd_err *err)
{
    if (step == XPD_NO_STEP || step < space->step_count)
        return XPD_OK;
    return xpd_fail(err, XPD_EINVAL, "--step", XPD_NO_OFFSET,
                    "step %u does not exist; memory space %lld has %u steps", step,
                    (long long)space->color, space->step_count);
}

int xpd_memory_text_space(const struct xpd_run *run, const struct xpd_mem *mem,
                          const struct xpd_mem_space *space, const struct xpd_memory_text *what,
                          struct xpd_err *err)
{
    char scratch[24];
    printf("\n%s (memory space %lld)\n", xpd_space_name(run->platform, space->color, scratch),
           (long long)space->color);
    char note[64];
    if (space->peak_step != XPD_NO_STEP) {
        uint32_t running = xpd_mem_running(mem, space, space->peak_step);
        struct xpd_str name = xpd_hlo_instruction_name(mem->hlo, running);
        snprintf(note, sizeof note, "at step %u of %u, %%", space->peak_step, space->step_count);
        printf("  %-16s %16s  %s", "peak", size_of(space, space->peak_bytes).text, note);
        xpd_cli_put(stdout, name, 100);
        putchar('\n');
    } else {
        line(space, "peak", space->peak_bytes, "");
    }
    capacity(what->ctx, space);
    totals(space);
    if (what->top == 0)
        return XPD_OK;
    return buffers(mem, space, what->top, what->step == XPD_NO_STEP ? space->peak_step : what->step,
                   err);
}

/* Memory over time on a terminal. In: the profile and the options. Out: growth, and what is live at
 * a time or at two. */

#define TOP_USUAL 20

struct asked { /* parameters of live or diff, and their texts */
    const char *route, *key;
    struct xpd_param param[8];
    uint32_t count;
    char a[24], b[24], limit[24];
};

static void put_over_time(struct asked *q, const char *name, const char *value)
{
    q->param[q->count++] = (struct xpd_param){xpd_str_of(name), xpd_str_of(value)};
}

static int time_of(char out[24], const char *option, const char *text, struct xpd_err *err)
{
    int64_t ps;
    if (!xpd_cli_time(text, &ps))
        return xpd_fail(err, XPD_EINVAL, option, XPD_NO_OFFSET,
                        "%s takes a time from the start of the trace such as 1.5ms, 20us or 3s, "
                        "not \"%s\"",
                        option, text);
    snprintf(out, 24, "%" PRId64, ps);
    return XPD_OK;
}

static int ask(struct asked *q, const struct xpd_profile_args *args, struct xpd_err *err)
{
    bool two = args->against != NULL;
    *q = (struct asked){.route =
                            two ? "/api/v1/trace/allocators/diff" : "/api/v1/trace/allocators/live",
                        .key = two ? "diff" : "live"};
    if (two && !args->at)
        return xpd_fail(err, XPD_EINVAL, "--against", XPD_NO_OFFSET,
                        "--against is the second of two times: give the first with --at");
    int rc = args->at ? time_of(q->a, "--at", args->at, err) : XPD_OK;
    if (rc == XPD_OK && two)
        rc = time_of(q->b, "--against", args->against, err);
    if (args->at)
        put_over_time(q, two ? "a" : "at", q->a);
    if (two)
        put_over_time(q, "b", q->b);
    int64_t top = args->top < 0 ? TOP_USUAL : args->top;
    snprintf(q->limit, sizeof q->limit, "%" PRId64, top > 0 ? top : 1);
    if (args->output != XPD_OUT_CSV || args->top >= 0) /* a CSV is whole */
        put_over_time(q, "limit", q->limit);
    else
        put_over_time(q, "limit", "20000");
    return rc;
}

static int call(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                const char *route, const struct xpd_param *param, uint32_t count,
                struct xpd_strbuf *out, struct xpd_err *err)
{
    struct xpd_trace_args of = {.profile = *args};
    struct xpd_param all[9];
    uint32_t n = 0;
    while (n < count) {
        all[n] = param[n];
        n++;
    }
    all[n++] = (struct xpd_param){XPD_STR("format"), xpd_cli_format_word(args->output)};
    return xpd_trace_call(profile, &of, route, all, n, out, NULL, err);
}

static struct xpd_str text_of(const struct xpd_strbuf *body)
{
    return (struct xpd_str){body->data ? body->data : "", body->size};
}

static void print_json(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                       int code, const struct asked *q, const struct xpd_strbuf *steps,
                       const struct xpd_strbuf *live)
{
    struct xpd_cli_json out;
    struct xpd_jsonw *w = xpd_cli_json_begin(&out, "memory");
    xpd_cli_json_exit(w, code);
    xpd_cli_json_covers(w, profile, args);
    xpd_json_key(w, "over_time");
    xpd_json_raw(w, text_of(steps));
    xpd_json_key(w, q->key);
    xpd_json_raw(w, text_of(live));
    xpd_cli_json_end(&out);
}

static int judge(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 int *code, struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_over_time found;
    struct xpd_load_state state;
    struct xpd_param host = {XPD_STR("host"), xpd_str_of(args->host ? args->host : "")};
    struct xpd_tool_ctx ctx = {.arena = &arena,
                               .store = profile->store,
                               .run = profile->run,
                               .module = XPD_NO_INDEX,
                               .param = &host,
                               .param_count = 1,
                               .hbm_override_bytes = -1,
                               .wait_ms = -1,
                               .state = &state};
    int rc = xpd_over_time_of(&found, &ctx, true, err);
    if (rc == XPD_OK && found.verdict == XPD_ALLOC_LEAK)
        *code = XPD_EXIT_BROKEN;
    if (rc == XPD_OK && found.why_not)
        rc = xpd_fail(err, XPD_ENOTFOUND, "--fail-on-leak", XPD_NO_OFFSET, "%s", found.why_not);
    xpd_arena_fini(&arena);
    return rc;
}

int xpd_over_time_print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                        int *code, struct xpd_err *err)
{
    struct asked q;
    struct xpd_strbuf steps = {0}, live = {0};
    int rc = ask(&q, args, err);
    if (rc == XPD_OK && args->output != XPD_OUT_CSV)
        rc = call(profile, args, "/api/v1/trace/allocators/steps", NULL, 0, &steps, err);
    if (rc == XPD_OK)
        rc = call(profile, args, q.route, q.param, q.count, &live, err);
    if (rc == XPD_OK && args->fail_on_leak)
        rc = judge(profile, args, code, err);
    if (rc == XPD_OK && args->output == XPD_OUT_JSON) {
        print_json(profile, args, *code, &q, &steps, &live);
    } else if (rc == XPD_OK && args->output == XPD_OUT_CSV) {
        fwrite(live.data, 1, live.size, stdout);
    } else if (rc == XPD_OK) {
        xpd_cli_put_lines(stdout, text_of(&steps));
        if (live.size > 0)
            fputc('\n', stdout);
        xpd_cli_put_lines(stdout, text_of(&live));
    }
    xpd_strbuf_fini(&steps);
    xpd_strbuf_fini(&live);
    return rc;
}

/* The text form of `xprofd memory`: what a person reads in a terminal, sizes with their unit. */
#include "memory_text.h"
#include "profile_args.h"
#include "xprofd/base/bytes_text.h"
#include "xprofd/tools/held.h"
#include "xprofd/tools/words.h"
#include <stdio.h>
#include <stdlib.h>

/* One call of printf may hold several: each has a text of its own. */
struct size {
    char text[48];
};
static struct size size_of(int64_t bytes)
{
    struct size size = {"unknown"};
    if (bytes >= 0)
        xpd_bytes_text(size.text, bytes, false);
    return size;
}

/* At least `width` columns, cut there; width 0 = as long as it is, up to 200. */
static void put(struct xpd_str text, size_t width)
{
    size_t written = xpd_cli_put(stdout, text, width ? width : 200);
    for (; written < width; written++)
        putchar(' ');
}

void xpd_memory_text_head(const struct xpd_run *run, const struct xpd_module *module,
                          const struct xpd_hlo *hlo)
{
    printf("module   ");
    put(xpd_str_of(module->key), 0);
    printf("\nrun      ");
    put(xpd_str_of(run->entry->id), 0);
    printf(", host%s", module->host_count > 1 ? "s" : "");
    for (uint32_t i = 0; i < module->host_count; i++) {
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
    printf("\nprogram  %u instructions, %u buffers, %u heap events\n", hlo->instructions.count,
           hlo->buffers.count, hlo->events.count);
    if (run->device_type[0])
        printf("device   %s, %u in this run\n", run->device_type, run->device_count);
}

static void line(const char *what, int64_t bytes, const char *note)
{
    printf("  %-16s %16s%s%s\n", what, size_of(bytes).text, note[0] ? "  " : "", note);
}

static void capacity(const struct xpd_tool_ctx *ctx, const struct xpd_mem_space *space)
{
    struct xpd_capacity known;
    xpd_tools_capacity(ctx, space->color, &known);
    if (known.bytes < 0)
        return;
    char note[400];
    int64_t left = known.bytes - space->peak_bytes;
    snprintf(note, sizeof note, "%s; %s %s", known.from, left >= 0 ? "left" : "missing",
             size_of(left >= 0 ? left : -left).text);
    line("capacity", known.bytes, note);
}

static void totals(const struct xpd_mem_space *space)
{
    const struct xpd_mem_totals *t = &space->totals;
    char note[128];
    line("arguments", t->argument, "");
    snprintf(note, sizeof note, "and %s written into arguments", size_of(t->alias).text);
    line("outputs", t->output - t->alias, t->alias ? note : "");
    line("constants", t->constant, "");
    line("temporaries", xpd_mem_peak_temp(space),
         space->step_count || !space->heap_bytes ? "live at the peak"
                                                 : "no heap events tell what is live");
    snprintf(note, sizeof note, "heap of %s", size_of(space->heap_bytes).text);
    if (t->untraced)
        snprintf(note + strlen(note), sizeof note - strlen(note), "; %s without heap events",
                 size_of(t->untraced).text);
    line("fragmentation", xpd_mem_fragmentation(space), note);
    line("padding", space->peak_bytes - space->peak_unpadded_bytes,
         "at the peak, including arguments");
    line("reserved", t->reserved, "peak and fragmentation");
    if (t->thread_local_)
        line("thread local", t->thread_local_, "not in reserved");
    if (space->scoped_bytes)
        line("scoped", space->scoped_bytes, "largest of one instruction");
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
    printf("  %12s %12s %12s  %-12s ", size_of(row->size_bytes).text,
           size_of(xpd_held_padding(row)).text,
           size_of(xpd_held_saving(row, mem, space, arena)).text,
           xpd_mem_class_word(row->mem_class));
    xpd_tools_buffer_name(&text, mem, row->buffer);
    put((struct xpd_str){text.data ? text.data : "", text.size}, 32);
    struct xpd_strbuf source = {0};
    if (row->buffer != XPD_NO_INDEX && mem->buffer[row->buffer].instruction != XPD_NO_INDEX)
        xpd_tools_source(&source, mem->hlo, mem->buffer[row->buffer].instruction);
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
        printf("\n  %u buffers, %s, the %u largest:\n", list.count, size_of(list.bytes).text,
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
        uint32_t running = xpd_mem_running(mem, space, space->peak_step, NULL);
        struct xpd_str name = xpd_tools_instruction_name(mem->hlo, running);
        snprintf(note, sizeof note, "at step %u of %u, %%", space->peak_step, space->step_count);
        printf("  %-16s %16s  %s", "peak", size_of(space->peak_bytes).text, note);
        xpd_cli_put(stdout, name, 100);
        putchar('\n');
    } else {
        line("peak", space->peak_bytes, "");
    }
    capacity(what->ctx, space);
    totals(space);
    if (what->top == 0)
        return XPD_OK;
    return buffers(mem, space, what->top, what->step == XPD_NO_STEP ? space->peak_step : what->step,
                   err);
}

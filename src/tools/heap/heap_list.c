/* The heap files of a run: their order, and reading one.
 *
 * In: a run. Out: files, series by series; a frozen struct xpd_pprof, made once and kept with the
 * run. */
#include "heap_open.h"

#include <string.h>

/* ---- order ---- */

static int by_series(const void *a, const void *b)
{
    const struct xpd_heap_file *x = a, *y = b;
    int order = xpd_str_order(x->series, y->series);
    if (order == 0)
        order = (x->step > y->step) - (x->step < y->step);
    return order ? order : xpd_str_order(x->name, y->name);
}

static void name_series(struct xpd_heap_file *file, struct xpd_arena *arena)
{
    size_t begin, size;
    file->step = -1;
    file->series = file->name;
    if (!xpd_heap_step_of(file->name, &file->step, &begin, &size))
        return;
    const char *text =
        xpd_arena_printf(arena, "%.*s#%.*s", (int)begin, file->name.data,
                         (int)(file->name.size - begin - size), file->name.data + begin + size);
    file->series = xpd_str_of(text);
}

/* A number in the name of a file that has no others beside it counts nothing. */
static void undo_lonely(struct xpd_heap_file *file, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool before = i > 0 && xpd_str_eq(file[i].series, file[i - 1].series);
        bool after = i + 1 < count && xpd_str_eq(file[i].series, file[i + 1].series);
        if (before || after || file[i].step < 0)
            continue;
        file[i].step = -1;
        file[i].series = file[i].name;
    }
}

int xpd_heap_list(const struct xpd_run *run, struct xpd_arena *arena, struct xpd_heap_file **file,
                  uint32_t *count, struct xpd_err *err)
{
    const struct xpd_run_entry *entry = run->entry;
    struct xpd_heap_file *at = XPD_NEW_ARRAY(arena, struct xpd_heap_file, entry->input_count);
    *count = 0;
    *file = at;
    for (uint32_t i = 0; at && i < entry->input_count; i++) {
        if (entry->input[i].format != XPD_INPUT_HEAP)
            continue;
        at[*count] = (struct xpd_heap_file){.input = i, .name = xpd_str_of(entry->input[i].name)};
        name_series(&at[(*count)++], arena);
    }
    if (arena->failed)
        return xpd_tools_no_memory(err);
    if (*count == 0)
        return xpd_fail(err, XPD_ENOTFOUND, "run", XPD_NO_OFFSET,
                        "run %.120s holds no heap file: those are *.prof, as "
                        "jax.profiler.save_device_memory_profile writes them",
                        entry->id);
    qsort(at, *count, sizeof *at, by_series);
    undo_lonely(at, *count);
    return XPD_OK;
}

/* ---- reading ---- */

static int make_heap(void *table, struct xpd_arena *arena, const void *of, struct xpd_err *err)
{
    const struct xpd_input *input = of;
    struct xpd_source *source;
    if (input->problem)
        return xpd_fail(err, input->identity.size_bytes ? XPD_EIO : XPD_EFORMAT, input->name,
                        XPD_NO_OFFSET, "%s", input->problem);
    int rc = xpd_input_open(input, arena->budget_bytes, NULL, &source, err);
    if (rc != XPD_OK)
        return rc;
    enum xpd_file_kind kind = xpd_file_kind_of(source);
    if (kind != XPD_FILE_PPROF && kind != XPD_FILE_UNKNOWN && xpd_file_kind_advice(kind))
        rc = xpd_fail(err, XPD_EFORMAT, input->name, XPD_NO_OFFSET, "%s",
                      xpd_file_kind_advice(kind));
    else
        rc = xpd_heap_load(table, arena, source, err);
    xpd_source_close(source);
    return rc;
}

int xpd_heap_read(struct xpd_store *store, const struct xpd_run *run, struct xpd_heap_file *file,
                  struct xpd_err *err)
{
    const void *table;
    uint64_t part[2] = {xpd_hash("heap", 4), file->input};
    struct xpd_side_want want = {.key = xpd_hash(part, sizeof part),
                                 .size = sizeof(struct xpd_pprof),
                                 .make = make_heap,
                                 .of = &run->entry->input[file->input]};
    file->error = (struct xpd_err){0};
    int rc = xpd_store_side(store, run, XPD_NO_INDEX, &want, &table, &file->error);
    file->heap = rc == XPD_OK ? table : NULL;
    if (rc != XPD_OK && err)
        *err = file->error;
    return rc;
}

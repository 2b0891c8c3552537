/* /api/v1/heap/files: the heap files of a run, series by series, with what each holds. */
#include "heap_open.h"

#define FILES_MAX 2000 /* read and listed; the rest is counted */

#define XPD_HEAP_FILE_FIELDS(FIELD)                                                                \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(INT, size_bytes, "of the file")                                                          \
    FIELD(TEXT, series,                                                                            \
          "file name with # for the number; files of one series come from one program")            \
    FIELD(MAYBE(INT), step, "number in the file name; null: none, or the only file of its series") \
    FIELD(MAYBE(TEXT), type, "value of its samples; null: the file cannot be read")                \
    FIELD(MAYBE(WORD("bytes ns count other")), unit, "of value and change")                        \
    FIELD(MAYBE(SIGNED), value, "of all its samples")                                              \
    FIELD(MAYBE(SIGNED), count, "allocations; null: not counted")                                  \
    FIELD(MAYBE(SIGNED), change, "change since the previous file of the series")                   \
    FIELD(BOOL, cut, "the file is truncated")                                                      \
    FIELD(MAYBE(TEXT), problem, "why it cannot be read")
XPD_RECORD(xpd_heap_file_row, XPD_HEAP_FILE_FIELDS)

#define XPD_HEAP_FILES_FIELDS(FIELD)                                                               \
    FIELD(COUNT, total, "files, listed or not")                                                    \
    FIELD(COLUMNS(xpd_heap_file_row), files, "at most 2,000")
XPD_RECORD(xpd_heap_files, XPD_HEAP_FILES_FIELDS)

static void fill(struct xpd_heap_file_row *row, const struct xpd_tool_ctx *ctx,
                 struct xpd_heap_file *file)
{
    const struct xpd_input *input = &ctx->run->entry->input[file->input];
    uint32_t type;
    *row = (struct xpd_heap_file_row){.name = file->name,
                                      .size_bytes = (int64_t)input->identity.size_bytes,
                                      .series = file->series,
                                      .step = file->step,
                                      .value = XPD_UNKNOWN,
                                      .count = XPD_UNKNOWN,
                                      .change = XPD_UNKNOWN};
    int rc = xpd_heap_read(ctx->store, ctx->run, file, NULL);
    if (rc == XPD_OK)
        rc = xpd_heap_find_type(file->heap, xpd_param_text(ctx, "type"), &type, &file->error);
    if (rc != XPD_OK) {
        row->problem = xpd_str_of(xpd_arena_printf(ctx->arena, "%s", file->error.text));
        return;
    }
    const struct xpd_pprof *heap = file->heap;
    const struct xpd_heap_type *of = &heap->type[type];
    row->type = of->name;
    row->unit = xpd_heap_unit_word(of->kind);
    row->cut = heap->cut;
    row->value = 0;
    for (uint32_t i = 0; i < heap->sample_count; i++)
        xpd_grow_i64(&row->value, xpd_heap_value(heap, i, type));
    if (of->count_of == XPD_NO_INDEX)
        return;
    row->count = 0;
    for (uint32_t i = 0; i < heap->sample_count; i++)
        xpd_grow_i64(&row->count, xpd_heap_value(heap, i, of->count_of));
}

static int files(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct xpd_heap_files *a = XPD_NEW(ctx->arena, struct xpd_heap_files);
    struct xpd_heap_file *file = NULL;
    uint32_t count = 0;
    int rc = a ? xpd_heap_list(ctx->run, ctx->arena, &file, &count, err) : xpd_tools_no_memory(err);
    if (rc != XPD_OK)
        return rc;
    uint32_t n = count < FILES_MAX ? count : FILES_MAX;
    struct xpd_heap_file_row *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_heap_file_row, n);
    bool overflow = false;
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        fill(&row[i], ctx, &file[i]);
        bool same = i > 0 && xpd_str_eq(row[i].series, row[i - 1].series) && row[i].unit &&
                    row[i - 1].unit && xpd_str_eq(row[i].type, row[i - 1].type);
        if (same)
            row[i].change = xpd_add_i64(row[i].value, -row[i - 1].value, &overflow);
    }
    a->total = count;
    a->files.at = row;
    a->files.n = n;
    *out = a;
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "type",
     .type = XPD_PARAM_TEXT,
     .help = "which value of the samples; default: the file's own default, else its last"},
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_heap_files = {
    .route = "/api/v1/heap/files",
    .title = "The heap files (pprof, *.prof) of a run, series by series.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_heap_files_record,
    .make = files,
    .file_name = "heap_files.csv",
    XPD_IN_REPORT("", {110, XPD_EACH_HEAP, "", "the heap files"}),
};

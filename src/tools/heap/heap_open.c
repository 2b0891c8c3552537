/* From a query to the files that answer it.
 *
 * In: the parameters file, against, base_run, type, device, kind, line and own. Out: the series of
 * the file with the file that it is compared with, read, and which of their frames are the user's
 * own. */
#include "heap_open.h"

#include "xprofd/base/time_text.h"
#include "xprofd/match/match.h"

#include <string.h>

/* ---- the files of a run ---- */

int xpd_heap_list(const struct xpd_run *run, struct xpd_arena *arena, struct xpd_heap_file **file,
                  uint32_t *count, struct xpd_err *err)
{
    const struct xpd_run_entry *entry = run->entry;
    struct xpd_heap_file *at = XPD_NEW_ARRAY(arena, struct xpd_heap_file, entry->input_count);
    *count = 0;
    *file = at;
    for (uint32_t i = 0; at && i < entry->input_count; i++)
        if (entry->input[i].format == XPD_INPUT_HEAP)
            at[(*count)++] =
                (struct xpd_heap_file){.input = i, .name = xpd_str_of(entry->input[i].name)};
    if (!at || !xpd_heap_sort_series(at, *count, arena))
        return xpd_tools_no_memory(err);
    if (*count == 0)
        return xpd_fail(err, XPD_ENOTFOUND, NULL, XPD_NO_OFFSET,
                        "run %.120s holds no heap file: those are *.prof, as "
                        "jax.profiler.save_device_memory_profile writes them",
                        entry->id);
    return XPD_OK;
}

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

/* ---- which file ---- */

static struct xpd_heap_file *find_file(struct xpd_heap_file *file, uint32_t count,
                                       struct xpd_str name)
{
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(file[i].name, name))
            return &file[i];
    return NULL;
}

static int no_such_file(const struct xpd_heap_file *file, uint32_t count, const char *parameter,
                        struct xpd_str name, struct xpd_err *err)
{
    char have[240] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < sizeof have - 70; i++)
        used += (size_t)snprintf(have + used, sizeof have - used, "%s%.*s", i ? ", " : "",
                                 (int)(file[i].name.size < 60 ? file[i].name.size : 60),
                                 file[i].name.data);
    return xpd_fail(err, XPD_ENOTFOUND, parameter, XPD_NO_OFFSET,
                    "There is no heap file \"%.*s\" in this run; there is %s%s",
                    (int)(name.size < 80 ? name.size : 80), name.data, have,
                    strlen(have) > 160 ? ", ..." : "");
}

static int pick_file(struct xpd_heap_ask *ask, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = ask->ctx;
    int rc = xpd_heap_list(ctx->run, ctx->arena, &ask->file, &ask->file_count, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_str name = xpd_param_text(ctx, "file");
    struct xpd_heap_file *file = name.size > 0
                                     ? find_file(ask->file, ask->file_count, name)
                                     : &ask->file[xpd_heap_usual_file(ask->file, ask->file_count)];
    if (!file)
        return no_such_file(ask->file, ask->file_count, "file", name, err);
    ask->at = (uint32_t)(file - ask->file);
    return xpd_heap_read(ctx->store, ctx->run, file, err);
}

static int pick_base(struct xpd_heap_ask *ask, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = ask->ctx;
    struct xpd_str run = xpd_param_text(ctx, "base_run"), name = xpd_param_text(ctx, "against");
    struct xpd_heap_file *file = ask->file;
    uint32_t count = ask->file_count, first;
    if (xpd_str_eq(name, XPD_STR("none")))
        return XPD_OK;
    if (run.size > 0 && !xpd_str_eq(run, xpd_str_of(ctx->run->entry->id))) {
        int rc = xpd_store_acquire(ctx->store, run, ctx->wait_ms, &ask->base_run, ctx->state, err);
        if (rc == XPD_OK)
            rc = xpd_heap_list(ask->base_run, ctx->arena, &file, &count, err);
        if (rc != XPD_OK)
            return rc;
    }
    if (name.size > 0) {
        ask->base = find_file(file, count, name);
        if (!ask->base)
            return no_such_file(file, count, "against", name, err);
    } else if (ask->base_run) {
        ask->base = &file[xpd_heap_usual_file(file, count)];
    } else {
        uint32_t n = xpd_heap_series_of(file, count, ask->at, &first);
        ask->base = n > 1 && first != ask->at ? &file[first] : NULL;
    }
    if (ask->base == &ask->file[ask->at])
        ask->base = NULL;
    return ask->base
               ? xpd_heap_read(ctx->store, ask->base_run ? ask->base_run : ctx->run, ask->base, err)
               : XPD_OK;
}

/* ---- members ---- */

static bool *own_flags(const struct xpd_pprof *heap, struct xpd_match *own, struct xpd_arena *arena)
{
    if (!own)
        return xpd_heap_library_flags(heap, arena);
    bool *flag = XPD_NEW_ARRAY(arena, bool, (size_t)heap->frame_count + 1);
    for (uint32_t i = 0; flag && i < heap->frame_count; i++)
        flag[i] =
            !heap->frame[i].has_line || xpd_match_test(own, heap->frame[i].file) == XPD_MATCH_NONE;
    return flag;
}

/* False: it has no such value, or there is no memory. */
static bool add_member(struct xpd_heap_ask *ask, const struct xpd_heap_file *file, uint32_t index,
                       struct xpd_str type, struct xpd_match *own)
{
    struct xpd_heap_member *m = &ask->member[ask->member_count];
    if (!file->heap || xpd_heap_find_type(file->heap, type, &m->type, NULL) != XPD_OK)
        return false;
    m->heap = file->heap;
    m->library = own_flags(file->heap, own, ask->ctx->arena);
    ask->member_file[ask->member_count] = index;
    if (index == ask->at)
        ask->shown = ask->member_count;
    if (file == ask->base)
        ask->compared = ask->member_count;
    ask->member_count += m->library != NULL;
    return m->library != NULL;
}

static bool chosen(const struct xpd_heap_ask *ask, uint32_t first, uint32_t index)
{
    uint32_t n = ask->series_all, i = index - first;
    if (n <= XPD_HEAP_SERIES_MAX || index == ask->at || &ask->file[index] == ask->base ||
        i + 1 == n)
        return true;
    /* of the rest every k-th, so that with these three no more than the limit are read */
    uint64_t room = XPD_HEAP_SERIES_MAX - 3;
    return i * room / n != (i + 1) * room / n;
}

static void add_series(struct xpd_heap_ask *ask, struct xpd_str type, struct xpd_match *own)
{
    const struct xpd_tool_ctx *ctx = ask->ctx;
    uint32_t first, skipped = 0;
    ask->series_all = xpd_heap_series_of(ask->file, ask->file_count, ask->at, &first);
    ask->has_steps = ask->file[ask->at].step >= 0;
    for (uint32_t i = first; i < first + ask->series_all; i++) {
        if (!chosen(ask, first, i))
            continue;
        int64_t step = ask->has_steps ? ask->file[i].step : (int64_t)(i - first);
        /* Two files of one step: the later one by name counts as no step of its own. */
        bool again = ask->member_count > 0 && ask->step[ask->member_count - 1] >= step;
        if (!ask->file[i].heap && !again)
            xpd_heap_read(ctx->store, ctx->run, &ask->file[i], NULL);
        ask->step[ask->member_count] = step;
        if ((again && i != ask->at && &ask->file[i] != ask->base) ||
            !add_member(ask, &ask->file[i], i, type, own))
            skipped++;
    }
    ask->series_count = ask->member_count;
    if (ask->series_all > XPD_HEAP_SERIES_MAX)
        ask->note =
            xpd_arena_printf(ctx->arena,
                             "The series has %" PRIu32 " files; growth is told from %" PRIu32
                             " of them, evenly chosen.",
                             ask->series_all, ask->series_count);
    else if (skipped > 0)
        ask->note = xpd_arena_printf(ctx->arena,
                                     "%" PRIu32 " of the %" PRIu32 " files of the series could not "
                                     "be read or hold other values; see Files.",
                                     skipped, ask->series_all);
}

static int make_members(struct xpd_heap_ask *ask, struct xpd_match *own, struct xpd_err *err)
{
    struct xpd_arena *arena = ask->ctx->arena;
    size_t most = (size_t)ask->file_count + 2;
    const struct xpd_pprof *heap = ask->file[ask->at].heap;
    uint32_t type;
    int rc = xpd_heap_find_type(heap, xpd_param_text(ask->ctx, "type"), &type, err);
    if (rc != XPD_OK)
        return rc;
    ask->member = XPD_NEW_ARRAY(arena, struct xpd_heap_member, most);
    ask->member_file = XPD_NEW_ARRAY(arena, uint32_t, most);
    ask->step = XPD_NEW_ARRAY(arena, int64_t, most);
    if (!ask->member || !ask->member_file || !ask->step)
        return xpd_tools_no_memory(err);
    add_series(ask, heap->type[type].name, own);
    if (ask->base && ask->compared == XPD_NO_INDEX &&
        !add_member(ask, ask->base, XPD_NO_INDEX, heap->type[type].name, own))
        return xpd_fail(err, XPD_EINVAL, "against", XPD_NO_OFFSET,
                        "%.*s does not hold the value \"%.*s\", so the two cannot be compared",
                        (int)ask->base->name.size, ask->base->name.data,
                        (int)heap->type[type].name.size, heap->type[type].name.data);
    return arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

int xpd_heap_ask_init(struct xpd_heap_ask *ask, const struct xpd_tool_ctx *ctx,
                      const struct xpd_tool *tool, struct xpd_err *err)
{
    (void)tool;
    *ask = (struct xpd_heap_ask){.ctx = ctx, .shown = XPD_NO_INDEX, .compared = XPD_NO_INDEX};
    ask->filter.device = xpd_param_text(ctx, "device");
    ask->filter.kind = xpd_param_text(ctx, "kind");
    ask->filter.line = xpd_param_text(ctx, "line");
    int rc = pick_file(ask, err);
    if (rc == XPD_OK)
        rc = pick_base(ask, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_str typed = xpd_param_text(ctx, "own");
    struct xpd_match own;
    if (typed.size > 0)
        xpd_match_init(&own, typed);
    rc = make_members(ask, typed.size > 0 ? &own : NULL, err);
    if (typed.size > 0) {
        char room[XPD_MATCH_NOTE_MAX];
        const char *note = xpd_match_note(&own, room);
        if (note[0])
            ask->note = xpd_arena_printf(ctx->arena, "%s", note);
        xpd_match_fini(&own);
    }
    return rc;
}

void xpd_heap_ask_fini(struct xpd_heap_ask *ask)
{
    if (ask->base_run)
        xpd_store_release(ask->ctx->store, ask->base_run);
    ask->base_run = NULL;
}

/* ---- texts ---- */

struct xpd_str xpd_heap_frame_label(struct xpd_arena *arena, const struct xpd_heap_frame *frame)
{
    struct xpd_str base = xpd_source_base_name(frame->file);
    struct xpd_str name = frame->has_line ? base : frame->function;
    if (!frame->has_line || frame->line <= 0)
        return name.size > 0 ? name : XPD_STR("(unknown)");
    return xpd_str_of(
        xpd_arena_printf(arena, "%.*s:%" PRId64, (int)base.size, base.data, frame->line));
}

void xpd_heap_value_text(char out[48], int64_t value, enum xpd_heap_unit unit)
{
    char text[XPD_TIME_TEXT_BYTES > 48 ? XPD_TIME_TEXT_BYTES : 48];
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    const char *sign = value < 0 ? "-" : "";
    if (unit == XPD_HEAP_BYTES)
        xpd_bytes_text_own(text, size > INT64_MAX ? INT64_MAX : (int64_t)size);
    else if (unit == XPD_HEAP_NANOSECONDS)
        xpd_time_text(text, (double)size * 1000);
    else
        xpd_number_text(text, size);
    snprintf(out, 48, "%s%.46s", sign, text);
}

void xpd_heap_change_text(char out[48], int64_t change, enum xpd_heap_unit unit)
{
    char text[48];
    xpd_heap_value_text(text, change, unit);
    snprintf(out, 48, "%s%.46s", change > 0 ? "+" : "", change == 0 ? "0" : text);
}

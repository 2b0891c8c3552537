/* The tables of stack frames as XProf 2.24 rebuilds them.
 *
 * Computations and instructions are walked in the order of the file; for each stack_frame_id the
 * chain is added, outermost caller first; frames, locations, function and file names get new
 * numbers in the order of first use, equal ones once. */
#include "print_internal.h"

#include <stdlib.h>

enum { LENGTH = 2 };

struct location {
    uint32_t file, function;
    int32_t line, end_line, column, end_column;
};

struct frame {
    uint32_t location, parent;
};

struct texts { /* numbered from 1 */
    struct xpd_intern table;
    struct xpd_arena arena;
};

struct tables {
    struct xpd_hlo_printer *printer;
    struct xpd_raw raw;
    const struct xpd_raw *location, *frame; /* of the file */
    uint32_t location_count, frame_count;
    struct xpd_str *file, *function;
    uint32_t file_count, function_count;
    struct texts files, functions;
    XPD_VEC(struct location) locations;
    XPD_VEC(struct frame) frames;
    struct xpd_map64 location_of, frame_of; /* by hash of their content */
};

static struct xpd_str *read_texts(struct tables *t, uint32_t number, uint32_t *count)
{
    uint32_t n = xpd_raw_count(&t->raw, number);
    struct xpd_str *out = XPD_NEW_ARRAY(&t->printer->arena, struct xpd_str, n);
    *count = 0;
    for (uint32_t i = 0; out && i < t->raw.count; i++)
        if (t->raw.field[i].number == number)
            out[(*count)++] = xpd_field_str(&t->raw.field[i]);
    return out;
}

static const struct xpd_raw *read_messages(struct tables *t, uint32_t number, uint32_t *count)
{
    struct xpd_arena *arena = &t->printer->arena;
    struct xpd_raw *out = XPD_NEW_ARRAY(arena, struct xpd_raw, xpd_raw_count(&t->raw, number));
    uint32_t at = 0;
    *count = 0;
    while (out && xpd_raw_each(arena, &t->raw, number, &at, &out[*count]))
        (*count)++;
    return out;
}

static uint32_t number_of(struct texts *texts, const struct xpd_str *text, uint32_t count,
                          int64_t id)
{
    struct xpd_str found = id >= 1 && (uint64_t)id <= count ? text[id - 1] : XPD_STR("");
    /* Id 0 of the table is always "", which may be a name as well: a first byte keeps it apart. */
    char *key = xpd_arena_bytes(&texts->arena, found.size + 1);
    if (!key)
        return 0;
    key[0] = '.';
    if (found.size)
        memcpy(key + 1, found.data, found.size);
    return xpd_intern_put(&texts->table, key, found.size + 1);
}

static uint32_t location_number(struct tables *t, int64_t id)
{
    struct location location = {0};
    if (id >= 1 && (uint64_t)id <= t->location_count) {
        const struct xpd_raw *from = &t->location[id - 1];
        location.file = number_of(&t->files, t->file, t->file_count, xpd_raw_int(from, 1, 0));
        location.function =
            number_of(&t->functions, t->function, t->function_count, xpd_raw_int(from, 2, 0));
        location.line = (int32_t)xpd_raw_int(from, 3, 0);
        location.column = (int32_t)xpd_raw_int(from, 4, 0);
        location.end_line = (int32_t)xpd_raw_int(from, 5, 0);
        location.end_column = (int32_t)xpd_raw_int(from, 6, 0);
    }
    uint64_t hash = xpd_hash(&location, sizeof location);
    uint32_t known = xpd_map64_get(&t->location_of, hash);
    if (known != XPD_NO_INDEX)
        return known;
    XPD_PUSH(&t->locations, location);
    xpd_map64_put(&t->location_of, hash, (uint32_t)t->locations.count);
    return (uint32_t)t->locations.count;
}

static void add_frame(struct tables *t, uint32_t id)
{
    const struct xpd_raw *from = &t->frame[id - 1];
    int64_t parent = xpd_raw_int(from, 2, 0);
    struct frame frame = {.location = location_number(t, xpd_raw_int(from, 1, 0))};
    if (parent >= 1 && (uint64_t)parent <= t->frame_count)
        frame.parent = t->printer->new_frame[parent];
    uint64_t hash = xpd_hash(&frame, sizeof frame);
    uint32_t known = xpd_map64_get(&t->frame_of, hash);
    if (known == XPD_NO_INDEX) {
        XPD_PUSH(&t->frames, frame);
        known = (uint32_t)t->frames.count;
        xpd_map64_put(&t->frame_of, hash, known);
    }
    t->printer->new_frame[id] = known;
}

static void add_chain(struct tables *t, uint32_t id, uint32_t *chain)
{
    uint32_t depth = 0;
    while (id >= 1 && id <= t->frame_count && t->printer->new_frame[id] == 0 &&
           depth < t->frame_count) {
        chain[depth++] = id;
        t->printer->new_frame[id] = UINT32_MAX; /* on the way: ends a cycle */
        int64_t parent = xpd_raw_int(&t->frame[id - 1], 2, 0);
        id = parent >= 1 && (uint64_t)parent <= t->frame_count ? (uint32_t)parent : 0;
    }
    for (uint32_t i = 0; i < depth; i++)
        t->printer->new_frame[chain[i]] = 0;
    while (depth > 0)
        add_frame(t, chain[--depth]);
}

static void print_texts(struct xpd_strbuf *out, const char *title, const struct texts *texts)
{
    xpd_strbuf_printf(out, "\n%s\n", title);
    for (uint32_t i = 1; i < texts->table.count; i++) {
        struct xpd_str text = xpd_intern_get(&texts->table, i);
        xpd_strbuf_printf(out, "%u \"", i);
        xpd_print_escaped(out, (struct xpd_str){text.data + 1, text.size - 1});
        xpd_strbuf_puts(out, "\"\n");
    }
}

static void print_tables(const struct tables *t, struct xpd_strbuf *out)
{
    print_texts(out, "FileNames", &t->files);
    print_texts(out, "FunctionNames", &t->functions);
    xpd_strbuf_puts(out, "\nFileLocations\n");
    for (size_t i = 0; i < t->locations.count; i++) {
        const struct location *l = &t->locations.at[i];
        xpd_strbuf_printf(out,
                          "%zu {file_name_id=%u function_name_id=%u line=%d end_line=%d column=%d "
                          "end_column=%d}\n",
                          i + 1, l->file, l->function, l->line, l->end_line, l->column,
                          l->end_column);
    }
    xpd_strbuf_puts(out, "\nStackFrames\n");
    for (size_t i = 0; i < t->frames.count; i++)
        xpd_strbuf_printf(out, "%zu {file_location_id=%u parent_frame_id=%u}\n", i + 1,
                          t->frames.at[i].location, t->frames.at[i].parent + 1);
    xpd_strbuf_putc(out, '\n');
}

static void number_frames(struct tables *t)
{
    const struct xpd_hlo *hlo = t->printer->hlo;
    uint32_t *chain = XPD_NEW_ARRAY(&t->printer->arena, uint32_t, t->frame_count);
    for (uint32_t i = 0; chain && i < hlo->instructions.count; i++)
        add_chain(t, hlo->instructions.stack_frame[i], chain);
}

void xpd_print_make_frames(struct xpd_hlo_printer *printer)
{
    struct tables t = {.printer = printer};
    if (printer->new_frame || printer->hlo->frame_count == 0)
        return;
    t.raw = xpd_raw_message(&printer->arena, &printer->top, 17);
    t.frame = read_messages(&t, 4, &t.frame_count);
    t.location = read_messages(&t, 3, &t.location_count);
    t.file = read_texts(&t, 1, &t.file_count);
    t.function = read_texts(&t, 2, &t.function_count);
    uint32_t most =
        t.frame_count > printer->hlo->frame_count ? t.frame_count : printer->hlo->frame_count;
    printer->new_frame = XPD_NEW_ARRAY(&printer->arena, uint32_t, (size_t)most + 1);
    if (!printer->arena.failed) {
        xpd_intern_init(&t.files.table, &t.files.arena);
        xpd_intern_init(&t.functions.table, &t.functions.arena);
        number_frames(&t);
        if (t.frames.count)
            print_tables(&t, &printer->frames);
        xpd_intern_fini(&t.files.table);
        xpd_intern_fini(&t.functions.table);
        xpd_arena_fini(&t.files.arena);
        xpd_arena_fini(&t.functions.arena);
    }
    XPD_VEC_FINI(&t.locations);
    XPD_VEC_FINI(&t.frames);
    xpd_map64_fini(&t.location_of);
    xpd_map64_fini(&t.frame_of);
}

/* Reads a pprof file.
 *
 * In: a source, gzip or not (wire/source.h). Out: a frozen struct xpd_pprof. Two passes over the
 * bytes: the first takes the string table, types, mappings, functions and, once these are known,
 * locations; the second the samples (load_samples.c), which most writers put in front of what they
 * name. A damaged message is left out with a warning; a file that is cut ends at its last whole
 * field. */
#include "heap_internal.h"
#include "pprof.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum top {
    TOP_SAMPLE_TYPE = 1,
    TOP_SAMPLE = 2,
    TOP_MAPPING = 3,
    TOP_LOCATION = 4,
    TOP_FUNCTION = 5,
    TOP_STRING = 6,
    TOP_TIME = 9,
    TOP_DURATION = 10,
    TOP_PERIOD_TYPE = 11,
    TOP_PERIOD = 12,
    TOP_COMMENT = 13,
    TOP_DEFAULT_TYPE = 14
};

/* ---- units ---- */

static void unit_of(struct xpd_heap_type *type)
{
    static const struct {
        const char *name;
        enum xpd_heap_unit kind;
        int64_t scale;
    } unit[] = {
        {"bytes", XPD_HEAP_BYTES, 1},
        {"byte", XPD_HEAP_BYTES, 1},
        {"b", XPD_HEAP_BYTES, 1},
        {"kilobytes", XPD_HEAP_BYTES, 1024},
        {"kb", XPD_HEAP_BYTES, 1024},
        {"megabytes", XPD_HEAP_BYTES, 1024 * 1024},
        {"mb", XPD_HEAP_BYTES, 1024 * 1024},
        {"nanoseconds", XPD_HEAP_NANOSECONDS, 1},
        {"ns", XPD_HEAP_NANOSECONDS, 1},
        {"microseconds", XPD_HEAP_NANOSECONDS, 1000},
        {"us", XPD_HEAP_NANOSECONDS, 1000},
        {"milliseconds", XPD_HEAP_NANOSECONDS, 1000000},
        {"ms", XPD_HEAP_NANOSECONDS, 1000000},
        {"seconds", XPD_HEAP_NANOSECONDS, 1000000000},
        {"s", XPD_HEAP_NANOSECONDS, 1000000000},
        {"count", XPD_HEAP_COUNT, 1},
        {"objects", XPD_HEAP_COUNT, 1},
    };
    type->kind = XPD_HEAP_OTHER;
    type->scale = 1;
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        if (type->unit.size == strlen(unit[i].name) &&
            xpd_str_find(type->unit, xpd_str_of(unit[i].name), true) == 0) {
            type->kind = unit[i].kind;
            type->scale = unit[i].scale;
            return;
        }
}

const char *xpd_heap_unit_word(enum xpd_heap_unit unit)
{
    static const char *const word[] = {"bytes", "ns", "count", "other"};
    return word[unit];
}

static struct xpd_str keep(struct xpd_heap_load *load, int64_t string, uint64_t offset)
{
    return xpd_arena_str(load->arena, xpd_heap_string(load, string, offset));
}

static void read_type(struct xpd_heap_load *load, const struct xpd_field *field,
                      struct xpd_heap_type *out)
{
    const Pprof__ValueType *type = xpd_heap_unpack(load, &pprof__value_type__descriptor, field);
    if (!type)
        return;
    int64_t unit = type->unit;
    out->name = keep(load, type->type, field->offset);
    out->unit = keep(load, unit, field->offset);
}

/* Types come in pairs, a count before its weight: (objects, space), (samples, cpu). */
static void pair_types(struct xpd_pprof *heap)
{
    for (uint32_t i = 0; i < heap->type_count; i++) {
        struct xpd_heap_type *type = &heap->type[i];
        type->count_of = XPD_NO_INDEX;
        if (type->kind == XPD_HEAP_COUNT)
            type->count_of = i;
        else if (i > 0 && heap->type[i - 1].kind == XPD_HEAP_COUNT)
            type->count_of = i - 1;
    }
}

static void pick_default(struct xpd_heap_load *load)
{
    struct xpd_pprof *heap = load->heap;
    heap->default_type = heap->type_count > 0 ? heap->type_count - 1 : XPD_NO_INDEX;
    if (load->default_type == 0)
        return;
    struct xpd_str name = xpd_heap_string(load, load->default_type, XPD_NO_OFFSET);
    for (uint32_t i = 0; i < heap->type_count; i++)
        if (xpd_str_eq(heap->type[i].name, name))
            heap->default_type = i;
}

/* ---- the passes ---- */

struct counts {
    uint32_t types, comments;
    uint64_t samples;
};

static void read_comment(struct xpd_heap_load *load, const struct xpd_field *field)
{
    int64_t index[16];
    size_t count = 0;
    if (!xpd_field_ints(field, index, 16, &count))
        return;
    for (size_t i = 0; i < count && i < 16; i++)
        XPD_PUSH(&load->comment, keep(load, index[i], field->offset));
}

static void take_number(struct xpd_heap_load *load, const struct xpd_field *field)
{
    struct xpd_pprof *heap = load->heap;
    if (field->wire_type != 0)
        return;
    switch (field->number) {
    case TOP_TIME: heap->time_ns = (int64_t)field->value; break;
    case TOP_DURATION: heap->duration_ns = (int64_t)field->value; break;
    case TOP_PERIOD: heap->period = (int64_t)field->value; break;
    case TOP_DEFAULT_TYPE: load->default_type = (int64_t)field->value; break;
    default: break;
    }
}

/* What needs nothing else: texts and numbers, functions, and how many types and samples there are.
 */
static void first_pass(struct xpd_heap_load *load, struct counts *counts)
{
    struct xpd_cursor cursor;
    struct xpd_field field;
    xpd_cursor_init(&cursor, load->bytes.data, load->bytes.size, 0);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number == TOP_STRING && field.wire_type == 2)
            XPD_PUSH(&load->string, xpd_field_str(&field));
        else if (field.number == TOP_FUNCTION)
            xpd_heap_read_function(load, &field);
        else if (field.number == TOP_SAMPLE_TYPE)
            counts->types++;
        else if (field.number == TOP_SAMPLE)
            counts->samples++;
        else
            take_number(load, &field);
    }
    if (!cursor.error_text && load->string.count == 0 && counts->types + counts->samples > 0) {
        load->heap->cut = true;
        XPD_HEAP_WARN(
            load, XPD_ERROR, "cut", load->bytes.size,
            "the file ends here, before its table of strings: values are shown, names and "
            "units are lost");
    }
    if (!cursor.error_text)
        return;
    load->heap->cut = true;
    XPD_HEAP_WARN(load, XPD_ERROR, "cut", cursor.error_offset,
                  "%s: the file ends here or is damaged; what comes before is shown",
                  cursor.error_text);
    load->bytes.size = (size_t)cursor.error_offset; /* no later pass meets it again */
}

/* What names strings, mappings and functions. `only` is one field, 0 = all but locations. */
static void name_pass(struct xpd_heap_load *load, uint32_t only)
{
    struct xpd_pprof *heap = load->heap;
    struct xpd_cursor cursor;
    struct xpd_field field;
    uint32_t type = 0;
    xpd_cursor_init(&cursor, load->bytes.data, load->bytes.size, 0);
    while (xpd_cursor_next(&cursor, &field)) {
        if (only != 0) {
            if (field.number == only)
                xpd_heap_read_location(load, &field);
        } else if (field.number == TOP_SAMPLE_TYPE) {
            read_type(load, &field, &heap->type[type]);
            unit_of(&heap->type[type++]);
        } else if (field.number == TOP_MAPPING) {
            xpd_heap_read_mapping(load, &field);
        } else if (field.number == TOP_COMMENT) {
            read_comment(load, &field);
        } else if (field.number == TOP_PERIOD_TYPE) {
            struct xpd_heap_type period = {0};
            read_type(load, &field, &period);
            heap->period_unit = period.unit;
        }
    }
}

static int read_all(struct xpd_heap_load *load, struct xpd_err *err)
{
    struct xpd_pprof *heap = load->heap;
    struct counts counts = {0};
    first_pass(load, &counts);
    if (counts.types == 0 && counts.samples == 0)
        return xpd_fail(err, XPD_EFORMAT, load->where,
                        heap->cut ? (uint64_t)load->bytes.size : XPD_NO_OFFSET,
                        "This file has no sample: it is not a pprof profile, or it is cut before "
                        "the first sample.");
    heap->type = XPD_NEW_ARRAY(load->arena, struct xpd_heap_type, counts.types);
    if (!heap->type)
        return XPD_ELIMIT;
    heap->type_count = counts.types;
    heap->samples_read = counts.samples;
    name_pass(load, 0);
    name_pass(load, TOP_LOCATION);
    pair_types(heap);
    pick_default(load);
    xpd_heap_read_samples(load);
    return XPD_OK;
}

/* ---- output ---- */

static bool jax_wrote(const struct xpd_pprof *heap)
{
    if (heap->type_count != 2 || !xpd_str_eq(heap->type[0].name, XPD_STR("allocations")) ||
        !xpd_str_eq(heap->type[1].name, XPD_STR("space")))
        return false;
    for (uint32_t i = 0; i < heap->sample_count; i++)
        if (heap->sample_kind[i] != 0)
            return true;
    return heap->sample_count == 0;
}

static void freeze(struct xpd_heap_load *load)
{
    struct xpd_pprof *heap = load->heap;
    heap->frame = XPD_COPY_ARRAY(load->arena, load->frame.at, load->frame.count);
    heap->frame_count = (uint32_t)load->frame.count;
    heap->mapping = XPD_COPY_ARRAY(load->arena, load->mapping.at, load->mapping.count);
    heap->mapping_count = (uint32_t)load->mapping.count;
    heap->comment = XPD_COPY_ARRAY(load->arena, load->comment.at, load->comment.count);
    heap->comment_count = (uint32_t)load->comment.count;
    heap->text = XPD_COPY_ARRAY(load->arena, load->names.text, load->names.count);
    heap->text_count = load->names.count;
    heap->is_jax = jax_wrote(heap);
}

static void load_fini(struct xpd_heap_load *load)
{
    XPD_VEC_FINI(&load->string);
    XPD_VEC_FINI(&load->function);
    XPD_VEC_FINI(&load->location);
    XPD_VEC_FINI(&load->location_frame);
    XPD_VEC_FINI(&load->frame);
    XPD_VEC_FINI(&load->mapping);
    XPD_VEC_FINI(&load->comment);
    xpd_map64_fini(&load->function_of);
    xpd_map64_fini(&load->location_of);
    xpd_map64_fini(&load->mapping_of);
    xpd_map64_fini(&load->frame_of);
    xpd_intern_fini(&load->names);
    xpd_arena_fini(&load->scratch);
}

static bool out_of_memory(const struct xpd_heap_load *load)
{
    return load->failed || load->string.failed || load->function.failed || load->location.failed ||
           load->location_frame.failed || load->frame.failed || load->mapping.failed ||
           load->comment.failed || load->function_of.failed || load->location_of.failed ||
           load->mapping_of.failed || load->frame_of.failed || load->names.failed;
}

/* The bytes of a plain file; free() *owned. */
static int bytes_of(struct xpd_heap_load *load, const struct xpd_source *source, uint8_t **owned,
                    struct xpd_err *err)
{
    uint64_t size = xpd_source_size(source), room = load->arena->budget_bytes;
    const uint8_t *memory = xpd_source_memory(source);
    *owned = NULL;
    if (!memory && room != 0 && size > room)
        return xpd_fail(err, XPD_ELIMIT, load->where, XPD_NO_OFFSET,
                        "The file has %" PRIu64 " bytes and there is room for %" PRIu64
                        "; raise --memory-limit.",
                        size, room);
    if (!memory) {
        *owned = malloc((size_t)size + 1);
        if (!*owned)
            return xpd_no_memory(err, load->where, "for the file");
        int rc = xpd_source_read(source, 0, *owned, (size_t)size, err);
        if (rc != XPD_OK)
            return rc;
        memory = *owned;
    }
    load->bytes = (struct xpd_str){(const char *)memory, (size_t)size};
    return XPD_OK;
}

int xpd_heap_load(struct xpd_pprof *out, struct xpd_arena *arena, const struct xpd_source *source,
                  struct xpd_err *err)
{
    struct xpd_heap_load load = {.heap = out, .arena = arena, .where = xpd_source_name(source)};
    uint8_t *owned;
    out->warnings.arena = arena;
    xpd_intern_init(&load.names, arena);
    int rc = bytes_of(&load, source, &owned, err);
    if (rc == XPD_OK && xpd_source_truncated_gzip(source)) {
        out->cut = true;
        xpd_warn(&out->warnings, XPD_ERROR, "cut_gzip", xpd_source_size(source),
                 "the gzip ends early: %" PRIu64
                 " bytes could be inflated; their intact part is shown",
                 xpd_source_size(source));
    }
    if (rc == XPD_OK)
        rc = read_all(&load, err);
    if (rc == XPD_OK)
        freeze(&load);
    bool failed = out_of_memory(&load);
    load_fini(&load);
    free(owned);
    if (failed)
        return xpd_no_memory(err, xpd_source_name(source), "to read this file");
    if (rc == XPD_ELIMIT || (rc == XPD_OK && arena->failed))
        return xpd_fail(err, XPD_ELIMIT, xpd_source_name(source), XPD_NO_OFFSET,
                        "The file needs more memory than the %" PRIu64 " bytes there are; raise "
                        "--memory-limit.",
                        arena->budget_bytes);
    return rc;
}

/* ---- questions about one file ---- */

int xpd_heap_find_type(const struct xpd_pprof *heap, struct xpd_str name, uint32_t *type,
                       struct xpd_err *err)
{
    char have[200] = "";
    size_t used = 0;
    *type = heap->default_type;
    if (name.size == 0 && heap->default_type != XPD_NO_INDEX)
        return XPD_OK;
    for (uint32_t i = 0; i < heap->type_count; i++) {
        const struct xpd_heap_type *at = &heap->type[i];
        *type = i;
        if (xpd_str_eq(at->name, name))
            return XPD_OK;
        if (used < sizeof have - 50)
            used += (size_t)snprintf(have + used, sizeof have - used, "%s%.*s", i ? ", " : "",
                                     (int)(at->name.size < 40 ? at->name.size : 40), at->name.data);
    }
    return xpd_fail(err, XPD_ENOTFOUND, "type", XPD_NO_OFFSET,
                    "The file has no value \"%.*s\"; it has: %s",
                    (int)(name.size < 60 ? name.size : 60), name.data, have[0] ? have : "none");
}

int64_t xpd_heap_value(const struct xpd_pprof *heap, uint32_t sample, uint32_t type)
{
    bool overflow = false;
    int64_t value = heap->value[(size_t)sample * heap->type_count + type];
    return xpd_mul_i64(value, heap->type[type].scale, &overflow);
}

/* Functions, mappings and locations of a pprof file, made into frames.
 *
 * In: messages of the file. Out: load->frame, each different frame once, and for each location its
 * frames, innermost first (a location has several lines where calls were inlined). A location
 * without lines has no symbols: its frame is the place in the mapped file, which is the same in
 * every run of it. */
#include "heap_internal.h"
#include "pprof.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void xpd_heap_read_function(struct xpd_heap_load *load, const struct xpd_field *field)
{
    const Pprof__Function *f = xpd_heap_unpack(load, &pprof__function__descriptor, field);
    if (!f)
        return;
    struct xpd_heap_function function = {f->name, f->system_name, f->filename, f->start_line};
    uint32_t before = xpd_map64_put(&load->function_of, f->id, (uint32_t)load->function.count);
    if (before != XPD_NO_INDEX)
        XPD_HEAP_WARN(load, XPD_WARNING, "repeated_function", field->offset,
                      "the function %" PRIu64 " comes twice; the last one counts", f->id);
    XPD_PUSH(&load->function, function);
}

void xpd_heap_read_mapping(struct xpd_heap_load *load, const struct xpd_field *field)
{
    const Pprof__Mapping *m = xpd_heap_unpack(load, &pprof__mapping__descriptor, field);
    if (!m)
        return;
    struct xpd_heap_mapping mapping = {
        .start = m->memory_start, .limit = m->memory_limit, .offset = m->file_offset};
    int64_t file = m->filename, build_id = m->build_id;
    xpd_map64_put(&load->mapping_of, m->id, (uint32_t)load->mapping.count);
    mapping.file = xpd_arena_str(load->arena, xpd_heap_string(load, file, field->offset));
    mapping.build_id = xpd_arena_str(load->arena, xpd_heap_string(load, build_id, field->offset));
    XPD_PUSH(&load->mapping, mapping);
}

/* ---- frames ---- */

static bool same_frame(const struct xpd_heap_frame *a, const struct xpd_heap_frame *b)
{
    return a->line == b->line && a->address == b->address && a->start_line == b->start_line &&
           a->has_line == b->has_line && xpd_str_eq(a->function, b->function) &&
           xpd_str_eq(a->file, b->file);
}

/* Texts of the new frame are borrowed until it is kept. */
static uint32_t frame_index(struct xpd_heap_load *load, const struct xpd_heap_frame *frame)
{
    uint64_t part[6] = {xpd_hash(frame->function.data, frame->function.size),
                        xpd_hash(frame->file.data, frame->file.size),
                        (uint64_t)frame->line,
                        (uint64_t)frame->start_line,
                        frame->address,
                        frame->has_line};
    uint64_t key = xpd_hash(part, sizeof part);
    uint32_t found = xpd_map64_get(&load->frame_of, key);
    if (found != XPD_NO_INDEX && same_frame(&load->frame.at[found], frame))
        return found;
    uint32_t index = (uint32_t)load->frame.count;
    struct xpd_heap_frame kept = *frame;
    kept.function = xpd_arena_str(load->arena, frame->function);
    kept.file = xpd_arena_str(load->arena, frame->file);
    XPD_PUSH(&load->frame, kept);
    if (found == XPD_NO_INDEX) /* of two with one hash the second is never shared */
        xpd_map64_put(&load->frame_of, key, index);
    return index;
}

static uint32_t frame_of_address(struct xpd_heap_load *load, const struct xpd_heap_mapping *mapping,
                                 uint64_t address)
{
    char name[160];
    struct xpd_heap_frame frame = {.address = address};
    if (mapping && mapping->file.size > 0 && address >= mapping->start) {
        struct xpd_str file = xpd_str_after_last(mapping->file, '/');
        frame.address = address - mapping->start + mapping->offset;
        frame.file = mapping->file;
        snprintf(name, sizeof name, "%.*s+0x%" PRIx64, (int)(file.size < 100 ? file.size : 100),
                 file.data, frame.address);
    } else {
        snprintf(name, sizeof name, "0x%" PRIx64, address);
    }
    frame.function = xpd_str_of(name);
    return frame_index(load, &frame);
}

static uint32_t frame_of_line(struct xpd_heap_load *load, const struct xpd_field *field,
                              uint64_t function_id, int64_t line)
{
    uint32_t at = xpd_map64_get(&load->function_of, function_id);
    struct xpd_heap_frame frame = {.line = line < 0 ? 0 : line};
    if (at == XPD_NO_INDEX) {
        XPD_HEAP_WARN(load, XPD_ERROR, "missing_function", field->offset,
                      "a location names function %" PRIu64 ", which the file does not have",
                      function_id);
    } else {
        const struct xpd_heap_function *function = &load->function.at[at];
        int64_t name = function->name ? function->name : function->system_name;
        frame.function = xpd_heap_string(load, name, field->offset);
        frame.file = xpd_heap_string(load, function->file, field->offset);
        frame.has_line = frame.file.size > 0;
        frame.start_line = function->start_line < 0 ? 0 : function->start_line;
    }
    return frame_index(load, &frame);
}

uint32_t xpd_heap_lost_frame(struct xpd_heap_load *load, uint64_t id, uint64_t offset)
{
    struct xpd_heap_frame frame = {.function = XPD_STR("(unknown)")};
    XPD_HEAP_WARN(load, XPD_ERROR, "missing_location", offset,
                  "a sample names location %" PRIu64 ", which the file does not have", id);
    return frame_index(load, &frame);
}

void xpd_heap_read_location(struct xpd_heap_load *load, const struct xpd_field *field)
{
    const Pprof__Location *l = xpd_heap_unpack(load, &pprof__location__descriptor, field);
    if (!l)
        return;
    struct xpd_heap_location location = {.first = (uint32_t)load->location_frame.count};
    uint32_t mapping = xpd_map64_get(&load->mapping_of, l->mapping_id);
    const struct xpd_heap_mapping *in =
        l->mapping_id != 0 && mapping != XPD_NO_INDEX ? &load->mapping.at[mapping] : NULL;
    if (load->location_frame.count + l->n_line + 1 >= UINT32_MAX) {
        load->failed = true;
        return;
    }
    for (size_t i = 0; i < l->n_line; i++)
        XPD_PUSH(&load->location_frame,
                 frame_of_line(load, field, l->line[i]->function_id, l->line[i]->line));
    if (l->n_line == 0)
        XPD_PUSH(&load->location_frame, frame_of_address(load, in, l->address));
    location.count = (uint32_t)load->location_frame.count - location.first;
    if (xpd_map64_put(&load->location_of, l->id, (uint32_t)load->location.count) != XPD_NO_INDEX)
        XPD_HEAP_WARN(load, XPD_WARNING, "repeated_location", field->offset,
                      "the location %" PRIu64 " comes twice; the last one counts", l->id);
    XPD_PUSH(&load->location, location);
}

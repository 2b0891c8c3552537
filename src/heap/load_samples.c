/* Samples of a pprof file, read with the wire cursor because they come by the million.
 *
 * In: the bytes, with everything that samples name already read. Out: the sample columns and the
 * stacks of the heap. Equal stacks are one, regardless of location ids; equal samples
 * (stack, kind, device, size) are added up. Invariants: a hash only finds a candidate, which is
 * compared before it is taken. */
#include "heap_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STACK_MAX                                                                                  \
    100000 /* frames of one stack; deeper ones lose their outermost frames, with a warning */

struct label {
    uint32_t kind, device;
    int64_t size;
};

struct samples {
    struct xpd_heap_load *load;
    struct xpd_map64 stack_of, sample_of; /* by hash */
    XPD_VEC(struct xpd_heap_stack) stack;
    XPD_VEC(uint32_t) stack_frame;
    XPD_VEC(uint32_t) row_stack;
    XPD_VEC(struct label) row_label;
    XPD_VEC(int64_t) row_value; /* type_count each */
    XPD_VEC(int64_t) id;        /* of the sample being read */
    XPD_VEC(uint32_t) frame;
    int64_t *value; /* of it */
    size_t value_count;
    struct label label;
    bool overflow;
};

/* ---- one sample's stack ---- */

static void frames_of(struct samples *s, uint64_t offset)
{
    struct xpd_heap_load *load = s->load;
    s->frame.count = 0;
    for (size_t i = 0; i < s->id.count; i++) {
        uint32_t at = xpd_map64_get(&load->location_of, (uint64_t)s->id.at[i]);
        if (at == XPD_NO_INDEX) {
            XPD_PUSH(&s->frame, xpd_heap_lost_frame(load, (uint64_t)s->id.at[i], offset));
            continue;
        }
        const struct xpd_heap_location *location = &load->location.at[at];
        for (uint32_t k = 0; k < location->count; k++)
            XPD_PUSH(&s->frame, load->location_frame.at[location->first + k]);
        if (s->frame.count > STACK_MAX)
            break;
    }
    if (s->frame.count > STACK_MAX) {
        s->frame.count = STACK_MAX;
        XPD_HEAP_WARN(load, XPD_WARNING, "deep_stack", offset,
                      "a stack has more than %d frames; its outermost ones are left out",
                      STACK_MAX);
    }
}

static uint32_t stack_index(struct samples *s)
{
    uint32_t count = (uint32_t)s->frame.count;
    size_t bytes = count * sizeof *s->frame.at;
    uint64_t key = count ? xpd_hash(s->frame.at, bytes) : 0;
    uint32_t found = xpd_map64_get(&s->stack_of, key);
    if (found != XPD_NO_INDEX && s->stack.at[found].count == count &&
        (count == 0 ||
         memcmp(s->stack_frame.at + s->stack.at[found].first, s->frame.at, bytes) == 0))
        return found;
    if (s->stack_frame.count + count >= UINT32_MAX || s->stack.count >= UINT32_MAX - 1) {
        s->load->failed = true;
        return 0;
    }
    struct xpd_heap_stack stack = {(uint32_t)s->stack_frame.count, count};
    uint32_t index = (uint32_t)s->stack.count;
    for (uint32_t i = 0; i < count; i++)
        XPD_PUSH(&s->stack_frame, s->frame.at[i]);
    XPD_PUSH(&s->stack, stack);
    if (found == XPD_NO_INDEX)
        xpd_map64_put(&s->stack_of, key, index);
    return index;
}

/* ---- one sample ---- */

static uint32_t name_of(struct samples *s, int64_t string, uint64_t offset)
{
    struct xpd_str text = xpd_heap_string(s->load, string, offset);
    return xpd_intern_put(&s->load->names, text.data, text.size);
}

/* JAX's labels, and `bytes`, by which Go and gperftools say the size of one allocation. */
static void read_label(struct samples *s, const struct xpd_field *field)
{
    struct xpd_cursor cursor = xpd_cursor_sub(field);
    struct xpd_field f;
    int64_t part[5] = {0};
    while (xpd_cursor_next(&cursor, &f))
        if (f.number >= 1 && f.number <= 4 && f.wire_type == 0)
            part[f.number] = (int64_t)f.value;
    struct xpd_str key = xpd_heap_string(s->load, part[1], field->offset);
    if (xpd_str_eq(key, XPD_STR("kind")))
        s->label.kind = name_of(s, part[2], field->offset);
    else if (xpd_str_eq(key, XPD_STR("device")))
        s->label.device = name_of(s, part[2], field->offset);
    else if (xpd_str_eq(key, XPD_STR("bytes")) && part[2] == 0 && part[3] >= 0)
        s->label.size = part[3];
}

static bool read_ids(struct samples *s, const struct xpd_field *field)
{
    size_t most = s->id.count + (field->wire_type == 2 ? (size_t)field->size : 1);
    if (s->id.capacity < most &&
        !xpd_vec_grow((void **)&s->id.at, &s->id.capacity, most, sizeof *s->id.at)) {
        s->id.failed = true;
        return true;
    }
    return xpd_field_ints(field, s->id.at, s->id.capacity, &s->id.count);
}

/* False: damaged; it is left out. */
static bool read_fields(struct samples *s, const struct xpd_field *sample)
{
    struct xpd_heap_load *load = s->load;
    struct xpd_cursor cursor = xpd_cursor_sub(sample);
    struct xpd_field f;
    s->id.count = s->value_count = 0;
    s->label = (struct label){.size = -1};
    memset(s->value, 0, (load->heap->type_count + 1) * sizeof *s->value);
    bool whole = sample->wire_type == 2;
    while (whole && xpd_cursor_next(&cursor, &f)) {
        if (f.number == 1)
            whole = read_ids(s, &f);
        else if (f.number == 2)
            whole = xpd_field_ints(&f, s->value, load->heap->type_count, &s->value_count);
        else if (f.number == 3 && f.wire_type == 2)
            read_label(s, &f);
    }
    if (!whole || cursor.error_text) {
        XPD_HEAP_WARN(load, XPD_ERROR, "damaged_sample",
                      cursor.error_text ? cursor.error_offset : sample->offset,
                      "a sample is left out: %s",
                      cursor.error_text ? cursor.error_text : "a list of numbers in it is cut");
        return false;
    }
    if (s->value_count != load->heap->type_count)
        XPD_HEAP_WARN(load, XPD_WARNING, "values", sample->offset,
                      "a sample has %zu values where the file declares %" PRIu32
                      "; missing values count as 0, extra ones are left out",
                      s->value_count, load->heap->type_count);
    return true;
}

static void check_values(struct samples *s, uint64_t offset)
{
    for (uint32_t t = 0; t < s->load->heap->type_count; t++)
        if (s->value[t] < 0)
            XPD_HEAP_WARN(s->load, XPD_WARNING, "negative", offset,
                          "a sample has the value %" PRId64
                          ": the file is a difference of two files, or damaged; sums include the "
                          "value unchanged",
                          s->value[t]);
}

static bool same_row(const struct samples *s, uint32_t row, uint32_t stack)
{
    const struct label *a = &s->row_label.at[row], *b = &s->label;
    return s->row_stack.at[row] == stack && a->kind == b->kind && a->device == b->device &&
           a->size == b->size;
}

/* The size of one buffer of this sample, if known from its values; part of a sample's
 * identity. */
static void size_from_values(struct samples *s)
{
    const struct xpd_pprof *heap = s->load->heap;
    for (uint32_t t = 0; t < heap->type_count && s->label.size < 0; t++) {
        const struct xpd_heap_type *type = &heap->type[t];
        if (type->kind != XPD_HEAP_BYTES || type->count_of == XPD_NO_INDEX)
            continue;
        int64_t count = s->value[type->count_of], bytes = s->value[t], scaled;
        if (count > 0 && bytes >= 0 && bytes % count == 0 &&
            !__builtin_mul_overflow(bytes / count, type->scale, &scaled))
            s->label.size = scaled;
    }
}

static void add_sample(struct samples *s, uint32_t stack)
{
    uint32_t types = s->load->heap->type_count;
    size_from_values(s);
    uint64_t part[4] = {stack, s->label.kind, s->label.device, (uint64_t)s->label.size};
    uint64_t key = xpd_hash(part, sizeof part);
    uint32_t row = xpd_map64_get(&s->sample_of, key);
    if (row != XPD_NO_INDEX && same_row(s, row, stack)) {
        for (uint32_t t = 0; t < types; t++) {
            int64_t *sum = &s->row_value.at[(size_t)row * types + t];
            *sum = xpd_add_i64(*sum, s->value[t], &s->overflow);
        }
        return;
    }
    if (s->row_stack.count >= UINT32_MAX - 1) {
        s->load->failed = true;
        return;
    }
    if (row == XPD_NO_INDEX)
        xpd_map64_put(&s->sample_of, key, (uint32_t)s->row_stack.count);
    XPD_PUSH(&s->row_stack, stack);
    XPD_PUSH(&s->row_label, s->label);
    for (uint32_t t = 0; t < types; t++)
        XPD_PUSH(&s->row_value, s->value[t]);
}

/* ---- all samples ---- */

static bool failed(const struct samples *s)
{
    return s->load->failed || s->stack_of.failed || s->sample_of.failed || s->stack.failed ||
           s->stack_frame.failed || s->row_stack.failed || s->row_label.failed ||
           s->row_value.failed || s->id.failed || s->frame.failed;
}

static void freeze(struct samples *s)
{
    struct xpd_pprof *heap = s->load->heap;
    struct xpd_arena *arena = s->load->arena;
    uint32_t count = (uint32_t)s->row_stack.count;
    heap->stack = XPD_COPY_ARRAY(arena, s->stack.at, s->stack.count);
    heap->stack_count = (uint32_t)s->stack.count;
    heap->stack_frame = XPD_COPY_ARRAY(arena, s->stack_frame.at, s->stack_frame.count);
    heap->sample_stack = XPD_COPY_ARRAY(arena, s->row_stack.at, count);
    heap->value = XPD_COPY_ARRAY(arena, s->row_value.at, s->row_value.count);
    heap->sample_kind = XPD_NEW_ROOM(arena, uint32_t, count);
    heap->sample_device = XPD_NEW_ROOM(arena, uint32_t, count);
    heap->sample_size = XPD_NEW_ROOM(arena, int64_t, count);
    if (arena->failed)
        return;
    heap->sample_count = count;
    for (uint32_t i = 0; i < count; i++) {
        heap->sample_kind[i] = s->row_label.at[i].kind;
        heap->sample_device[i] = s->row_label.at[i].device;
        heap->sample_size[i] = s->row_label.at[i].size;
    }
}

void xpd_heap_read_samples(struct xpd_heap_load *load)
{
    struct samples s = {.load = load};
    struct xpd_cursor cursor;
    struct xpd_field field;
    s.value = XPD_NEW_ARRAY(load->arena, int64_t, (size_t)load->heap->type_count + 1);
    xpd_cursor_init(&cursor, load->bytes.data, load->bytes.size, 0);
    while (s.value && !failed(&s) && xpd_cursor_next(&cursor, &field)) {
        if (field.number != 2 || !read_fields(&s, &field))
            continue;
        check_values(&s, field.offset);
        frames_of(&s, field.offset);
        add_sample(&s, stack_index(&s));
    }
    if (s.overflow)
        XPD_HEAP_WARN(load, XPD_ERROR, "overflow", XPD_NO_OFFSET,
                      "values add up to more than 2^63; sums stop there");
    load->failed |= failed(&s);
    if (!load->failed)
        freeze(&s);
    xpd_map64_fini(&s.stack_of);
    xpd_map64_fini(&s.sample_of);
    XPD_VEC_FINI(&s.stack);
    XPD_VEC_FINI(&s.stack_frame);
    XPD_VEC_FINI(&s.row_stack);
    XPD_VEC_FINI(&s.row_label);
    XPD_VEC_FINI(&s.row_value);
    XPD_VEC_FINI(&s.id);
    XPD_VEC_FINI(&s.frame);
}

#include "text_pair.h"

#include "xprofd/hlo/assignment_text.h"
#include "xprofd/wire/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_file(struct xpd_arena *arena, const char *path, struct xpd_str *text)
{
    struct xpd_source *source;
    struct xpd_err err = {0};
    *text = (struct xpd_str){"", 0};
    if (!path)
        return true;
    if (xpd_source_open(&source, path, UINT64_C(1) << 30, &err) != XPD_OK) {
        print_message("%s: %s\n", path, err.text);
        return false;
    }
    uint64_t size = xpd_source_size(source);
    char *bytes = xpd_arena_bytes(arena, (size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(xpd_source_read(source, 0, bytes, (size_t)size, &err), XPD_OK);
    xpd_source_close(source);
    *text = (struct xpd_str){bytes, (size_t)size};
    return true;
}

bool text_open(struct mem_case *c, struct xpd_arena *arena, struct xpd_warnings *notes,
               const char *module, const char *assignment, const char *live_range)
{
    struct xpd_str text, module_proto, proto = {"", 0}, hlo_proto;
    struct xpd_assignment_text report = {.name = assignment ? assignment : "",
                                         .live_name = live_range ? live_range : ""};
    struct xpd_assignment_facts facts;
    struct xpd_hlo_names *names;
    struct xpd_err err = {0};
    if (!read_file(arena, module, &text) || !read_file(arena, assignment, &report.assignment) ||
        !read_file(arena, live_range, &report.live_range))
        return false;
    if (xpd_hlo_text_parse(text, module, arena, notes, &module_proto, &names, &err) != XPD_OK)
        fail_msg("%s: %s", module, err.text);
    if (assignment && xpd_assignment_text_parse(&report, module_proto, names, arena, notes, &proto,
                                                &facts, &err) != XPD_OK)
        fail_msg("%s: %s", assignment, err.text);
    assert_true(xpd_hlo_proto_join(module_proto, proto, arena, &hlo_proto));
    mem_open_bytes(c, hlo_proto.data, hlo_proto.size);
    return true;
}

bool text_open_proto(struct mem_case *c, const char *path)
{
    struct xpd_arena arena = {0};
    struct xpd_str bytes;
    bool there = read_file(&arena, path, &bytes);
    if (there)
        mem_open_bytes(c, bytes.data, bytes.size);
    xpd_arena_fini(&arena);
    return there;
}

struct tally {
    const char *title;
    uint32_t count;
};

#define DIFFERS(tally, a, b, ...)                                                                  \
    do {                                                                                           \
        int64_t text_says_ = (int64_t)(a), proto_says_ = (int64_t)(b);                             \
        if (text_says_ != proto_says_ && (tally)->count++ < 12) {                                  \
            print_message("%s: ", (tally)->title);                                                 \
            print_message(__VA_ARGS__);                                                            \
            print_message(": text %" PRId64 ", proto %" PRId64 "\n", text_says_, proto_says_);     \
        }                                                                                          \
    } while (0)

static void compare_buffers(struct tally *t, const struct xpd_hlo *a, const struct xpd_hlo *b)
{
    const struct xpd_hlo_buffers *x = &a->buffers, *y = &b->buffers;
    DIFFERS(t, x->count, y->count, "buffers");
    for (uint32_t i = 0; i < x->count && i < y->count; i++) {
        int64_t id = y->id[i];
        DIFFERS(t, x->id[i], id, "id of buffer %u", i);
        DIFFERS(t, x->size_bytes[i], y->size_bytes[i], "size of buffer %" PRId64, id);
        DIFFERS(t, x->color[i], y->color[i], "color of buffer %" PRId64, id);
        uint32_t u = x->instruction[i], v = y->instruction[i];
        bool same = u != XPD_NO_INDEX && v != XPD_NO_INDEX &&
                    xpd_str_eq(xpd_hlo_text(a, a->instructions.name[u]),
                               xpd_hlo_text(b, b->instructions.name[v]));
        DIFFERS(t, same, true, "instruction of buffer %" PRId64 " has the same name", id);
        uint32_t n = x->index_first[i + 1] - x->index_first[i];
        DIFFERS(t, n, y->index_first[i + 1] - y->index_first[i], "depth of buffer %" PRId64, id);
        for (uint32_t k = 0; k < n && n == y->index_first[i + 1] - y->index_first[i]; k++)
            DIFFERS(t, x->shape_index[x->index_first[i] + k], y->shape_index[y->index_first[i] + k],
                    "place of buffer %" PRId64, id);
    }
}

static int by_buffer(const void *a, const void *b)
{
    const struct xpd_hlo_assigned *x = a, *y = b;
    return x->buffer_id != y->buffer_id ? (x->buffer_id < y->buffer_id ? -1 : 1) : 0;
}

static void compare_assigned(struct tally *t, const struct xpd_hlo *a, const struct xpd_hlo *b,
                             uint32_t i)
{
    const struct xpd_hlo_allocation *x = &a->allocation[i], *y = &b->allocation[i];
    DIFFERS(t, x->assigned_count, y->assigned_count, "values of allocation %u", i);
    if (x->assigned_count != y->assigned_count || x->assigned_count == 0)
        return;
    struct xpd_hlo_assigned *p = malloc(x->assigned_count * sizeof *p);
    struct xpd_hlo_assigned *q = malloc(x->assigned_count * sizeof *q);
    assert_true(p && q);
    memcpy(p, a->assigned + x->assigned_first, x->assigned_count * sizeof *p);
    memcpy(q, b->assigned + y->assigned_first, x->assigned_count * sizeof *q);
    qsort(p, x->assigned_count, sizeof *p, by_buffer);
    qsort(q, x->assigned_count, sizeof *q, by_buffer);
    for (uint32_t k = 0; k < x->assigned_count; k++) {
        DIFFERS(t, p[k].buffer_id, q[k].buffer_id, "a value of allocation %u", i);
        DIFFERS(t, p[k].offset_bytes, q[k].offset_bytes, "offset of buffer %" PRId64,
                q[k].buffer_id);
        DIFFERS(t, p[k].size_bytes, q[k].size_bytes, "room of buffer %" PRId64, q[k].buffer_id);
    }
    free(p);
    free(q);
}

/* Protos of JAX 0.4 do not say which parameters an output takes over; the program's header does, in
 * both forms. */
static bool says_aliased(const struct xpd_hlo *hlo)
{
    for (uint32_t i = 0; i < hlo->allocation_count; i++)
        if (hlo->allocation[i].flags & XPD_ALLOC_PARAMETER_ALIASED)
            return true;
    return hlo->alias_count == 0;
}

static void compare_allocations(struct tally *t, const struct xpd_hlo *a, const struct xpd_hlo *b)
{
    uint32_t ignored = says_aliased(b) ? 0 : XPD_ALLOC_PARAMETER_ALIASED;
    DIFFERS(t, a->allocation_count, b->allocation_count, "allocations");
    for (uint32_t i = 0; i < a->allocation_count && i < b->allocation_count; i++) {
        const struct xpd_hlo_allocation *x = &a->allocation[i], *y = &b->allocation[i];
        DIFFERS(t, x->index, y->index, "index of allocation %u", i);
        DIFFERS(t, x->size_bytes, y->size_bytes, "size of allocation %u", i);
        DIFFERS(t, x->color, y->color, "color of allocation %u", i);
        DIFFERS(t, x->flags & ~ignored, y->flags, "flags of allocation %u", i);
        DIFFERS(t, x->parameter_number, y->parameter_number, "parameter of allocation %u", i);
        DIFFERS(t, x->parameter_index_count, y->parameter_index_count,
                "depth of the parameter of allocation %u", i);
        for (uint32_t k = 0;
             k < x->parameter_index_count && x->parameter_index_count == y->parameter_index_count;
             k++)
            DIFFERS(t, x->parameter_index[k], y->parameter_index[k],
                    "place of the parameter of allocation %u", i);
        compare_assigned(t, a, b, i);
    }
}

struct piece {
    int64_t offset, size;
};

static int by_offset(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

/* The addresses held at the peak, as stretches that do not touch; returns how many. */
static uint32_t held_at_peak(const struct xpd_mem_space *space, struct piece **out)
{
    uint32_t *index = malloc((space->tenancy_count + 1) * sizeof *index);
    struct piece *piece = malloc((space->tenancy_count + 1) * sizeof *piece);
    assert_true(index && piece);
    uint32_t count = space->peak_step == XPD_NO_STEP
                         ? 0
                         : xpd_live_at(space, space->peak_step, index, space->tenancy_count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct xpd_tenancy *tenancy = &space->tenancy[index[i]];
        if (!(tenancy->flags & XPD_TENANCY_UNTRACED))
            piece[kept++] = (struct piece){tenancy->offset_bytes, tenancy->size_bytes};
    }
    qsort(piece, kept, sizeof *piece, by_offset);
    uint32_t merged = 0;
    for (uint32_t i = 0; i < kept; i++) {
        struct piece *last = merged ? &piece[merged - 1] : NULL;
        int64_t end = piece[i].offset + piece[i].size;
        if (!last || piece[i].offset > last->offset + last->size)
            piece[merged++] = piece[i];
        else if (end > last->offset + last->size)
            last->size = end - last->offset;
    }
    free(index);
    *out = piece;
    return merged;
}

/* What is held when. */
static void compare_peaks(struct tally *t, const struct xpd_mem_space *x,
                          const struct xpd_mem_space *y)
{
    int color = (int)y->color;
    DIFFERS(t, x->step_count, y->step_count, "steps of space %d", color);
    DIFFERS(t, x->peak_bytes, y->peak_bytes, "peak of space %d", color);
    DIFFERS(t, x->peak_live_bytes, y->peak_live_bytes, "live at the peak of space %d", color);
    DIFFERS(t, x->peak_unpadded_bytes, y->peak_unpadded_bytes, "unpadded peak of space %d", color);
    struct piece *p, *q;
    uint32_t m = held_at_peak(x, &p), n = held_at_peak(y, &q);
    DIFFERS(t, m, n, "stretches held at the peak of space %d", color);
    for (uint32_t k = 0; k < m && m == n; k++) {
        DIFFERS(t, p[k].offset, q[k].offset, "a stretch held at the peak of space %d", color);
        DIFFERS(t, p[k].size, q[k].size, "size of a stretch at the peak of space %d", color);
    }
    free(p);
    free(q);
}

static void compare_spaces(struct tally *t, const struct xpd_mem *a, const struct xpd_mem *b)
{
    bool tpu = a->space_count > 2; /* TPU programs have scalar memories besides HBM and VMEM */
    DIFFERS(t, a->space_count, b->space_count, "memory spaces");
    for (uint32_t i = 0; i < a->space_count && i < b->space_count; i++) {
        const struct xpd_mem_space *x = &a->space[i], *y = &b->space[i];
        int color = (int)y->color;
        bool is_planned = tpu && color == 1; /* see assignment_text.h */
        DIFFERS(t, x->color, y->color, "color of space %u", i);
        DIFFERS(t, x->heap_bytes, y->heap_bytes, "heap of space %d", color);
        DIFFERS(t, x->totals.reserved, y->totals.reserved, "reserved of space %d", color);
        DIFFERS(t, x->totals.resident, y->totals.resident, "resident of space %d", color);
        if (says_aliased(b->hlo))
            DIFFERS(t, x->totals.alias, y->totals.alias, "aliased of space %d", color);
        DIFFERS(t, x->totals.temp, y->totals.temp, "temporaries of space %d", color);
        DIFFERS(t, x->totals.untraced, y->totals.untraced, "untraced of space %d", color);
        DIFFERS(t, x->scoped_bytes, y->scoped_bytes, "scoped of space %d", color);
        if (is_planned)
            DIFFERS(t, llabs(x->peak_bytes - y->peak_bytes) <= y->peak_bytes / 8, true,
                    "peak of the fast memory is within an eighth");
        else
            compare_peaks(t, x, y);
    }
}

/* How many values each storage has, by its root. */
static uint32_t *storages_of(const struct xpd_mem *mem)
{
    uint32_t *count = calloc(mem->hlo->buffers.count + 1, sizeof *count);
    assert_non_null(count);
    for (uint32_t i = 0; i < mem->hlo->buffers.count; i++)
        count[mem->buffer[i].root]++;
    return count;
}

static int64_t saving_of(const struct mem_case *c, const struct xpd_mem_space *space, uint32_t i)
{
    struct xpd_arena arena = {0};
    int64_t bytes = xpd_saving(c->mem, space, &i, 1, NULL, NULL, &arena);
    xpd_arena_fini(&arena);
    return bytes;
}

/* How far the peak falls without a buffer. XLA keeps values that take turns (branches of a
 * conditional) in one storage, which the live ranges do not tell: those are not compared. */
static void compare_savings(struct tally *t, const struct mem_case *a, const struct mem_case *b)
{
    const struct xpd_mem_space *x = &a->mem->space[0], *y = &b->mem->space[0];
    uint32_t *p = storages_of(a->mem), *q = storages_of(b->mem);
    uint32_t count = a->hlo->buffers.count;
    for (uint32_t i = 0; i < count && count == b->hlo->buffers.count; i++) {
        if (a->mem->buffer[i].mem_class != b->mem->buffer[i].mem_class)
            continue;
        if (p[a->mem->buffer[i].root] == q[b->mem->buffer[i].root])
            DIFFERS(t, saving_of(a, x, i), saving_of(b, y, i), "saving without buffer %" PRId64,
                    b->hlo->buffers.id[i]);
    }
    free(p);
    free(q);
}

uint32_t text_pair_differences(const struct text_pair *pair, const char *title)
{
    struct tally tally = {.title = title};
    compare_buffers(&tally, pair->text.hlo, pair->proto.hlo);
    compare_allocations(&tally, pair->text.hlo, pair->proto.hlo);
    compare_spaces(&tally, pair->text.mem, pair->proto.mem);
    compare_savings(&tally, &pair->text, &pair->proto);
    return tally.count;
}

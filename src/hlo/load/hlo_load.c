/* Loading one HloProto: the order of the steps, and what belongs to none of the parts.
 *
 * In: the bytes. Out: the frozen columns of module.h. Two walks over the same bytes: the first only
 * skips by lengths and counts, so that every column is allocated once and exactly; the second
 * fills. The module comes before the buffer assignment regardless of their order in the file,
 * because the latter names instructions. Literals and everything else not in proto/hlo.proto are
 * skipped by length. */
#include "load_internal.h"

#include <stdlib.h>

enum { FIELD_MODULE = 1, FIELD_ASSIGNMENT = 3 };

#define TOP_FIELDS (XPD_FIELD_BIT(FIELD_MODULE) | XPD_FIELD_BIT(FIELD_ASSIGNMENT))

typedef void visit_fn(struct xpd_hlo_load *load, const struct xpd_field *field);

/* A message that occurs twice is one message in two parts, says protobuf: all are visited. */
static void each_top(struct xpd_hlo_load *load, const struct xpd_field *top, uint32_t number,
                     bool quiet, visit_fn *visit)
{
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, top, TOP_FIELDS, quiet ? NULL : &load->hlo->warnings);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field))
        if (field.number == number && field.wire_type == 2)
            visit(load, &field);
}

static void note_assignment(struct xpd_hlo_load *load, const struct xpd_field *field)
{
    (void)field;
    load->hlo->has_buffer_assignment = true;
}

/* XPD_OK, or ELIMIT/ENOMEM when an arena, table or vector of the load has failed. */
static int load_status(const struct xpd_hlo_load *load, struct xpd_err *err)
{
    const struct xpd_hlo *hlo = load->hlo;
    if (hlo->arena.over_budget)
        return xpd_fail(err, XPD_ELIMIT, load->where, XPD_NO_OFFSET,
                        "the module needs more than the %llu bytes of memory allowed for it; raise "
                        "--memory-limit",
                        (unsigned long long)hlo->arena.budget_bytes);
    if (hlo->arena.failed || hlo->names.failed || load->computation_by_id.failed ||
        load->local.failed || hlo->instruction_by_id.failed || hlo->buffer_by_id.failed ||
        load->ids.failed || load->operand.failed || load->called.failed || load->payload.failed ||
        load->scoped.failed || load->sharding.failed || load->shape_index.failed ||
        load->value.failed)
        return xpd_no_memory(err, load->where, "to load this module");
    return XPD_OK;
}

/* Counts beyond 32 bits are an error: such a file would be larger than 8 GB. */
static int check_counts(const struct xpd_hlo_load *load, struct xpd_err *err)
{
    const size_t counts[] = {load->count_instructions, load->count_computations,
                             load->count_buffers,      load->count_allocations,
                             load->count_assigned,     load->count_traces,
                             load->count_events};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i] >= UINT32_MAX / 2)
            return xpd_fail(err, XPD_ELIMIT, load->where, XPD_NO_OFFSET,
                            "the module has %zu parts of one kind; at most %u can be shown",
                            counts[i], UINT32_MAX / 2);
    return XPD_OK;
}

static int read_all(struct xpd_hlo_load *load, const struct xpd_field *top, struct xpd_err *err)
{
    each_top(load, top, FIELD_MODULE, true, xpd_hlo_count_module);
    each_top(load, top, FIELD_ASSIGNMENT, true, xpd_hlo_count_assignment);
    int code = check_counts(load, err);
    if (code)
        return code;

    xpd_hlo_new_module_columns(load);
    code = load_status(load, err);
    if (code)
        return code;
    each_top(load, top, FIELD_MODULE, false, xpd_hlo_read_module);
    code = load_status(load, err);
    if (code)
        return code;
    xpd_hlo_finish_module(load);
    xpd_hlo_note_opcodes(load);
    code = load_status(load, err);
    if (code)
        return code;
    xpd_hlo_note_circles(load);
    code = load_status(load, err);
    if (code)
        return code;

    each_top(load, top, FIELD_ASSIGNMENT, true, note_assignment);
    xpd_hlo_new_assignment_columns(load);
    code = load_status(load, err);
    if (code)
        return code;
    each_top(load, top, FIELD_ASSIGNMENT, true, xpd_hlo_read_buffers);
    code = load_status(load, err);
    if (code)
        return code;
    each_top(load, top, FIELD_ASSIGNMENT, true, xpd_hlo_read_allocations);
    xpd_hlo_finish_assignment(load);
    return load_status(load, err);
}

static void load_fini(struct xpd_hlo_load *load)
{
    xpd_arena_fini(&load->scratch);
    xpd_arena_fini(&load->keys);
    free(load->shapes.slot);
    free(load->layouts.slot);
    xpd_map64_fini(&load->computation_by_id);
    xpd_map64_fini(&load->local);
    XPD_VEC_FINI(&load->ids);
    XPD_VEC_FINI(&load->operand);
    XPD_VEC_FINI(&load->called);
    XPD_VEC_FINI(&load->payload);
    XPD_VEC_FINI(&load->scoped);
    XPD_VEC_FINI(&load->sharding);
    XPD_VEC_FINI(&load->shape_index);
    XPD_VEC_FINI(&load->value);
    free(load->by_name);
}

int xpd_hlo_load(struct xpd_hlo **out, const uint8_t *bytes, size_t size, uint64_t file_offset,
                 const char *where, const struct xpd_hlo_limits *limits, struct xpd_err *err)
{
    *out = NULL;
    int code = xpd_hlo_probe(bytes, size, file_offset, where, err);
    if (code)
        return code;
    struct xpd_hlo *hlo = calloc(1, sizeof *hlo);
    if (!hlo)
        return xpd_no_memory(err, where, "to load this module");
    uint64_t budget = limits ? limits->arena_bytes : 0;
    xpd_arena_init(&hlo->arena, budget);
    xpd_intern_init(&hlo->names, &hlo->arena);
    hlo->warnings.arena = &hlo->arena;
    hlo->proto_bytes = size;
    hlo->entry = XPD_NO_INDEX;

    struct xpd_hlo_load load = {.hlo = hlo, .where = where, .local_of = XPD_NO_INDEX};
    xpd_arena_init(&load.scratch, budget);
    xpd_arena_init(&load.keys, budget);
    load.empty_shape = XPD_NEW(&hlo->arena, struct xpd_shape);
    struct xpd_field top = {.bytes = bytes, .size = size, .offset = file_offset};
    code = load.empty_shape ? read_all(&load, &top, err) : load_status(&load, err);
    load_fini(&load);
    if (code) {
        xpd_hlo_free(hlo);
        return code;
    }
    *out = hlo;
    return XPD_OK;
}

void xpd_hlo_free(struct xpd_hlo *hlo)
{
    if (!hlo)
        return;
    xpd_map64_fini(&hlo->instruction_by_id);
    xpd_map64_fini(&hlo->buffer_by_id);
    xpd_intern_fini(&hlo->names);
    xpd_arena_fini(&hlo->arena);
    free(hlo);
}

static uint64_t map_bytes(const struct xpd_map64 *map)
{
    return (uint64_t)map->slot_count * (sizeof *map->key + sizeof *map->value);
}

uint64_t xpd_hlo_memory_bytes(const struct xpd_hlo *hlo)
{
    return sizeof *hlo + hlo->arena.used_bytes + xpd_intern_memory_bytes(&hlo->names) +
           map_bytes(&hlo->instruction_by_id) + map_bytes(&hlo->buffer_by_id);
}

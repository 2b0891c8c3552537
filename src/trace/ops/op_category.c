/* The category of an operation in XProf's words, as XLA's ToCategory gives it. In: the HloProtos of
 * the file, each read once when the first event of its program asks. Out: a category by program and
 * instruction. */
#include "../load/core.h"

#include "xprofd/hlo/module.h"

#include <stdlib.h>

#define HLO_MOST ((uint64_t)256 << 20) /* bytes of one HloProto that is read for this */

static uint64_t key_of(uint32_t program, struct xpd_str op)
{
    return xpd_hash(op.data, op.size) ^ (uint64_t)(program + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Without the HLO, operations are told by their names. */
static void keep_all(struct xpd_trace_build *build, uint32_t program, const struct xpd_hlo *hlo)
{
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        struct xpd_str category = xpd_hlo_category(hlo, i);
        xpd_name_id id = xpd_intern_put(&build->trace->names, category.data, category.size);
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.name[i]);
        if (category.size > 0)
            xpd_map64_put(&build->category_of, key_of(program, name), id);
    }
}

static void read_program(struct xpd_trace_build *build, uint32_t program)
{
    struct xpd_trace *trace = build->trace;
    struct xpd_wire_range range = trace->space->hlo[program].bytes;
    struct xpd_str key = xpd_intern_get(&trace->space->names, trace->space->hlo[program].key);
    struct xpd_err err = {0};
    struct xpd_hlo *hlo = NULL;
    uint8_t *bytes = range.size <= HLO_MOST ? malloc((size_t)range.size + 1) : NULL;
    if (bytes &&
        xpd_source_read(trace->source, range.offset, bytes, (size_t)range.size, &err) == XPD_OK)
        (void)xpd_hlo_load(&hlo, bytes, (size_t)range.size, range.offset,
                           xpd_source_name(trace->source), NULL, &err);
    if (hlo)
        keep_all(build, program, hlo);
    else
        xpd_warn(&trace->warnings, XPD_WARNING, "categories_by_name", range.offset,
                 "the HLO of %.*s is damaged, or has more than 256 MiB: categories of its "
                 "operations are told by their names",
                 (int)(key.size < 200 ? key.size : 200), key.data);
    xpd_hlo_free(hlo);
    free(bytes);
}

/* The program of an event: by its id, else the only one of that name. */
static uint32_t find_program(const struct xpd_xspace *space, uint64_t id, struct xpd_str module)
{
    uint32_t found = XPD_NO_INDEX;
    for (uint32_t i = 0; i < space->hlo_count; i++) {
        if (id != 0 && space->hlo[i].program_id == id)
            return i;
        if (id != 0 || !xpd_str_eq(xpd_intern_get(&space->names, space->hlo[i].name), module))
            continue;
        if (found != XPD_NO_INDEX)
            return XPD_NO_INDEX;
        found = i;
    }
    return found;
}

xpd_name_id xpd_trace_op_category(struct xpd_trace_build *build, uint64_t program_id,
                                  struct xpd_str module, struct xpd_str op)
{
    const struct xpd_xspace *space = build->trace->space;
    if (!build->read_hlo)
        build->read_hlo = calloc((size_t)space->hlo_count + 1, sizeof *build->read_hlo);
    uint32_t program = build->read_hlo ? find_program(space, program_id, module) : XPD_NO_INDEX;
    if (program == XPD_NO_INDEX)
        return XPD_NO_NAME;
    if (!build->read_hlo[program])
        read_program(build, program);
    build->read_hlo[program] = true;
    uint32_t id = xpd_map64_get(&build->category_of, key_of(program, op));
    return id == XPD_NO_INDEX ? XPD_NO_NAME : id;
}

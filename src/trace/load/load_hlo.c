/* What the HLO in the file says of an operation: its category in XProf's words, as XLA's ToCategory
 * gives it, and its group, which every page colours it by. In: the HloProtos of the file, each read
 * once when the first operation of its program asks. Out: both, by program and instruction. */
#include "core.h"
#include "xprofd/hlo/module.h"
#include "xprofd/trace/op_times.h"

#include <stdlib.h>

/* ---- which instruction a name is ---- */

struct xpd_str xpd_op_instruction(const struct xpd_trace *trace, const struct xpd_event_name *name)
{
    struct xpd_str text = xpd_intern_get(&trace->names, name->name);
    size_t equals = xpd_str_find(text, XPD_STR(" = "), false);
    if (equals == SIZE_MAX || equals == 0)
        return xpd_intern_get(&trace->names, name->caption);
    size_t skip = text.data[0] == '%';
    return (struct xpd_str){text.data + skip, equals - skip};
}

/* ---- what its program says of it ---- */

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
        enum xpd_op_group group = xpd_op_group_of(hlo, i);
        struct xpd_op_kind kind = {
            xpd_intern_put(&build->trace->names, category.data, category.size), (uint8_t)group,
            xpd_trace_is_feed(xpd_hlo_text(hlo, hlo->instructions.opcode[i]), group)};
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.name[i]);
        xpd_map64_put(&build->kind_of, key_of(program, name), (uint32_t)build->kind.count);
        XPD_PUSH(&build->kind, kind);
    }
}

struct xpd_hlo *xpd_trace_hlo(const struct xpd_trace *trace, uint32_t program)
{
    struct xpd_wire_range range = trace->space->hlo[program].bytes;
    struct xpd_err err = {0};
    struct xpd_hlo *hlo = NULL;
    uint8_t *bytes = range.size <= HLO_MOST ? malloc((size_t)range.size + 1) : NULL;
    if (bytes &&
        xpd_source_read(trace->source, range.offset, bytes, (size_t)range.size, &err) == XPD_OK)
        (void)xpd_hlo_load(&hlo, bytes, (size_t)range.size, range.offset,
                           xpd_source_name(trace->source), NULL, &err);
    free(bytes);
    return hlo;
}

static void read_program(struct xpd_trace_build *build, uint32_t program)
{
    struct xpd_trace *trace = build->trace;
    struct xpd_wire_range range = trace->space->hlo[program].bytes;
    struct xpd_str key = xpd_intern_get(&trace->space->names, trace->space->hlo[program].key);
    struct xpd_hlo *hlo = xpd_trace_hlo(trace, program);
    if (hlo)
        keep_all(build, program, hlo);
    else
        xpd_warn(&trace->warnings, XPD_WARNING, "categories_by_name", range.offset,
                 "the HLO of %.*s is damaged, or has more than 256 MiB: categories of its "
                 "operations are told by their names",
                 (int)(key.size < 200 ? key.size : 200), key.data);
    xpd_hlo_free(hlo);
}

uint32_t xpd_trace_hlo_of(const struct xpd_xspace *space, uint64_t id, struct xpd_str module)
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

const struct xpd_op_kind *xpd_trace_op_kind(struct xpd_trace_build *build, uint32_t program,
                                            struct xpd_str op)
{
    if (!build->read_hlo)
        build->read_hlo =
            calloc((size_t)build->trace->space->hlo_count + 1, sizeof *build->read_hlo);
    if (!build->read_hlo || program == XPD_NO_INDEX)
        return NULL;
    if (!build->read_hlo[program])
        read_program(build, program);
    build->read_hlo[program] = true;
    uint32_t at = xpd_map64_get(&build->kind_of, key_of(program, op));
    return at == XPD_NO_INDEX || build->kind.failed ? NULL : &build->kind.at[at];
}

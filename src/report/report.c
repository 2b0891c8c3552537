/* Files each stretch of held bytes: rows with their categories, spans with their sizes.
 *
 * In: a frozen space. Out: rows and spans whose sums are the curve (in VMEM and CMEM, whose live
 * bytes are a union of addresses, the sums are what the rows list). */
#include "internal.h"

#include "xprofd/base/radix.h"

static int no_memory(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                    "no memory to take the program's memory apart");
}

static enum xpd_report_kind kind_of_resident(const struct xpd_mem *mem, const struct xpd_held *held)
{
    if (mem->hlo->allocation[held->allocation].flags & XPD_ALLOC_TUPLE)
        return XPD_REPORT_TUPLE;
    switch (held->mem_class) {
    case XPD_CLASS_PARAMETER: return XPD_REPORT_ARGUMENT;
    case XPD_CLASS_CONSTANT: return XPD_REPORT_CONSTANT;
    default: return XPD_REPORT_OUTPUT;
    }
}

static void add_span(struct xpd_report *out, uint32_t from, uint32_t to, int64_t bytes,
                     int64_t own_bytes)
{
    out->span[out->span_count++] = (struct xpd_report_span){
        .row = out->row_count, .from = from, .to = to, .bytes = bytes, .own_bytes = own_bytes};
}

static void add_residents(struct xpd_report *out)
{
    const struct xpd_mem *mem = out->mem;
    for (uint32_t i = 0; i < mem->hlo->allocation_count; i++) {
        struct xpd_held held;
        if (!xpd_held_resident(&held, mem, out->space, i))
            continue;
        add_span(out, 0, XPD_NO_STEP, held.size_bytes, 0);
        out->row[out->row_count++] =
            (struct xpd_report_row){.buffer = held.buffer,
                                    .tenancy = XPD_NO_INDEX,
                                    .allocation = i,
                                    .kind = (uint8_t)kind_of_resident(mem, &held),
                                    .group = XPD_OP_NONE};
    }
    out->resident_count = out->row_count;
}

static void add_tenancy(struct xpd_report *out, const struct xpd_own *own, const uint8_t *group,
                        uint32_t index, struct xpd_tenancy_piece *piece, uint32_t room)
{
    const struct xpd_tenancy *t = &out->space->tenancy[index];
    const struct xpd_mem_buffer *buffer = &out->mem->buffer[t->buffer];
    uint32_t instruction = buffer->instruction;
    enum xpd_op_group of = instruction == XPD_NO_INDEX ? XPD_OP_NONE
                           : group                     ? (enum xpd_op_group)group[instruction]
                                   : xpd_op_group_of(out->mem->hlo, instruction);
    if (!(t->flags & XPD_TENANCY_UNTRACED)) {
        uint32_t pieces = xpd_tenancy_pieces(out->space, index, piece, room);
        for (uint32_t k = 0; k < pieces; k++)
            add_span(out, piece[k].from, piece[k].to, piece[k].size_bytes,
                     xpd_own_bytes(own, t->offset_bytes, piece[k].size_bytes));
    }
    out->row[out->row_count++] =
        (struct xpd_report_row){.buffer = t->buffer,
                                .tenancy = index,
                                .allocation = buffer->allocation,
                                .kind = (uint8_t)xpd_report_kind_of(out->mem->hlo, instruction, of),
                                .group = (uint8_t)of};
}

/* Ties in order of tenancies: the sort is stable. */
static bool sort_places(struct xpd_report *out, struct xpd_arena *arena, struct xpd_arena *scratch)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(out->space);
    uint32_t n = out->space->tenancy_count;
    uint64_t *key = XPD_NEW_ARRAY(scratch, uint64_t, n);
    out->by_address = XPD_NEW_ARRAY(arena, uint32_t, n);
    out->address_rank = XPD_NEW_ARRAY(arena, uint32_t, n);
    if (!key || !out->by_address || !out->address_rank)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        key[i] = xpd_radix_key(column.offset_bytes[i]);
        out->by_address[i] = i;
    }
    if (!xpd_radix_sort_u64(key, out->by_address, n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        out->address_rank[out->by_address[i]] = i;
    return true;
}

static bool make_rows(struct xpd_report *out, const uint8_t *group, struct xpd_arena *arena,
                      struct xpd_arena *scratch)
{
    const struct xpd_mem_space *space = out->space;
    struct xpd_own own = {0};
    size_t allocations = out->mem->hlo->allocation_count, pieces = 0, most = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        uint32_t count = xpd_tenancy_pieces(space, i, NULL, 0);
        pieces += count;
        most = count > most ? count : most;
    }
    out->row = XPD_NEW_ARRAY(arena, struct xpd_report_row, allocations + space->tenancy_count);
    out->span = XPD_NEW_ARRAY(arena, struct xpd_report_span, allocations + pieces);
    struct xpd_tenancy_piece *piece = XPD_NEW_ARRAY(scratch, struct xpd_tenancy_piece, most);
    if (!out->row || !out->span || !piece || !sort_places(out, arena, scratch) ||
        !xpd_own_make(&own, &out->addresses, space, out->by_address, scratch))
        return false;
    add_residents(out);
    for (uint32_t i = 0; i < space->tenancy_count; i++)
        add_tenancy(out, &own, group, i, piece, (uint32_t)most);
    return true;
}

int xpd_report_make(struct xpd_report *out, const struct xpd_mem *mem,
                    const struct xpd_mem_space *space, const uint8_t *group,
                    struct xpd_arena *arena, struct xpd_err *err)
{
    struct xpd_arena scratch;
    *out = (struct xpd_report){.mem = mem, .space = space};
    xpd_arena_init(&scratch, arena->budget_bytes);
    bool ok = make_rows(out, group, arena, &scratch);
    xpd_arena_fini(&scratch);
    return ok ? XPD_OK : no_memory(err);
}

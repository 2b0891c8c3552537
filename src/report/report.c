/* Files each stretch of held bytes: rows with their categories, spans with their sizes.
 *
 * In: a frozen space. Out: rows and spans whose sums are the curve (in VMEM and CMEM, whose live
 * bytes are a union of addresses, the sums are what the rows list). */
#include "xprofd/report/report.h"
#include "report_internal.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/radix.h"
#include <stdlib.h>

/* In which category a storage is filed. In: its defining instruction. Out: one of the kinds.
 *
 * Order of the questions: collective or host; copy or transpose into another order of dimensions
 * (also when it changes the memory space: the order counts first); copy to another memory space;
 * else a compute result. */

static struct xpd_str opcode_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
}

/* The array a start holds besides its flags: the first element of its tuple. */
static const struct xpd_shape *array_of(const struct xpd_shape *shape)
{
    while (shape && shape->type == XPD_TYPE_TUPLE)
        shape = shape->element_count ? &shape->element[0] : NULL;
    return shape;
}

static uint32_t operand_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t first = all->operand_first[instruction];
    return first < all->operand_first[instruction + 1] ? all->operand[first] : XPD_NO_INDEX;
}

static bool same_order(const struct xpd_layout *a, const struct xpd_layout *b)
{
    if (!a || !b || a->minor_to_major_count != b->minor_to_major_count)
        return true; /* unknown: no sign that it differs */
    for (uint32_t i = 0; i < a->minor_to_major_count; i++)
        if (a->minor_to_major[i] != b->minor_to_major[i])
            return false;
    return true;
}

static enum xpd_report_kind kind_of_copy(const struct xpd_hlo *hlo, uint32_t instruction)
{
    uint32_t operand = operand_of(hlo, instruction);
    if (operand == XPD_NO_INDEX)
        return XPD_REPORT_COMPUTE;
    const struct xpd_shape *to = array_of(hlo->instructions.shape[instruction]);
    const struct xpd_shape *from = array_of(hlo->instructions.shape[operand]);
    if (!to || !from || !to->layout || !from->layout)
        return XPD_REPORT_COMPUTE;
    if (!same_order(to->layout, from->layout))
        return XPD_REPORT_RELAYOUT;
    return to->layout->memory_space != from->layout->memory_space ? XPD_REPORT_SPACE_COPY
                                                                  : XPD_REPORT_COMPUTE;
}

/* A transpose or reshape that has bytes of its own is not a bitcast: it writes the values anew. */
static bool rearranges(struct xpd_str opcode)
{
    return xpd_str_eq(opcode, XPD_STR("transpose")) || xpd_str_eq(opcode, XPD_STR("reshape"));
}

/* A fusion that only moves data has the kind of its root. */
static enum xpd_report_kind kind_of_fusion(const struct xpd_hlo *hlo, uint32_t instruction)
{
    uint32_t first = hlo->instructions.called_first[instruction];
    if (first == hlo->instructions.called_first[instruction + 1])
        return XPD_REPORT_COMPUTE;
    uint32_t computation = hlo->instructions.called[first];
    uint32_t root =
        computation == XPD_NO_INDEX ? XPD_NO_INDEX : hlo->computations.root[computation];
    if (root == XPD_NO_INDEX)
        return XPD_REPORT_COMPUTE;
    if (rearranges(opcode_of(hlo, root)))
        return XPD_REPORT_RELAYOUT;
    return xpd_str_eq(opcode_of(hlo, root), XPD_STR("copy")) ? kind_of_copy(hlo, root)
                                                             : XPD_REPORT_COMPUTE;
}

static bool is_callback(struct xpd_str target)
{
    return xpd_str_find(target, XPD_STR("callback"), true) < target.size;
}

enum xpd_report_kind xpd_report_kind_of(const struct xpd_hlo *hlo, uint32_t instruction,
                                        enum xpd_op_group group)
{
    if (instruction == XPD_NO_INDEX)
        return XPD_REPORT_COMPUTE;
    if (group == XPD_OP_COLLECTIVE)
        return XPD_REPORT_COLLECTIVE;
    if (group == XPD_OP_HOST)
        return XPD_REPORT_HOST;
    struct xpd_str opcode = opcode_of(hlo, instruction);
    if (group == XPD_OP_CUSTOM)
        return is_callback(xpd_hlo_text(hlo, hlo->instructions.call_target[instruction]))
                   ? XPD_REPORT_HOST
                   : XPD_REPORT_COMPUTE;
    if (group != XPD_OP_MOVE)
        return XPD_REPORT_COMPUTE;
    if (xpd_str_eq(opcode, XPD_STR("copy")))
        return kind_of_copy(hlo, instruction);
    if (xpd_str_eq(opcode, XPD_STR("copy-start")))
        return kind_of_copy(hlo, instruction) == XPD_REPORT_RELAYOUT ? XPD_REPORT_RELAYOUT
                                                                     : XPD_REPORT_SPACE_COPY;
    if (xpd_str_starts(opcode, "async-") || xpd_str_eq(opcode, XPD_STR("copy-done")))
        return XPD_REPORT_SPACE_COPY;
    if (rearranges(opcode))
        return XPD_REPORT_RELAYOUT;
    return xpd_str_eq(opcode, XPD_STR("fusion")) ? kind_of_fusion(hlo, instruction)
                                                 : XPD_REPORT_COMPUTE;
}

const char *xpd_report_kind_word(enum xpd_report_kind kind)
{
    static const char *const words[XPD_REPORT_KIND_COUNT] = {
        "arguments",  "outputs",  "constants",   "tuples", "compute",
        "space_copy", "relayout", "collectives", "host"};
    return (unsigned)kind < XPD_REPORT_KIND_COUNT ? words[kind] : "compute";
}

/* Bytes of each key after each of a list of steps. In: spans, a key for each row, steps. Out: a
 * table. A span is added at the first step it covers and subtracted after the last one; one pass
 * then sums up. */

/* Places by step, so that a span finds its own with a look-up. */
struct places {
    const struct xpd_report_steps *steps;
    uint32_t *of; /* by step up to the last one; NULL: searched for */
    uint32_t known;
};

/* First place whose step is not before `step`. */
static uint32_t search(const struct xpd_report_steps *steps, uint32_t step)
{
    uint32_t low = 0;
    XPD_BISECT(low, steps->count, middle, steps->at[middle] < step);
    return low;
}

static uint32_t place_of(const struct places *places, uint32_t step)
{
    return !places->of            ? search(places->steps, step)
           : step < places->known ? places->of[step]
                                  : places->steps->count;
}

/* Few spans, or no memory: no table. */
static void make_places(struct places *places, uint32_t spans)
{
    const struct xpd_report_steps *steps = places->steps;
    uint32_t last = steps->count > 0 ? steps->at[steps->count - 1] : XPD_NO_STEP;
    if (last == XPD_NO_STEP || last / 4 > spans)
        return;
    places->known = last + 1;
    places->of = malloc((size_t)places->known * sizeof *places->of);
    for (uint32_t place = 0, step = 0; places->of && place < steps->count; place++)
        for (; step <= steps->at[place]; step++)
            places->of[step] = place;
}

enum what { BYTES, OWN, COUNT };

static int64_t amount(const struct xpd_report_span *span, enum what what)
{
    return what == BYTES ? span->bytes : what == OWN ? span->own_bytes : 1;
}

static int64_t *sums(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                     struct xpd_report_steps steps, enum what what, struct xpd_arena *arena)
{
    size_t width = (size_t)steps.count + 1; /* the last place takes what ends behind all steps */
    int64_t *out = XPD_NEW_ARRAY(arena, int64_t, width * keys + 1);
    struct places places = {.steps = &steps};
    if (!out)
        return NULL;
    make_places(&places, report->span_count);
    for (uint32_t i = 0; i < report->span_count; i++) {
        const struct xpd_report_span *span = &report->span[i];
        uint32_t of = key[span->row];
        if (of >= keys)
            continue;
        uint32_t from = place_of(&places, span->from);
        uint32_t to = span->to == XPD_NO_STEP ? steps.count : place_of(&places, span->to);
        if (from >= to)
            continue;
        out[of * width + from] += amount(span, what);
        out[of * width + to] -= amount(span, what);
    }
    free(places.of);
    for (uint32_t k = 0; k < keys; k++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < steps.count; i++) {
            sum += out[k * width + i];
            out[(size_t)k * steps.count + i] = sum; /* narrower rows: never ahead of what is read */
        }
    }
    return out;
}

int64_t *xpd_report_bytes(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                          struct xpd_report_steps steps, struct xpd_arena *arena)
{
    return sums(report, key, keys, steps, BYTES, arena);
}

int64_t *xpd_report_own_bytes(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                              struct xpd_report_steps steps, struct xpd_arena *arena)
{
    return sums(report, key, keys, steps, OWN, arena);
}

int64_t *xpd_report_counts(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                           struct xpd_report_steps steps, struct xpd_arena *arena)
{
    return sums(report, key, keys, steps, COUNT, arena);
}

/* Chosen buffers on the graph. In: logical buffers. Out: the row of each one's storage, so that
 * what is drawn adds up to bytes of the curve, and the stretches in which it is held, with places.
 */

/* As what-if and the card take a buffer away: all stretches of its root's storage. */
static uint32_t first_tenancy(const struct xpd_mem *mem, uint32_t buffer)
{
    uint32_t root = mem->buffer[buffer].root;
    return root == XPD_NO_INDEX ? XPD_NO_INDEX : mem->buffer[root].storage_tenancy;
}

/* A tenancy is in the space when its storage's root leads there: other spaces number theirs anew.
 */
static bool is_temporary_here(const struct xpd_report *report, uint32_t buffer)
{
    const struct xpd_mem *mem = report->mem;
    uint32_t allocation = mem->buffer[buffer].allocation;
    return allocation != XPD_NO_INDEX &&
           mem->hlo->allocation[allocation].color == report->space->color &&
           mem->buffer[buffer].mem_class == XPD_CLASS_TEMPORARY;
}

static void take_tenancies(const struct xpd_report *report, struct xpd_report_chosen *chosen,
                           uint32_t place, uint32_t *key)
{
    const struct xpd_mem_space *space = report->space;
    chosen->state = XPD_CHOSEN_NEVER;
    for (uint32_t t = first_tenancy(report->mem, chosen->buffer); t < space->tenancy_count;
         t = space->tenancy[t].next_of_buffer) {
        uint32_t row = report->resident_count + t;
        if (key[row] != XPD_NO_INDEX) {
            chosen->twin = key[row];
            chosen->row = row;
            return;
        }
        if (chosen->row == XPD_NO_INDEX)
            chosen->row = row;
        key[row] = place;
        bool traced = !(space->tenancy[t].flags & XPD_TENANCY_UNTRACED);
        chosen->state = traced ? XPD_CHOSEN_LIVE : XPD_CHOSEN_NO_EVENTS;
    }
}

static void take_resident(const struct xpd_report *report, struct xpd_report_chosen *chosen,
                          uint32_t place, uint32_t *key)
{
    uint32_t allocation = report->mem->buffer[chosen->buffer].allocation;
    for (uint32_t row = 0; row < report->resident_count; row++) {
        if (report->row[row].allocation != allocation)
            continue;
        chosen->row = row;
        chosen->state = XPD_CHOSEN_ALWAYS;
        if (key[row] == XPD_NO_INDEX)
            key[row] = place;
        else
            chosen->twin = key[row];
        return;
    }
}

void xpd_report_choose(const struct xpd_report *report, struct xpd_report_chosen *chosen,
                       uint32_t count, uint32_t *key)
{
    for (uint32_t i = 0; i < report->row_count; i++)
        key[i] = XPD_NO_INDEX;
    for (uint32_t i = 0; i < count; i++) {
        chosen[i] = (struct xpd_report_chosen){.buffer = chosen[i].buffer,
                                               .row = XPD_NO_INDEX,
                                               .twin = XPD_NO_INDEX,
                                               .state = XPD_CHOSEN_ELSEWHERE};
        if (is_temporary_here(report, chosen[i].buffer))
            take_tenancies(report, &chosen[i], i, key);
        else if (report->mem->buffer[chosen[i].buffer].allocation != XPD_NO_INDEX)
            take_resident(report, &chosen[i], i, key);
        if (chosen[i].twin != XPD_NO_INDEX)
            chosen[i].state = chosen[chosen[i].twin].state;
    }
}

uint32_t xpd_report_pieces(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                           struct xpd_report_piece *out, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->span_count; i++) {
        const struct xpd_report_span *span = &report->span[i];
        uint32_t tenancy = report->row[span->row].tenancy;
        if (key[span->row] >= keys)
            continue;
        if (count < capacity)
            out[count] = (struct xpd_report_piece){
                .of = key[span->row],
                .from = span->from,
                .to = span->to == XPD_NO_STEP ? report->space->step_count : span->to,
                .bytes = span->bytes,
                .offset_bytes =
                    tenancy == XPD_NO_INDEX ? -1 : report->space->tenancy[tenancy].offset_bytes};
        count++;
    }
    return count;
}

const char *xpd_report_state_word(enum xpd_report_state state)
{
    static const char *const words[] = {"live", "always", "no_events", "never", "elsewhere"};
    return (unsigned)state < sizeof words / sizeof *words ? words[state] : "elsewhere";
}

static int no_memory(struct xpd_err *err)
{
    return xpd_no_memory(err, NULL, "to take the program's memory apart");
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

/* The line of an instruction of a module, taken apart without being read: its names may hold any
 * sign.
 *
 * In: a module, its printer, an instruction. Out: the line as xpd_line_parse makes it of the same
 * text, for every name there is. */
#include "explain_scan.h"
#include "xprofd/base/checked.h"
#include "xprofd/explain/expect.h"
#include "xprofd/explain/parts.h"
#include "xprofd/hlo/print.h"

/* Work and traffic of a line without its module. In: its parsed text. Out: amounts. */

/* {1,2} into numbers; an absent attribute is an empty list. */
static bool dims_of(const struct xpd_hlo_line *line, const char *key, int64_t *out, uint32_t *count)
{
    struct xpd_str text = xpd_line_attribute(line, key);
    struct xpd_scan scan = {text.data, text.data + text.size, NULL};
    *count = 0;
    if (text.size == 0)
        return true;
    if (!xpd_scan_take(&scan, '{'))
        return false;
    while (!xpd_scan_take(&scan, '}')) {
        if (*count == XPD_SHAPE_PARSED_RANK || !xpd_scan_int(&scan, &out[(*count)++]))
            return false;
        xpd_scan_take(&scan, ',');
    }
    return true;
}

static bool product_of(const struct xpd_shape *shape, const int64_t *dims, uint32_t count,
                       uint64_t *taken, int64_t *product)
{
    bool overflow = false;
    *product = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (dims[i] < 0 || dims[i] >= shape->rank || (*taken >> dims[i] & 1) ||
            shape->dims[dims[i]] < 0)
            return false;
        *taken |= UINT64_C(1) << dims[i];
        *product = xpd_mul_i64(*product, shape->dims[dims[i]], &overflow);
    }
    return !overflow;
}

static bool rest_of(const struct xpd_shape *shape, uint64_t taken, int64_t *product)
{
    bool overflow = false;
    *product = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!(taken >> i & 1))
            *product = xpd_mul_i64(*product, shape->dims[i] < 0 ? 0 : shape->dims[i], &overflow);
    return !overflow;
}

static bool dot_of(struct xpd_matmul *out, const struct xpd_hlo_line *line)
{
    static const char *const key[] = {"lhs_contracting_dims", "rhs_contracting_dims",
                                      "lhs_batch_dims", "rhs_batch_dims"};
    int64_t dims[4][XPD_SHAPE_PARSED_RANK], size[4];
    uint32_t count[4];
    uint64_t taken[2] = {0, 0};
    bool overflow = false;
    if (line->operand_count != 2 || !line->operand[0].shape || !line->operand[1].shape)
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        const struct xpd_shape *shape = line->operand[i % 2].shape;
        if (!dims_of(line, key[i], dims[i], &count[i]) ||
            !product_of(shape, dims[i], count[i], &taken[i % 2], &size[i]))
            return false;
    }
    if (size[0] != size[1] || size[2] != size[3] ||
        !rest_of(line->operand[0].shape, taken[0], &out->m) ||
        !rest_of(line->operand[1].shape, taken[1], &out->n))
        return false;
    out->k = size[0];
    out->batch = size[2];
    out->flops = xpd_mul_i64(xpd_mul_i64(2 * out->batch, out->m, &overflow),
                             xpd_mul_i64(out->n, out->k, &overflow), &overflow);
    return !overflow;
}

/* Operands and result in HBM; -1 when an operand's shape is not in the text. */
static int64_t hbm_bytes_of(const struct xpd_shape *shape)
{
    int64_t sum = 0;
    if (shape->type != XPD_TYPE_TUPLE)
        return shape->layout && shape->layout->memory_space != XPD_SPACE_HBM
                   ? 0
                   : xpd_shape_bytes(shape);
    for (uint32_t i = 0; i < shape->element_count; i++)
        if (shape->element[i].type != XPD_TYPE_TUPLE)
            xpd_grow_i64(&sum, hbm_bytes_of(&shape->element[i]));
    return sum;
}

static int64_t operand_bytes(const struct xpd_hlo_line *line,
                             int64_t (*of)(const struct xpd_shape *))
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < line->operand_count; i++) {
        if (!line->operand[i].shape)
            return -1;
        xpd_grow_i64(&sum, of(line->operand[i].shape));
    }
    return sum;
}

static int64_t link_bytes(const struct xpd_hlo_line *line, struct xpd_arena *arena)
{
    const char *kind;
    struct xpd_groups groups = {0};
    struct xpd_err err = {0};
    struct xpd_str text = xpd_line_attribute(line, "replica_groups");
    if (!xpd_collective_sentence(line->opcode, &kind) &&
        !xpd_collective_sentence(xpd_line_attribute(line, "calls"), &kind))
        return 0;
    if (text.size)
        (void)xpd_groups_parse(&groups, arena, text, &err);
    return xpd_ring_bytes(kind, operand_bytes(line, xpd_shape_bytes), xpd_shape_bytes(line->shape),
                          groups.axis_size);
}

void xpd_line_amounts(struct xpd_amounts *out, struct xpd_matmul *matmul,
                      const struct xpd_hlo_line *line, struct xpd_arena *arena)
{
    int64_t in = operand_bytes(line, hbm_bytes_of);
    *matmul = (struct xpd_matmul){0};
    *out = (struct xpd_amounts){.cycles = XPD_COST_UNKNOWN};
    out->flops = xpd_cost_flops_of_shape(line->opcode, line->shape);
    if (xpd_str_eq(line->opcode, XPD_STR("dot"))) {
        if (dot_of(matmul, line))
            out->flops = matmul->flops;
        else
            *matmul = (struct xpd_matmul){0};
    }
    out->hbm_bytes = in;
    if (in >= 0)
        xpd_grow_i64(&out->hbm_bytes, hbm_bytes_of(line->shape));
    out->link_bytes = link_bytes(line, arena);
}

static struct xpd_str piece(const struct xpd_hlo_line *line, struct xpd_hlo_place place)
{
    return (struct xpd_str){line->text.data + place.from, place.to - place.from};
}

/* Our own text of a shape: read again for the places of its parts. A shape too deep or of a type we
 * do not know has none. */
static void take_shape(struct xpd_hlo_line *line, struct xpd_arena *arena,
                       const struct xpd_shape *shape)
{
    struct xpd_hlo_line parts = {0};
    struct xpd_scan scan = {line->shape_text.data, line->shape_text.data + line->shape_text.size,
                            arena};
    line->shape = xpd_scan_shape(&scan, &parts);
    if (!line->shape || scan.at != scan.end) {
        line->shape = shape;
        return;
    }
    line->type_text = parts.type_text;
    line->dims_text = parts.dims_text;
    line->order_text = parts.order_text;
    line->tiles_text = parts.tiles_text;
    line->space_text = parts.space_text;
}

static void take_operands(struct xpd_hlo_line *line, struct xpd_arena *arena,
                          const struct xpd_hlo *hlo, uint32_t instruction,
                          const struct xpd_hlo_places *places)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    const uint32_t *operand = ins->operand + ins->operand_first[instruction];
    uint32_t count = ins->operand_first[instruction + 1] - ins->operand_first[instruction];
    line->operands_text = piece(line, places->operands);
    line->operand = XPD_NEW_ARRAY(arena, struct xpd_line_operand, places->operand.count);
    for (size_t k = 0; line->operand && k < places->operand.count; k++) {
        struct xpd_str text = piece(line, places->operand.at[k]);
        uint32_t of = places->operand.count == count ? operand[k] : XPD_NO_INDEX;
        bool known = of != XPD_NO_INDEX && !xpd_str_eq(line->opcode, XPD_STR("parameter"));
        line->operand[k] =
            (struct xpd_line_operand){.text = text,
                                      .name = known ? xpd_hlo_text(hlo, ins->name[of]) : text,
                                      .shape = known ? ins->shape[of] : NULL};
        line->operand_count++;
    }
}

static void take_attributes(struct xpd_hlo_line *line, struct xpd_arena *arena,
                            const struct xpd_hlo_places *places)
{
    enum { SEPARATOR = 2 }; /* ", " */
    size_t count = places->attribute.count;
    line->attribute = XPD_NEW_ARRAY(arena, struct xpd_line_attribute, count);
    for (size_t k = 0; line->attribute && k < count; k++) {
        size_t from = places->attribute.at[k];
        size_t to = k + 1 < count ? places->attribute.at[k + 1] - SEPARATOR : line->text.size;
        struct xpd_str text = piece(line, (struct xpd_hlo_place){from, to});
        const char *equals = memchr(text.data, '=', text.size);
        size_t key = equals ? (size_t)(equals - text.data) : text.size;
        line->attribute[line->attribute_count++] = (struct xpd_line_attribute){
            .text = text,
            .key = {text.data, key},
            .value = equals ? (struct xpd_str){equals + 1, text.size - key - 1} : XPD_STR("")};
    }
}

/* The text, without the shapes of the operands when it is longer than a person reads. */
static void print(struct xpd_strbuf *text, struct xpd_hlo_places *places,
                  struct xpd_hlo_printer *printer, uint32_t instruction)
{
    xpd_hlo_print_places(printer, instruction, XPD_PRINT_EXPRESSION, text, places);
    if (text->size <= XPD_LINE_BYTES_MOST)
        return;
    xpd_strbuf_clear(text);
    places->operand.count = places->attribute.count = 0;
    xpd_hlo_print_places(printer, instruction, XPD_PRINT_PERCENT, text, places);
}

int xpd_line_of(struct xpd_hlo_line *out, struct xpd_arena *arena, const struct xpd_hlo *hlo,
                struct xpd_hlo_printer *printer, uint32_t instruction, struct xpd_err *err)
{
    struct xpd_strbuf text = {0};
    struct xpd_hlo_places places = {0};
    *out = (struct xpd_hlo_line){0};
    print(&text, &places, printer, instruction);
    const char *kept = text.failed ? NULL : xpd_arena_strndup(arena, text.data, text.size);
    if (kept) {
        out->text = (struct xpd_str){kept, text.size};
        out->name = piece(out, places.name);
        out->shape_text = piece(out, places.shape);
        out->opcode = piece(out, places.opcode);
        take_shape(out, arena, hlo->instructions.shape[instruction]);
        take_operands(out, arena, hlo, instruction, &places);
        take_attributes(out, arena, &places);
    }
    xpd_strbuf_fini(&text);
    XPD_VEC_FINI(&places.operand);
    XPD_VEC_FINI(&places.attribute);
    return kept && !arena->failed ? XPD_OK : xpd_no_memory(err, "text", "to explain this text");
}

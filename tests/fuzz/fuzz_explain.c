/* A pasted HLO line of any bytes: parser, sentences, amounts, tiles, groups and shardings.
 *
 * Parts of a line lie inside of it; what is shown of a short line is the line; an offset lies
 * within the array with its padding; groups hold as many devices as they say. */
#include "must.h"

#include "xprofd/explain/expect.h"
#include "xprofd/explain/parts.h"
#include "xprofd/hlo/sharding.h"
#include "xprofd/hlo/tiling.h"
#include "xprofd/memory/memory.h"

#include <string.h>

static bool inside(struct xpd_str text, struct xpd_str part)
{
    return part.size == 0 || (part.data >= text.data && part.size <= text.size &&
                              part.data + part.size <= text.data + text.size);
}

static void check_line(const struct xpd_hlo_line *line)
{
    MUST(inside(line->text, line->name) && inside(line->text, line->opcode));
    MUST(inside(line->text, line->shape_text) && inside(line->text, line->tiles_text));
    for (uint32_t i = 0; i < line->operand_count; i++)
        MUST(inside(line->text, line->operand[i].text) &&
             inside(line->text, line->operand[i].name));
    for (uint32_t i = 0; i < line->attribute_count; i++)
        MUST(inside(line->text, line->attribute[i].text) &&
             inside(line->attribute[i].text, line->attribute[i].key) &&
             inside(line->attribute[i].text, line->attribute[i].value));
}

static void check_parts(const struct xpd_parts *parts)
{
    MUST(parts->count >= 2 && parts->count <= XPD_PARTS_MOST);
    for (uint32_t i = 0; i < parts->segment_count; i++)
        MUST(parts->segment[i].part <= parts->count && parts->segment[i].text.size > 0);
    for (uint32_t i = 0; i < parts->count; i++)
        MUST(parts->part[i].label && parts->part[i].sentence.size > 0);
}

static void check_shape(const struct xpd_shape *shape)
{
    struct xpd_tiling tiling;
    int64_t index[XPD_TILING_DIMS] = {0}, offset;
    MUST(xpd_shape_bytes(shape) >= 0 && xpd_shape_elements(shape) >= 0);
    xpd_tiling_of(&tiling, shape);
    if (!tiling.known || xpd_shape_elements(shape) == 0)
        return;
    if (xpd_tiling_offset(shape, index, &offset))
        MUST(offset == 0);
    for (uint32_t i = 0; i < shape->rank; i++)
        index[i] = shape->dims[i] - 1;
    int64_t bits = shape->layout->element_size_bits ? shape->layout->element_size_bits
                                                    : xpd_type_bits(shape->type);
    if (xpd_tiling_offset(shape, index, &offset) && bits % 8 == 0)
        MUST(offset >= 0 && offset < tiling.tiled_bytes / (bits / 8));
}

static void check_attributes(struct xpd_arena *arena, const struct xpd_hlo_line *line)
{
    struct xpd_groups groups;
    struct xpd_sharding sharding;
    struct xpd_err err = {0};
    struct xpd_str text = xpd_line_attribute(line, "replica_groups");
    if (xpd_groups_parse(&groups, arena, text, &err) == XPD_OK && groups.count > 0)
        MUST(groups.first[groups.count] == groups.devices &&
             (groups.axis_size == 0 || groups.axis_size * groups.count == groups.devices));
    xpd_sharding_parse(&sharding, xpd_line_attribute(line, "sharding"));
    MUST(sharding.rank <= XPD_SHARDING_RANK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_arena arena = {0};
    struct xpd_err err = {0};
    struct xpd_hlo_line line;
    struct xpd_amounts amounts;
    struct xpd_matmul matmul;
    const struct xpd_explain_from from = {.space_name = xpd_space_name};
    struct xpd_parts *parts = XPD_NEW(&arena, struct xpd_parts);
    struct xpd_str text = {(const char *)data, size};
    MUST(parts);
    if (xpd_line_parse(&line, &arena, text, &err) == XPD_OK) {
        check_line(&line);
        MUST(xpd_parts_of(parts, &arena, &line, &from, &err) == XPD_OK);
        check_parts(parts);
        check_shape(line.shape);
        check_attributes(&arena, &line);
        xpd_line_amounts(&amounts, &matmul, &line, &arena);
        MUST(amounts.flops >= -1 && amounts.hbm_bytes >= -1 && amounts.link_bytes >= -1);
    } else {
        MUST(err.code != XPD_OK && err.text[0] != '\0');
    }
    xpd_arena_fini(&arena);
    return 0;
}

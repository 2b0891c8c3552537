/* ShapeProto and LayoutProto to frozen shapes, each distinct one once.
 *
 * In: serialized shapes; a module of 54,000 instructions has 160 different ones. Out: shapes in
 * the module's arena, shared by equal bytes. Elements of tuples and layouts are looked up by
 * their bytes too, so the many tuples of a program share their elements' dimensions and
 * layouts. Nesting is followed to XPD_HLO_DEPTH; deeper shapes become the empty shape, with a
 * warning. */
#include "../load/load_internal.h"
#include "hlo.pb-c.h"

#include <stdlib.h>

/* ---- known by their bytes ---- */

static struct xpd_hlo_known *find_known(const struct xpd_hlo_known_table *table, uint64_t hash,
                                        const struct xpd_field *field)
{
    size_t mask = table->slot_count - 1;
    size_t at = (size_t)hash & mask;
    for (; table->slot[at].frozen; at = (at + 1) & mask) {
        const struct xpd_hlo_known *known = &table->slot[at];
        if (known->hash == hash && known->size == field->size &&
            (known->size == 0 || memcmp(known->bytes, field->bytes, known->size) == 0))
            break;
    }
    return &table->slot[at];
}

static bool grow_known(struct xpd_hlo_known_table *table)
{
    size_t slot_count = table->slot_count ? table->slot_count * 2 : 256;
    struct xpd_hlo_known *slot = calloc(slot_count, sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < table->slot_count; i++) {
        if (!table->slot[i].frozen)
            continue;
        size_t at = (size_t)table->slot[i].hash & (slot_count - 1);
        while (slot[at].frozen)
            at = (at + 1) & (slot_count - 1);
        slot[at] = table->slot[i];
    }
    free(table->slot);
    table->slot = slot;
    table->slot_count = slot_count;
    return true;
}

static const void *get_known(const struct xpd_hlo_known_table *table, uint64_t hash,
                             const struct xpd_field *field)
{
    return table->slot_count ? find_known(table, hash, field)->frozen : NULL;
}

/* Remembering may fail: then the same bytes are unpacked again. */
static void put_known(struct xpd_hlo_load *load, struct xpd_hlo_known_table *table, uint64_t hash,
                      const struct xpd_field *field, const void *frozen)
{
    if (!frozen || (table->count >= table->slot_count / 2 && !grow_known(table)))
        return;
    struct xpd_hlo_known *known = find_known(table, hash, field);
    uint8_t *copy = xpd_arena_bytes(&load->keys, (size_t)field->size);
    if (known->frozen || !copy)
        return;
    if (field->size)
        memcpy(copy, field->bytes, (size_t)field->size);
    *known = (struct xpd_hlo_known){hash, copy, (size_t)field->size, frozen};
    table->count++;
}

/* ---- layouts ---- */

static const struct xpd_shape *load_shape(struct xpd_hlo_load *load, const struct xpd_field *field,
                                          int depth);

static struct xpd_field nested_field(const struct xpd_field *outer, ProtobufCBinaryData data)
{
    return (struct xpd_field){.wire_type = 2,
                              .bytes = data.data,
                              .size = data.len,
                              .offset = outer->offset}; /* a copy: near is all we know */
}

static const struct xpd_tile *freeze_tiles(struct xpd_hlo_load *load, const Xla__LayoutProto *proto)
{
    if (proto->n_tiles == 0)
        return NULL;
    struct xpd_tile *tile = XPD_NEW_ARRAY(&load->hlo->arena, struct xpd_tile, proto->n_tiles);
    for (size_t i = 0; tile && i < proto->n_tiles; i++) {
        const Xla__TileProto *from = proto->tiles[i];
        tile[i].dims = xpd_hlo_copy_ints(load, from->dimensions, from->n_dimensions);
        tile[i].count = tile[i].dims ? (uint32_t)from->n_dimensions : 0;
    }
    return tile;
}

static const struct xpd_split *freeze_splits(struct xpd_hlo_load *load,
                                             const Xla__LayoutProto *proto)
{
    if (proto->n_split_configs == 0)
        return NULL;
    struct xpd_split *split =
        XPD_NEW_ARRAY(&load->hlo->arena, struct xpd_split, proto->n_split_configs);
    for (size_t i = 0; split && i < proto->n_split_configs; i++) {
        const Xla__SplitConfigProto *from = proto->split_configs[i];
        split[i].dimension = from->dimension;
        split[i].indices = xpd_hlo_copy_ints(load, from->split_indices, from->n_split_indices);
        split[i].count = split[i].indices ? (uint32_t)from->n_split_indices : 0;
    }
    return split;
}

static const struct xpd_layout *freeze_layout(struct xpd_hlo_load *load,
                                              const struct xpd_field *field, int depth)
{
    const Xla__LayoutProto *proto = xpd_hlo_unpack(load, &xla__layout_proto__descriptor, field, 0);
    struct xpd_layout *layout = proto ? XPD_NEW(&load->hlo->arena, struct xpd_layout) : NULL;
    if (!layout)
        return NULL;
    layout->minor_to_major =
        xpd_hlo_copy_ints(load, proto->minor_to_major, proto->n_minor_to_major);
    layout->minor_to_major_count = layout->minor_to_major ? (uint32_t)proto->n_minor_to_major : 0;
    layout->tile = freeze_tiles(load, proto);
    layout->tile_count = layout->tile ? (uint32_t)proto->n_tiles : 0;
    layout->split = freeze_splits(load, proto);
    layout->split_count = layout->split ? (uint32_t)proto->n_split_configs : 0;
    layout->element_size_bits = proto->element_size_in_bits;
    layout->memory_space = proto->memory_space;
    layout->tail_padding_elements = proto->tail_padding_alignment_in_elements;
    layout->dynamic_prefix_bytes = proto->dynamic_shape_metadata_prefix_bytes;
    layout->index_type = proto->index_primitive_type;
    layout->pointer_type = proto->pointer_primitive_type;
    if (proto->physical_shape.len != 0) {
        struct xpd_field physical = nested_field(field, proto->physical_shape);
        layout->physical_shape = load_shape(load, &physical, depth + 1);
    }
    return layout;
}

static const struct xpd_layout *load_layout(struct xpd_hlo_load *load,
                                            const struct xpd_field *field, int depth)
{
    uint64_t hash = xpd_hash(field->bytes, (size_t)field->size);
    const struct xpd_layout *known = get_known(&load->layouts, hash, field);
    if (known)
        return known;
    known = freeze_layout(load, field, depth);
    put_known(load, &load->layouts, hash, field, known);
    return known;
}

/* ---- shapes ---- */

static const bool *freeze_dynamic(struct xpd_hlo_load *load, const Xla__ShapeProto *proto)
{
    bool any = false;
    for (size_t i = 0; i < proto->n_is_dynamic_dimension && i < proto->n_dimensions; i++)
        any = any || proto->is_dynamic_dimension[i];
    bool *dynamic = any ? XPD_NEW_ARRAY(&load->hlo->arena, bool, proto->n_dimensions) : NULL;
    for (size_t i = 0; dynamic && i < proto->n_is_dynamic_dimension && i < proto->n_dimensions; i++)
        dynamic[i] = proto->is_dynamic_dimension[i] != 0;
    return dynamic;
}

/* Each dimension once, from minor to major; tiles of one element or more in each dimension. */
static bool fits(const struct xpd_layout *layout, const struct xpd_shape *shape)
{
    uint64_t seen[2] = {0, 0};
    if (layout->minor_to_major_count != shape->rank)
        return layout->minor_to_major_count == 0;
    for (uint32_t i = 0; i < shape->rank && shape->rank <= 128; i++) {
        int64_t dimension = layout->minor_to_major[i];
        if (dimension < 0 || dimension >= shape->rank ||
            seen[dimension / 64] >> (dimension % 64) & 1)
            return false;
        seen[dimension / 64] |= (uint64_t)1 << (dimension % 64);
    }
    for (uint32_t t = 0; t < layout->tile_count; t++)
        for (uint32_t i = 0; i < layout->tile[t].count; i++)
            if (layout->tile[t].dims[i] < 1 && layout->tile[t].dims[i] != XPD_DIM_UNBOUNDED)
                return false;
    return true;
}

static const struct xpd_shape *freeze_shape(struct xpd_hlo_load *load,
                                            const struct xpd_field *field, int depth)
{
    const Xla__ShapeProto *proto = xpd_hlo_unpack(load, &xla__shape_proto__descriptor, field, 0);
    struct xpd_shape *shape = proto ? XPD_NEW(&load->hlo->arena, struct xpd_shape) : NULL;
    if (!shape)
        return NULL;
    shape->type = proto->element_type;
    shape->dims = xpd_hlo_copy_ints(load, proto->dimensions, proto->n_dimensions);
    shape->rank = shape->dims ? (uint32_t)proto->n_dimensions : 0;
    shape->dynamic = freeze_dynamic(load, proto);
    /* An absent layout and an empty one look the same here. XLA writes the latter for scalars only,
     * whose text and size are the same without. */
    if (proto->layout.len != 0) {
        struct xpd_field layout = nested_field(field, proto->layout);
        shape->layout = load_layout(load, &layout, depth);
        if (shape->layout && proto->n_tuple_shapes == 0 && !fits(shape->layout, shape))
            XPD_HLO_WARN(
                load, XPD_WARNING, "layout_contradicts", field->offset,
                "a layout does not fit its shape of %u dimensions; the shape is shown as it "
                "is written, its size in memory is a guess",
                shape->rank);
    }
    if (proto->n_tuple_shapes == 0)
        return shape;
    struct xpd_shape *element =
        XPD_NEW_ARRAY(&load->hlo->arena, struct xpd_shape, proto->n_tuple_shapes);
    for (size_t i = 0; element && i < proto->n_tuple_shapes; i++) {
        struct xpd_field inner = nested_field(field, proto->tuple_shapes[i]);
        element[i] = *load_shape(load, &inner, depth + 1);
    }
    shape->element = element;
    shape->element_count = element ? (uint32_t)proto->n_tuple_shapes : 0;
    return shape;
}

static const struct xpd_shape *load_shape(struct xpd_hlo_load *load, const struct xpd_field *field,
                                          int depth)
{
    if (depth >= XPD_HLO_DEPTH) {
        XPD_HLO_WARN(load, XPD_WARNING, "shape_too_deep", field->offset,
                     "a shape nests more than %d levels; what lies deeper is left out",
                     XPD_HLO_DEPTH);
        return load->empty_shape;
    }
    uint64_t hash = xpd_hash(field->bytes, (size_t)field->size);
    const struct xpd_shape *known = get_known(&load->shapes, hash, field);
    if (known)
        return known;
    known = freeze_shape(load, field, depth);
    put_known(load, &load->shapes, hash, field, known);
    return known ? known : load->empty_shape;
}

const struct xpd_shape *xpd_hlo_load_shape(struct xpd_hlo_load *load, const struct xpd_field *field)
{
    if (field->size == 0)
        return load->empty_shape;
    const struct xpd_shape *shape = load_shape(load, field, 0);
    xpd_arena_reset(&load->scratch);
    return shape;
}

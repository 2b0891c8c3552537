/* Shapes, layouts and tiles of XLA, their text and their sizes.
 *
 * Sources: ShapeProto, LayoutProto, TileProto, SplitConfigProto of xla_data; the text rule of XLA.
 * All values are frozen and live in the arena of the module that holds them. Dimensions and tiles
 * are unchecked numbers of the file: sizes are computed with checked arithmetic. */
#ifndef XPROFD_HLO_SHAPE_H
#define XPROFD_HLO_SHAPE_H

#include "xprofd/base/strbuf.h"
#include <stdbool.h>
#include <stdint.h>

/* PrimitiveType numbers with a rule of their own; the rest is in the table of shape.c. */
enum { XPD_TYPES = 37 }; /* numbers below this one have names */
enum { XPD_TYPE_TUPLE = 13, XPD_TYPE_OPAQUE = 14, XPD_TYPE_TOKEN = 17, XPD_TYPE_BUFFER = 34 };

#define XPD_DIM_UNBOUNDED INT64_MIN /* dynamic dimension without a bound; '*' in a tile */

struct xpd_tile {
    const int64_t *dims;
    uint32_t count;
};

struct xpd_split {
    int64_t dimension;
    const int64_t *indices;
    uint32_t count;
};

enum {
    XPD_SPACE_HBM = 0,
    XPD_SPACE_VMEM = 1,
    XPD_SPACE_CMEM = 3,
    XPD_SPACE_HOST = 5
}; /* S(n) of TPU layouts */

struct xpd_layout {
    const int64_t *minor_to_major;
    uint32_t minor_to_major_count;
    const struct xpd_tile *tile;
    uint32_t tile_count;
    const struct xpd_split *split;
    uint32_t split_count;
    int64_t element_size_bits;        /* 0 = that of the type */
    int64_t memory_space;             /* S(n) */
    int64_t tail_padding_elements;    /* tail_padding_alignment_in_elements; 0 and 1 mean none */
    int64_t dynamic_prefix_bytes;     /* dynamic_shape_metadata_prefix_bytes */
    int32_t index_type, pointer_type; /* PrimitiveType, 0 = none */
    const struct xpd_shape *physical_shape; /* or NULL */
};

struct xpd_shape {
    int32_t type; /* PrimitiveType as on the wire, unknown values too */
    uint32_t rank;
    const int64_t *dims;
    const bool *dynamic;             /* rank entries, or NULL when no dimension is dynamic */
    const struct xpd_shape *element; /* tuple members, or the one array of a buffer type */
    uint32_t element_count;
    const struct xpd_layout *layout; /* or NULL */
};

/* "f32", "bf16", ...; "t77" for an unknown number. `scratch` (16 bytes) holds the latter. */
const char *xpd_type_name(int32_t type, char scratch[16]);
/* The number of the type of that name; 0: none has it. */
int32_t xpd_type_of(struct xpd_str name);
/* Bits of one element, 0 when the type has none (tuple, token, opaque, unknown). s4 is 4. */
uint32_t xpd_type_bits(int32_t type);

/* Whether the array, or one inside a tuple of at most 8 levels, lies in the host's memory. */
bool xpd_shape_on_host(const struct xpd_shape *shape);

/* Appends the text as XLA prints it, e.g. bf16[8,128]{1,0:T(8,128)(2,1)S(1)}. */
void xpd_shape_text(struct xpd_strbuf *out, const struct xpd_shape *shape, bool with_layout);

/* Bytes without padding. Real bits: s4[10] is 5. Tuple = 8 per element (pointer table), token 0,
 * opaque 8. Bounded dynamic dimensions count their bound. Overflow saturates and sets *overflow. */
int64_t xpd_shape_unpadded_bytes(const struct xpd_shape *shape, bool *overflow);
/* The same as XProf computes it: sub-byte types take a byte unless the layout has an element size.
 */
int64_t xpd_shape_unpadded_bytes_xprof(const struct xpd_shape *shape, bool *overflow);

/* The sub-shape at a shape index, walking the whole index; NULL when it does not exist. */
const struct xpd_shape *xpd_shape_at(const struct xpd_shape *shape, const int64_t *index,
                                     uint32_t index_count);
/* XProf's rule: the last element of the index taken in the outermost tuple, else the shape itself.
 */
const struct xpd_shape *xpd_shape_at_xprof(const struct xpd_shape *shape, const int64_t *index,
                                           uint32_t index_count);

/* Elements of an array, saturating; a tuple: the sum of its parts. */
int64_t xpd_shape_elements(const struct xpd_shape *shape);

#endif

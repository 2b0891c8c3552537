/* What the parts of the loader share: the state of one load, a walk that survives cut messages, and
 * the table of shapes. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_LOAD_INTERNAL_H
#define XPROFD_SRC_HLO_LOAD_INTERNAL_H

#include "xprofd/base/vec.h"
#include "xprofd/hlo/module.h"
#include "xprofd/wire/cursor.h"
#include "xprofd/wire/guard.h"

enum { XPD_HLO_DEPTH = 64 }; /* shapes within shapes, and any other nesting in small messages */

/* Field number and wire type in one number, for switches. */
#define XPD_TAG(number, wire_type) ((uint64_t)(number) << 3 | (wire_type))

/* ---- walking a message (load_walk.c) ---- */

struct xpd_hlo_walk {
    struct xpd_cursor cursor;
    struct xpd_warnings *warnings; /* NULL: no warnings */
    uint64_t descend;              /* bit n: field n is a message worth reading when it is cut */
    bool ended;
};

#define XPD_FIELD_BIT(number) (UINT64_C(1) << (number))

static inline void xpd_hlo_walk_init(struct xpd_hlo_walk *walk, const struct xpd_field *message,
                                     uint64_t descend, struct xpd_warnings *warnings)
{
    xpd_cursor_init(&walk->cursor, message->bytes, (size_t)message->size, message->offset);
    walk->warnings = warnings;
    walk->descend = descend;
    walk->ended = false;
}

/* After the cursor failed at `before`: a cut message of a kind in `descend` is handed out once
 * more, as far as it goes; everything else ends the walk with a warning. */
bool xpd_hlo_walk_rescue(struct xpd_hlo_walk *walk, const uint8_t *before, struct xpd_field *field);

static inline bool xpd_hlo_walk_next(struct xpd_hlo_walk *walk, struct xpd_field *field)
{
    const uint8_t *before = walk->cursor.at;
    return xpd_cursor_next(&walk->cursor, field) || xpd_hlo_walk_rescue(walk, before, field);
}

static inline uint64_t xpd_field_tag(const struct xpd_field *field)
{
    return XPD_TAG(field->number, field->wire_type);
}

/* ---- shapes (shape_load.c) ---- */

struct xpd_hlo_known { /* something unpacked before, found again by its bytes */
    uint64_t hash;
    const uint8_t *bytes;
    size_t size;
    const void *frozen; /* NULL = empty slot */
};

struct xpd_hlo_known_table {
    struct xpd_hlo_known *slot;
    size_t slot_count, count;
};

/* ---- the state of one load (hlo_load.c) ---- */

struct xpd_hlo_payload { /* HloModuleProto.payloads; scanned when an instruction first uses it */
    struct xpd_str text;
    uint64_t offset;
    bool scanned;
    uint32_t scoped_first, scoped_count;
};

struct xpd_hlo_unnamed { /* a location that has to be found by the name of its instruction */
    uint32_t *into;
    xpd_name_id name;
};

struct xpd_hlo_load {
    struct xpd_hlo *hlo;
    const char *where;
    struct xpd_arena scratch; /* one small message at a time */
    struct xpd_arena keys;    /* bytes of the known shapes and layouts */
    struct xpd_hlo_known_table shapes, layouts;
    const struct xpd_shape *empty_shape;

    struct xpd_map64 computation_by_id;
    XPD_VEC(int64_t) ids;      /* operand ids of the computation being read */
    XPD_VEC(uint32_t) operand; /* resolved */
    XPD_VEC(uint32_t) called;
    XPD_VEC(struct xpd_hlo_payload) payload;
    XPD_VEC(struct xpd_hlo_scoped) scoped;
    XPD_VEC(struct xpd_hlo_sharding) sharding; /* of the arguments */
    XPD_VEC(int64_t) shape_index;              /* of the logical buffers */
    XPD_VEC(struct xpd_hlo_value) value;
    struct xpd_map64 local; /* low 32 bits of id -> instruction, of one computation */
    uint32_t local_of;      /* that computation, or XPD_NO_INDEX */
    uint32_t *by_name;      /* by name id, while reading; malloc'ed */
    uint32_t by_name_count;

    int64_t entry_id;
    bool has_entry_id;
    /* The last of each; read after all computations. */
    struct xpd_field schedule, aliases, donors, frames;
    xpd_name_id last_computation_name; /* of the heap event before */
    size_t count_instructions, count_computations;
    size_t count_buffers, count_allocations, count_assigned, count_traces, count_events;
};

#define XPD_HLO_WARN(load, severity, code, ...)                                                    \
    xpd_warn(&(load)->hlo->warnings, (severity), (code), __VA_ARGS__)

/* opcodes.c: a note when an instruction has an opcode that XLA does not. */
void xpd_hlo_note_opcodes(struct xpd_hlo_load *load);

/* load_circles.c: warnings about frames and calls that go in a circle. */
void xpd_hlo_note_circles(struct xpd_hlo_load *load);

/* Unpacks a small message into load->scratch, after dropping fields that are not in the descriptor
 * (protobuf-c copies those) and field number `without` (0 = none). NULL, with a warning, when it is
 * damaged or out of bounds. */
void *xpd_hlo_unpack(struct xpd_hlo_load *load, const ProtobufCMessageDescriptor *type,
                     const struct xpd_field *message, uint32_t without);

xpd_name_id xpd_hlo_name(struct xpd_hlo_load *load, const struct xpd_field *field);
/* Copies into the arena; NULL for none. */
const int64_t *xpd_hlo_copy_ints(struct xpd_hlo_load *load, const int64_t *values, size_t count);
/* Appends the integers of a field (packed or not) to load->ids or load->shape_index. */
bool xpd_hlo_push_ints(int64_t **at, size_t *count, size_t *capacity,
                       const struct xpd_field *field);
#define XPD_HLO_PUSH_INTS(vec, field)                                                              \
    do {                                                                                           \
        if (!xpd_hlo_push_ints(&(vec)->at, &(vec)->count, &(vec)->capacity, (field)))              \
            (vec)->failed = true;                                                                  \
    } while (0)

/* Never NULL. */
const struct xpd_shape *xpd_hlo_load_shape(struct xpd_hlo_load *load,
                                           const struct xpd_field *field);

/* load_module.c: contents of the module, then its columns. */
void xpd_hlo_count_module(struct xpd_hlo_load *load, const struct xpd_field *module);
void xpd_hlo_new_module_columns(struct xpd_hlo_load *load);
void xpd_hlo_read_module(struct xpd_hlo_load *load, const struct xpd_field *module);
void xpd_hlo_finish_module(struct xpd_hlo_load *load);

/* load_scoped.c */
void xpd_hlo_scan_config(struct xpd_hlo_load *load, const struct xpd_field *config,
                         uint32_t instruction);
void xpd_hlo_scan_payload(struct xpd_hlo_load *load, int64_t id, uint32_t instruction,
                          uint64_t offset);

/* load_tables.c */
/* The instruction of that id in that computation: the exact id, else the same low 32 bits. */
uint32_t xpd_hlo_find_instruction(struct xpd_hlo_load *load, uint32_t computation, int64_t id);
/* Schedule, aliases, donors, stack frames. */
void xpd_hlo_read_schedule(struct xpd_hlo_load *load);
void xpd_hlo_read_aliases(struct xpd_hlo_load *load);
void xpd_hlo_read_donors(struct xpd_hlo_load *load);
void xpd_hlo_read_sharding(struct xpd_hlo_load *load, const struct xpd_field *message);
void xpd_hlo_read_frames(struct xpd_hlo_load *load);

/* load_assignment.c */
void xpd_hlo_count_assignment(struct xpd_hlo_load *load, const struct xpd_field *assignment);
void xpd_hlo_new_assignment_columns(struct xpd_hlo_load *load);
void xpd_hlo_read_buffers(struct xpd_hlo_load *load, const struct xpd_field *assignment);
void xpd_hlo_read_allocations(struct xpd_hlo_load *load, const struct xpd_field *assignment);
void xpd_hlo_finish_assignment(struct xpd_hlo_load *load);

/* load_probe.c: XPD_EFORMAT with a sentence that helps when the bytes are something else. */
int xpd_hlo_probe(const uint8_t *bytes, size_t size, uint64_t file_offset, const char *where,
                  struct xpd_err *err);

#endif

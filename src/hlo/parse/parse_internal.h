/* Shared by the parts of the reader of HLO text. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_PARSE_INTERNAL_H
#define XPROFD_SRC_HLO_PARSE_INTERNAL_H

#include "../text/proto_table.h"
#include "parse_scan.h"
#include "wire_out.h"
#include "xprofd/base/intern.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/hlo/parse.h"
#include "xprofd/hlo/shape.h"

/* Messages that several attributes of a line fill together. */
enum xpd_parse_group {
    XPD_GROUP_NONE,
    XPD_GROUP_DOT,
    XPD_GROUP_RAGGED,
    XPD_GROUP_GATHER,
    XPD_GROUP_SCATTER,
    XPD_GROUP_TRIANGULAR,
    XPD_GROUP_CHOLESKY,
    XPD_GROUP_PRECISION,
    XPD_GROUP_ROTATE,
    XPD_GROUPS
};

enum { XPD_PARSE_NO_ID = 0 };

struct xpd_parsed_instruction {
    uint64_t at; /* of its message in body */
    uint32_t size, id;
    uint32_t operand_first; /* in operand: ids of its operands, then of its control predecessors */
    uint32_t operand_count, control_count;
    uint32_t called_first, called_count; /* in called: ids of computations */
};

struct xpd_parsed_computation {
    struct xpd_str name, thread, config;
    uint32_t id, root, last;               /* root: an instruction's id, or XPD_PARSE_NO_ID */
    struct xpd_str root_shape, last_shape; /* texts */
    uint32_t first, count;                 /* in instruction */
    size_t shape_at, shape_size;           /* of its program shape, in shapes */
    bool is_entry;
};

/* The start of an asynchronous pair whose computation the text has folded away: made when the
 * computation that it stands in is done. */
struct xpd_folded {
    struct xpd_str name, opcode, thread;
    uint32_t computation;        /* the id of the one to be made */
    size_t bytes_at, bytes_size; /* in wrapped: the fields of its root */
    uint64_t shape_at;           /* in body: the shape of the start */
    uint32_t shape_size;
    uint32_t called_first, called_count;
};

struct xpd_parameter { /* of the computation that is being read */
    int64_t number;
    uint32_t id;
    struct xpd_str shape; /* its text */
};

struct xpd_array { /* of a shape that was read last; a tuple: rank 0, type XPD_TYPE_TUPLE */
    int32_t type;
    uint32_t rank;
    int64_t dims[XPD_SCAN_RANK];
    int64_t minor[XPD_SCAN_RANK];
};

enum { XPD_KNOWN_SHAPES = 512 };
struct xpd_known_shape {
    struct xpd_str text;  /* in the module's text, without the blank behind it */
    struct xpd_str field; /* as a field of an instruction; in scratch */
};

struct xpd_reference { /* to a name that is not defined yet */
    struct xpd_str name;
    uint32_t id;
};

struct xpd_name_use {     /* what an instruction name means now */
    uint32_t computation; /* its index + 1, 0: none yet */
    uint32_t id;
    uint32_t defined; /* the id of the last instruction of that name */
};

struct xpd_parse {
    struct xpd_text_scan scan; /* ends where the line does while one is read, else with the text */
    const char *start, *text_end, *name;
    struct xpd_arena *arena, scratch; /* scratch: one line */
    struct xpd_warnings *warnings;
    const char *counted; /* lines are counted up to here */
    uint64_t line;
    bool in_one_line; /* a value ran to the end of the text: from here on none has line breaks */
    bool too_many;    /* instructions */
    bool is_scheduled, has_layout;

    struct xpd_strbuf header;  /* fields of the module that are not computations */
    struct xpd_strbuf frames;  /* the message of stack frames */
    struct xpd_strbuf body;    /* instructions, one after another */
    struct xpd_strbuf shapes;  /* program shapes */
    struct xpd_strbuf wrapped; /* roots of folded computations, in the making */
    struct xpd_strbuf line_text, decoded;
    struct xpd_strbuf group[XPD_GROUPS];
    bool in_group[XPD_GROUPS];
    XPD_VEC(struct xpd_parsed_instruction) instruction;
    XPD_VEC(struct xpd_parsed_computation) computation;
    XPD_VEC(uint32_t) operand;
    XPD_VEC(uint32_t) called;
    XPD_VEC(uint32_t) instruction_of; /* by id - 1: index in instruction, or XPD_NO_INDEX */
    XPD_VEC(struct xpd_folded) folded;
    XPD_VEC(struct xpd_reference) operand_ahead;     /* of the computation */
    XPD_VEC(struct xpd_reference) computation_ahead; /* of the module */
    XPD_VEC(struct xpd_parameter) parameter;
    XPD_VEC(bool) is_fusion; /* by id of the computation - 1 */
    struct xpd_intern instruction_name, computation_name;
    XPD_VEC(struct xpd_name_use) name_use; /* by id of instruction_name */
    xpd_name_id name_before;               /* of the instruction that began last; 0 = none */
    XPD_VEC(uint32_t) computation_id;      /* by id of computation_name, 0 = none */
    struct xpd_known_shape known_shape[XPD_KNOWN_SHAPES]; /* by hash of the text */
    struct xpd_name_use no_use;                           /* used when out of memory */
    uint32_t no_id;
    XPD_VEC(uint32_t) computation_of; /* by id - 1: index, or XPD_NO_INDEX */
    uint32_t entry;                   /* the id of the entry computation */
};

/* One instruction's line in the making. `out` takes the attributes: the instruction's own message,
 * or that of the root of a folded computation. */
struct xpd_parse_line {
    struct xpd_str name, opcode, shape;
    uint32_t id;
    uint8_t folded; /* 0; else enum xpd_fold */
    struct xpd_strbuf *out, *own;
    uint32_t operand_first, operand_count, control_count;
    uint32_t called_first, called_count;
    uint32_t inner_first, inner_count; /* computations called by the folded root, in called */
    uint32_t shardings, aliasings;     /* warnings so far */
    struct xpd_str thread;
    bool has_groups;
    bool says_own; /* of a folded pair: an attribute of the start has been read */
};
enum xpd_fold { XPD_FOLD_NONE, XPD_FOLD_START, XPD_FOLD_UPDATE, XPD_FOLD_DONE };

/* ---- parse_scan.c ---- */

/* A warning about the text at `at`: "line 3, column 7: ...". */
void xpd_parse_warn(struct xpd_parse *p, const char *at, enum xpd_severity severity,
                    const char *code, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* The line that begins at scan.at is read from here on; ... is done, the rest is skipped. */
void xpd_parse_open_line(struct xpd_parse *p);
void xpd_parse_next_line(struct xpd_parse *p);

/* ---- parse_names.c ---- */

/* The id of the instruction of that name in the computation being read; made up when it is new. */
uint32_t xpd_parse_instruction_id(struct xpd_parse *p, struct xpd_str name);
/* ... that begins here: a name that has been given away gets another id and a warning. */
uint32_t xpd_parse_define_instruction(struct xpd_parse *p, struct xpd_str name);
uint32_t xpd_parse_new_instruction_id(struct xpd_parse *p);
uint32_t xpd_parse_computation_id(struct xpd_parse *p, struct xpd_str name);
uint32_t xpd_parse_define_computation(struct xpd_parse *p, struct xpd_str name);
uint32_t xpd_parse_new_computation_id(struct xpd_parse *p);
struct xpd_hlo_names *xpd_parse_keep_names(struct xpd_parse *p);

/* ---- parse_shape.c ---- */

/* Reads a shape and writes it as a field. *array: what it is, when it is an array; may be NULL. */
bool xpd_parse_shape(struct xpd_text_scan *scan, struct xpd_strbuf *out, uint32_t field,
                     struct xpd_array *array);
/* The same without its layout. */
bool xpd_parse_bare_shape(struct xpd_text_scan *scan, struct xpd_strbuf *out, uint32_t field);
/* Only reads, including the text after its braces. */
bool xpd_parse_skip_shape(struct xpd_text_scan *scan);
/* The shape of an instruction, at p->scan, with its layout into p->body. */
bool xpd_parse_instruction_shape(struct xpd_parse *p);

/* ---- parse_header.c ---- */

void xpd_parse_header(struct xpd_parse *p);
/* FileNames and its kin; false: none begins here. */
bool xpd_parse_frames(struct xpd_parse *p);

/* ---- parse_computation.c, parse_instruction.c ---- */

/* At a computation's first word; false: none begins here, and nothing was taken. */
bool xpd_parse_computation(struct xpd_parse *p);
/* The open line as an instruction. False: not an instruction; only ids were added. */
bool xpd_parse_instruction(struct xpd_parse *p, struct xpd_parsed_computation *computation);
/* parse_fold.c: makes the computations that the one just read has folded away. */
void xpd_parse_unfold(struct xpd_parse *p);

/* parse_attributes.c: ", key=value" until the line ends. */
void xpd_parse_attributes(struct xpd_parse *p, struct xpd_parse_line *line);

/* ---- parse_value.c ---- */

/* The value after "key=": braces and quotes determine its end. With may_break it continues after
 * its line while braces are open. */
struct xpd_text_scan xpd_parse_value(struct xpd_parse *p, bool may_break);
/* Consumes ", key=" and stops at the value; false: no key follows, and the scan does not move.
 */
bool xpd_parse_next_key(struct xpd_parse *p, struct xpd_str *key);
/* "{a=1, b=2}" or "a=1 b=2": the next key with its value; false at the end. */
bool xpd_parse_pair(struct xpd_text_scan *scan, struct xpd_str *key, struct xpd_text_scan *value);

/* Text in quotes, decoded; other text unchanged; valid until the next call. */
struct xpd_str xpd_parse_text(struct xpd_parse *p, struct xpd_text_scan value);
/* {1,2} as packed numbers; {} writes nothing. False when it is not a list. */
bool xpd_parse_list(struct xpd_text_scan *value, struct xpd_strbuf *out, uint32_t field);

/* ---- values of attributes ---- */

struct xpd_parse_row;
typedef bool xpd_parse_fn(struct xpd_parse *p, struct xpd_parse_line *line,
                          struct xpd_text_scan value, const struct xpd_parse_row *row);
struct xpd_parse_row {
    const char *key;
    xpd_parse_fn *read;
    uint16_t field;
    uint8_t group; /* enum xpd_parse_group, or an argument of the function */
    uint8_t rank;
};

xpd_parse_fn xpd_read_window, xpd_read_dim_labels, xpd_read_slice, xpd_read_padding;
xpd_parse_fn xpd_read_sparsity, xpd_read_scaling;
xpd_parse_fn xpd_read_replica_groups, xpd_read_pairs, xpd_read_slice_sizes;
xpd_parse_fn xpd_read_sharding, xpd_read_domain;
xpd_parse_fn xpd_read_literal_attribute, xpd_read_aliasing, xpd_read_layout_constraints;
xpd_parse_fn xpd_read_outfeed_shape;
xpd_parse_fn xpd_read_metadata, xpd_read_frontend, xpd_read_config, xpd_read_origin;
xpd_parse_fn xpd_read_statistics, xpd_read_accuracy, xpd_read_replication;

/* A decimal number, inf or nan, of at most 63 letters. */
bool xpd_parse_real(struct xpd_text_scan *scan, double *value);
bool xpd_parse_put_sharding(struct xpd_parse *p, struct xpd_text_scan *scan, struct xpd_strbuf *out,
                            uint32_t field, int depth);
/* {a="x",b={...}} as a FrontendAttributes message of that number. */
bool xpd_parse_put_frontend(struct xpd_parse *p, struct xpd_text_scan value, struct xpd_strbuf *out,
                            uint32_t field);
/* op_name="a" source_line=1 as fields of an OpMetadata. */
bool xpd_parse_put_metadata(struct xpd_parse *p, struct xpd_text_scan value,
                            struct xpd_strbuf *out);
/* mesh['a'=2] as a MeshProto; `axes` keeps its names for xpd_parse_axes. */
struct xpd_axes {
    struct xpd_str name[XPD_SCAN_RANK];
    uint32_t count;
};
bool xpd_parse_mesh(struct xpd_text_scan *scan, struct xpd_strbuf *out, uint32_t field,
                    struct xpd_axes *axes);
/* 'a', 'b':(1)2 up to a '}', which is taken. *open: a '?' stood among them. */
bool xpd_parse_axes(struct xpd_text_scan *scan, const struct xpd_axes *axes, struct xpd_strbuf *out,
                    uint32_t field, bool *open);
/* [4,2]T(1,0) as two packed lists. */
bool xpd_parse_iota(struct xpd_text_scan *scan, struct xpd_strbuf *out, uint32_t dims,
                    uint32_t order);
/* The value of a constant with the shape whose text that is, as a LiteralProto. False: none is
 * shown, or it is not understood. */
bool xpd_parse_literal(struct xpd_parse *p, struct xpd_text_scan *shape,
                       struct xpd_text_scan *value, struct xpd_strbuf *out, uint32_t field,
                       int depth);

/* ---- parse_order.c, parse_assemble.c ---- */

/* The indexes of the computation's instructions with operands before users, as XLA writes them. */
const uint32_t *xpd_parse_order(struct xpd_parse *p,
                                const struct xpd_parsed_computation *computation,
                                struct xpd_arena *arena);
/* The indexes of all computations, callees first. */
const uint32_t *xpd_parse_computation_order(struct xpd_parse *p, const uint32_t *const *order,
                                            struct xpd_arena *arena);
struct xpd_str xpd_parse_assemble(struct xpd_parse *p);

#endif

/*
 * hlo_builder: makes HloProto messages (module and buffer assignment).
 *
 * Typical use in a test:
 *
 *     struct hb hb;
 *     struct pbw out = {0};
 *     hb_init(&hb, "V2");
 *     hb_buffer(&hb, 1, 512 * 1024, 8, 0);
 *     hb_buffer(&hb, 2, 512 * 1024, 8, 0);
 *     hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 1 << 20}, "1@0 2@512K");
 *     hb_trace(&hb, "A1 S2>1 F1 F2");
 *     hb_finish(&hb, &out);
 *
 * The parts can come in any order; hb_finish puts them in the order of the field numbers. Nothing
 * is checked: broken input is something a test wants to be able to make. What has no function here
 * is written with pbw into hb.module or hb.assignment.
 */
#ifndef TESTS_SUPPORT_HLO_BUILDER_H
#define TESTS_SUPPORT_HLO_BUILDER_H

#include "pbw.h"

enum { HB_MAX_RANK = 8, HB_MAX_TILES = 4 };

/* Numbers of xla::PrimitiveType that tests need. */
enum hb_type {
    HB_PRED = 1,
    HB_S8 = 2,
    HB_S32 = 4,
    HB_S64 = 5,
    HB_U8 = 6,
    HB_U32 = 8,
    HB_F16 = 10,
    HB_F32 = 11,
    HB_F64 = 12,
    HB_TUPLE = 13,
    HB_OPAQUE = 14,
    HB_BF16 = 16,
    HB_TOKEN = 17,
    HB_S4 = 21,
};

enum hb_layout {
    HB_NO_LAYOUT,  /* the field is absent */
    HB_DESCENDING, /* minor_to_major is rank-1 … 0 */
    HB_MINOR       /* minor_to_major is minor[0 … rank-1] */
};

struct hb_shape {
    enum hb_type type;
    int rank;
    int64_t dims[HB_MAX_RANK];
    bool dynamic[HB_MAX_RANK];

    enum hb_layout layout;
    int64_t minor[HB_MAX_RANK];
    int64_t tiles[HB_MAX_TILES][HB_MAX_RANK]; /* each ends at its first 0 */
    int64_t element_bits;
    int64_t memory_space;
    int64_t tail_align;

    const struct hb_shape *elements; /* of a tuple */
    int n_elements;
};

struct hb_instr {
    const char *name;
    const char *opcode;
    int64_t id;
    const struct hb_shape *shape;
    const char *op_type;
    const char *op_name;
    const char *source_file;
    int64_t source_line;
    int64_t stack_frame_id;
    const int64_t *operands;
    int n_operands;
    const int64_t *control; /* control predecessors */
    int n_control;
    const int64_t *called; /* called computations */
    int n_called;
    int64_t parameter_number;
    int64_t tuple_index;
    const char *fusion_kind;
    const char *custom_call_target;
    const char *backend_config;         /* inline bytes, field 43 */
    const char *backend_config_payload; /* the newer field 99, inline form */
    const struct pbw *more;             /* further fields, as they are */
};

struct hb_logical {
    int64_t id;
    int64_t size;
    int64_t color;
    int64_t instruction_id;
    const char *instruction_name; /* what dumps before about 2022 carry in place of the id */
    const int64_t *shape_index;
    int n_shape_index;
};

struct hb_alloc {
    int64_t index;
    int64_t size;
    int64_t color;
    bool is_thread_local;
    bool parameter; /* is_entry_computation_parameter */
    bool live_out;
    bool tuple;
    bool constant;
    bool aliased; /* is_parameter_aliased_with_output */
    int64_t parameter_number;
    const int64_t *parameter_shape_index;
    int n_parameter_shape_index;
};

enum hb_event_kind { HB_ALLOC = 0, HB_FREE = 1, HB_SHARE = 2 };

struct hb_size {
    int64_t id;
    int64_t size;
};

struct hb {
    const char *name;
    const char *entry_name;        /* "main" unless set */
    int64_t entry_id;              /* id of the computation that hb_buffer opens: 1 unless set */
    const char *event_computation; /* in the events of hb_trace; entry_name unless set */
    bool unpacked;                 /* write repeated integers one by one */

    /* Content of the messages under construction, one buffer for each group of fields. */
    struct pbw module; /* extra fields of HloModuleProto, put after the others */
    struct pbw computations;
    struct pbw schedule;
    struct pbw aliases;
    struct pbw donors;
    struct pbw frames[4]; /* StackFrameIndexProto: file, function, location, frame */
    int64_t n_frames[4];
    struct pbw logical;
    struct pbw allocations;
    struct pbw traces;
    struct pbw assignment; /* extra fields of BufferAssignmentProto, put after the others */
    bool no_assignment;    /* leave buffer_assignment out */

    size_t computation; /* mark of the open computation, 0 = none is open */
    int64_t computation_id;
    bool computation_is_fusion;
    size_t allocation; /* mark of the open allocation */
    size_t trace;      /* mark of the open trace */

    struct hb_size *sizes; /* of the buffers that hb_buffer made, for the text of hb_alloc */
    size_t n_sizes;
};

/* The strings that hb and the structs above point to have to live until hb_finish. */
void hb_init(struct hb *hb, const char *module_name);

/* Appends the HloProto to out and frees everything that hb holds. Closes what is still open. */
void hb_finish(struct hb *hb, struct pbw *out);

/* ---- the module ---- */

void hb_begin_computation(struct hb *hb, const char *name, int64_t id, bool is_fusion);
void hb_instruction(struct hb *hb, const struct hb_instr *in);
void hb_end_computation(struct hb *hb, int64_t root_id);

void hb_sequence(struct hb *hb, int64_t computation_id, const int64_t *instructions, size_t n);
void hb_alias(struct hb *hb, const int64_t *output_index, int n_output_index, int64_t parameter,
              const int64_t *parameter_index, int n_parameter_index, int kind);
void hb_donor(struct hb *hb, int64_t parameter, const int64_t *index, int n_index);

/* Entries of the stack frame index. They return the ids that the others refer to: 1, 2, 3 … */
int64_t hb_file(struct hb *hb, const char *name);
int64_t hb_function(struct hb *hb, const char *name);
int64_t hb_location(struct hb *hb, int64_t file, int64_t function, int64_t line, int64_t column);
int64_t hb_frame(struct hb *hb, int64_t location, int64_t parent);

/* The shape as a ShapeProto in a field of w. */
void hb_shape(struct hb *hb, struct pbw *w, uint32_t field, const struct hb_shape *shape);

/* ---- the buffer assignment ---- */

void hb_logical(struct hb *hb, const struct hb_logical *buffer);

void hb_alloc_begin(struct hb *hb, const struct hb_alloc *alloc);
void hb_assign(struct hb *hb, int64_t buffer, int64_t offset, int64_t size);
void hb_alloc_end(struct hb *hb);

void hb_trace_begin(struct hb *hb);
void hb_event(struct hb *hb, enum hb_event_kind kind, int64_t buffer, const char *computation,
              const char *instruction, int64_t share_with);
void hb_trace_end(struct hb *hb, bool whole_module, int64_t allocation_index);

void hb_peak_buffers(struct hb *hb, int64_t index, const int64_t *buffers, size_t n);

/* ---- short forms for vectors (hlo_short.c) ---- */

/*
 * A buffer with its own instruction op.<id> (id the same) of shape u8[unpadded], so that the
 * unpadded size is exact. Opens the entry computation if none is open.
 */
void hb_buffer(struct hb *hb, int64_t id, int64_t size, int64_t unpadded, int64_t color);

/* hb_buffer with a shape, which may be a tuple of which the buffer is one element. */
void hb_shaped_buffer(struct hb *hb, int64_t id, int64_t size, int64_t color,
                      const struct hb_shape *shape, const int64_t *index, int n_index);

/*
 * An allocation and its members: "ID@OFFSET[:SIZE] …". K and M are binary suffixes. Without a SIZE
 * the member has the size that hb_buffer was given.
 */
void hb_alloc(struct hb *hb, const struct hb_alloc *alloc, const char *members);

/*
 * A heap trace: "A1" allocates buffer 1, "F1" frees it, "S2>1" lets 2 share with the canonical 1.
 * An event carries the instruction name op.<buffer>. hb_trace is hb_trace_at for the allocation 0
 * and the whole module.
 */
void hb_trace(struct hb *hb, const char *events);
void hb_trace_at(struct hb *hb, const char *events, bool whole_module, int64_t allocation_index);

#endif

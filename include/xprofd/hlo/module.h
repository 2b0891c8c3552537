/* One HloProto, frozen: modules, computations, instructions and the raw buffer assignment, in
 * columns.
 *
 * Built by xpd_hlo_load, then const and shared by all threads. References inside are indexes
 * (XPD_NO_INDEX = the file names something that does not exist); ids of the file are 64-bit and
 * kept. Field numbers: reference hlo.proto in proto/. Literals and all other fields not listed here
 * are never unpacked. */
#ifndef XPROFD_HLO_MODULE_H
#define XPROFD_HLO_MODULE_H

#include "xprofd/base/error.h"
#include "xprofd/base/intern.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/warnings.h"
#include "xprofd/hlo/shape.h"

struct xpd_hlo_instructions { /* in file order over all computations */
    uint32_t count;
    int64_t *id;                    /* HloInstructionProto.id[35] */
    xpd_name_id *name;              /* [1] */
    xpd_name_id *opcode;            /* [2] */
    const struct xpd_shape **shape; /* [3]; never NULL (else an empty shape of type 0) */
    uint32_t *computation;          /* index */
    xpd_name_id *op_name;           /* metadata[7].op_name[2] */
    xpd_name_id *source_file;       /* metadata.source_file[3] */
    int32_t *source_line;           /* metadata.source_line[4] */
    uint32_t *stack_frame;          /* metadata.stack_frame_id[15], 1-based, 0 = none */
    int64_t *parameter_number;      /* [9]; meaningful when the opcode is parameter */
    int64_t *tuple_index;           /* [13]; meaningful when the opcode is get-tuple-element */
    bool *has_control;              /* [37]; its control predecessors are in the bytes only */
    bool *is_host_transfer;         /* [47]: a send or recv whose other end is the host */
    xpd_name_id *fusion_kind;       /* [11] */
    xpd_name_id *call_target;       /* custom_call_target[28] */
    uint32_t *operand_first;        /* count + 1 entries into operand[] */
    uint32_t *operand;              /* instruction indexes of operand_ids[36] */
    uint32_t *called_first;         /* count + 1 entries into called[] */
    uint32_t *called;               /* computation indexes of called_computation_ids[38] */
};

struct xpd_hlo_computations {
    uint32_t count;
    int64_t *id;
    xpd_name_id *name;
    uint32_t *first, *instruction_count; /* instructions are consecutive */
    uint32_t *root;                      /* instruction index or XPD_NO_INDEX */
    bool *is_fusion;
    xpd_name_id *execution_thread;
    xpd_name_id *config;      /* backend_config of the computation itself, rarely there */
    uint32_t *schedule_first; /* count + 1 entries into schedule[]; empty range = no schedule */
    uint32_t *schedule;       /* instruction indexes in execution order */
};

struct xpd_hlo_frame { /* stack frame resolved to its location; ids are 1-based on the wire */
    xpd_name_id file, function;
    int32_t line, column;
    uint32_t parent; /* 1-based frame id, 0 = none */
};

struct xpd_hlo_alias { /* HloInputOutputAliasProto entry */
    int64_t parameter_number;
    const int64_t *parameter_index, *output_index;
    uint32_t parameter_index_count, output_index_count;
    int32_t kind; /* 0 undefined, 1 may, 2 must */
};

struct xpd_hlo_donor {
    int64_t parameter_number;
    const int64_t *parameter_index;
    uint32_t parameter_index_count;
};

/* The sharding of one argument of a partitioned program: HloModuleProto.spmd_parameters_shardings
 * (field 14), those of a tuple one after another. */
struct xpd_hlo_sharding {
    bool replicated; /* OpSharding.type 0: an empty message is that too */
    int64_t devices; /* product of the tile assignment's dimensions, 1 when it has none */
};

struct xpd_hlo_scoped { /* used_scoped_memory_configs of a backend config */
    uint32_t instruction;
    int64_t memory_space, size_bytes;
};

struct xpd_hlo_buffers { /* LogicalBufferProto, in file order */
    uint32_t count;
    int64_t *id, *size_bytes, *color;
    uint32_t *instruction;   /* of defined_at: by id, else by instruction name (old dumps) */
    int64_t *instruction_id; /* as written */
    uint32_t *index_first;   /* count + 1 entries into shape_index[] */
    int64_t *shape_index;
};

struct xpd_hlo_assigned { /* BufferAllocationProto.Assigned */
    int64_t buffer_id;
    uint32_t buffer; /* index into buffers, or XPD_NO_INDEX */
    int64_t offset_bytes, size_bytes;
};

enum xpd_allocation_flags {
    XPD_ALLOC_THREAD_LOCAL = 1,
    XPD_ALLOC_PARAMETER = 2,
    XPD_ALLOC_LIVE_OUT = 4,
    XPD_ALLOC_TUPLE = 8,
    XPD_ALLOC_CONSTANT = 16,
    XPD_ALLOC_PARAMETER_ALIASED = 32
};

struct xpd_hlo_allocation {
    int64_t index, size_bytes, color;
    int64_t parameter_number;
    const int64_t *parameter_index;
    uint32_t parameter_index_count;
    uint32_t flags;                          /* enum xpd_allocation_flags */
    uint32_t assigned_first, assigned_count; /* in assigned[] */
};

enum { XPD_EVENT_ALLOC = 0, XPD_EVENT_FREE = 1, XPD_EVENT_SHARE_WITH = 2 };

struct xpd_hlo_events { /* HeapSimulatorTrace.Event of all traces, one after another */
    uint32_t count;
    uint8_t *kind;    /* values above 2 are kept (254 for anything above 254) */
    uint32_t *buffer; /* index into buffers, or XPD_NO_INDEX */
    int64_t *buffer_id;
    uint32_t *canonical; /* index of share_with_canonical_id for SHARE_WITH, else XPD_NO_INDEX */
    xpd_name_id *instruction_name, *computation_name;
};

struct xpd_hlo_trace {
    uint32_t first, count; /* in events */
    bool whole_module;
};

struct xpd_hlo_value { /* BufferAliasProto: another place that reads the same buffer */
    int64_t source_buffer_id;
    uint32_t instruction;
    const int64_t *shape_index;
    uint32_t shape_index_count;
};

struct xpd_hlo {
    struct xpd_arena arena;       /* everything below lives here */
    struct xpd_intern names;      /* all text of the module */
    struct xpd_warnings warnings; /* of reading */
    uint64_t proto_bytes;         /* size of the HloProto it came from */

    xpd_name_id name, entry_name, device_type;
    int64_t module_id;
    uint32_t entry; /* computation index or XPD_NO_INDEX */
    struct xpd_hlo_instructions instructions;
    struct xpd_hlo_computations computations;
    struct xpd_hlo_frame *frame; /* frame[id - 1] */
    uint32_t frame_count;
    struct xpd_hlo_alias *alias;
    uint32_t alias_count;
    struct xpd_hlo_donor *donor;
    uint32_t donor_count;
    struct xpd_hlo_sharding *parameter_sharding; /* by number; none: not partitioned */
    uint32_t parameter_sharding_count;
    struct xpd_hlo_scoped *scoped;
    uint32_t scoped_count;

    /* metadata.size_of_generated_code_in_bytes[8], which few instructions of few programs have:
     * their sum, and how many they are. */
    int64_t code_bytes;
    uint32_t code_count;

    bool has_buffer_assignment;
    struct xpd_hlo_buffers buffers;
    struct xpd_hlo_allocation *allocation;
    uint32_t allocation_count;
    struct xpd_hlo_assigned *assigned;
    uint32_t assigned_count;
    struct xpd_hlo_trace *trace;
    uint32_t trace_count;
    struct xpd_hlo_events events;
    struct xpd_hlo_value *value; /* buffer_aliases */
    uint32_t value_count;

    struct xpd_map64 instruction_by_id; /* last one wins, as XProf */
    struct xpd_map64 buffer_by_id;      /* last one wins */
    uint32_t *instruction_by_name;      /* by xpd_name_id, XPD_NO_INDEX when no instruction */
};

struct xpd_hlo_limits {
    uint64_t arena_bytes; /* 0 = no limit */
};

/* Reads one HloProto. `file_offset` is where the bytes start in the file (for messages),
 * `where` the file's name. Damaged parts are skipped with a warning in (*out)->warnings.
 * XPD_EFORMAT only if the bytes are not an HloProto; XPD_ELIMIT above the limit. Free with
 * xpd_hlo_free. */
int xpd_hlo_load(struct xpd_hlo **out, const uint8_t *bytes, size_t size, uint64_t file_offset,
                 const char *where, const struct xpd_hlo_limits *limits, struct xpd_err *err);
void xpd_hlo_free(struct xpd_hlo *hlo); /* NULL is legal */
/* Memory held, arena and tables. */
uint64_t xpd_hlo_memory_bytes(const struct xpd_hlo *hlo);

/* Instruction -> its buffers, in their order: at[first[i]] to at[first[i + 1]]. Of the arena; false
 * without memory. */
struct xpd_buffers_of {
    uint32_t *first, *at;
};
bool xpd_hlo_buffers_of(struct xpd_buffers_of *of, const struct xpd_hlo *hlo,
                        struct xpd_arena *arena);
/* The output that is written into the parameter of an allocation; NULL: none is. */
const struct xpd_hlo_alias *xpd_hlo_alias_of(const struct xpd_hlo *hlo,
                                             const struct xpd_hlo_allocation *from);
/* Whether the caller gives the parameter of an allocation away. */
bool xpd_hlo_is_donated(const struct xpd_hlo *hlo, const struct xpd_hlo_allocation *from);
/* The op name of a parameter of the entry computation, else its own; "" where there is none. */
struct xpd_str xpd_hlo_parameter_name(const struct xpd_hlo *hlo, int64_t number);
/* A hash that is equal for two modules of the same program: the same instructions in the same
 * order, with their names, opcodes, shapes with layouts, operands and called computations. Ids, the
 * module's name, metadata and configs do not count, as they can differ between hosts that run one
 * program. Never 0; 0 without memory. */
uint64_t xpd_hlo_likeness(const struct xpd_hlo *hlo);
/* Of a program that may have been written out by different passes. */
struct xpd_hlo_digest {
    uint64_t memory;  /* of its allocations; 0 = nothing is known of them */
    uint64_t program; /* of its instructions, in any order */
};
struct xpd_hlo_digest xpd_hlo_digest_of(const struct xpd_hlo *hlo);
/* Whether they are one program: 1, 0, -1 = not known. A dump of another pass has other
 * instructions, but the same allocations. */
int xpd_hlo_digest_same(const struct xpd_hlo_digest *a, const struct xpd_hlo_digest *b);
/* The instruction that began the asynchronous pair which `done` ends: copy-start of copy-done, send
 * of send-done, also through updates. XPD_NO_INDEX: not a done. */
uint32_t xpd_hlo_start_of(const struct xpd_hlo *hlo, uint32_t done);
/* Whether XLA has an operation of that name. */
bool xpd_hlo_is_opcode(struct xpd_str opcode);
/* Whether XLA calls operations of that opcode elementwise. */
bool xpd_hlo_is_elementwise(struct xpd_str opcode);
/* Its category in XProf's words, as XLA's ToCategory gives it: "loop fusion", "data formatting",
 * "non-fusion elementwise", else the opcode. */
struct xpd_str xpd_hlo_category(const struct xpd_hlo *hlo, uint32_t instruction);

/* Lives as long as the module; "" for an unknown id. */
static inline struct xpd_str xpd_hlo_text(const struct xpd_hlo *hlo, xpd_name_id id)
{
    return xpd_intern_get(&hlo->names, id);
}
/* Name and opcode of an instruction; "" for XPD_NO_INDEX. */
static inline struct xpd_str xpd_hlo_instruction_name(const struct xpd_hlo *hlo,
                                                      uint32_t instruction)
{
    return instruction == XPD_NO_INDEX ? XPD_STR("")
                                       : xpd_hlo_text(hlo, hlo->instructions.name[instruction]);
}
static inline struct xpd_str xpd_hlo_opcode(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return instruction == XPD_NO_INDEX ? XPD_STR("")
                                       : xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
}
/* The instruction of a name; XPD_NO_INDEX: none has it. */
static inline uint32_t xpd_hlo_named(const struct xpd_hlo *hlo, struct xpd_str name)
{
    xpd_name_id id = xpd_intern_find(&hlo->names, name);
    return id == XPD_NO_NAME ? XPD_NO_INDEX : hlo->instruction_by_name[id];
}

#endif

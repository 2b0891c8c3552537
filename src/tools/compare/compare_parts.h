/* A comparison with what its runs know: findings gone and new, workloads that are not the same. */
#ifndef XPROFD_SRC_TOOLS_COMPARE_COMPARE_PARTS_H
#define XPROFD_SRC_TOOLS_COMPARE_COMPARE_PARTS_H

#include "../doctor/diagnosis.h"
#include "xprofd/base/checked.h"
#include "xprofd/doctor/compare.h"
#include "xprofd/tools/compare.h"

/* What one side costs and holds beside its peak; -1 = unknown. */
struct xpd_compare_facts {
    int64_t flops, bytes_accessed; /* of the entry computation, one execution */
    struct xpd_capacity capacity;
};

/* Scopes whose instructions are computed again, counted on both sides. */
struct xpd_again {
    struct xpd_str scope;
    uint32_t fusions[2], instructions[2];
};

struct xpd_finding_change { /* one of the two may be NULL */
    const struct xpd_finding *before, *after;
};
struct xpd_comparison {
    const struct xpd_tool_ctx *ctx; /* two: before, after */
    struct xpd_compare result;
    struct xpd_opcode_count *opcode;
    uint32_t opcode_count;
    struct xpd_opcode_change opcodes;
    struct xpd_again *again;
    uint32_t again_count;
    struct xpd_compare_facts facts[2];
    struct xpd_diagnosis diagnosis[2];
    struct xpd_arena arena[2];         /* of the diagnoses, which are made by threads */
    struct xpd_finding_change *change; /* new, gone, stays */
    uint32_t change_count;
    const char *mismatch[4];
    uint32_t mismatch_count;
    bool compilers_known; /* both profiles say what compiled them */
    const char *nothing;  /* as xpd_compare_nothing */
};
/* xpd_comparison_fini after it, regardless of its result. */
int xpd_comparison_make(struct xpd_comparison *c, const struct xpd_tool_ctx ctx[2],
                        struct xpd_err *err);
void xpd_comparison_fini(struct xpd_comparison *c);
/* `ascii`: without block characters. */
void xpd_comparison_text(struct xpd_strbuf *out, const struct xpd_comparison *c, bool ascii);
void xpd_comparison_markdown(struct xpd_strbuf *out, const struct xpd_comparison *c);

/* What a group or a pair of buffers is called: in the words of the program after, else in those of
 * the program before. */
#define XPD_COMPARED_WORDS_FIELDS(FIELD)                                                           \
    FIELD(WORD("same changed only_before only_after left_the_peak into_the_peak"), state, "")      \
    FIELD(MAYBE(WORD(XPD_CLASS_WORDS)), class, "null: overlapping bytes")                          \
    FIELD(MAYBE(WORD(XPD_GROUP_WORDS)), group, "kind of the operation that produces it")           \
    FIELD(NAME, opcode, "")                                                                        \
    FIELD(NAME, scope, "")                                                                         \
    FIELD(NAME, source, "file and line")
struct xpd_compared_words {
    const char *group; /* NULL: of no instruction */
    struct xpd_str opcode, scope, source;
};
/* The values of these, for a struct's initializer: of a group or pair. */
#define XPD_COMPARED_WORDS_OF(words, of)                                                           \
    .state = xpd_compare_state_word((of).state),                                                   \
    .class = (of).overlap ? NULL : xpd_mem_class_word((of).mem_class), .group = (words).group,     \
    .opcode = (words).opcode, .scope = (words).scope, .source = (words).source
/* `buffer`: of each side, XPD_NO_INDEX = none. */
struct xpd_compared_words xpd_compared_words(struct xpd_texts *texts,
                                             const struct xpd_tool_ctx ctx[2],
                                             const uint32_t buffer[2]);

/* A tool over two sides: before is what base_run, base_module, base_host and base_space ask for,
 * after is the call itself. */
/* `to` is the struct of the declared answer, or one that begins with it: `size` bytes, zeroed. */
typedef int xpd_compare_answer_fn(const struct xpd_tool_ctx ctx[2], void *to, struct xpd_err *err);
int xpd_compare_with_base(const struct xpd_tool_ctx *ctx, xpd_compare_answer_fn *answer,
                          size_t size, const void **to, struct xpd_err *err);
#define XPD_COMPARE_BASE_PARAMS                                                                    \
    {.name = "base_run", .type = XPD_PARAM_TEXT, .help = "run before; default this run"},          \
        {.name = "base_module",                                                                    \
         .type = XPD_PARAM_TEXT,                                                                   \
         .help = "module before; default the one of the same name"},                               \
        {.name = "base_host",                                                                      \
         .type = XPD_PARAM_TEXT,                                                                   \
         .help = "host of the module before; default any"},                                        \
    {                                                                                              \
        .name = "base_space", .type = XPD_PARAM_INT, .max = INT64_MAX,                             \
        .help = "memory space before; default the same"                                            \
    }

#endif

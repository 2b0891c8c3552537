/* What the tools share: the text table of an answer, nullable values, the capacity. */
#ifndef XPROFD_SRC_TOOLS_COMMON_COMMON_H
#define XPROFD_SRC_TOOLS_COMMON_COMMON_H

#include "tools.h"
#include "xprofd/answer/write.h"
#include "xprofd/base/bytes_text.h"
#include "xprofd/export/csv.h"
#include "xprofd/hlo/scope.h"
#include "xprofd/hlo/source_info.h"
#include "xprofd/memory/held.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- values ---- */

/* Negative is unknown: null. */
void xpd_tools_kknown(struct xpd_jsonw *w, const char *key, int64_t value);
/* Changes when a file of the run does: 16 hexadecimal digits. */
struct xpd_str xpd_tools_fingerprint(struct xpd_arena *arena, const struct xpd_run_entry *run);
/* How often a module ran; -1 where the trace cannot tell. */
int64_t xpd_tools_run_count(const struct xpd_module *module);
/* On one host, with XPD_NO_INDEX or xpd_run_all_hosts on all; -1 as above. */
int64_t xpd_tools_runs_on(const struct xpd_run *run, uint32_t module, uint32_t host);
/* "" is unknown: the null of MAYBE(TEXT). */
struct xpd_str xpd_tools_or_null(struct xpd_str text);
/* "" is unknown: null. */
void xpd_tools_kstr(struct xpd_jsonw *w, const char *key, struct xpd_str text);

/* "key":[value of row 0, of row 1, ...]; `value` is a statement that writes row number `row`. */
#define XPD_COLUMN(w, key, n, value)                                                               \
    do {                                                                                           \
        xpd_json_key((w), (key));                                                                  \
        xpd_json_arr(w);                                                                           \
        for (uint32_t row = 0; row < (n); row++) {                                                 \
            value;                                                                                 \
        }                                                                                          \
        xpd_json_arr_end(w);                                                                       \
    } while (0)

/* ---- texts of an answer ---- */

struct xpd_names { /* columns hold indexes into it; index 0 is "" */
    struct xpd_intern table;
    struct xpd_strbuf scratch;
    struct xpd_name_memo *memo; /* texts and shapes seen last, by address; NULL = none yet */
};
void xpd_names_init(struct xpd_names *names, struct xpd_arena *arena);
void xpd_names_fini(struct xpd_names *names);
uint32_t xpd_names_put(struct xpd_names *names, struct xpd_str text);
/* The same for a text that outlives the answer (of the module, or a constant): its address tells
 * whether it was put before, which costs less than reading it. */
uint32_t xpd_names_kept(struct xpd_names *names, struct xpd_str text);
uint32_t xpd_names_word(struct xpd_names *names, const char *constant);
uint32_t xpd_names_buffer(struct xpd_names *names, const struct xpd_mem *mem, uint32_t buffer);
/* Without layout: tables; the card shows the layout. */
uint32_t xpd_names_shape(struct xpd_names *names, const struct xpd_shape *shape);
uint32_t xpd_names_buffer_shape(struct xpd_names *names, const struct xpd_mem *mem,
                                uint32_t buffer);
void xpd_names_write(struct xpd_names *names, struct xpd_jsonw *w); /* "names":[...] */

/* Texts of declared answers that the model does not hold as such, made in the request's arena; a
 * failure stays in it. */
struct xpd_texts {
    struct xpd_arena *arena;
    struct xpd_strbuf scratch; /* write here, then xpd_strbuf_keep */
    struct xpd_shape_memo *memo;
};
void xpd_texts_fini(struct xpd_texts *texts);
/* XPD_NO_INDEX gives "". */
struct xpd_str xpd_texts_buffer(struct xpd_texts *texts, const struct xpd_mem *mem,
                                uint32_t buffer);
/* Without layout; likewise. */
struct xpd_str xpd_texts_buffer_shape(struct xpd_texts *texts, const struct xpd_mem *mem,
                                      uint32_t buffer);

/* ---- parts of several answers ---- */

#define XPD_BYTES_SUM_FIELDS(FIELD)                                                                \
    FIELD(COUNT, count, "how many")                                                                \
    FIELD(INT, size_bytes, "sum of their sizes")
XPD_RECORD_TYPE(xpd_bytes_sum, XPD_BYTES_SUM_FIELDS)

/* What was wrong with a file, as xpd_warnings has it. */
#define XPD_WARNING_ROW_FIELDS(FIELD)                                                              \
    FIELD(WORD("note warning error"), severity, "")                                                \
    FIELD(STRING, code, "one word for the kind")                                                   \
    FIELD(STRING, text, "one sentence")                                                            \
    FIELD(MAYBE(INT), offset, "byte in the file")                                                  \
    FIELD(INT, count, "number of occurrences; `text` is from the first")
XPD_RECORD_TYPE(xpd_warning_row, XPD_WARNING_ROW_FIELDS)
/* list->count of them; a failure stays in the arena. NULL is an empty list. */
const struct xpd_warning_row *xpd_tools_warnings(struct xpd_arena *arena,
                                                 const struct xpd_warnings *list);

/* What is known of a memory space's capacity. */
#define XPD_CAPACITY_FIELDS(FIELD)                                                                 \
    FIELD(MAYBE(INT), capacity_bytes, "of the memory space, on one device")                        \
    FIELD(MAYBE(STRING), capacity_from, "where the value comes from")                              \
    FIELD(MAYBE(STRING), capacity_unknown, "why it is unknown")
/* The values of these, for a struct's initializer. */
#define XPD_CAPACITY_OF(capacity)                                                                  \
    .capacity_bytes = (capacity).bytes, .capacity_from = (capacity).from,                          \
    .capacity_unknown = (capacity).unknown

/* The words of xpd_mem_class_word. */
#define XPD_CLASS_WORDS "parameter output thread_local constant temporary"
/* The words of xpd_op_group_word and of xpd_clock_word (trace/self.h). */
#define XPD_GROUP_WORDS "none matmul elem reduce move coll control host custom"
#define XPD_CLOCK_WORDS "device host"

/* Defines the `make` of a tool: maker(ctx, record, fill, out, err) makes an answer of the record
 * that `fill` fills from what its kind of questions share. */
#define XPD_MAKE_BY(maker, name, record, fill)                                                     \
    static int name(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)         \
    {                                                                                              \
        return maker(ctx, record(), fill, out, err);                                               \
    }

/* ---- query ---- */

/* `from` and `to` in steps: defaults are the whole program, the end is clamped. XPD_EINVAL when
 * from >= to. */
int xpd_tools_window(const struct xpd_tool_ctx *ctx, const struct xpd_tool *tool,
                     struct xpd_step_window *window, struct xpd_err *err);
/* The parameters it reads. */
#define XPD_STEP_WINDOW_PARAMS                                                                     \
    {.name = "from", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first step, default 0"},   \
    {                                                                                              \
        .name = "to", .type = XPD_PARAM_INT, .max = UINT32_MAX,                                    \
        .help = "step after the last one, default all"                                             \
    }
/* How many rows are wanted, and how many columns of pixels: one at least. */
#define XPD_ROWS_ALL UINT32_MAX /* the limit of a table that may be saved: its whole length */
#define XPD_PARAM_LIMIT(usual, most, words)                                                        \
    {                                                                                              \
        .name = "limit", .type = XPD_PARAM_INT, .min = 1, .max = (most), .fallback = (usual),      \
        .help = (words)                                                                            \
    }
#define XPD_PARAM_FORMAT                                                                           \
    {                                                                                              \
        .name = "format", .type = XPD_PARAM_ENUM, .words = "json csv text",                        \
        .help = "form of the answer; csv is its table, text a table for a terminal"                \
    }
#define XPD_PARAM_PX(usual, most, words)                                                           \
    {                                                                                              \
        .name = "px", .type = XPD_PARAM_INT, .min = 1, .max = (most), .fallback = (usual),         \
        .help = (words)                                                                            \
    }
/* `name` as a step of the space; the peak when absent. XPD_NO_STEP without a heap trace. */
int xpd_tools_step(const struct xpd_tool_ctx *ctx, const char *name, uint32_t *step,
                   struct xpd_err *err);
/* The host of that name, index in run->host. "", ALL, ALL_HOSTS: all that have events,
 * xpd_run_all_hosts; the one that has; XPD_NO_INDEX where none has. XPD_ENOTFOUND: no such host. */
int xpd_tools_host_called(const struct xpd_run *run, struct xpd_str name, uint32_t *host,
                          struct xpd_err *err);
/* That of xpd_tool_host; XPD_NO_INDEX: none, or no such. */
uint32_t xpd_tools_host_named(const struct xpd_tool_ctx *ctx);
/* The first host that has the program of the call; XPD_NO_INDEX: the call has no program. */
uint32_t xpd_tools_host_of_program(const struct xpd_tool_ctx *ctx);
/* Its name; NULL: of all hosts, or of none. */
const char *xpd_tools_whose(const struct xpd_run *run, uint32_t host);
/* Index in run->host of the n-th host with events: those are the parts of a joined trace. */
uint32_t xpd_tools_part_host(const struct xpd_run *run, uint32_t part);
/* `buffer` or `id`. */
int xpd_tools_buffer(const struct xpd_tool_ctx *ctx, uint32_t *buffer, struct xpd_err *err);
bool xpd_tools_csv(const struct xpd_tool_ctx *ctx); /* format=csv */
/* Makes `out` a CSV download. */
void xpd_tools_start_csv(struct xpd_tool_result *out, struct xpd_csv *csv, const char *file_name);

/* What the compiler said when it gave up on the program: the dump's own error text, else that of a
 * dump of the same program in the same experiment; NULL = none. */
const char *xpd_tools_error_text(const struct xpd_tool_ctx *ctx);
/* Whether a dump holds the program of the run that it seems to belong to (entry->lead): 1, 0, or
 * -1 = there is none, or it cannot be told. */
int xpd_tools_same_program(const struct xpd_tool_ctx *ctx);

int xpd_tools_no_memory(struct xpd_err *err);

#endif

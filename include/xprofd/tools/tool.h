/* A tool: typed parameters in, JSON (or CSV) out. One file per tool, one line in tools.def, pure
 * but for what it asks the store. The server and the command line call the same tools. */
#ifndef XPROFD_TOOLS_TOOL_H
#define XPROFD_TOOLS_TOOL_H

#include "xprofd/answer/record.h"
#include "xprofd/export/csv.h"
#include "xprofd/json/writer.h"
#include "xprofd/session/store.h"

struct xpd_param { /* one name=value of a query, decoded */
    struct xpd_str name, value;
};

enum xpd_param_type {
    XPD_PARAM_TEXT,
    XPD_PARAM_INT,
    XPD_PARAM_SIZE, /* bytes, also with a unit: 16GiB; limits as INT */
    XPD_PARAM_DOUBLE,
    XPD_PARAM_ENUM,
    XPD_PARAM_CHIP,   /* a name that xpd_peaks_find() knows, or "" */
    XPD_PARAM_REFUSED /* any value but "" is an error: what other programs offer and this one does
                         not; `help` says why */
};

struct xpd_param_spec { /* ends with name = NULL */
    const char *name;
    enum xpd_param_type type;
    bool required;
    int64_t min, max, fallback; /* INT; a min above 0 also of DOUBLE */
    const char *words;          /* ENUM: "size padding order" */
    const char *help;           /* one line, also in docs/API.md */
};

enum xpd_tool_needs { /* what the caller prepares before run() */
                      XPD_NEEDS_NOTHING,
                      XPD_NEEDS_CATALOG,
                      XPD_NEEDS_RUN,
                      XPD_NEEDS_MODULE,
                      XPD_NEEDS_SPACE
};

struct xpd_tool_ctx {
    struct xpd_arena *arena; /* of the request */
    struct xpd_store *store;
    struct xpd_catalog *catalog;   /* CATALOG and above */
    const struct xpd_run *run;     /* RUN and above */
    const struct xpd_run **beside; /* a second run that the answer reads: what is put here is let go
                                      of after the answer is written */
    uint32_t module;               /* MODULE and above: index into run->module */
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space; /* SPACE */
    int64_t color;
    const struct xpd_param *param;
    uint32_t param_count;
    int64_t hbm_override_bytes; /* --hbm, or &hbm= of the query; -1 = none */
    const char *source_url;     /* --source-url template, or NULL */
    const char *doctor_config;  /* thresholds and silences of --config, checked; or NULL */
    /* A file of the page by its name, appended to `out`; NULL = this program has no page. */
    int (*page_file)(void *page, struct xpd_str name, struct xpd_strbuf *out, struct xpd_err *err);
    void *page;
    bool may_stream; /* the caller takes result->source from a tool that says `may_stream` */
    bool portable;   /* the answer is kept: without what differs between copies of a file */
    bool stays;      /* more will be asked: tables for fast answers are made in the background */
    /* Instead of a body: what make() made, while the run is held. NULL: it is written. */
    int (*use)(void *self, const struct xpd_record *record, const void *answer,
               struct xpd_err *err);
    void *use_self;
    int wait_ms; /* how long a tool may wait for what is made on first demand (traces) */
    struct xpd_load_state *state; /* how far that is when it answers XPD_EBUSY; may be NULL */
};

enum xpd_body_type { XPD_BODY_JSON, XPD_BODY_CSV, XPD_BODY_TEXT, XPD_BODY_HTML, XPD_BODY_BYTES };

/* A body that is made while it is sent, so that memory does not grow with it. */
struct xpd_body_source {
    /* Appends the next piece (about 64 KiB) to `out`; XPD_OK with nothing appended is the end.
     * NULL = there is no such body. Called by one thread at a time. */
    int (*next)(void *self, struct xpd_strbuf *out, struct xpd_err *err);
    void (*close)(void *self); /* once */
    void *self;                /* holds the run for as long as it needs it */
    bool compress; /* large text: a client that takes gzip gets it packed, piece by piece */
};

#define XPD_NOTE_BYTES 320

struct xpd_tool_result {
    struct xpd_strbuf body;
    struct xpd_body_source source; /* instead of `body`; of tools that say `streams` or `may_stream`
                                    */
    enum xpd_body_type type;
    const char *file_name; /* for a download, or NULL */
    int status;            /* 0 = 200; compat routes may set 404 and so on together with a body */
    char note[XPD_NOTE_BYTES]; /* what the client should know of the answer, "" = nothing: one line
                                  of ASCII, sent as the header X-Xprofd-Note; see xpd_tool_note */
    /* For who asks in a terminal: the answer's `filter_note`, which only its JSON has. */
    char filter_note[XPD_NOTE_BYTES];
};

/* Sets the note; what is not printable ASCII becomes '?', what is too long ends in "...". */
__attribute__((format(printf, 2, 3))) void xpd_tool_note(struct xpd_tool_result *out,
                                                         const char *format, ...);

/* ---- what a report file holds of a tool (docs/REPORT.md) ---- */

enum xpd_each {
    XPD_EACH_RUN,
    XPD_EACH_HEAP,      /* a folder of heap files */
    XPD_EACH_HEAP_FILE, /* each file of it */
    XPD_EACH_HEAP_LINE, /* the 200 lines that hold most in the last one */
    XPD_EACH_HOST,      /* without the parameter, and with each host when there are several */
    XPD_EACH_LANE, /* the same for each device or thread with steps, at most 64, where one answer
                      does not list all steps of the trace */
    XPD_EACH_MEASURED, /* the run, where events were measured; of a baseline too */
    /* the rows of another answer (rows_of in report_plan.c), without a host and with each: */
    XPD_EACH_OP,         /* the 200 operations of most time */
    XPD_EACH_INPUT_STEP, /* the bars of Input: each step, or the slowest of several */
    XPD_EACH_LAYER,      /* the layers of a model */
    XPD_EACH_ALLOCATOR,  /* allocators of the runtime */
    XPD_EACH_MODULE,     /* programs, the default one first, then by peak */
    XPD_EACH_ENTRY,      /* the entry computation of each program */
    XPD_EACH_SPACE,      /* memory spaces of each program, the main one first */
    XPD_EACH_PAIR,       /* the same, of a report with a baseline only */
    XPD_EACH_PAGE,       /* XPD_EACH_PAIR, page by page from {offset} on, at most 100 */
    XPD_EACH_TEXT,       /* XPD_EACH_PAGE of the main space only: a text has none;
                            without {offset} one page */
    XPD_EACH_PEAK,    /* the peak of each space; its {step} is left out when it has no heap trace */
    XPD_EACH_NEAR,    /* the other peaks within 10 % of it, at most 16 */
    XPD_EACH_TILE,    /* windows of 4,096 steps, each half way into the one before, at most 64 */
    XPD_EACH_STEP,    /* every step, of programs of at most 1,000 */
    XPD_EACH_LARGEST, /* the 200 largest buffers at the peak */
    XPD_EACH_TENANT,  /* those of them that lie in the heap */
    XPD_EACH_LEAF,    /* the categories of the report that hold something at the peak */
    XPD_EACH_GROUP,   /* the op groups that do */
    XPD_EACH_BUFFER   /* the first 2,000 buffers of the program that lie in the space */
};

struct xpd_ask {
    int when; /* the least is asked first, equal ones as tools.def lists the tools; its hundreds are
                 the turn. 1: what the page shows when it opens, 2: what is a click away, 3: the
                 long tail. A turn is asked of all programs before the next one begins, so that a
                 limit cuts the tail. */
    enum xpd_each each; /* what it is asked once for */
    /* The parameters as the page sends them, without those that `each` means: run, host, module,
     * space, and the other program of a pair. a|b|c: one question with each. {step} is the thing's
     * own, {fold} what its space folds below, {rows} all of a trace. */
    const char *query;
    const char *holds; /* in words, for where something else was asked; NULL: as the one before */
};

/* Members of a struct xpd_tool. `any`: parameters of the page that need not be equal, with a blank
 * between: an answer for other pixels does, and with `window` one for a wider window of steps or
 * time. Then the questions, each a struct xpd_ask in braces. */
#define XPD_IN_REPORT(any, ...)                                                                    \
    .report_any = (any), .report = ((const struct xpd_ask[]){__VA_ARGS__, {0}})

struct xpd_tool {
    const char *route; /* "/api/v1/memory/summary" */
    const char *title; /* one sentence, also in docs/API.md */
    enum xpd_tool_needs needs;
    bool streams;    /* answers through result->source; never cached */
    bool may_stream; /* does when the answer is large and ctx->may_stream; XPD_ELIMIT else */
    const struct xpd_param_spec *params; /* own ones; run, host, module, space are common */

    /* An answer that is described: make() sets *answer to a struct of this record, in ctx->arena;
     * what xpd_tool_call sends of it is JSON, or what the parameter `format` names: csv or text. */
    const struct xpd_record *(*answer)(void); /* NULL: run() writes by itself */
    int (*make)(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err);
    /* XPD_IN_REPORT: questions up to one without `query`. NULL: no report holds an answer. */
    const struct xpd_ask *report;
    const char *report_any;
    /* Of an answer that is not a described JSON: the types it may have, with a blank between, most
     * usual first: "text/plain application/octet-stream". NULL: it is JSON. */
    const char *content;
    const char *about;     /* more for docs/API.md, after the title: sentences, or NULL */
    const char *file_name; /* of the CSV */
    const char *table;     /* key of the table that a CSV has; NULL: the first of the answer */
    /* A CSV whose heads follow from the question; NULL: that of the answer's table. */
    void (*csv)(struct xpd_csv *csv, const void *answer);
    /* For a terminal; NULL: the table alone (xpd_answer_table). */
    void (*text)(struct xpd_strbuf *out, const void *answer);
    /* Any other word of the parameter `format`; NULL: there is none. Sets out->type. */
    void (*other_form)(struct xpd_tool_result *out, struct xpd_str format, const void *answer);

    int (*run)(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err);
    /* Of an answer that is XPD_ENOTFOUND: may write a body that says more, set out->status and
     * return XPD_OK; else err->code. NULL: the error alone. */
    int (*not_found)(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                     struct xpd_err *err);
};

struct xpd_capacity {
    int64_t bytes;       /* -1 unknown */
    const char *from;    /* who says so; NULL when unknown */
    const char *unknown; /* why; NULL when known */
};
/* Of one memory space: the one answer for every page, route and command. The user, else the
 * compiler's error text, else the profile, else the table of chips; a dump and a profile of one
 * experiment that hold the same program say so for each other. Needs a run; texts live as long as
 * it and ctx->arena. */
void xpd_tools_capacity(const struct xpd_tool_ctx *ctx, int64_t color, struct xpd_capacity *out);

/* The list of tools.def and that of compat/routes.def. */
const struct xpd_tool *const *xpd_tools(uint32_t *count);
/* NULL: no tool has this route. */
const struct xpd_tool *xpd_tool_find(struct xpd_str route);

/* Checks the query against the specification: unknown names are ignored, wrong values are
 * XPD_EINVAL with the parameter in `where`. */
int xpd_params_check(const struct xpd_tool *tool, const struct xpd_param *param, uint32_t count,
                     struct xpd_err *err);
/* Whether the query names it, be it with an empty value. */
bool xpd_param_has(const struct xpd_tool_ctx *ctx, const char *name);
struct xpd_str xpd_param_text(const struct xpd_tool_ctx *ctx,
                              const char *name); /* "" when absent */
/* Which of `words`, with a blank between, the value is; -1: none of them. */
int xpd_word_index(const char *words, struct xpd_str value);
/* ENUM: which one of its words, by their order; -1 when absent. */
int xpd_param_word(const struct xpd_tool_ctx *ctx, const struct xpd_tool *tool, const char *name);
/* INT and SIZE. */
int64_t xpd_param_int(const struct xpd_tool_ctx *ctx, const struct xpd_tool *tool,
                      const char *name);

/* The one host that the call names, index in run->host; XPD_NO_INDEX: none is named. XPD_ENOTFOUND:
 * the run has no such host. */
int xpd_tool_host(const struct xpd_tool_ctx *ctx, uint32_t *host, struct xpd_err *err);
/* Sets ctx->module of ctx->run by the parameters module and host, else to the default.
 * XPD_ENOTFOUND: no such module; XPD_EFORMAT: the run has none; XPD_ELIMIT, XPD_EIO, XPD_ECHANGED,
 * XPD_ENOMEM. */
int xpd_tool_pick_module(struct xpd_tool_ctx *ctx, struct xpd_err *err);

/* A copy for an answer that outlives the request: the query's texts and *out live in `arena`; run,
 * catalog and state are not taken over. XPD_ENOMEM. */
int xpd_tool_ctx_keep(struct xpd_tool_ctx *out, const struct xpd_tool_ctx *ctx,
                      struct xpd_arena *arena, struct xpd_err *err);

/* Prepares ctx (run, module, space by the common parameters and defaults) and calls the tool.
 * XPD_EBUSY with *state while loading. `wait_ms` as in xpd_store_acquire. Cleans up everything it
 * held. */
int xpd_tool_call(const struct xpd_tool *tool, struct xpd_store *store, struct xpd_tool_ctx *ctx,
                  int wait_ms, struct xpd_tool_result *out, struct xpd_load_state *state,
                  struct xpd_err *err);

/* {error:{code, message, where, offset}} */
void xpd_json_error(struct xpd_jsonw *w, const struct xpd_err *err);
/* "warnings":[{severity, code, text, offset, count}] */
void xpd_json_warnings(struct xpd_jsonw *w, const char *key, const struct xpd_warnings *list);

#endif

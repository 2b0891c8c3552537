/* One answer of trace_viewer@ in the making. */
#ifndef XPROFD_COMPAT_TRACE_ANSWER_H
#define XPROFD_COMPAT_TRACE_ANSWER_H

#include "trace.h"
#include "xprofd/base/pump.h"

enum xpd_trace_mode { XPD_TRACE_WINDOW, XPD_TRACE_EVENT, XPD_TRACE_SEARCH };

struct xpd_trace_answer {
    struct xpd_compat_trace *trace;
    const struct xpd_compat_host *host; /* the one being walked */
    enum xpd_trace_mode mode;
    bool with_args, full_dma;
    struct xpd_str name; /* of the event, or the prefix */
    int64_t start_ps, duration_ps;
    uint64_t serial;
    struct xpd_intern frames; /* long texts; the id is the number of the frame */
    struct xpd_arena arena, scratch;
    struct xpd_jsonw json;
    uint64_t count, counters;
    size_t count_at;       /* position of the count, written at the end */
    bool looking;          /* first walk, for one event: only its long text is wanted */
    bool found;            /* some host has data for it */
    bool counting;         /* first walk of an answer that may be large: only `count` is wanted */
    struct xpd_pump *pump; /* where the answer goes as it grows; NULL = it stays in memory. The
                              count is known then. */
    struct xpd_err *err;
    int rc;
};

/* trace_viewer.c: the whole answer into answer->json.out, in pieces when there is a pump. */
int xpd_answer_write(struct xpd_trace_answer *answer);
/* Passes on the buffer if it has at least this many bytes; false: the reader has closed. */
#define XPD_ANSWER_PIECE ((size_t)64 << 10)
static inline bool xpd_answer_sent(struct xpd_trace_answer *answer, size_t least)
{
    struct xpd_strbuf *out = answer->json.out;
    if (!answer->pump || out->size < least)
        return !out->failed;
    if (!xpd_pump_push(answer->pump, out) && answer->rc == XPD_OK)
        answer->rc = xpd_fail(answer->err, XPD_EBUSY, NULL, XPD_NO_OFFSET,
                              "the reader of this answer has gone");
    return answer->rc == XPD_OK;
}
/* trace_counters.c: the samples, after the other events. */
int xpd_answer_counters(struct xpd_trace_answer *answer);

/* trace_ask.c: the request. */
int xpd_answer_params(struct xpd_trace_answer *answer, struct xpd_err *err);
/* Sets the query of each host, and loads what it needs. Without start and end there is no window:
 * everything. */
int xpd_answer_window(struct xpd_trace_answer *answer, struct xpd_err *err);
bool xpd_answer_wants(const struct xpd_trace_answer *answer, const struct xpd_xprof_event *event);
/* Of the traces of all hosts. */
void xpd_answer_bounds(const struct xpd_compat_trace *trace, int64_t *first_ps, int64_t *end_ps);

/* trace_frames.c: long texts, which XProf sends as stack frames. */
void xpd_answer_frame(struct xpd_trace_answer *answer, bool derived, uint32_t name_number);
/* The same of its stats long_name and hlo_text, when it is measured. */
void xpd_answer_stat_frames(struct xpd_trace_answer *answer, uint64_t event);
bool xpd_answer_is_frame(const struct xpd_compat_arg *arg);
/* All of a host: XProf sends them with every answer but that about one event. */
void xpd_answer_all_frames(struct xpd_trace_answer *answer);
void xpd_answer_write_frames(struct xpd_trace_answer *answer);

/* compat_trace_event.c: one event as JSON. */
void xpd_answer_number(struct xpd_jsonw *w, const char *key, uint64_t value); /* never as text */
void xpd_answer_slice(struct xpd_trace_answer *answer, const struct xpd_xprof_event *event);
void xpd_answer_async(struct xpd_trace_answer *answer, const struct xpd_xprof_event *event);

/* trace_viewer.c: the answer in memory. One that is too large is not made: *too_many is how many
 * events it has then, else 0. */
int xpd_answer_at_once(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                       uint64_t *too_many, struct xpd_err *err);

#endif

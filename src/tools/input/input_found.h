/* What the input tools share: the analysis of one host, its parameters, names of events for people.
 */
#ifndef XPROFD_SRC_TOOLS_INPUT_INPUT_FOUND_H
#define XPROFD_SRC_TOOLS_INPUT_INPUT_FOUND_H

#include "../trace/op_side.h"
#include "../trace/trace_common.h"
#include "xprofd/tools/input.h"

struct xpd_input_found {
    const struct xpd_tool_ctx *ctx;
    struct xpd_trace_call call; /* of one host */
    const struct xpd_input_run *input;
    struct xpd_input_verdict verdict;
    struct xpd_input_rules rules; /* the user's */
};
/* The answer of a tool by the parameters of XPD_INPUT_PARAMS: a struct of this record, filled by
 * `fill`. That there are no steps is not an error. */
int xpd_input_answer(const struct xpd_tool_ctx *ctx, const struct xpd_record *record,
                     int (*fill)(struct xpd_input_found *found, void *answer, struct xpd_err *err),
                     const void **out, struct xpd_err *err);
/* Of one host, of all steps by the built-in rules: kept beside the run. */
int xpd_input_of_host(const struct xpd_input_run **out, const struct xpd_tool_ctx *ctx,
                      uint32_t host, struct xpd_err *err);

/* The verdict on several hosts: that of the one that waits most. */
struct xpd_input_of_hosts {
    struct xpd_input_verdict verdict;
    const char *why_not; /* none of them has steps; NULL: `host` has */
    enum xpd_input_steps steps;
    uint32_t step_count;
    uint32_t host; /* in run->host; XPD_NO_INDEX: there are no hosts */
};
/* Of all steps, or of the one of a number. */
int xpd_input_of_hosts(struct xpd_input_of_hosts *out, const struct xpd_tool_ctx *ctx,
                       const uint32_t *host, uint32_t hosts, const int64_t *step,
                       struct xpd_err *err);
/* The steps chosen again, with the pieces of their time. */
int xpd_input_found_pieces(struct xpd_input_found *found, const struct xpd_step_numbers *chosen,
                           uint32_t count, struct xpd_err *err);
/* Cores of the host as tf.data says, -1 = it does not. */
int xpd_input_cores(int64_t *out, const struct xpd_input_found *found, struct xpd_err *err);

/* "loader.py:24 augment" of a name of the view; no text (data NULL) for XPD_NO_INDEX. */
struct xpd_str xpd_input_name(const struct xpd_input_found *found, uint32_t name);
/* "loader.py:24" of a Python frame; no text for others. */
struct xpd_str xpd_input_source(const struct xpd_input_found *found, uint32_t name);
/* The thread's name; of one without a name that of its longest call. */
struct xpd_str xpd_input_thread_name(const struct xpd_input_found *found, uint32_t thread);
const char *xpd_input_role_word(uint32_t role);
const char *xpd_input_steps_word(enum xpd_input_steps what);
#define XPD_INPUT_ROLE_WORDS  "program loader device runtime"
#define XPD_INPUT_STEPS_WORDS "marks periods launches overview none"
/* "784.1 ms" of the request's arena. */
const char *xpd_input_time(const struct xpd_tool_ctx *ctx, double ps);

/* Commas after each but the last. */
#define XPD_INPUT_PARAMS                                                                           \
    {.name = "host",                                                                               \
     .type = XPD_PARAM_TEXT,                                                                       \
     .help = "host of the threads; default: the first with events"},                               \
        XPD_PARAM_STEPS("steps", "only these steps, `100-102,105`; default: all"),                 \
    {                                                                                              \
        .name = "rules", .type = XPD_PARAM_TEXT, .max = 2048,                                      \
        .help =                                                                                    \
            "rules before the built-in ones, `wait:get_batch,load:my_read`: events whose name "    \
            "contains the text are of this class (wait, load, preprocess, transfer, launch, "      \
            "result, none)"                                                                        \
    }

/* input_words.c: what the numbers mean, in sentences; in the arena. */
struct xpd_input_words {
    const char *headline, *detail, *sentence, *advice;
    const char *step;  /* what one is; NULL: a mark */
    const char *apart; /* why Overview's steps have another length; NULL: they do not */
};
/* Steps of Input and of Overview whose means differ by this share of the shorter one get a sentence
 * on both pages. */
#define XPD_INPUT_STEPS_APART 0.05
static inline bool xpd_input_steps_apart(double a_ps, double b_ps)
{
    double longer = a_ps > b_ps ? a_ps : b_ps, shorter = a_ps > b_ps ? b_ps : a_ps;
    return longer - shorter > XPD_INPUT_STEPS_APART * shorter;
}
/* "from the end of one mark of the program to the end of the next" */
const char *xpd_input_step_reach(enum xpd_input_steps what, uint32_t steps);
int xpd_input_words(struct xpd_input_words *out, const struct xpd_input_found *found,
                    struct xpd_err *err);

#endif

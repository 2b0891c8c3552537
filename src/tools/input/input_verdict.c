/* /api/v1/input/verdict: whether the input keeps up, in numbers and sentences. */
#include "input_found.h"
#include "xprofd/answer/write.h"
#include "xprofd/base/time_text.h"

#define XPD_INPUT_RULE_FIELDS(FIELD)                                                               \
    FIELD(STRING, class, "")                                                                       \
    FIELD(STRING, match, "how `text` is compared with the name of an event")                       \
    FIELD(TEXT, text, "")                                                                          \
    FIELD(BOOL, own, "of the parameter `rules`")
XPD_RECORD(xpd_input_rule_row, XPD_INPUT_RULE_FIELDS)

#define XPD_INPUT_VERDICT_FIELDS(FIELD)                                                            \
    FIELD(STRING, host, "host of these threads")                                                   \
    FIELD(WORD(XPD_INPUT_STEPS_WORDS), steps_are,                                                  \
          "marks of the program; periods from the end of one mark to the next; those of overview " \
          "with the time before each; launches of the program")                                    \
    FIELD(MAYBE(STRING), step_is, "what a step is, in words; null: a mark, or no steps")           \
    FIELD(MAYBE(STRING), steps_apart,                                                              \
          "Overview's mean step and that of this answer, where they differ by 5 %")                \
    FIELD(MAYBE(STRING), why_none, "why there are no steps; null: there are steps")                \
    FIELD(COUNT, steps, "steps that the numbers cover")                                            \
    FIELD(WORD("no partly yes unknown"), says,                                                     \
          "no: below 5 %; partly: up to 20 %; yes: above; unknown: unknown time could change the " \
          "verdict")                                                                               \
    FIELD(MAYBE(REAL), share,                                                                      \
          "share of the steps in which the program, or a chip in infeed, waits for input")         \
    FIELD(MAYBE(REAL), most_share, "including all unexplained time")                               \
    FIELD(STRING, headline, "")                                                                    \
    FIELD(STRING, detail, "")                                                                      \
    FIELD(STRING, sentence, "")                                                                    \
    FIELD(STRING, advice, "what would help, or what to record")                                    \
    FIELD(MAYBE(WORD("asks_late slow loader_waits itself infeed")), side, "why the program waits") \
    FIELD(INT, length_ps, "all steps")                                                             \
    FIELD(INT, wait_ps, "input time of the steps")                                                 \
    FIELD(INT, step_ps, "mean")                                                                    \
    FIELD(INT, without_input_ps, "mean of a step without its input time")                          \
    FIELD(MAYBE(REAL), faster, "step / without input")                                             \
    FIELD(COUNT, loaders, "threads that load or preprocess")                                       \
    FIELD(MAYBE(INT), batch_ps, "work of all loaders per step, mean")                              \
    FIELD(MAYBE(INT), load_ps, "time of batch_ps spent loading")                                   \
    FIELD(MAYBE(INT), needed, "number of loaders needed: batch / without input, rounded up")       \
    FIELD(MAYBE(INT), cores, "of the host, as tf.data reports; null: not in the file")             \
    FIELD(MAYBE(REAL), full_share,                                                                 \
          "share of the loaders' time spent waiting for room in the queue")                        \
    FIELD(MAYBE(INT), busy_ps,                                                                     \
          "time in which some device of the host works; null: none was recorded")                  \
    FIELD(MAYBE(INT), idle_input_ps, "all devices idle while the program waits for input")         \
    FIELD(MAYBE(INT), idle_transfer_ps, "all devices idle while the program transfers")            \
    FIELD(MAYBE(INT), idle_other_ps, "other idle time; the four add up to the steps")              \
    FIELD(INT, infeed_ps, "chips wait in infeed, mean of the chips, all steps")                    \
    FIELD(BOOL, python, "calls of Python were recorded in the steps")                              \
    FIELD(MAYBE(INT), map_ps, "threads of tf.data's map functions work for a step, mean")          \
    FIELD(COUNT, tf_stages, "stages of tf.data")                                                   \
    FIELD(COLUMNS(xpd_input_rule_row), rules, "in order; the first that applies decides")
XPD_RECORD(xpd_input_verdict_answer, XPD_INPUT_VERDICT_FIELDS)

static const char *side_word(enum xpd_input_side side)
{
    static const char *const words[] = {NULL,           "asks_late", "slow",
                                        "loader_waits", "itself",    "infeed"};
    return words[side];
}

static int put_rules(struct xpd_input_verdict_answer *out, const struct xpd_input_found *found,
                     struct xpd_err *err)
{
    struct xpd_input_known known;
    uint32_t count = 0, own = found->rules.count;
    while (xpd_input_known_rule(count, &known))
        count++;
    struct xpd_input_rule_row *row =
        XPD_NEW_ARRAY(found->ctx->arena, struct xpd_input_rule_row, own + count);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < own; i++) {
        const struct xpd_input_rule *rule = &found->rules.rule[i];
        row[i] = (struct xpd_input_rule_row){
            rule->class == XPD_INPUT_OTHER ? "none" : xpd_input_class_word(rule->class), "contains",
            rule->text, true};
    }
    for (uint32_t i = 0; i < count && xpd_input_known_rule(i, &known); i++)
        row[own + i] =
            (struct xpd_input_rule_row){known.class, known.match, xpd_str_of(known.text), false};
    out->rules.at = row;
    out->rules.n = own + count;
    return XPD_OK;
}

static void put_numbers(struct xpd_input_verdict_answer *out, const struct xpd_input_found *found)
{
    const struct xpd_input_run *in = found->input;
    const struct xpd_input_verdict *v = &found->verdict;
    static const char *const says[] = {"no", "partly", "yes", "unknown"};
    bool steps = in->step_count > 0;
    int64_t n = steps ? in->step_count : 1;
    out->steps_are = xpd_input_steps_word(in->what);
    out->why_none = in->why_none;
    out->steps = in->step_count;
    out->says = says[v->says];
    out->side = side_word(v->side);
    out->share = steps ? v->share : -1;
    out->most_share = steps ? v->most_share : -1;
    out->length_ps = in->length_ps;
    out->wait_ps = v->wait_ps;
    out->step_ps = in->length_ps / n;
    out->without_input_ps = (int64_t)v->free_ps;
    out->faster = steps && v->free_ps > 0 ? v->step_ps / v->free_ps : -1;
    out->loaders = in->loaders;
    out->batch_ps = v->batch_ps < 0 ? -1 : (int64_t)v->batch_ps;
    out->load_ps = v->batch_ps < 0 ? -1 : in->sum.load_ps / n;
    out->needed = v->needed;
    out->full_share = v->full_share;
    out->busy_ps = in->devices ? in->sum.busy_ps : -1;
    out->idle_input_ps = in->devices ? in->sum.idle_input_ps : -1;
    out->idle_transfer_ps = in->devices ? in->sum.idle_transfer_ps : -1;
    out->idle_other_ps = in->devices ? in->sum.idle_other_ps : -1;
    out->infeed_ps = in->sum.infeed_ps;
    out->python = in->python;
    out->map_ps = in->map_busy_ps < 0 ? -1 : in->map_busy_ps / n;
    out->tf_stages = in->tf_count;
}

static int fill_verdict(struct xpd_input_found *found, void *answer, struct xpd_err *err)
{
    struct xpd_input_verdict_answer *out = answer;
    struct xpd_input_words words;
    int rc = xpd_input_words(&words, found, err);
    if (rc != XPD_OK)
        return rc;
    out->step_is = words.step;
    out->steps_apart = words.apart;
    out->host = xpd_tools_host_name(&found->call);
    put_numbers(out, found);
    out->headline = words.headline;
    out->detail = words.detail;
    out->sentence = words.sentence;
    out->advice = words.advice;
    rc = xpd_input_cores(&out->cores, found, err);
    return rc == XPD_OK ? put_rules(out, found, err) : rc;
}

XPD_MAKE_BY(xpd_input_answer, verdict, xpd_input_verdict_answer_record, fill_verdict)

static void put_time(struct xpd_strbuf *out, const char *label, double ps)
{
    char text[XPD_TIME_TEXT_BYTES];
    if (ps >= 0)
        xpd_strbuf_printf(out, "  %-34s %12s\n", label, xpd_time_text(text, ps));
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_input_verdict_answer *a = answer;
    static const char *const badge[] = {"not input bound", "partly input bound", "input bound",
                                        "cannot tell"};
    int says = xpd_word_index("no partly yes unknown", xpd_str_of(a->says));
    xpd_strbuf_printf(out, "%s [%s]\n%s\n", a->headline, badge[says < 0 ? 3 : says], a->detail);
    if (a->steps == 0)
        return;
    if (a->step_is)
        xpd_strbuf_printf(out, "%s\n", a->step_is);
    if (a->steps_apart)
        xpd_strbuf_printf(out, "%s\n", a->steps_apart);
    xpd_strbuf_printf(out, "%s\n%s\n\nA step, mean of %" PRIu32 ":\n", a->sentence, a->advice,
                      a->steps);
    put_time(out, "step", (double)a->step_ps);
    put_time(out, "without waiting for input", (double)a->without_input_ps);
    put_time(out, "load and preprocess a batch", (double)a->batch_ps);
    put_time(out, "map functions of tf.data", (double)a->map_ps);
    if (a->needed >= 0)
        xpd_strbuf_printf(out, "  %-34s %12lld\n", "loaders that would keep up",
                          (long long)a->needed);
    if (a->busy_ps >= 0) {
        xpd_strbuf_puts(out, "\nDevices, all steps:\n");
        put_time(out, "work", (double)a->busy_ps);
        put_time(out, "idle, the program waits for input", (double)a->idle_input_ps);
        put_time(out, "idle, during a transfer", (double)a->idle_transfer_ps);
        put_time(out, "idle, other", (double)a->idle_other_ps);
    }
}

static const struct xpd_param_spec params[] = {
    XPD_INPUT_PARAMS,
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_input_verdict = {
    .route = "/api/v1/input/verdict",
    .title = "Whether the program waits for its input, and why.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .about = "The program is the thread that marks the steps, else the one that launches programs. "
             "Input time is the time it waits for a batch, and the time it loads and preprocesses "
             "by itself; if the chips wait longer in infeed, it is that wait. docs/INPUT.md "
             "explains the rules.",
    .answer = xpd_input_verdict_answer_record,
    .make = verdict,
    .text = text,
    .file_name = "input_rules.csv",
    XPD_IN_REPORT("", {155, XPD_EACH_HOST, "", "what the program waited for"}),
};

/* /api/v1/input/tfdata: the stages of tf.data with what they say of themselves. */
#include "input_found.h"
#include "xprofd/answer/write.h"

#define XPD_INPUT_TF_FIELDS(FIELD)                                                                 \
    FIELD(TEXT, stage, "last part of its path")                                                    \
    FIELD(TEXT, path, "from the end of the pipeline; the iterators of a stage are one")            \
    FIELD(MAYBE(INDEX), parent, "the stage that calls it; null: the last of a pipeline")           \
    FIELD(COUNT, depth, "")                                                                        \
    FIELD(MAYBE(TEXT), dataset, "")                                                                \
    FIELD(INT, calls, "that begin in the steps")                                                   \
    FIELD(INT, total_ps,                                                                           \
          "time in calls, including waiting and the stages below on the same thread")              \
    FIELD(INT, self_ps, "the same without the stages below")                                       \
    FIELD(MAYBE(INT), mean_ps, "a call")                                                           \
    FIELD(COUNT, threads, "threads that call it")                                                  \
    FIELD(MAYBE(INT), parallelism, "as tf.data reports; null here and below: not reported")        \
    FIELD(MAYBE(INT), buffered, "elements in its buffer, at the last call")                        \
    FIELD(MAYBE(INT), buffer_size, "capacity of the buffer in elements")                           \
    FIELD(MAYBE(INT), batch_size, "")                                                              \
    FIELD(MAYBE(TEXT), autotune, "")                                                               \
    FIELD(MAYBE(TEXT), shapes, "of an element")                                                    \
    FIELD(MAYBE(TEXT), types, "")
XPD_RECORD(xpd_input_tf_row, XPD_INPUT_TF_FIELDS)

#define XPD_INPUT_TFDATA_FIELDS(FIELD)                                                             \
    FIELD(STRING, host, "host of these threads")                                                   \
    FIELD(MAYBE(STRING), why_none, "why there are no stages; null: there are stages")              \
    FIELD(INT, length_ps, "all steps")                                                             \
    FIELD(COUNT, steps, "")                                                                        \
    FIELD(MAYBE(INDEX), bounds, "stage with the most self time")                                   \
    FIELD(MAYBE(INT), map_busy_ps,                                                                 \
          "time in which some thread of the map functions works, in all steps")                    \
    FIELD(MAYBE(TEXT), map_operation, "operation with the most time on these threads")             \
    FIELD(MAYBE(INT), map_operation_ps, "")                                                        \
    FIELD(MAYBE(INT), cpu_budget, "cores that tf.data plans with")                                 \
    FIELD(MAYBE(INT), ram_budget_bytes, "memory that tf.data plans with")                          \
    FIELD(INLINE(xpd_input_tf_row), rows, "last stage first; each stage before those below")
XPD_RECORD(xpd_input_tfdata_answer, XPD_INPUT_TFDATA_FIELDS)

#define MEGABYTE 1000000 /* tf.data divides by 1.0e6 */

struct said { /* by the last event of a stage */
    const struct xpd_input_found *found;
    struct xpd_stat_value *stat;
    uint32_t count;
};

static int read_stats(struct said *said, const struct xpd_input_found *found, uint64_t event,
                      struct xpd_err *err)
{
    uint32_t from_metadata;
    *said = (struct said){.found = found};
    if (event == UINT64_MAX)
        return XPD_OK;
    return xpd_trace_stats(found->call.view.trace, event, found->ctx->arena, &said->stat,
                           &said->count, &from_metadata, err);
}

static const struct xpd_stat_value *stat_of(const struct said *said, const char *name)
{
    for (uint32_t i = 0; i < said->count; i++)
        if (xpd_str_eq(said->stat[i].name, xpd_str_of(name)))
            return &said->stat[i];
    return NULL;
}

/* As a number, or as one written as text; -1 = not said. */
static int64_t number(const struct said *said, const char *name)
{
    const struct xpd_stat_value *stat = stat_of(said, name);
    int64_t value;
    if (!stat || (stat->type == XPD_STAT_TEXT && !xpd_str_to_i64(stat->text, &value)))
        return -1;
    if (stat->type != XPD_STAT_TEXT)
        value = stat->integer;
    return value < 0 ? -1 : value;
}

static int64_t either(const struct said *said, const char *name, const char *other)
{
    int64_t value = number(said, name);
    return value >= 0 ? value : number(said, other);
}

static struct xpd_str words(const struct said *said, const char *name)
{
    const struct xpd_stat_value *stat = stat_of(said, name);
    return stat && stat->type == XPD_STAT_TEXT ? stat->text : (struct xpd_str){0};
}

/* "PrefetchDataset" of "PrefetchDataset:7". */
static struct xpd_str dataset(const struct said *said)
{
    struct xpd_str text = words(said, "name");
    size_t size = text.size;
    while (size > 0 && text.data[size - 1] >= '0' && text.data[size - 1] <= '9')
        size--;
    return size > 0 && size < text.size && text.data[size - 1] == ':'
               ? (struct xpd_str){text.data, size - 1}
               : text;
}

static struct xpd_input_tf_row row_of(const struct xpd_input_tf_stage *at, const struct said *said,
                                      uint32_t depth)
{
    return (struct xpd_input_tf_row){
        .stage = xpd_str_after_last(at->path, ':'),
        .path = at->path,
        .parent = at->parent,
        .depth = depth,
        .dataset = dataset(said),
        .calls = (int64_t)at->calls,
        .total_ps = at->total_ps,
        .self_ps = at->self_ps,
        .mean_ps = at->calls > 0 ? at->total_ps / (int64_t)at->calls : -1,
        .threads = at->threads,
        .parallelism = either(said, "parallelism", "num_parallel_calls"),
        .buffered = number(said, "buffered_elements"),
        .buffer_size = either(said, "buffer_limit", "buffer_size"),
        .batch_size = number(said, "batch_size"),
        .autotune = words(said, "autotune"),
        .shapes = words(said, "shapes"),
        .types = words(said, "types"),
    };
}

/* What a pipeline plans with stands on its last stage. */
static void put_budget(struct xpd_input_tfdata_answer *out, const struct said *said)
{
    int64_t cores = number(said, "cpu_budget"), ram = number(said, "ram_budget_megabytes");
    if (out->cpu_budget < 0)
        out->cpu_budget = cores;
    if (out->ram_budget_bytes < 0 && ram >= 0 && ram < INT64_MAX / MEGABYTE)
        out->ram_budget_bytes = ram * MEGABYTE;
}

int xpd_input_cores(int64_t *out, const struct xpd_input_found *found, struct xpd_err *err)
{
    struct said said;
    int rc = XPD_OK;
    *out = -1;
    for (uint32_t i = 0; rc == XPD_OK && *out < 0 && i < found->input->tf_count; i++) {
        if (found->input->tf[i].parent != XPD_NO_INDEX)
            continue;
        rc = read_stats(&said, found, found->input->tf[i].event, err);
        if (rc == XPD_OK)
            *out = number(&said, "cpu_budget");
    }
    return rc;
}

static int fill(struct xpd_input_tfdata_answer *out, const struct xpd_input_found *found,
                struct xpd_err *err)
{
    const struct xpd_input_run *in = found->input;
    struct xpd_input_tf_row *row =
        XPD_NEW_ARRAY(found->ctx->arena, struct xpd_input_tf_row, in->tf_count);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < in->tf_count; i++) {
        struct said said;
        uint32_t parent = in->tf[i].parent;
        int rc = read_stats(&said, found, in->tf[i].event, err);
        if (rc != XPD_OK)
            return rc;
        row[i] = row_of(&in->tf[i], &said, parent == XPD_NO_INDEX ? 0 : row[parent].depth + 1);
        put_budget(out, &said);
    }
    out->rows.at = row;
    out->rows.n = in->tf_count;
    return XPD_OK;
}

static int fill_tfdata(struct xpd_input_found *found, void *answer, struct xpd_err *err)
{
    struct xpd_input_tfdata_answer *out = answer;
    const struct xpd_input_run *in = found->input;
    out->host = xpd_tools_host_name(&found->call);
    out->why_none = in->why_none ? in->why_none
                    : in->tf_count == 0
                        ? "no Iterator:: events in this capture: the program uses no tf.data, or "
                          "the host tracer's level is below 2"
                        : NULL;
    out->length_ps = in->length_ps;
    out->steps = in->step_count;
    out->bounds = in->tf_bounds;
    out->map_busy_ps = in->map_busy_ps;
    out->map_operation = xpd_input_name(found, in->map_name);
    out->map_operation_ps = in->map_name_ps;
    out->cpu_budget = out->ram_budget_bytes = -1;
    return fill(out, found, err);
}

XPD_MAKE_BY(xpd_input_answer, tfdata, xpd_input_tfdata_answer_record, fill_tfdata)

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_input_tfdata_answer *a = answer;
    if (a->why_none)
        xpd_strbuf_printf(out, "No stages of tf.data: %s\n", a->why_none);
    else
        xpd_answer_table(out, xpd_record_table(xpd_input_tfdata_answer_record(), "rows"), a,
                         "calls total_ps self_ps mean_ps threads parallelism buffered buffer_size "
                         "dataset path");
}

static const struct xpd_param_spec params[] = {
    XPD_INPUT_PARAMS,
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_input_tfdata = {
    .route = "/api/v1/input/tfdata",
    .title = "The stages of tf.data: calls, time, threads, buffers, parallelism.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .about = "From events `Iterator::`. Time in a call includes waiting and the stages below on "
             "the same thread, so it is not work. Pipelines with the same stages are added up.",
    .answer = xpd_input_tfdata_answer_record,
    .make = tfdata,
    .text = text,
    .file_name = "input_tfdata.csv",
    XPD_IN_REPORT("", {270, XPD_EACH_HOST, "", "what the program waited for"}),
};

/* tag=inference_profile: requests to a model server by how long they took, and the batches they
 * were run in, model by model. Rules: XProf's inference_stats_grouping.cc,
 * inference_stats_sampler.cc, multi_xspace_to_inference_stats.cc. */
#include "../opstats/requests.h"
#include "input_pipeline.h"
#include "xprofd/base/order.h"
#include "xprofd/compat/unstable_sort.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the rows ---- */

struct model_row {
    struct xpd_str name;
};
struct request_row {
    struct xpd_str percentile, request, throughput, url;
    double latency_ms, size, batching_ms, preprocess_ms, runtime_ms, to_device_ms, to_host_ms,
        compute_ms, postprocess_ms, idle_ms;
};
struct batch_row {
    struct xpd_str percentile, batch, throughput, programs, url;
    double latency_ms, padding, size, efficiency, delay_ms, compute_ms;
};
struct pattern_row {
    double number, count;
    struct xpd_str pattern, percentiles;
};

static const struct xpd_column model_columns[] = {
    XPD_COLUMN_AS(struct model_row, "model_name", name, "Model Name"),
};

#define OF_REQUEST                                                                                 \
    XPD_COLUMN(struct request_row, percentile, "Percentile"),                                      \
        XPD_COLUMN_AS(struct request_row, "request_id", request, "Request ID"),                    \
        XPD_COLUMN(struct request_row, latency_ms, "Latency")
#define OF_BATCHING                                                                                \
    XPD_COLUMN_AS(struct request_row, "batching_request_size", size, "Request size"),              \
        XPD_COLUMN_AS(struct request_row, "host_batch_formation", batching_ms,                     \
                      "Host batch formation"),                                                     \
        XPD_COLUMN(struct request_row, throughput, "Throughput")
#define OF_DEVICE                                                                                  \
    XPD_COLUMN_AS(struct request_row, "host_preprocessing", preprocess_ms, "Host preprocess"),     \
        XPD_COLUMN_AS(struct request_row, "host_runtime", runtime_ms, "Host runtime"),             \
        XPD_COLUMN_AS(struct request_row, "data_transfer_h2d", to_device_ms, "Data transfer H2D"), \
        XPD_COLUMN_AS(struct request_row, "data_transfer_d2h", to_host_ms, "Data transfer D2H"),   \
        XPD_COLUMN_AS(struct request_row, "device_compute", compute_ms, "Device compute"),         \
        XPD_COLUMN_AS(struct request_row, "host_postprocess", postprocess_ms, "Host postprocess"), \
        XPD_COLUMN_AS(struct request_row, "idle time", idle_ms, "Idle time"),                      \
        XPD_COLUMN_AS(struct request_row, "trace_viewer_url", url, "Trace Viewer URL")

static const struct xpd_column request_columns[] = {OF_REQUEST, OF_DEVICE};
static const struct xpd_column batched_columns[] = {OF_REQUEST, OF_BATCHING, OF_DEVICE};
static const struct xpd_column batch_columns[] = {
    XPD_COLUMN(struct batch_row, percentile, "Percentile"),
    XPD_COLUMN_AS(struct batch_row, "batch_id", batch, "Batch ID"),
    XPD_COLUMN_AS(struct batch_row, "latency", latency_ms, "Latency"),
    XPD_COLUMN_AS(struct batch_row, "padding_amount", padding, "Padding amount"),
    XPD_COLUMN_AS(struct batch_row, "batch_size_after_padding", size, "Batch size after padding"),
    XPD_COLUMN_AS(struct batch_row, "batching_efficiency", efficiency, "Batching efficiency"),
    XPD_COLUMN_AS(struct batch_row, "batching_delay_us", delay_ms, "Batching delay"),
    XPD_COLUMN(struct batch_row, throughput, "Throughput"),
    XPD_COLUMN_AS(struct batch_row, "device_compute", compute_ms, "Device compute"),
    XPD_COLUMN_AS(struct batch_row, "program_id", programs, "Program ID(s)"),
    XPD_COLUMN_AS(struct batch_row, "trace_viewer_url", url, "Trace Viewer URL"),
};
static const struct xpd_column pattern_columns[] = {
    XPD_COLUMN_AS(struct pattern_row, "id", number, "ID"),
    XPD_COLUMN_AS(struct pattern_row, "tensor_pattern", pattern, "Tensor Pattern"),
    XPD_COLUMN(struct pattern_row, count, "Number of Occurrence"),
    XPD_COLUMN_AS(struct pattern_row, "percentile", percentiles, "Linearize/Delinearize latency"),
};

/* ---- one model ---- */

struct of_model {
    struct xpd_arena *arena;
    const struct xpd_requests *all;
    const struct xpd_request **request; /* shortest first */
    const struct xpd_batch **batch;
    uint32_t request_count, batch_count;
    bool has_batching;                                                /* some model has */
    double requests_a_second, batches_a_second, request_us, batch_us; /* means */
};

static double ms(uint64_t ps)
{
    return (double)ps / 1e9;
}

struct rate { /* of requests or of batches */
    uint64_t begin_ps, end_ps, sum_ps;
    uint32_t count;
};

static void count_span(struct rate *rate, uint64_t begin_ps, uint64_t end_ps)
{
    if (rate->count == 0 || begin_ps < rate->begin_ps)
        rate->begin_ps = begin_ps;
    if (end_ps > rate->end_ps)
        rate->end_ps = end_ps;
    rate->sum_ps += end_ps - begin_ps;
    rate->count++;
}

static double a_second(const struct rate *rate)
{
    return rate->count ? rate->count / ((double)(rate->end_ps - rate->begin_ps) / 1e12) : 0;
}

static double mean_us(const struct rate *rate)
{
    return rate->count ? (double)rate->sum_ps / 1e6 / rate->count : 0;
}

static void pick_model(struct of_model *of, int32_t model)
{
    const struct xpd_requests *all = of->all;
    struct rate requests = {0}, batches = {0};
    of->request = XPD_NEW_ARRAY(of->arena, const struct xpd_request *, all->request_count);
    of->batch = XPD_NEW_ARRAY(of->arena, const struct xpd_batch *, all->batch_count);
    for (uint32_t i = 0; of->request && i < all->request_count; i++) {
        const struct xpd_request *request = &all->request[i];
        if (all->model_count > 0 && request->model != model)
            continue;
        of->request[of->request_count++] = request;
        count_span(&requests, request->begin_ps, request->end_ps);
    }
    for (uint32_t i = 0; of->batch && i < all->batch_count; i++) {
        const struct xpd_batch *batch = &all->batch[i];
        if (all->model_count > 0 && batch->model != model)
            continue;
        of->batch[of->batch_count++] = batch;
        count_span(&batches, batch->begin_ps, batch->end_ps);
    }
    of->requests_a_second = a_second(&requests);
    of->batches_a_second = a_second(&batches);
    of->request_us = mean_us(&requests);
    of->batch_us = mean_us(&batches);
}

/* ---- selection of rows ---- */

enum { PERCENTILES = 6, ALIKE_MAX = 10, SHOWN_MAX = PERCENTILES * ALIKE_MAX };
struct shown {
    uint32_t at[SHOWN_MAX]; /* in the order of latency */
    double percentile[SHOWN_MAX];
    uint32_t count;
};

static void put_shown(struct shown *shown, uint32_t at, uint32_t count)
{
    shown->percentile[shown->count] = 100.0 * at / count;
    shown->at[shown->count++] = at;
}

/* All of few; of more, at most ten at each percentile. */
static void choose(struct shown *shown, uint32_t count)
{
    static const double wanted[PERCENTILES] = {50, 75, 90, 99, 99.9, 99.99};
    static const double within[PERCENTILES] = {1, 1, 1, 0.5, 0.05, 0.005};
    uint32_t next = 0;
    for (uint32_t i = 0; count <= SHOWN_MAX && i < count; i++)
        put_shown(shown, i, count);
    for (uint32_t p = 0; count > SHOWN_MAX && p < PERCENTILES; p++) {
        uint32_t alike = 0;
        for (uint32_t i = next; i < count; i++) {
            double percentile = 100.0 * i / count;
            if (percentile >= wanted[p] + within[p]) {
                next = i;
                break;
            }
            if (percentile >= wanted[p] && alike++ < ALIKE_MAX)
                put_shown(shown, i, count);
        }
    }
}

/* Places in the order of length, as std::sort leaves equal ones. */
static uint32_t *sorted(struct xpd_arena *arena, uint32_t count,
                        uint64_t (*length)(const void *user, uint32_t i), const void *user)
{
    struct xpd_unstable *sort = XPD_NEW_ARRAY(arena, struct xpd_unstable, count);
    uint32_t *order = XPD_NEW_ARRAY(arena, uint32_t, count);
    if (!sort || !order)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        sort[i] = (struct xpd_unstable){.start_ps = (int64_t)length(user, i), .event = i};
    xpd_unstable_sort(sort, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = (uint32_t)sort[i].event;
    return order;
}

static uint64_t request_length(const void *user, uint32_t i)
{
    const struct xpd_request *request = ((const struct of_model *)user)->request[i];
    return request->end_ps - request->begin_ps;
}

static uint64_t batch_length(const void *user, uint32_t i)
{
    const struct xpd_batch *batch = ((const struct of_model *)user)->batch[i];
    return batch->end_ps - batch->begin_ps;
}

/* ---- sums and means ---- */

static void add_request(struct xpd_request *sum, const struct xpd_request *request)
{
    sum->end_ps += request->end_ps - request->begin_ps;
    sum->delay_ps += request->delay_ps;
    sum->size = (int32_t)((uint32_t)sum->size + (uint32_t)request->size);
    for (uint32_t k = 0; k < XPD_STEP_KINDS; k++)
        sum->kind_ps[k] += request->kind_ps[k];
}

static struct xpd_request mean_request(struct xpd_request sum, uint32_t count)
{
    for (uint32_t k = 0; count > 0 && k < XPD_STEP_KINDS; k++)
        sum.kind_ps[k] /= count;
    if (count > 0) {
        sum.end_ps /= count;
        sum.delay_ps /= count;
        sum.size = (int32_t)(sum.size / (int64_t)count);
    }
    return sum;
}

static void add_batch(struct xpd_batch *sum, const struct xpd_batch *batch)
{
    sum->end_ps += batch->end_ps - batch->begin_ps;
    sum->delay_ps += batch->delay_ps;
    sum->padding = (int32_t)((uint32_t)sum->padding + (uint32_t)batch->padding);
    sum->size = (int32_t)((uint32_t)sum->size + (uint32_t)batch->size);
    sum->device_ps += batch->device_ps;
}

static struct xpd_batch mean_batch(struct xpd_batch sum, uint32_t count)
{
    if (count == 0)
        return sum;
    sum.end_ps /= count;
    sum.delay_ps /= count;
    sum.padding = (int32_t)(sum.padding / (int64_t)count);
    sum.size = (int32_t)(sum.size / (int64_t)count);
    sum.device_ps /= count;
    return sum;
}

struct of_size { /* batches of one size, and the requests in them */
    int32_t size;
    uint32_t request_count, batch_count;
    struct xpd_request request;
    struct xpd_batch batch;
};
struct sizes {
    struct of_size *at; /* by size */
    uint32_t count;
};

static int by_size(const void *a, const void *b)
{
    return XPD_ORDER(((const struct of_size *)a)->size, ((const struct of_size *)b)->size);
}

static struct of_size *of_size(struct sizes *sizes, struct xpd_map64 *size_at, int32_t size)
{
    uint32_t at = xpd_map64_get(size_at, (uint64_t)(int64_t)size);
    if (at == XPD_NO_INDEX) {
        at = sizes->count++;
        xpd_map64_put(size_at, (uint64_t)(int64_t)size, at);
        sizes->at[at].size = size;
    }
    return &sizes->at[at];
}

/* False without memory. */
static bool make_sizes(const struct of_model *of, struct sizes *sizes)
{
    struct xpd_map64 size_at = {0}, batch_at = {0};
    sizes->at = XPD_NEW_ARRAY(of->arena, struct of_size, of->batch_count + 1);
    for (uint32_t i = 0; sizes->at && i < of->batch_count; i++)
        xpd_map64_put(&batch_at, of->batch[i]->id, i);
    for (uint32_t i = 0; sizes->at && i < of->request_count; i++)
        for (uint32_t k = 0; k < of->request[i]->batch_count; k++) {
            uint32_t at = xpd_map64_get(&batch_at, of->request[i]->batch[k]);
            if (at == XPD_NO_INDEX)
                continue;
            struct of_size *in = of_size(sizes, &size_at, of->batch[at]->size);
            add_request(&in->request, of->request[i]);
            in->request_count++;
        }
    for (uint32_t i = 0; sizes->at && i < of->batch_count; i++) {
        struct of_size *in = of_size(sizes, &size_at, of->batch[i]->size);
        add_batch(&in->batch, of->batch[i]);
        in->batch_count++;
    }
    bool fine = sizes->at && !size_at.failed && !batch_at.failed;
    xpd_map64_fini(&size_at);
    xpd_map64_fini(&batch_at);
    if (fine && sizes->count > 1)
        qsort(sizes->at, sizes->count, sizeof *sizes->at, by_size);
    return fine;
}

/* ---- the tables of a model ---- */

static struct xpd_str text_of(struct xpd_arena *arena, const char *before, int64_t number)
{
    return xpd_str_of(xpd_arena_printf(arena, "%s%lld", before, (long long)number));
}

static struct request_row request_row(const struct xpd_request *request)
{
    const uint64_t *kind_ps = request->kind_ps;
    return (struct request_row){.request = XPD_STR("N/A"),
                                .throughput = XPD_STR("N/A"),
                                .url = XPD_STR(""),
                                .latency_ms = ms(request->end_ps - request->begin_ps),
                                .size = request->size,
                                .batching_ms = ms(request->delay_ps),
                                .preprocess_ms = ms(kind_ps[XPD_STEP_HOST_PREPROCESS]),
                                .runtime_ms = ms(kind_ps[XPD_STEP_HOST_RUNTIME]),
                                .to_device_ms = ms(kind_ps[XPD_STEP_HOST_TO_DEVICE]),
                                .to_host_ms = ms(kind_ps[XPD_STEP_DEVICE_TO_HOST]),
                                .compute_ms =
                                    ms(kind_ps[XPD_STEP_COMPUTE_32] + kind_ps[XPD_STEP_COMPUTE_16]),
                                .postprocess_ms = ms(kind_ps[XPD_STEP_HOST_POSTPROCESS]),
                                .idle_ms = ms(kind_ps[XPD_STEP_UNKNOWN])};
}

/* The part of the batch, or of several together, that is not padding. */
static double efficiency(const struct xpd_batch *batch)
{
    return batch->size ? (double)(batch->size - batch->padding) / batch->size : 0;
}

static struct batch_row batch_row(const struct xpd_batch *batch)
{
    return (struct batch_row){.batch = XPD_STR("N/A"),
                              .throughput = XPD_STR("N/A"),
                              .programs = XPD_STR("N/A"),
                              .url = XPD_STR(""),
                              .latency_ms = ms(batch->end_ps - batch->begin_ps),
                              .padding = batch->padding,
                              .size = batch->size,
                              .efficiency = efficiency(batch),
                              .delay_ms = ms(batch->delay_ps),
                              .compute_ms = ms(batch->device_ps)};
}

static void put_rate(const struct of_model *of, struct xpd_data_table *table, double rate,
                     double latency_us, bool of_batches, const struct xpd_batching *batching)
{
    struct xpd_properties list;
    xpd_properties_init(&list, of->arena);
    xpd_properties_put(&list, "throughput", xpd_table_digits(of->arena, 1, rate));
    xpd_properties_put(&list, "averageLatencyMs", xpd_table_digits(of->arena, 3, latency_us / 1e3));
    if (of_batches)
        xpd_properties_put(&list, "hasBatchingParam",
                           batching ? XPD_STR("true") : XPD_STR("false"));
    if (batching) {
        xpd_properties_put(&list, "batchingParamNumBatchThreads",
                           text_of(of->arena, "", batching->threads));
        xpd_properties_put(&list, "batchingParamMaxBatchSize",
                           text_of(of->arena, "", batching->largest));
        xpd_properties_put(&list, "batchingParamBatchTimeoutMicros",
                           text_of(of->arena, "", batching->timeout_us));
        xpd_properties_put(&list, "batchingParamMaxEnqueuedBatches",
                           text_of(of->arena, "", batching->queued));
        xpd_properties_put(&list, "batchingParamAllowedBatchSizes", batching->sizes);
    }
    xpd_properties_done(&list, table);
}

static bool request_table(const struct of_model *of, const struct sizes *sizes,
                          struct xpd_data_table *table)
{
    struct shown shown = {.count = 0};
    const uint32_t *order = sorted(of->arena, of->request_count, request_length, of);
    struct request_row *row =
        XPD_NEW_ARRAY(of->arena, struct request_row, SHOWN_MAX + sizes->count + 1);
    struct xpd_request sum = {0};
    uint32_t rows = 0;
    if (!order || !row)
        return false;
    choose(&shown, of->request_count);
    for (uint32_t i = 0; i < shown.count; i++) {
        const struct xpd_request *request = of->request[order[shown.at[i]]];
        row[rows] = request_row(request);
        row[rows].request = text_of(of->arena, "", request->id);
        row[rows++].percentile = xpd_table_digits(of->arena, 3, shown.percentile[i]);
    }
    for (uint32_t i = 0; i < sizes->count; i++) {
        const struct of_size *in = &sizes->at[i];
        struct xpd_request mean = mean_request(in->request, in->request_count);
        row[rows] = request_row(&mean);
        row[rows].compute_ms = ms(mean_batch(in->batch, in->batch_count).device_ps);
        row[rows].percentile = text_of(of->arena, "Batch size ", in->size);
        row[rows++].throughput = xpd_table_digits(
            of->arena, 1, in->request_count * of->requests_a_second / of->request_count);
    }
    for (uint32_t i = 0; i < of->request_count; i++)
        add_request(&sum, of->request[i]);
    sum = mean_request(sum, of->request_count);
    row[rows] = request_row(&sum);
    row[rows].percentile = XPD_STR("Average");
    row[rows++].throughput = xpd_table_digits(of->arena, 1, of->requests_a_second);
    *table = of->has_batching ? (struct xpd_data_table){XPD_COLUMNS(batched_columns)}
                              : (struct xpd_data_table){XPD_COLUMNS(request_columns)};
    table->row = row;
    table->row_bytes = sizeof *row;
    table->row_count = rows;
    put_rate(of, table, of->requests_a_second, of->request_us, false, NULL);
    return true;
}

/* Counters name a model without the version that requests may say: "m" for "m:3". */
static const struct xpd_batching *batching_of(const struct of_model *of, struct xpd_str model)
{
    int64_t version;
    size_t colon = model.size;
    while (colon > 0 && model.data[colon - 1] != ':')
        colon--;
    if (colon > 0) {
        struct xpd_str digits = {model.data + colon, model.size - colon};
        if (!xpd_str_to_i64(digits, &version))
            return NULL;
        model.size = colon - 1;
    }
    for (uint32_t i = 0; i < of->all->batching_count; i++)
        if (xpd_str_eq(of->all->batching[i].model, model))
            return &of->all->batching[i];
    return NULL;
}

/* Of one batch, or of all of one size. */
static void name_programs(struct xpd_strbuf *text, struct xpd_map64 *known,
                          const struct xpd_batch *batch)
{
    for (uint32_t i = 0; i < batch->program_count; i++)
        if (xpd_map64_put(known, batch->program[i], 0) == XPD_NO_INDEX)
            xpd_strbuf_printf(text, "%s%llu", text->size ? ", " : "",
                              (unsigned long long)batch->program[i]);
}

/* Of the batches [first, end) that have a size; NULL = of any size. */
static struct xpd_str programs_of(const struct of_model *of, uint32_t first, uint32_t end,
                                  const int32_t *size)
{
    struct xpd_strbuf text = {0};
    struct xpd_map64 known = {0};
    for (uint32_t i = first; i < end; i++)
        if (!size || of->batch[i]->size == *size)
            name_programs(&text, &known, of->batch[i]);
    xpd_map64_fini(&known);
    struct xpd_str programs = xpd_strbuf_keep(&text, of->arena);
    xpd_strbuf_fini(&text);
    return programs.size ? programs : XPD_STR("N/A");
}

static bool batch_table(const struct of_model *of, const struct sizes *sizes, struct xpd_str model,
                        struct xpd_data_table *table)
{
    struct shown shown = {.count = 0};
    const uint32_t *order = sorted(of->arena, of->batch_count, batch_length, of);
    struct batch_row *row =
        XPD_NEW_ARRAY(of->arena, struct batch_row, SHOWN_MAX + sizes->count + 1);
    struct xpd_batch sum = {0};
    uint32_t rows = 0;
    if (!order || !row)
        return false;
    choose(&shown, of->batch_count);
    for (uint32_t i = 0; i < shown.count; i++) {
        const struct xpd_batch *batch = of->batch[order[shown.at[i]]];
        row[rows] = batch_row(batch);
        row[rows].batch = text_of(of->arena, "", batch->id);
        row[rows].programs = programs_of(of, order[shown.at[i]], order[shown.at[i]] + 1, NULL);
        row[rows++].percentile = xpd_table_digits(of->arena, 3, shown.percentile[i]);
    }
    for (uint32_t i = 0; i < sizes->count; i++) {
        const struct of_size *in = &sizes->at[i];
        struct xpd_batch mean = mean_batch(in->batch, in->batch_count);
        row[rows] = batch_row(&mean);
        row[rows].efficiency = efficiency(&in->batch);
        row[rows].programs = programs_of(of, 0, of->batch_count, &in->size);
        row[rows].percentile = text_of(of->arena, "Batch size ", in->size);
        row[rows++].throughput = xpd_table_digits(
            of->arena, 1, in->batch_count * of->batches_a_second / of->batch_count);
    }
    for (uint32_t i = 0; i < of->batch_count; i++)
        add_batch(&sum, of->batch[i]);
    struct xpd_batch mean_of_all = mean_batch(sum, of->batch_count);
    row[rows] = batch_row(&mean_of_all);
    row[rows].efficiency = efficiency(&sum);
    row[rows].percentile = XPD_STR("Aggregated");
    row[rows].url = XPD_STR("N/A");
    row[rows++].throughput = xpd_table_digits(of->arena, 1, of->batches_a_second);
    *table = (struct xpd_data_table){XPD_COLUMNS(batch_columns), .row = row,
                                     .row_bytes = sizeof *row, .row_count = rows};
    put_rate(of, table, of->batches_a_second, of->batch_us, true, batching_of(of, model));
    return true;
}

struct copied { /* tensors of one pattern */
    uint64_t *time_ps;
    uint32_t count;
};

static void put_copied(struct copied *copied, uint32_t pattern, uint64_t time_ps)
{
    if (pattern != XPD_NO_INDEX)
        copied[pattern].time_ps[copied[pattern].count++] = time_ps;
}

static struct xpd_str copied_text(struct xpd_arena *arena, const struct copied *copied)
{
    static const double wanted[] = {50, 75, 90, 95, 99, 99.9};
    struct xpd_strbuf text = {0};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        uint32_t at = (uint32_t)(wanted[i] / 100.0 * copied->count);
        xpd_strbuf_printf(&text, "%s%.2f%%: %fms", i ? "<br>" : "", wanted[i],
                          ms(copied->time_ps[at]));
    }
    struct xpd_str copy = xpd_strbuf_keep(&text, arena);
    xpd_strbuf_fini(&text);
    return copy;
}

static bool pattern_table(const struct of_model *of, struct xpd_data_table *table)
{
    uint32_t count = of->all->pattern_count, rows = 0;
    struct copied *copied = XPD_NEW_ARRAY(of->arena, struct copied, count);
    struct pattern_row *row = XPD_NEW_ARRAY(of->arena, struct pattern_row, count);
    for (uint32_t i = 0; copied && i < count; i++)
        copied[i].time_ps = XPD_NEW_ARRAY(of->arena, uint64_t, of->request_count + of->batch_count);
    if (of->arena->failed)
        return false;
    for (uint32_t i = 0; i < of->request_count; i++)
        put_copied(copied, of->request[i]->tensors, of->request[i]->tensors_ps);
    for (uint32_t i = 0; i < of->batch_count; i++)
        put_copied(copied, of->batch[i]->tensors, of->batch[i]->tensors_ps);
    for (uint32_t i = 0; i < count; i++) {
        if (copied[i].count == 0)
            continue;
        qsort(copied[i].time_ps, copied[i].count, sizeof(uint64_t), xpd_order_u64);
        row[rows] = (struct pattern_row){.number = rows,
                                         .count = copied[i].count,
                                         .pattern = of->all->pattern[i],
                                         .percentiles = copied_text(of->arena, &copied[i])};
        rows++;
    }
    *table = (struct xpd_data_table){XPD_COLUMNS(pattern_columns), .row = row,
                                     .row_bytes = sizeof *row, .row_count = rows};
    return true;
}

/* ---- all models ---- */

struct named {
    struct xpd_str name;
    int32_t model;
};

static int by_name(const void *a, const void *b)
{
    return xpd_str_order(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* By name; if no request has a model, there is one: ALL. NULL: out of memory. */
static struct named *name_models(const struct xpd_requests *all, struct xpd_arena *arena,
                                 uint32_t *count)
{
    *count = all->model_count ? all->model_count : 1;
    struct named *named = XPD_NEW_ARRAY(arena, struct named, *count);
    for (uint32_t i = 0; named && i < all->model_count; i++)
        named[i] = (struct named){all->model[i], (int32_t)i};
    if (named && all->model_count == 0)
        named[0] = (struct named){XPD_STR("ALL"), 0};
    if (named && *count > 1)
        qsort(named, *count, sizeof *named, by_name);
    return named;
}

static bool has_batching(const struct xpd_requests *all)
{
    for (uint32_t i = 0; i < all->batch_count; i++)
        if (all->model_count == 0 || all->batch[i].model != XPD_NO_MODEL)
            return true;
    return false;
}

static bool make_model(const struct xpd_requests *all, struct xpd_arena *arena,
                       const struct named *named, struct xpd_data_table *table, uint32_t *count)
{
    struct of_model of = {.arena = arena, .all = all, .has_batching = has_batching(all)};
    struct sizes sizes = {.count = 0};
    pick_model(&of, named->model);
    if (arena->failed || !make_sizes(&of, &sizes) ||
        !request_table(&of, &sizes, &table[(*count)++]))
        return false;
    if (of.has_batching && !batch_table(&of, &sizes, named->name, &table[(*count)++]))
        return false;
    return all->pattern_count == 0 || pattern_table(&of, &table[(*count)++]);
}

static int no_room(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "the requests of this run do not fit the memory of a request");
}

static int make(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    struct xpd_requests all;
    struct xpd_properties list;
    uint32_t models, count = 1;
    int rc = xpd_requests_of(ctx, &all, err);
    if (rc != XPD_OK)
        return rc;
    struct named *named = name_models(&all, ctx->arena, &models);
    struct xpd_data_table *table =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_data_table, 3 * (size_t)models + 1);
    if (!named || !table)
        return no_room(err);
    table[0] = (struct xpd_data_table){XPD_COLUMNS(model_columns), .row = named,
                                       .row_bytes = sizeof *named, .row_count = models};
    xpd_properties_init(&list, ctx->arena);
    xpd_properties_put(&list, "hasBatching",
                       has_batching(&all) ? XPD_STR("true") : XPD_STR("false"));
    xpd_properties_put(&list, "hasTensorPattern", XPD_STR("false")); /* XProf always prints this */
    xpd_properties_done(&list, &table[0]);
    for (uint32_t i = 0; i < models; i++)
        if (!make_model(&all, ctx->arena, &named[i], table, &count))
            return no_room(err);
    *out = (struct xpd_tables){.table = table, .count = count};
    return XPD_OK;
}

const struct xpd_table_tool xpd_table_inference_profile = {.tag = "inference_profile",
                                                           .make = make};

/* ---- for overview_page ---- */

struct latency_row {
    struct xpd_str percentile;
    double host_ms, device_ms, communication_ms, total_ms;
};
static const struct xpd_column latency_columns[] = {
    XPD_COLUMN(struct latency_row, percentile, "percentile"),
    XPD_COLUMN_AS(struct latency_row, "hostTimeMs", host_ms, "Host time (in ms)"),
    XPD_COLUMN_AS(struct latency_row, "deviceTimeMs", device_ms, "Device time (in ms)"),
    XPD_COLUMN_AS(struct latency_row, "communicationTimeMs", communication_ms,
                  "Host-device communication time (in ms)"),
    XPD_COLUMN_AS(struct latency_row, "totalTimeMs", total_ms, "Total latency (in ms)"),
};

static struct latency_row latency_of(const struct xpd_request *request)
{
    const uint64_t *kind_ps = request->kind_ps;
    double total_us = (double)(request->end_ps - request->begin_ps) / 1e6,
           device_us = (double)(kind_ps[XPD_STEP_COMPUTE_32] + kind_ps[XPD_STEP_COMPUTE_16]) / 1e6,
           communication_us =
               (double)(kind_ps[XPD_STEP_DEVICE_TO_HOST] + kind_ps[XPD_STEP_HOST_TO_DEVICE]) / 1e6;
    return (struct latency_row){.host_ms = (total_us - device_us - communication_us) / 1e3,
                                .device_ms = device_us / 1e3,
                                .communication_ms = communication_us / 1e3,
                                .total_ms = total_us / 1e3};
}

static struct latency_row mean_latency(const struct of_model *of)
{
    struct latency_row mean = {.percentile = XPD_STR("Avg")};
    for (uint32_t i = 0; i < of->request_count; i++) {
        struct latency_row row = latency_of(of->request[i]);
        mean.host_ms += row.host_ms;
        mean.device_ms += row.device_ms;
        mean.communication_ms += row.communication_ms;
        mean.total_ms += row.total_ms;
    }
    mean.host_ms /= of->request_count ? of->request_count : 1;
    mean.device_ms /= of->request_count ? of->request_count : 1;
    mean.communication_ms /= of->request_count ? of->request_count : 1;
    mean.total_ms /= of->request_count ? of->request_count : 1;
    return mean;
}

int xpd_request_latencies(const struct xpd_tool_ctx *ctx, bool trains, struct xpd_data_table *table,
                          struct xpd_err *err)
{
    static const struct {
        double at;
        const char *name;
    } wanted[] = {{50, "50.0%"}, {75, "75.0%"}, {90, "90.0%"}, {99, "99.0%"}, {99.9, "99.9%"}};
    enum { ROWS = sizeof wanted / sizeof *wanted + 1 };
    struct xpd_requests all;
    *table = (struct xpd_data_table){XPD_COLUMNS(latency_columns)};
    if (trains)
        return XPD_OK;
    int rc = xpd_requests_of(ctx, &all, err);
    struct of_model of = {.arena = ctx->arena, .all = &all};
    of.request = XPD_NEW_ARRAY(ctx->arena, const struct xpd_request *, all.request_count);
    struct latency_row *row = XPD_NEW_ARRAY(ctx->arena, struct latency_row, ROWS);
    if (rc != XPD_OK || !of.request || !row)
        return rc != XPD_OK ? rc : no_room(err);
    for (int32_t model = 0; model < (int32_t)(all.model_count ? all.model_count : 1); model++)
        for (uint32_t i = 0; i < all.request_count; i++)
            if (all.model_count == 0 || all.request[i].model == model)
                of.request[of.request_count++] = &all.request[i];
    const uint32_t *order = sorted(ctx->arena, of.request_count, request_length, &of);
    if (!order)
        return no_room(err);
    for (uint32_t i = 1; of.request_count > 0 && i < ROWS; i++) {
        row[i] =
            latency_of(of.request[order[(uint32_t)(wanted[i - 1].at / 100.0 * of.request_count)]]);
        row[i].percentile = xpd_str_of(wanted[i - 1].name);
    }
    row[0] = mean_latency(&of);
    table->row = row;
    table->row_bytes = sizeof *row;
    table->row_count = of.request_count ? ROWS : 0;
    return XPD_OK;
}

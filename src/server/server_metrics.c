/* /metrics. In: the counters of requests, of the store and of the cache of answers. Out: a text. */
#include "server_metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "xprofd/base/build.h"
#include "xprofd/session/store.h"

static const uint64_t bucket_us[XPD_METRICS_BUCKETS] = {
    1000,   2500,   5000,    10000,   25000,    50000,    100000,
    250000, 500000, 1000000, 2500000, 10000000, 60000000, UINT64_MAX};

void xpd_metrics_count(struct xpd_metrics *metrics, int status, uint64_t sent_bytes, uint64_t ns)
{
    uint32_t bucket = 0;
    while (bucket + 1 < XPD_METRICS_BUCKETS && ns > bucket_us[bucket] * 1000)
        bucket++;
    metrics->seconds_at_most[bucket]++;
    metrics->ns += ns;
    metrics->sent_bytes += sent_bytes;
    if (status > 0 && status < XPD_METRICS_STATUSES)
        metrics->requests[status]++;
}

/* ---- the text ---- */

static void head(struct xpd_strbuf *out, const char *name, const char *type, const char *help)
{
    xpd_strbuf_printf(out, "# HELP xprofd_%s %s\n# TYPE xprofd_%s %s\n", name, help, name, type);
}

static void one(struct xpd_strbuf *out, const char *name, const char *type, const char *help,
                uint64_t value)
{
    head(out, name, type, help);
    xpd_strbuf_printf(out, "xprofd_%s %" PRIu64 "\n", name, value);
}

static uint64_t at_least_0(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

static void put_requests(const struct xpd_metrics *metrics, struct xpd_strbuf *out)
{
    head(out, "requests_total", "counter", "Answered requests, by status.");
    for (int status = 100; status < XPD_METRICS_STATUSES; status++)
        if (metrics->requests[status] > 0)
            xpd_strbuf_printf(out, "xprofd_requests_total{code=\"%d\"} %" PRIu64 "\n", status,
                              metrics->requests[status]);
    head(out, "request_seconds", "histogram",
         "From the first line of a request to the last byte of its answer.");
    uint64_t count = 0;
    for (uint32_t i = 0; i < XPD_METRICS_BUCKETS; i++) {
        count += metrics->seconds_at_most[i];
        if (i + 1 < XPD_METRICS_BUCKETS)
            xpd_strbuf_printf(out, "xprofd_request_seconds_bucket{le=\"%g\"} %" PRIu64 "\n",
                              (double)bucket_us[i] / 1e6, count);
    }
    xpd_strbuf_printf(out,
                      "xprofd_request_seconds_bucket{le=\"+Inf\"} %" PRIu64
                      "\nxprofd_request_seconds_sum %.6f\nxprofd_request_seconds_count %" PRIu64
                      "\n",
                      count, (double)metrics->ns / 1e9, count);
    one(out, "sent_bytes_total", "counter", "Bytes of sent bodies, after compression.",
        metrics->sent_bytes);
    one(out, "connections", "gauge", "Open connections.", at_least_0(metrics->connections));
    one(out, "requests_in_flight", "gauge", "Requests between their headers and their last byte.",
        at_least_0(metrics->in_flight));
    one(out, "requests_waiting", "gauge", "Requests that wait for a thread.",
        xpd_work_waiting(metrics->work));
}

static void put_store(const struct xpd_site *site, struct xpd_strbuf *out)
{
    struct xpd_store_stats store;
    struct xpd_results_stats results;
    xpd_store_stats(site->store, &store);
    xpd_results_stats(site->results, &results);
    one(out, "runs_loaded", "gauge", "Runs in memory.", store.runs_loaded);
    one(out, "runs_held", "gauge", "Runs in use by a request.", store.runs_held);
    one(out, "run_loads_total", "counter", "Runs read.", store.loads);
    one(out, "run_evictions_total", "counter", "Runs evicted.", store.evictions);
    one(out, "runs_bytes", "gauge", "Memory used by runs.", store.memory_bytes);
    one(out, "runs_limit_bytes", "gauge", "Memory limit of runs.", store.memory_limit_bytes);
    one(out, "answers_bytes", "gauge", "Memory used by cached answers.", results.bytes);
    one(out, "answers_made_total", "counter", "Answers computed.", results.made);
    one(out, "answers_found_total", "counter", "Answers found in the cache.", results.found);
    one(out, "answers_evicted_total", "counter", "Answers evicted.", results.evicted);
}

static uint64_t resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Under the names that Prometheus gives to any process. */
static void put_process(struct xpd_strbuf *out)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    xpd_strbuf_printf(out,
                      "# HELP process_resident_memory_bytes Resident memory.\n"
                      "# TYPE process_resident_memory_bytes gauge\n"
                      "process_resident_memory_bytes %" PRIu64 "\n"
                      "# HELP process_cpu_seconds_total Processor time.\n"
                      "# TYPE process_cpu_seconds_total counter\n"
                      "process_cpu_seconds_total %.3f\n",
                      resident_bytes(), seconds);
}

void xpd_metrics_respond(const struct xpd_site *site, struct xpd_response *out)
{
    struct xpd_strbuf text = {0};
    head(&text, "build_info", "gauge", "The program.");
    xpd_strbuf_printf(&text, "xprofd_build_info{version=\"%s\",build=\"%s\"} 1\n", xpd_version(),
                      xpd_build());
    put_requests(site->metrics, &text);
    put_store(site, &text);
    put_process(&text);
    xpd_respond_text(out, 200, "text/plain; version=0.0.4; charset=utf-8", &text);
}

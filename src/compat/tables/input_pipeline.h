/* Shared by input_pipeline_analyzer and overview_page: steps by kinds of time, and XProf's
 * conclusions. Private to this folder. */
#ifndef XPROFD_COMPAT_TABLES_INPUT_PIPELINE_H
#define XPROFD_COMPAT_TABLES_INPUT_PIPELINE_H

#include "../opstats/opstats.h"
#include "../opstats/opstats_steps.h"
#include "compat_tables.h"

struct xpd_verdict { /* of a run on CPUs or GPUs; of a TPU for overview_page: all "" */
    struct xpd_str input, statement;
    struct xpd_str launch, launch_statement;
    struct xpd_str other, other_statement;
    struct xpd_str collectives, collectives_statement;
};
struct xpd_input_times { /* of the host, us */
    double enqueue, demanded_read, advanced_read, preprocessing, unclassified;
};
struct xpd_pipeline {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_op_stats *stats;
    struct xpd_xprof_steps steps;
    struct xpd_data_table by_step; /* one row a step */
    struct xpd_data_table host_ops, advice, diagnostics, cores;
    struct xpd_verdict verdict;
    struct xpd_input_times input;
    /* Of TPUs, means of the steps; 0 = no steps. */
    double active_ms, tensor_active_ms;
    bool sparse; /* SparseCores ran steps: */
    double sparse_ms, sparse_compute_ms, sparse_infeed_ms, sparse_outfeed_ms, sparse_idle_ms,
        sparse_active_ms, sparse_least_ms;
};

int xpd_pipeline_of(const struct xpd_tool_ctx *ctx, struct xpd_pipeline *out, struct xpd_err *err);

/* Percentiles of requests to a model server, as overview_page has them; no rows where there are
 * none, or where a program trains. */
int xpd_request_latencies(const struct xpd_tool_ctx *ctx, bool trains, struct xpd_data_table *table,
                          struct xpd_err *err);

/* "12.3"; NaN is "-nan", as XProf's are. */
struct xpd_str xpd_table_digits(struct xpd_arena *arena, int digits, double value);

struct xpd_properties { /* of a table, put in any order */
    struct xpd_arena *arena;
    struct xpd_property *at;
    uint32_t count, room;
};
void xpd_properties_init(struct xpd_properties *list, struct xpd_arena *arena);
void xpd_properties_put(struct xpd_properties *list, const char *name, struct xpd_str value);
/* Sorts them into the table. */
void xpd_properties_done(struct xpd_properties *list, struct xpd_data_table *table);

/* The table "severity, message". */
struct xpd_message {
    struct xpd_str severity, message;
};
int xpd_message_table(struct xpd_arena *arena, const struct xpd_message *message, uint32_t count,
                      struct xpd_data_table *table, struct xpd_err *err);

#endif

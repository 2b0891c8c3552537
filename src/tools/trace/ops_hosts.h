/* Of operations on several hosts together: on which host one is slowest, and whose times they are.
 */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_HOSTS_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_HOSTS_H

#include "ops_rows.h"

struct xpd_ops_hosts {             /* of one row */
    uint32_t count;                /* hosts that ran it */
    uint32_t slowest;              /* in run->host */
    double slowest_ps, fastest_ps; /* means of an execution */
};
/* Fills found->hosts, where the times are of all hosts. */
int xpd_tools_ops_hosts(struct xpd_ops_found *found, const struct xpd_tool_ctx *ctx,
                        struct xpd_err *err);

/* What the events call a program that no HLO tells of: "jit_f(123)". Of programs of one name and id
 * that differ between hosts (*other) "jit_f(123) on host1". */
const char *xpd_tools_program_name(const struct xpd_tool_ctx *ctx, const struct xpd_op_times *times,
                                   const struct xpd_op_program *program, bool *other);

/* Chips, or devices of hosts that compute themselves, that ran an operation of a program that was
 * found. A SparseCore is a part of its chip. */
int xpd_tools_ops_chips(uint32_t *out, const struct xpd_ops_found *found, struct xpd_arena *arena,
                        struct xpd_err *err);

/* Whose times an answer holds. */
#define XPD_OPS_WHOSE_FIELDS(FIELD)                                                                \
    FIELD(MAYBE(STRING), host, "host of the times; null: all hosts of the run together")           \
    FIELD(VALUES(STRING), hosts, "hosts whose operations are in the sums")                         \
    FIELD(VALUES(STRING), quiet_hosts,                                                             \
          "requested hosts whose events have no operation of these programs")                      \
    FIELD(COUNT, chips,                                                                            \
          "that ran them, or devices of a host that computes itself: sums are over all of these")  \
    FIELD(BOOL, on_cpu, "these are devices of hosts that compute themselves, not chips")           \
    FIELD(VALUES(STRING), other_hosts,                                                             \
          "other hosts that ran one of the programs; their times are not in this answer")
struct xpd_ops_whose {
    const char *host;
    const char **host_name, **quiet_name, **other_name;
    uint32_t host_count, quiet_count, other_count, chips;
    bool on_cpu;
};
/* Into the fields of an answer. */
#define XPD_OPS_WHOSE_PUT(to, whose)                                                               \
    do {                                                                                           \
        (to)->host = (whose)->host;                                                                \
        (to)->chips = (whose)->chips;                                                              \
        (to)->on_cpu = (whose)->on_cpu;                                                            \
        (to)->hosts.at = (whose)->host_name;                                                       \
        (to)->hosts.n = (whose)->host_count;                                                       \
        (to)->quiet_hosts.at = (whose)->quiet_name;                                                \
        (to)->quiet_hosts.n = (whose)->quiet_count;                                                \
        (to)->other_hosts.at = (whose)->other_name;                                                \
        (to)->other_hosts.n = (whose)->other_count;                                                \
    } while (0)
int xpd_tools_ops_whose(struct xpd_ops_whose *out, const struct xpd_ops_found *found,
                        const struct xpd_tool_ctx *ctx, struct xpd_err *err);
/* "; sums over 2 hosts, 8 chips" for a terminal; nothing where the run has one host. Of an answer
 * with these fields. */
#define XPD_OPS_WHOSE_WORDS(out, a)                                                                \
    xpd_tools_ops_whose_words(out, &(struct xpd_ops_whose){.host = (a)->host,                      \
                                                           .quiet_name = (a)->quiet_hosts.at,      \
                                                           .host_count = (a)->hosts.n,             \
                                                           .quiet_count = (a)->quiet_hosts.n,      \
                                                           .other_count = (a)->other_hosts.n,      \
                                                           .chips = (a)->chips,                    \
                                                           .on_cpu = (a)->on_cpu})
void xpd_tools_ops_whose_words(struct xpd_strbuf *out, const struct xpd_ops_whose *whose);

#endif

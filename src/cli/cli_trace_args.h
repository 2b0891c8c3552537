/* Options of the commands about events, and calling trace tools with them. */
#ifndef XPROFD_CLI_TRACE_ARGS_H
#define XPROFD_CLI_TRACE_ARGS_H

#include "profile_args.h"

enum { XPD_PEAKS_TYPED = 8, XPD_TRACE_MORE_MAX = 7 };
struct xpd_trace_args {
    struct xpd_profile_args profile; /* path, run, host, top, output, format, help */
    const char *by, *clock, *rows, *sort, *file;
    const char *filter, *steps, *base_steps, *passes; /* for ops */
    const char *device, *peak_flops, *peak_bandwidth; /* for ops, roofline and overview */
    struct xpd_param peak[XPD_PEAKS_TYPED];           /* of --peak */
    uint32_t peak_count;
    const char *step, *chip, *program;
    const char *rules, *fail_wait; /* for input */
    int *exit_code;                /* of the command when nothing fails: enum xpd_exit */
    bool derived, no_args, layers;
    struct xpd_typed_time { /* from the start of the trace */
        bool given;
        int64_t ps;
    } from, to;
};

/* Reads the options, opens the profile, prints. The exit code. */
int xpd_trace_run(const char *command, const char *help, int argc, char **argv,
                  int (*print)(const struct xpd_cli_profile *profile,
                               const struct xpd_trace_args *args, struct xpd_err *err));
/* "1.5ms", "20us", "3s", "250": a time with its unit, picoseconds without one. False for anything
 * else. */
bool xpd_cli_time(const char *text, int64_t *ps);
/* Calls a trace tool with each given option that the tool declares as a parameter, and with `more`
 * (at most XPD_TRACE_MORE_MAX). A stream goes to `file`; otherwise the body becomes `out`, which
 * must be empty. */
int xpd_trace_call(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                   const char *route, const struct xpd_param *more, uint32_t more_count,
                   struct xpd_strbuf *out, FILE *file, struct xpd_err *err);
/* The same to stdout as it comes, for --json in the envelope of commands under `key`. */
int xpd_trace_print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                    const char *command, const char *route, const char *key,
                    const struct xpd_param *more, uint32_t more_count, struct xpd_err *err);
/* How many rows to ask for: --top or, without it (below 0), `usual`; at most `most`. */
struct xpd_param xpd_trace_limit(char room[24], int64_t top, int64_t usual, int64_t most);

#endif

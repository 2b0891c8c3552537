/* The options of `xprofd serve`. */
#ifndef XPROFD_SRC_CLI_SERVE_OPTIONS_H
#define XPROFD_SRC_CLI_SERVE_OPTIONS_H

#include "xprofd/server/server.h"

struct xpd_serve_options {
    const char *path;   /* as given; "." by default */
    const char *config; /* file of thresholds and silences, or NULL */
    const char *token_file;
    bool log_json;
    struct xpd_server_options server;
    struct xpd_store_options store;
    bool verbose;
};

/* True: go on with *out. False: *exit_code says how to end (help and version were printed, or a
 * usage error). */
bool xpd_serve_options_parse(int argc, char **argv, struct xpd_serve_options *out, int *exit_code);

#endif

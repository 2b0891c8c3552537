/* Lines of the log that a program reads: JSON, one object a line. */
#ifndef XPROFD_SRC_SERVER_REQUEST_LOG_H
#define XPROFD_SRC_SERVER_REQUEST_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct xpd_request_line {
    const char *client, *method;
    const char *target; /* as sent; a token in it is not shown */
    int status;
    uint64_t sent_bytes; /* of the body, as sent */
    double ms;
    bool whole; /* false: the connection ended before the answer did */
};

/* From now on all lines are JSON. Before other threads start. */
void xpd_log_as_json(void);
/* Shown at the level of XPD_LOG_DEBUG, in the form that all lines have. */
void xpd_log_request(const struct xpd_request_line *request);

#endif

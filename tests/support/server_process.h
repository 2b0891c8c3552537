/* The real program, started for a test on a free port. Paths come from the environment that ctest
 * sets: XPD_BINARY, XPD_SOURCE. */
#ifndef XPROFD_TESTS_SERVER_PROCESS_H
#define XPROFD_TESTS_SERVER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct server_process {
    pid_t pid;
    uint16_t port;   /* from the ready line; 0: there was none */
    char ready[512]; /* the first line on stdout, without its end */
    int out, err;    /* files with the rest */
    char *err_text;  /* after server_end */
};

/* Starts `xprofd arguments...` (a list that ends with NULL; --port=0 is yours to give) and waits
 * for the ready line or the end of the program. */
bool server_start(struct server_process *process, const char *const *arguments);
/* Starts `xprofd path --port=0` plus up to four more arguments (NULL = none). Fails the test when
 * it does not start. */
void server_serve(struct server_process *process, const char *path, const char *more,
                  const char *more2);
/* Sends the signal (0 = none) and waits. The exit code, or -1 - signal. *ms (may be NULL) = how
 * long it took. */
int server_end(struct server_process *process, int signal_number, double *ms);
/* Ends it with SIGTERM and fails the test when it does not end with 0. */
void server_stop(struct server_process *process);
/* XPD_SOURCE joined with a path; valid until the next fourth call. */
const char *source_path(const char *relative);
const char *binary_path(void);

#endif

/* What the HTTP tests share. */
#ifndef XPROFD_TESTS_HTTP_COMMON_H
#define XPROFD_TESTS_HTTP_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "http_client.h"
#include "server_process.h"

#define SMALL_LOGDIR "testdata/tpu_padded_demo/logdir"
#define SMALL_RUN    "aot"

/* A server on SMALL_LOGDIR for a whole group of tests. */
static struct server_process shared_server;

__attribute__((unused)) static int start_shared(void **state)
{
    (void)state;
    server_serve(&shared_server, source_path(SMALL_LOGDIR), NULL, NULL);
    return 0;
}

__attribute__((unused)) static int stop_shared(void **state)
{
    (void)state;
    server_stop(&shared_server);
    return 0;
}

#endif

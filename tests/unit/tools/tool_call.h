/* What the tool tests share: calling a tool as the server does, and reading its answer. */
#ifndef XPROFD_TESTS_UNIT_TOOLS_TOOL_CALL_H
#define XPROFD_TESTS_UNIT_TOOLS_TOOL_CALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "xprofd/tools/tool.h"
#include <cjson/cJSON.h>

struct answer {
    int code; /* enum xpd_code */
    struct xpd_err err;
    char *body; /* of the tool; NULL after an error */
    size_t size;
    enum xpd_body_type type;
    cJSON *json; /* when it is JSON */
    double ms;   /* of the call alone */
};

/* `query` is "run=x&from=%d", not URL-encoded: values hold no '&'. */
void ask(struct answer *out, struct xpd_store *store, const char *route, const char *query, ...)
    __attribute__((format(printf, 4, 5)));
/* Arena budget of the calls that follow, 0 = none. */
extern uint64_t request_budget_bytes;
void answer_free(struct answer *answer);
/* The same, and fails the test unless the answer is XPD_OK and, for JSON, reads as JSON. */
void ask_ok(struct answer *out, struct xpd_store *store, const char *route, const char *query, ...)
    __attribute__((format(printf, 4, 5)));

/* "split.padding.temp_bytes": fails the test when it is not there. */
const cJSON *at(const cJSON *json, const char *path);
/* A number, or a decimal string. */
int64_t number_at(const cJSON *json, const char *path);
int64_t item_at(const cJSON *column, int index);
int64_t column_sum(const cJSON *json, const char *path);
const char *text_at(const cJSON *json, const char *path);
/* Text `index` of a column of texts. */
const char *text_item(const cJSON *columns, const char *key, int index);
/* Entry `index` of a [name] column. */
const char *name_at(const cJSON *json, const char *path, int index);

struct xpd_store *open_store(const char *root);
struct xpd_store *open_testdata(const char *name); /* testdata/NAME/logdir */

/* A folder of its own below $TMPDIR with an empty run "run" in it, and where its profile belongs.
 */
struct one_run {
    char root[300], run[320], file[350];
};
void make_run(struct one_run *made);
void remove_run(const struct one_run *made);

/* A folder of its own below $TMPDIR with one HloProto in it; `path` gets the folder. */
struct xpd_store *store_of_proto(const void *bytes, size_t size, char path[256]);
void remove_folder(const char *path);

/* Calls `each` for every data set there is: XPD_SHARED/data (or ../shared/data beside the source)
 * and testdata. Returns how many there were; without any it says so. */
int for_each_data_set(void (*each)(const char *name, const char *root, void *data), void *data);
/* Calls `each` for the first `most` programs of each run of a store. */
void for_each_module(struct xpd_store *store, int most,
                     void (*each)(struct xpd_store *store, const char *run, const char *module));
/* The root of one set of XPD_SHARED/data, or NULL (and a sentence) when it is not there. */
const char *shared_set(const char *name);

#endif

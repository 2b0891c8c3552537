/* One memory space of one module of one data set, and the checks that are made on each. */
#ifndef XPROFD_TESTS_UNIT_TOOLS_PLACE_H
#define XPROFD_TESTS_UNIT_TOOLS_PLACE_H

#include "tool_call.h"

struct place { /* what the queries below begin with */
    struct xpd_store *store;
    char query[600];
    const cJSON *summary;
    int64_t steps;
};

/* The same numbers in every run. */
void random_start(void);
int64_t random_below(int64_t n);
/* Fails the test with the place's query when they differ. */
void same(const struct place *place, const char *what, int64_t a, int64_t b);

/* Sum of a column (from 0) of a CSV whose cells before it hold no line break. */
int64_t csv_sum(const char *csv, int column, int *rows);

/* place_table.c: the table of buffers against its own CSV, pages, cards. `where` is the parameter
 * at. */
void table_closes(const struct place *place, const char *where);
void pages_agree(const struct place *place);
void cards_agree(const struct place *place);

#endif

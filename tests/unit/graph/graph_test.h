/* Helpers of the graph tests: a module from a builder with its index. */
#ifndef TESTS_UNIT_GRAPH_TEST_H
#define TESTS_UNIT_GRAPH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../support/hlo_builder.h"
#include "xprofd/graph/view.h"

struct gt { /* a module with what the questions need */
    struct hb hb;
    struct pbw bytes;
    struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    struct xpd_graph_index index;
    struct xpd_arena arena; /* of the index and of answers */
};

extern const struct hb_shape gt_big, gt_half, gt_small; /* f32[64,128], f32[32,128], f32[2] */

void gt_begin(struct gt *t);
/* `operands`: "1 2 3" ids. Returns the id given. */
int64_t gt_add(struct gt *t, const char *name, const char *opcode, int64_t id,
               const struct hb_shape *shape, const char *operands);
/* The same with more: called computation (0 = none) and the number of a parameter or element. */
int64_t gt_add_more(struct gt *t, const char *name, const char *opcode, int64_t id,
                    const struct hb_shape *shape, const char *operands, int64_t called,
                    int64_t number);
void gt_load(struct gt *t); /* finishes the builder and makes the index */
void gt_free(struct gt *t);
uint32_t gt_find(const struct gt *t, const char *name); /* fails the test when it is not there */
const char *gt_name(const struct gt *t, uint32_t i);

#endif

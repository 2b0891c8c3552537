/* Helpers of the memory tests: a vector, text or file as an analysis; its curves as text. */
#ifndef TESTS_UNIT_MEMORY_MEM_TEST_H
#define TESTS_UNIT_MEMORY_MEM_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../support/hlo_builder.h"
#include "../../support/vectors.h"
#include "../../support/xspace_hlo.h"
#include "xprofd/memory/memory.h"
#include "xprofd/memory/query.h"
#include "xprofd/memory/xprof.h"

struct mem_case {
    struct xpd_hlo *hlo;
    struct xpd_mem *mem;
    struct xpd_arena arena; /* for answers */
};

void mem_open_bytes(struct mem_case *c, const void *bytes, size_t size);
void mem_open_builder(struct mem_case *c, struct hb *hb);
void mem_open_vector(struct mem_case *c, const char *name);
void mem_close(struct mem_case *c);

/* Index of a buffer by its id; the test fails when there is none. */
uint32_t mem_buffer(const struct mem_case *c, int64_t id);
const struct xpd_mem_space *mem_space(const struct mem_case *c, int64_t color);
/* How often a warning of this code was given. */
uint64_t mem_warned(const struct mem_case *c, const char *code);
/* "1 2 3" of a column, plus `add` on each; static buffer of its own per call (four are kept). */
const char *mem_text(const int64_t *value, uint32_t count, int64_t add);
/* "buffer id[start,end) ..." of all tenancies. */
const char *mem_tenancies(const struct mem_case *c, int64_t color);
/* "id[start,limit] ..." in order of ids. */
const char *mem_spans(const struct mem_case *c, const struct xpd_xprof_memory *x);
/* "op.1 op.3 small(300)" */
const char *mem_bars(const struct mem_case *c, const struct xpd_xprof_memory *x);
struct xpd_xprof_memory mem_xprof(struct mem_case *c, int64_t color, int64_t small);

/* False, with a sentence, when there is no shared data. */
bool mem_has_shared(void);
bool mem_hlos(struct xspace_hlos *out, const char *set);

#endif

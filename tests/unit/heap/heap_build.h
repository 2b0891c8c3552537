/* Builds pprof files for tests with the test writer, and reads them. */
#ifndef TESTS_UNIT_HEAP_BUILD_H
#define TESTS_UNIT_HEAP_BUILD_H

#include "xprofd/heap/tree.h"

#include "../../support/pbw.h"

#define HB_FRAMES 16

struct hb { /* a file in the making */
    struct pbw out;
    const char *text[64];
    int texts;
};
/* Sample types of JAX: allocations/count, space/bytes. */
void hb_begin_jax(struct hb *b);
void hb_begin(struct hb *b, const char *const (*type)[2], int types); /* {name, unit} each */
int64_t hb_text(struct hb *b, const char *text);                      /* its index in the table */
/* Function `id` and a location of the same id at that line. */
void hb_frame(struct hb *b, uint64_t id, const char *function, const char *file, int64_t line);
/* Frames innermost first, ended by 0; device NULL: an executable; values count, bytes. */
void hb_sample(struct hb *b, const uint64_t *location, const char *kind, const char *device,
               int64_t count, int64_t bytes);
/* Writes the string table. */
void hb_end(struct hb *b);
void hb_free(struct hb *b);
/* Reads the bytes into `heap`; the code of xpd_heap_load. */
int hb_load(struct xpd_pprof *heap, struct xpd_arena *arena, const struct hb *b,
            struct xpd_err *err);
/* How often a warning came; 0 = never. */
uint64_t hb_warned(const struct xpd_pprof *heap, const char *code);
/* The member of a file for its default value, with the usual rule of own code. */
struct xpd_heap_member hb_member(const struct xpd_pprof *heap, struct xpd_arena *arena);
/* The row of a key; XPD_NO_INDEX = none. */
uint32_t hb_row(const struct xpd_heap_groups *groups, const char *key);

/* File N of the series that testdata/device_memory has (20, 40, 60, 80). */
int hb_load_step(struct xpd_pprof *heap, struct xpd_arena *arena, int step);
/* Any file below testdata/. */
int hb_load_file(struct xpd_pprof *heap, struct xpd_arena *arena, const char *name);

#endif

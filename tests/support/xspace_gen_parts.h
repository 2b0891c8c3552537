/* Inside of the generators of XSpaces: what xspace_gen.c and xspace_gen_hosts.c write with. */
#ifndef TESTS_SUPPORT_XSPACE_GEN_PARTS_H
#define TESTS_SUPPORT_XSPACE_GEN_PARTS_H

#include "xspace_gen.h"

#include <stddef.h>
#include <stdio.h>

struct xsg {
    FILE *file;
    uint64_t at; /* bytes written */
    uint64_t random;
    bool fat; /* every event has five stats */
};
struct xsg_message { /* begins with size = 0; zeroing its bytes is half of a test's time under
                        ThreadSanitizer */
    uint8_t bytes[2048];
    size_t size;
};

uint64_t xsg_next(struct xsg *gen); /* a random number */
uint64_t xsg_below(struct xsg *gen, uint64_t limit);
void xsg_put_uint(struct xsg_message *m, uint32_t field, uint64_t value);
void xsg_put_text(struct xsg_message *m, uint32_t field, const char *text);
/* A stat of an event: `kind` is the field of the value (3 unsigned, 4 signed, 7 reference). */
void xsg_put_stat(struct xsg_message *event, uint64_t id, uint32_t kind, uint64_t value);
void xsg_put_stat_text(struct xsg_message *event, uint64_t id, const char *text);
void xsg_put_stat_real(struct xsg_message *event, uint64_t id, double value);
/* The head of an event; its stats follow. */
struct xsg_message xsg_event(uint64_t metadata, uint64_t offset_ps, uint64_t duration_ps);
void xsg_write_message(struct xsg *gen, uint32_t field, const struct xsg_message *m);
/* A name of the plane's events (field 4) or stats (field 5). */
void xsg_write_name(struct xsg *gen, uint32_t field, uint64_t id, const char *name);
/* Planes and lines: xsg_end takes what begin returned. */
uint64_t xsg_begin_plane(struct xsg *gen, uint64_t id, const char *name);
uint64_t xsg_begin_line(struct xsg *gen, uint64_t id, const char *name);
void xsg_end(struct xsg *gen, uint64_t start);

/* xspace_gen_hosts.c: about so many events. */
void xsg_write_python(struct xsg *gen, uint64_t events);
void xsg_write_gpu(struct xsg *gen, uint64_t events);
void xsg_write_executor(struct xsg *gen, uint64_t events);
void xsg_write_wide(struct xsg *gen, uint64_t events);
/* Names of the stats that xsg_put_host_stats uses, and those stats of one event. */
void xsg_write_host_stat_names(struct xsg *gen);
void xsg_put_host_stats(struct xsg *gen, struct xsg_message *event);

#endif

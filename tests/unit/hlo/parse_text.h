/* Helpers of the tests of HLO text: a text read and loaded, modules printed and compared. */
#ifndef TESTS_UNIT_PARSE_TEXT_H
#define TESTS_UNIT_PARSE_TEXT_H

#include "xprofd/hlo/module.h"
#include "xprofd/hlo/parse.h"

struct pt_module {
    struct xpd_arena arena;
    struct xpd_warnings warnings; /* of the text */
    struct xpd_err err;
    struct xpd_hlo_names *names;
    struct xpd_str bytes; /* an HloProto around the module; free by pt_free */
    struct xpd_hlo *hlo;  /* loaded from them; NULL when rc is not XPD_OK */
    int rc;
};

void pt_parse(struct pt_module *m, struct xpd_str text);
void pt_free(struct pt_module *m);
void pt_print(const uint8_t *bytes, size_t size, uint32_t flags, struct xpd_strbuf *out);
/* The entry's root as in long text; valid until the next call. */
struct xpd_str pt_print_root(const struct pt_module *m);
/* Fails with the first line that differs. */
void pt_must_equal(const char *path, const char *name, const struct xpd_strbuf *want,
                   const struct xpd_strbuf *got);

/* Of a proto and of its text, what differs for a reason that parse.h lists. */
struct pt_left_out {
    uint64_t instructions, computations; /* compared */
    uint64_t folded;      /* computations behind "slice-start" and its kin, made again */
    uint64_t reordered;   /* computations whose file is not in the order of XLA's walk */
    uint64_t unmarked;    /* computations of fusions that the proto does not mark */
    uint64_t unframed;    /* instructions with a stack of which a text of old prints nothing */
    uint64_t unscheduled; /* computations that the text schedules and the proto does not */
};
/* Field by field; fails with what differs. `out` may be NULL, else is added to. */
void pt_compare(const struct xpd_hlo *proto, const struct xpd_hlo *text, const char *where,
                struct pt_left_out *out);

#endif

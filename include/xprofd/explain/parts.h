/* An instruction's text in numbered parts, each with one plain sentence.
 *
 * The text is shown shortened where it is long (many operands, metadata, configs): segments joined
 * are what to show, and each says which part it belongs to. A part may have no segment: what is
 * missing says something too ("No S(n): HBM"). Golden texts: tests/unit/explain/test_parts.c. */
#ifndef XPROFD_EXPLAIN_PARTS_H
#define XPROFD_EXPLAIN_PARTS_H

#include "xprofd/base/strbuf.h"
#include "xprofd/explain/line.h"
#include "xprofd/hlo/cost.h"

/* Where the text comes from. All members may be empty, as for a pasted line. */
struct xpd_explain_from {
    const struct xpd_hlo *hlo; /* NULL = pasted */
    const struct xpd_costs *costs;
    uint32_t instruction;
    const char *platform; /* "tpu", ... or "": then TPU names are used, as the layouts are TPU's */
    const char *(*space_name)(const char *platform, int64_t space, char scratch[24]);
};

struct xpd_part {
    const char *label; /* static */
    struct xpd_str sentence;
    bool missing; /* not in the text */
};

struct xpd_segment {
    struct xpd_str text;
    uint32_t part; /* index + 1; 0 = between parts */
};

enum { XPD_PARTS_MOST = 40 };
struct xpd_parts {
    uint32_t count, segment_count;
    struct xpd_part part[XPD_PARTS_MOST];
    struct xpd_segment segment[2 * XPD_PARTS_MOST + 4];
    uint32_t attributes_left_out; /* over XPD_PARTS_MOST */
};

/* The result lives in `arena` and in the line's text. XPD_ENOMEM. */
int xpd_parts_of(struct xpd_parts *out, struct xpd_arena *arena, const struct xpd_hlo_line *line,
                 const struct xpd_explain_from *from, struct xpd_err *err);

/* The plain sentence of an operation ("A fusion: ..."), never NULL. */
const char *xpd_opcode_sentence(struct xpd_str opcode);
/* The same; NULL if the opcode has no sentence. */
const char *xpd_opcode_known(struct xpd_str opcode);
/* What a collective does, by an opcode or by a name that holds one ("all-reduce-scatter.3" is a
 * reduce-scatter); NULL when it is none. *kind gets the opcode. */
const char *xpd_collective_sentence(struct xpd_str name, const char **kind);

/* "4,194,304" */
void xpd_put_number(struct xpd_strbuf *out, int64_t value);
/* "8 MiB" when exact, else three digits: "16.0 MiB"; bytes below 1 KiB. */
void xpd_put_bytes(struct xpd_strbuf *out, int64_t bytes);
/* Multiplies of 1000: "68.7 G" and so on, for FLOP and rates. */
void xpd_put_decimal(struct xpd_strbuf *out, double value, const char *unit);
/* "393 us" with the right unit and three digits. */
void xpd_put_seconds(struct xpd_strbuf *out, double seconds);

#endif

/* Replica groups of a collective: which devices exchange data, and along which axis.
 *
 * Parsed from the attribute's text as XLA prints it, in all three forms:
 *  - {{0,1},{2,3}}: lists. {} is one group of all devices, whose number is not in the text.
 *  - [4,2]<=[2,4]T(1,0): iota. 0..n-1 as an array of the right-hand dims, transposed, in rows.
 *  - mesh['a'=2,'b'=4] {'a'}: mesh axes. Groups run along the named axes.
 * The numbers come from the text, so at most XPD_GROUP_DEVICES_MOST devices are expanded. */
#ifndef XPROFD_HLO_GROUPS_H
#define XPROFD_HLO_GROUPS_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

enum { XPD_GROUP_DEVICES_MOST = 1 << 20 };

enum xpd_groups_form { XPD_GROUPS_LISTS, XPD_GROUPS_IOTA, XPD_GROUPS_MESH };

struct xpd_groups {
    enum xpd_groups_form form;
    uint32_t count;  /* of groups */
    uint32_t *first; /* count + 1 entries into member[] */
    int64_t *member;
    /* The axis that the groups run along; all 0 when the groups have no common size and stride. */
    int64_t axis_size; /* devices in a group */
    int64_t stride;    /* between neighbours in a group: number of devices of the inner axes */
    int64_t devices;   /* in all groups together */
};

/* XPD_EFORMAT for other text; XPD_ELIMIT above the number of devices. */
int xpd_groups_parse(struct xpd_groups *out, struct xpd_arena *arena, struct xpd_str text,
                     struct xpd_err *err);
/* One sentence: "16 groups of 8, stride 16: an axis of 8 devices with blocks of 16 inside." */
void xpd_groups_words(struct xpd_strbuf *out, const struct xpd_groups *groups);
/* The groups in one form for all notations: "2 groups of 4: {0,1,2,3} {4,5,6,7}". The first 4
 * groups and the first 8 devices of each, then an ellipsis. */
void xpd_groups_list(struct xpd_strbuf *out, const struct xpd_groups *groups);
/* Lists that are pairs (source_target_pairs): "2 pairs: 0 to 1" with arrows, the first 8; false,
 * and nothing appended, when one of them is not a pair. */
bool xpd_groups_pairs(struct xpd_strbuf *out, const struct xpd_groups *groups);

#endif

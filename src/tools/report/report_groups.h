/* Groups of what is held on their way to an answer. */
#ifndef XPROFD_SRC_TOOLS_REPORT_REPORT_GROUPS_H
#define XPROFD_SRC_TOOLS_REPORT_REPORT_GROUPS_H

#include "../tables/module_text.h"
#include "report_keys.h"
#include "report_times.h"
#include "report_types.h"

struct xpd_report_group {
    uint32_t key;
    int64_t first, most; /* bytes at the first step asked for, and at the fullest of all of them */
};

struct xpd_report_groups {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    struct xpd_report_view view;
    struct xpd_names names;
    struct xpd_report_keys keys;
    enum xpd_report_by by;
    int64_t *bytes, *count; /* by key and place */
    int64_t *rest, *total;  /* by place: groups over the limit; all of them */
    struct xpd_report_group *group;
    uint32_t group_count, written;
    uint32_t *row_of; /* by key, of XPD_BY_BUFFER */
    struct xpd_report_times times;
    struct xpd_module_text text;   /* open when constants are listed */
    struct xpd_report_types types; /* of XPD_BY_SIGNATURE and XPD_BY_OPCODE */
    uint32_t filtered_rows;
};

/* Whether the buffer of a key is defined by a constant. */
bool xpd_report_is_constant(const struct xpd_report_groups *g, uint32_t key);
void xpd_report_groups_write(struct xpd_jsonw *w, struct xpd_report_groups *g);
void xpd_report_groups_csv(struct xpd_tool_result *out, struct xpd_report_groups *g);

#endif

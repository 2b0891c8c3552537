/* What the report's tools share: the table of rows and spans, the steps that were asked for, and a
 * value at each of them. */
#ifndef XPROFD_SRC_TOOLS_REPORT_REPORT_COMMON_H
#define XPROFD_SRC_TOOLS_REPORT_REPORT_COMMON_H

#include "../tables/table_words.h"
#include "xprofd/report/report.h"

#define XPD_REPORT_STEPS_MAX 8
#define XPD_REPORT_PX_MAX    4096

/* Of the module and space of ctx. */
const struct xpd_report *xpd_table_report(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

struct xpd_report_asked { /* a step, or the highest one of a range */
    uint32_t from, to;    /* the range, both ends included */
    uint32_t step;        /* XPD_NO_STEP without a heap trace */
};
struct xpd_report_view {
    struct xpd_report_asked asked[XPD_REPORT_STEPS_MAX];
    uint32_t asked_count;
    uint32_t peak_step;
    struct xpd_step_window window;
    uint32_t *column; /* the highest step of each column of the window */
    uint32_t column_count;
    struct xpd_report_steps steps; /* all of these, ascending, each once */
};
/* Reads `steps` ("94, 167, 340-350", at most 8, default the peak), `from`, `to` and `px`. */
int xpd_report_view_read(struct xpd_report_view *view, const struct xpd_tool_ctx *ctx,
                         const struct xpd_tool *tool, struct xpd_err *err);
/* `steps` alone: view->asked. */
int xpd_report_asked_read(struct xpd_report_view *view, const struct xpd_tool_ctx *ctx,
                          struct xpd_err *err);
/* Place of a step in view->steps. */
uint32_t xpd_report_place(const struct xpd_report_view *view, uint32_t step);

/* "steps":[{from,to,step}],"peak_step":n,"columns":[step...] */
void xpd_report_view_write(struct xpd_jsonw *w, const struct xpd_report_view *view);
/* "at":[of each asked step],"peak":n,"curve":[of each column]; `value` by place. */
void xpd_report_values_write(struct xpd_jsonw *w, const struct xpd_report_view *view,
                             const int64_t *value);
void xpd_report_at_write(struct xpd_jsonw *w, const char *key, const struct xpd_report_view *view,
                         const int64_t *value);

/* The parameters of xpd_report_view_read, for a tool's table. */
#define XPD_REPORT_STEPS_PARAM                                                                     \
    {                                                                                              \
        .name = "steps", .type = XPD_PARAM_TEXT,                                                   \
        .help =                                                                                    \
            "steps and ranges, at most 8: 94, 167, 340-350 (its highest one); default the peak"    \
    }
/* Where groups are scopes: how much of a path names one. */
#define XPD_REPORT_LEVEL_PARAM                                                                     \
    {                                                                                              \
        .name = "level", .type = XPD_PARAM_INT, .min = 1, .max = XPD_SCOPE_PARTS, .fallback = 2,   \
        .help = "parts of a scope"                                                                 \
    }
#define XPD_REPORT_VIEW_PARAMS(px_default)                                                         \
    XPD_REPORT_STEPS_PARAM,                                                                        \
        {.name = "from",                                                                           \
         .type = XPD_PARAM_INT,                                                                    \
         .max = UINT32_MAX,                                                                        \
         .help = "first step of curves"},                                                          \
        {.name = "to",                                                                             \
         .type = XPD_PARAM_INT,                                                                    \
         .max = UINT32_MAX,                                                                        \
         .help = "step after the last one of curves, default all"},                                \
    {                                                                                              \
        .name = "px", .type = XPD_PARAM_INT, .max = XPD_REPORT_PX_MAX, .fallback = (px_default),   \
        .help = "columns of curves; each is the value at the highest step of its column"           \
    }

#endif

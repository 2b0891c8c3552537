/* What the report's tools share: the table of rows and spans, the steps that were asked for, and a
 * value at each of them. */
#ifndef XPROFD_SRC_TOOLS_REPORT_REPORT_COMMON_H
#define XPROFD_SRC_TOOLS_REPORT_REPORT_COMMON_H

#include "../tables/table_words.h"
#include "xprofd/memory/scopes.h"
#include "xprofd/report/report.h"

#define XPD_REPORT_STEPS_MAX 8
#define XPD_REPORT_PX_MAX    4096

/* Of the module and space of ctx. */
const struct xpd_report *xpd_table_report(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

/* A step, or the highest one of a range. */
#define XPD_REPORT_ASKED_FIELDS(FIELD)                                                             \
    FIELD(MAYBE(INDEX), from, "first step of the range; null: no heap trace")                      \
    FIELD(MAYBE(INDEX), to, "last step of the range")                                              \
    FIELD(MAYBE(INDEX), step, "the step, or the highest one of the range")
XPD_RECORD_TYPE(xpd_report_asked, XPD_REPORT_ASKED_FIELDS)
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

/* ---- parts of answers ---- */

#define XPD_REPORT_VIEW_FIELDS(FIELD)                                                              \
    FIELD(LIST(xpd_report_asked), steps, "the requested steps")                                    \
    FIELD(MAYBE(INDEX), peak_step, "null: no heap trace")                                          \
    FIELD(VALUES(INDEX), columns, "the highest step of each column of curves")
/* Their values for a struct's initializer; the view outlives the answer. */
#define XPD_REPORT_VIEW_OF(view)                                                                   \
    .steps = {(view)->asked, (view)->asked_count}, .peak_step = (view)->peak_step,                 \
    .columns = {(view)->column, (view)->column_count}

#define XPD_REPORT_VALUES_FIELDS(FIELD)                                                            \
    FIELD(VALUES(SIGNED), at_bytes, "at each of `steps`")                                          \
    FIELD(SIGNED, peak_bytes, "at the peak")                                                       \
    FIELD(VALUES(SIGNED), curve_bytes, "at each of `columns`")
XPD_RECORD_TYPE(xpd_report_values, XPD_REPORT_VALUES_FIELDS)
#define XPD_REPORT_VALUES_OF(values)                                                               \
    .at_bytes = {(values).at_bytes.at, (values).at_bytes.n}, .peak_bytes = (values).peak_bytes,    \
    .curve_bytes = {(values).curve_bytes.at, (values).curve_bytes.n}
/* `value` by place. A failure stays in the arena. */
struct xpd_report_values xpd_report_values_of(const struct xpd_report_view *view,
                                              const int64_t *value, struct xpd_arena *arena);
/* The same in the arena; NULL: no memory. */
const struct xpd_report_values *xpd_report_values_keep(const struct xpd_report_view *view,
                                                       const int64_t *value,
                                                       struct xpd_arena *arena);
/* At each asked step. */
const int64_t *xpd_report_at_of(const struct xpd_report_view *view, const int64_t *value,
                                struct xpd_arena *arena);
/* A head for each step that was asked for: its number between two texts. */
void xpd_report_csv_heads(struct xpd_csv *csv, const char *before, const char *behind,
                          const struct xpd_report_asked *asked, uint32_t count);
void xpd_report_csv_values(struct xpd_csv *csv, const int64_t *value, uint32_t count);

/* The parameters of xpd_report_view_read, for a tool's table. */
#define XPD_REPORT_STEPS_PARAM                                                                     \
    {                                                                                              \
        .name = "steps", .type = XPD_PARAM_TEXT,                                                   \
        .help =                                                                                    \
            "steps and ranges, at most 8: 94, 167, 340-350 (its highest one); default the peak"    \
    }
#define XPD_REPORT_FORMAT_PARAM                                                                    \
    {                                                                                              \
        .name = "format", .type = XPD_PARAM_ENUM, .words = "json csv", .help = "json or csv"       \
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

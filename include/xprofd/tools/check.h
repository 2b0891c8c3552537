/* A budget held against the programs of a run. */
#ifndef XPROFD_TOOLS_CHECK_H
#define XPROFD_TOOLS_CHECK_H

#include "xprofd/doctor/budget.h"
#include "xprofd/tools/tool.h"

enum xpd_check_state { XPD_CHECK_OK, XPD_CHECK_BROKEN, XPD_CHECK_NOT_JUDGED };
const char *xpd_check_state_word(enum xpd_check_state state);

struct xpd_check_row {
    const struct xpd_budget_section *section;
    const struct xpd_limit *limit; /* NULL: the section has no module */
    const char *module;            /* NULL then */
    enum xpd_check_state state;
    struct xpd_str value;  /* "7,465.6 MiB", "19.9 %"; "" = not judged */
    struct xpd_str before; /* of the baseline, "" = none */
    struct xpd_str change; /* value less before, with its sign; of shares in points; "" = none */
    struct xpd_str reason; /* why not judged, or what broke it: finding, place */
    int64_t bytes;         /* measured; of shares thousandths of a percent */
};
struct xpd_check {
    struct xpd_check_row *row; /* in order of the file */
    uint32_t count, broken, not_judged;
    const char *file;
    bool incomparable;    /* a diff whose two memories cannot be compared */
    struct xpd_str about; /* said behind the verdict in Markdown; "" = nothing */
};
/* Checks the modules of the run whose names match a section. `base` NULL: growth is not checked;
 * else only the module of `after` is checked. `config`: of the doctor, may be "". The result lives
 * in the arena of `after`. XPD_ENOTFOUND, XPD_ELIMIT, XPD_EIO, XPD_ECHANGED as in xpd_store_module;
 * XPD_ENOMEM. */
int xpd_check_run(struct xpd_check *out, const struct xpd_budget *budget, const char *file,
                  const struct xpd_tool_ctx *after, const struct xpd_tool_ctx *base,
                  struct xpd_str config, struct xpd_err *err);

/* The same results for programs, terminals, pull requests, and what CI systems read. */
void xpd_check_json(struct xpd_jsonw *w, const struct xpd_check *check);
void xpd_check_text(struct xpd_strbuf *out, const struct xpd_check *check);
void xpd_check_markdown(struct xpd_strbuf *out, const struct xpd_check *check);
void xpd_check_junit(struct xpd_strbuf *out, const struct xpd_check *check);
void xpd_check_sarif(struct xpd_jsonw *w, const struct xpd_check *check);
/* The budget's text with each size and percentage replaced by what was measured plus `slack`;
 * comments and order stay. How many there were. */
uint32_t xpd_check_update(struct xpd_strbuf *out, const struct xpd_check *check,
                          struct xpd_str text, double slack);

/* Whether an answer of /api/v1/doctor has a finding that is not muted and at least as severe as
 * `fail_on`: "error", "warn" or "info"; NULL: none is. */
bool xpd_doctor_reaches(const void *answer, const char *fail_on);

#endif

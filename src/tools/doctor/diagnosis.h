/* The doctor over a module of a run: findings of all its memory spaces, with what the run knows
 * (capacity, other programs, the bytes of the proto). The route, the commands and the checks of CI
 * all use it. */
#ifndef XPROFD_SRC_TOOLS_DOCTOR_DIAGNOSIS_H
#define XPROFD_SRC_TOOLS_DOCTOR_DIAGNOSIS_H

#include "../common/common.h"
#include "xprofd/doctor/doctor.h"

#define XPD_FINDINGS_SHOWN 8 /* the rest is folded */

struct xpd_diagnosis {
    struct xpd_finding *finding;
    uint32_t count, silenced_count, rules_checked, rules_not_judged;
    struct xpd_str not_judged;
    struct xpd_capacity capacity;      /* of the main memory */
    const struct xpd_mem_space *space; /* the main one; NULL = none */
    const char *scale;                 /* "the device's memory", "the peak" */
    const char *no_time; /* why there are no findings of time; NULL = they were looked for */
    bool has_time;       /* they were */
    struct xpd_doctor_time time;
    struct xpd_str time_not_judged;
    struct xpd_doctor_heap heap; /* without series: none was looked at */
    int64_t scale_bytes;         /* what shares of memory are of: the capacity, else the peak */
    const struct xpd_doctor_config *config; /* thresholds and silences that were in force */
};
enum xpd_diagnose_what {
    XPD_DIAGNOSE_ALL,
    XPD_DIAGNOSE_MEMORY,
    XPD_DIAGNOSE_TIME,
    XPD_DIAGNOSE_HEAP
};
/* `config` text may be "". `only` NULL = all spaces; with it there are no findings of time. Without
 * a program (ctx->module XPD_NO_INDEX) there are findings of time or of heap files only. Everything
 * in ctx->arena. XPD_EBUSY while events are read. */
int xpd_diagnose(struct xpd_diagnosis *out, const struct xpd_tool_ctx *ctx, struct xpd_str config,
                 enum xpd_diagnose_what what, const struct xpd_mem_space *only,
                 struct xpd_err *err);

/* What was measured of the run and, where ctx has one, of its program: out->ops and out->steps each
 * have their reason where they are not known. `why_not` is set where nothing at all was recorded.
 * XPD_EBUSY while events are read. */
int xpd_time_facts(struct xpd_doctor_time *out, const char **why_not,
                   const struct xpd_tool_ctx *ctx, const struct xpd_doctor_thresholds *thresholds,
                   struct xpd_err *err);

/* The key of the program, else the name of the run. */
const char *xpd_diagnosis_of(const struct xpd_tool_ctx *ctx);
/* "of a run", "of 31.25 GiB (v6e)": what the share of a finding is a share of. */
const char *xpd_finding_share_of(const struct xpd_diagnosis *d, const struct xpd_finding *f);
/* Where in the source: of its instruction, or of the line of a heap file. */
struct xpd_finding_at {
    struct xpd_str file; /* "" = unknown */
    int64_t line;        /* 0 = unknown */
};
struct xpd_finding_at xpd_finding_at(const struct xpd_hlo *hlo, const struct xpd_finding *f);
/* "train.py:88", or "no source recorded". */
void xpd_finding_source(struct xpd_strbuf *out, const struct xpd_hlo *hlo,
                        const struct xpd_finding *f);
void xpd_diagnosis_text(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                        const struct xpd_diagnosis *d);
void xpd_diagnosis_markdown(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                            const struct xpd_diagnosis *d);
void xpd_diagnosis_sarif(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                         const struct xpd_diagnosis *d);
void xpd_diagnosis_junit(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                         const struct xpd_diagnosis *d);
/* Appends text with '|', '<', '>', '`', '*', '_' and line ends made harmless in Markdown; `in_code`
 * between back quotes. */
void xpd_markdown_put(struct xpd_strbuf *out, struct xpd_str text);
/* Appends text for an attribute or content of XML; what XML cannot hold becomes '?'. */
void xpd_xml_put(struct xpd_strbuf *out, struct xpd_str text);

#endif

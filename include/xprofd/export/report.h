/* A report: the page and answers of the API in one HTML file that needs no network.
 *
 * The page is a text with marks in HTML comments: <!--xprofd:file NAME--> becomes a file of the
 * page, <!--xprofd:answers--> the answers. All insertions are gzip in base64, so no byte of a
 * profile can end the surrounding element. Answers are in blocks of about 256 KiB; the head has the
 * block and line of each answer. The same answers give the same bytes. docs/REPORT.md describes the
 * file. */
#ifndef XPROFD_EXPORT_REPORT_H
#define XPROFD_EXPORT_REPORT_H

#include "xprofd/base/error.h"
#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

struct xpd_report_text; /* being made */

/* A file of the page by its name, appended to `out`. */
typedef int xpd_report_file(void *ctx, struct xpd_str name, struct xpd_strbuf *out,
                            struct xpd_err *err);

struct xpd_report_page {
    struct xpd_str text; /* with the marks; the caller keeps it */
    xpd_report_file *file;
    void *ctx;
};

/* XPD_ELIMIT when the page alone is more than `limit_bytes`; XPD_EFORMAT when it has no mark for
 * the answers. */
int xpd_report_new(struct xpd_report_text **out, const struct xpd_report_page *page,
                   uint64_t limit_bytes, struct xpd_err *err);
void xpd_report_free(struct xpd_report_text *report);

enum xpd_answer_kind { XPD_ANSWER_JSON, XPD_ANSWER_TEXT, XPD_ANSWER_ERROR };

struct xpd_report_answer {
    struct xpd_str route; /* "memory/live" */
    struct xpd_str query; /* "module=m&step=7", as in a URL */
    struct xpd_str body;  /* JSON in one line (an error too), or a text */
    enum xpd_answer_kind kind;
};
/* *taken = false: no room for this answer; a smaller one may still fit. XPD_ENOMEM. */
int xpd_report_add(struct xpd_report_text *report, const struct xpd_report_answer *answer,
                   bool *taken, struct xpd_err *err);
uint32_t xpd_report_count(const struct xpd_report_text *report);

/* The whole file, with `head` (members of a JSON object, without braces) before the index of
 * answers. The size limit reserves XPD_REPORT_HEAD bytes for `head`. The file has at most the
 * `limit_bytes` of xpd_report_new. */
#define XPD_REPORT_HEAD 65536
int xpd_report_finish(struct xpd_report_text *report, struct xpd_str head, struct xpd_strbuf *out,
                      struct xpd_err *err);

#endif

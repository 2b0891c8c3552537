/* One question of a report: its parameters from the plan and the place, the tool's answer, the
 * report. */
#ifndef XPROFD_SRC_TOOLS_FILE_REPORT_ASK_H
#define XPROFD_SRC_TOOLS_FILE_REPORT_ASK_H

#include "report_record.h"

enum { XPD_QUESTION_PARAMS = 16 };

/* What a question is asked about. */
struct xpd_ask_place {
    const char *host;         /* NULL = none named */
    const char *rows;         /* all rows of the host's trace, "0-12"; NULL = none */
    const char *within;       /* name of a category or group; NULL = none */
    const char *column[2];    /* columns of the row that is asked about; NULL = none */
    const char *cell[2];      /* their values in that row */
    uint32_t process, thread; /* whose steps; XPD_NO_INDEX = none */
    uint32_t offset;          /* first row of a page */
    uint32_t module;          /* XPD_NO_INDEX = none */
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space;
    uint32_t step, from, to, buffer, tenancy, computation; /* XPD_NO_INDEX = none */
};

struct xpd_question {
    struct xpd_report_line *line;
    struct xpd_param param[XPD_QUESTION_PARAMS];
    uint32_t count;
    int64_t rows_total; /* of a paged question: what its last answer said */
    bool full; /* no room was left for the one before: the others of this kind are counted only */
};

/* A tool's answer about the run, as the page would ask for it, appended to `out`. `module` NULL and
 * `color` -1: none named. */
int xpd_report_call(const struct xpd_report_of *of, const struct xpd_report_want *want,
                    const char *route, const char *module, int64_t color,
                    const struct xpd_param *more, uint32_t more_count, struct xpd_strbuf *out);
/* Asks what q->line says about a place, once; counts the answer as held or left out. */
int xpd_report_ask(struct xpd_recorder *recorder, struct xpd_question *q,
                   const struct xpd_ask_place *place, struct xpd_err *err);
/* Asks it without a host, and of each host when there are several (report_plan.c). */
int xpd_report_ask_hosts(struct xpd_recorder *recorder, struct xpd_question *q,
                         struct xpd_ask_place *place, struct xpd_err *err);
/* Asks it of a folder of heap files, or of each of its rows (report_plan.c). */
int xpd_report_ask_heap(struct xpd_recorder *recorder, struct xpd_question *q,
                        struct xpd_ask_place *place, struct xpd_err *err);
/* Asks it page by page (report_plan.c). */
int xpd_report_ask_pages(struct xpd_recorder *recorder, struct xpd_question *q,
                         struct xpd_ask_place *place, struct xpd_err *err);
/* Asks it of each category or op group that holds something at place->step (report_plan.c). */
int xpd_report_ask_within(struct xpd_recorder *recorder, struct xpd_question *q,
                          struct xpd_ask_place *place, struct xpd_err *err);

#endif

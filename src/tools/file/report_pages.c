/* A question whose answer has pages. In: a line of the plan with {offset} and limit=. Out: as many
 * answers as hold all rows, as the last of them says how many there are. */
#include "report_ask.h"

enum { PAGES_MAX = 100 };

/* From the line itself: what an asked question was made of is gone with its answer. */
static int64_t rows_of_page(const struct xpd_ask *ask)
{
    static const char word[] = "limit=";
    const char *at = strstr(ask->query, word);
    int64_t rows = 0;
    if (at)
        xpd_str_to_i64((struct xpd_str){at + strlen(word), strcspn(at + strlen(word), "&")}, &rows);
    return rows;
}

int xpd_report_ask_pages(struct xpd_recorder *r, struct xpd_question *q,
                         struct xpd_ask_place *place, struct xpd_err *err)
{
    q->rows_total = 0;
    place->offset = 0;
    int rc = xpd_report_ask(r, q, place, err);
    if (!strstr(q->ask->query, "{offset}"))
        return rc; /* one page is all that the line asks for */
    int64_t rows = rows_of_page(q->ask);
    for (int page = 1; rc == XPD_OK && rows > 0 && page * rows < q->rows_total; page++) {
        place->offset = (uint32_t)(page * rows);
        if (page < PAGES_MAX)
            rc = xpd_report_ask(r, q, place, err);
        else
            q->tally->left_out++;
    }
    return rc;
}

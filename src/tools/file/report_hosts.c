/* Questions about the trace. In: a question of the plan. Out: the same without a host, and of each
 * host when there are several. */
#include "report_ask.h"

#include "xprofd/json/reader.h"
#include <inttypes.h>

/* "0-12": measured and derived rows of a host; NULL without a trace. In the arena `keep`. */
static const char *all_rows(struct xpd_recorder *r, const char *host, struct xpd_arena *keep)
{
    struct xpd_param param[] = {{XPD_STR("derived"), XPD_STR("1")},
                                {XPD_STR("host"), xpd_str_of(host)}};
    struct xpd_strbuf body = {0};
    int64_t rows = 0;
    if (xpd_report_call(r->profile, r->want, "/api/v1/trace/rows", NULL, -1, param, host ? 2 : 1,
                        &body, NULL) == XPD_OK) {
        struct xpd_json *answer = xpd_json_parse_answer((struct xpd_str){body.data, body.size});
        xpd_json_to_i64(xpd_json_member(xpd_json_member(answer, "rows"), "n"), &rows);
        xpd_json_free(answer);
    }
    xpd_strbuf_fini(&body);
    return rows > 0 ? xpd_arena_printf(keep, "0-%" PRId64, rows - 1) : NULL;
}

static int ask_host(struct xpd_recorder *r, struct xpd_question *q, struct xpd_place *place,
                    struct xpd_err *err)
{
    struct xpd_arena keep = {0};
    if (strstr(q->ask->query, "{rows}"))
        place->rows = all_rows(r, place->host, &keep);
    int rc = xpd_report_ask(r, q, place, err);
    xpd_arena_fini(&keep);
    place->rows = NULL;
    return rc;
}

int xpd_report_ask_hosts(struct xpd_recorder *r, struct xpd_question *q, struct xpd_place *place,
                         struct xpd_err *err)
{
    const struct xpd_run *run = r->profile->run;
    int rc = ask_host(r, q, place, err);
    for (uint32_t i = 0; run->host_count > 1 && i < run->host_count && rc == XPD_OK; i++) {
        place->host = run->host[i].name;
        rc = ask_host(r, q, place, err);
    }
    return rc;
}

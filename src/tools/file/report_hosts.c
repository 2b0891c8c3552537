/* Questions about the trace. In: a question of the plan. Out: the same without a host, and of each
 * host when there are several. */
#include "report_ask.h"

#include "xprofd/json/reader.h"
#include <inttypes.h>

enum { LANES_MAX = 64 };

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

static uint32_t index_at(const struct xpd_json *lanes, const char *column, size_t row)
{
    int64_t value;
    const struct xpd_json *item = xpd_json_item(xpd_json_member(lanes, column), row);
    return xpd_json_to_i64(item, &value) ? (uint32_t)value : XPD_NO_INDEX;
}

/* Nothing where one answer lists all steps. */
static int ask_lanes(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                     struct xpd_err *err)
{
    struct xpd_param param[] = {{XPD_STR("overlap"), XPD_STR("0")},
                                {XPD_STR("host"), xpd_str_of(place->host)}};
    struct xpd_strbuf body = {0};
    struct xpd_json *answer = NULL;
    int64_t left_out = 0;
    int rc = XPD_OK;
    if (xpd_report_call(r->profile, r->want, "/api/v1/trace/steps", NULL, -1, param,
                        place->host ? 2 : 1, &body, NULL) == XPD_OK)
        answer = xpd_json_parse_answer((struct xpd_str){body.data, body.size});
    xpd_json_to_i64(xpd_json_member(answer, "left_out"), &left_out);
    const struct xpd_json *lanes = xpd_json_member(answer, "lanes");
    size_t n = left_out > 0 ? xpd_json_count(xpd_json_member(lanes, "process")) : 0;
    for (size_t i = 0; i < n && i < LANES_MAX && rc == XPD_OK; i++) {
        place->process = index_at(lanes, "process", i);
        place->thread = index_at(lanes, "row", i);
        rc = xpd_report_ask(r, q, place, err);
    }
    q->tally->left_out += n > LANES_MAX ? (uint32_t)(n - LANES_MAX) : 0;
    place->process = place->thread = XPD_NO_INDEX;
    xpd_json_free(answer);
    xpd_strbuf_fini(&body);
    return rc;
}

static int ask_host(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                    struct xpd_err *err)
{
    struct xpd_arena keep = {0};
    if (q->ask->each == XPD_EACH_LANE)
        return ask_lanes(r, q, place, err);
    if (strstr(q->ask->query, "{rows}"))
        place->rows = all_rows(r, place->host, &keep);
    int rc = xpd_report_ask(r, q, place, err);
    xpd_arena_fini(&keep);
    place->rows = NULL;
    return rc;
}

int xpd_report_ask_hosts(struct xpd_recorder *r, struct xpd_question *q,
                         struct xpd_ask_place *place, struct xpd_err *err)
{
    const struct xpd_run *run = r->profile->run;
    int rc = ask_host(r, q, place, err);
    for (uint32_t i = 0; run->host_count > 1 && i < run->host_count && rc == XPD_OK; i++) {
        place->host = run->host[i].name;
        rc = ask_host(r, q, place, err);
    }
    return rc;
}

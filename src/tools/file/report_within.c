/* Questions about what is in a category or an op group of the report. In: a question of the plan.
 * Out: the same for each of those that hold something at the place's step.
 *
 * Which there are is what the tools answer, so that a new category needs no line here. */
#include "report_ask.h"

#include "xprofd/json/reader.h"

enum { WITHIN_MAX = 64 };

/* A category says whether it opens; a group holds something when it is not 0. */
static const char *name_of(const struct xpd_json *row, bool leaf)
{
    const struct xpd_json *opens = xpd_json_member(row, "opens");
    int64_t bytes = 0;
    if (leaf)
        return xpd_json_is_true(opens) ? xpd_json_to_text(xpd_json_member(row, "id")) : NULL;
    xpd_json_to_i64(xpd_json_item(xpd_json_member(row, "at_bytes"), 0), &bytes);
    return bytes != 0 ? xpd_json_to_text(xpd_json_member(row, "name")) : NULL;
}

int xpd_report_ask_within(struct xpd_recorder *r, struct xpd_question *q,
                          struct xpd_ask_place *place, struct xpd_err *err)
{
    struct xpd_param param[] = {{XPD_STR("px"), XPD_STR("0")}, {XPD_STR("by"), XPD_STR("op")}};
    bool leaf = q->ask->each == XPD_EACH_LEAF;
    struct xpd_strbuf body = {0};
    struct xpd_json *answer = NULL;
    int rc = XPD_OK;
    if (xpd_report_call(r->profile, r->want,
                        leaf ? "/api/v1/report/details" : "/api/v1/report/groups",
                        r->profile->run->module[place->module].key, place->space->color, param,
                        leaf ? 1 : 2, &body, NULL) == XPD_OK)
        answer = xpd_json_parse_answer((struct xpd_str){body.data, body.size});
    const struct xpd_json *rows = xpd_json_member(answer, "rows");
    for (size_t i = 0; rc == XPD_OK && i < xpd_json_count(rows) && i < WITHIN_MAX; i++) {
        place->within = name_of(xpd_json_item(rows, i), leaf);
        if (place->within)
            rc = xpd_report_ask(r, q, place, err);
    }
    place->within = NULL;
    xpd_json_free(answer);
    xpd_strbuf_fini(&body);
    return rc;
}

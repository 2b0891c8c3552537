/* The head of a report: what wrote it, of which files, how its answers are found, what was left
 * out. In: the plan and the recorder's tally. Out: JSON, and a sentence for the terminal. */
#include "report_head.h"
#include "report_base.h"
#include "xprofd/base/build.h"

#include <inttypes.h>
#include <stdio.h>

#define FILES_MAX  16  /* named */
#define NAME_BYTES 512 /* bytes of a name; longer ones are cut */

static void put_name(struct xpd_jsonw *w, const char *key, const char *name)
{
    struct xpd_str text = xpd_str_of(name);
    if (text.size > NAME_BYTES)
        text.size = NAME_BYTES;
    xpd_json_kstr(w, key, text);
}

static void put_files(struct xpd_jsonw *w, const struct xpd_run *run)
{
    const struct xpd_run_entry *entry = run->entry;
    xpd_json_key(w, "files");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < entry->input_count && i < FILES_MAX; i++) {
        xpd_json_obj(w);
        put_name(w, "name", entry->input[i].name);
        xpd_json_ku64(w, "size_bytes", entry->input[i].identity.size_bytes);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "file_count", entry->input_count);
}

/* Of the run, its files, what is open when nothing else is asked for. */
static void put_run(struct xpd_jsonw *w, const struct xpd_run *run, uint32_t module)
{
    put_name(w, "run", run->entry->id);
    put_name(w, "label", run->entry->label);
    put_files(w, run);
    if (module < run->module_count)
        put_name(w, "module", run->module[module].key);
    else
        xpd_json_knull(w, "module");
}

static void put_base(struct xpd_jsonw *w, const struct xpd_recorder *r)
{
    const struct xpd_report_base *base = r->base;
    xpd_json_key(w, "base");
    if (!base) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    put_run(w, base->before.run, base->pair[base->opens]);
    put_name(w, "opens", base->after.run->module[base->opens].key);
    xpd_json_key(w, "alone");
    xpd_json_str(w, (struct xpd_str){r->alone.data ? r->alone.data : "", r->alone.size});
    xpd_json_obj_end(w);
}

static void put_words(struct xpd_jsonw *w, const char *key, const char *words)
{
    xpd_json_key(w, key);
    xpd_json_arr(w);
    while (*words) {
        size_t size = strcspn(words, " ");
        xpd_json_str(w, (struct xpd_str){words, size});
        words += size + (words[size] == ' ');
    }
    xpd_json_arr_end(w);
}

/* Parameters that make another answer: those of the tool, and the common ones that it needs. */
static void put_takes(struct xpd_jsonw *w, const struct xpd_ask *ask)
{
    char route[64];
    snprintf(route, sizeof route, "/api/v1/%s", ask->route);
    const struct xpd_tool *tool = xpd_tool_find(xpd_str_of(route));
    xpd_json_key(w, "takes");
    xpd_json_arr(w);
    for (const struct xpd_param_spec *spec = tool ? tool->params : NULL; spec && spec->name; spec++)
        xpd_json_text(w, spec->name);
    if (ask->each == XPD_EACH_HOST || ask->each == XPD_EACH_LANE)
        xpd_json_text(w, "host");
    if (tool && tool->needs >= XPD_NEEDS_RUN)
        xpd_json_text(w, "hbm");
    if (tool && tool->needs >= XPD_NEEDS_MODULE)
        xpd_json_text(w, "module");
    if (tool && tool->needs >= XPD_NEEDS_SPACE)
        xpd_json_text(w, "space");
    xpd_json_arr_end(w);
}

static bool seen_before(const struct xpd_ask *plan, uint32_t line, const char *route)
{
    for (uint32_t i = 0; i < line; i++)
        if (strcmp(plan[i].route, route) == 0)
            return true;
    return false;
}

static void put_holds(struct xpd_jsonw *w, const struct xpd_ask *plan, uint32_t count,
                      const char *route)
{
    xpd_json_key(w, "holds");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < count; i++) {
        bool told = strcmp(plan[i].route, route) != 0;
        for (uint32_t j = 0; j < i && !told; j++)
            told = strcmp(plan[j].route, route) == 0 && strcmp(plan[j].holds, plan[i].holds) == 0;
        if (!told)
            xpd_json_text(w, plan[i].holds);
    }
    xpd_json_arr_end(w);
}

static void put_routes(struct xpd_jsonw *w, const struct xpd_recorder *r)
{
    uint32_t count;
    const struct xpd_ask *plan = xpd_report_plan(&count);
    xpd_json_key(w, "routes");
    xpd_json_obj(w);
    for (uint32_t i = 0; i < count; i++) {
        if (seen_before(plan, i, plan[i].route) || (xpd_ask_compares(&plan[i]) && !r->base))
            continue;
        xpd_json_key(w, plan[i].route);
        xpd_json_obj(w);
        put_takes(w, &plan[i]);
        put_words(w, "any", plan[i].any);
        put_holds(w, plan, count, plan[i].route);
        xpd_json_obj_end(w);
    }
    xpd_json_obj_end(w);
}

/* The tally of all lines with the same words. False when an earlier line has them. */
static bool tally_of(const struct xpd_recorder *r, uint32_t line, struct xpd_report_tally *sum)
{
    uint32_t count;
    const struct xpd_ask *plan = xpd_report_plan(&count);
    *sum = (struct xpd_report_tally){0};
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(plan[i].holds, plan[line].holds) != 0)
            continue;
        if (i < line)
            return false;
        sum->held += r->tally[i].held;
        sum->left_out += r->tally[i].left_out;
    }
    return true;
}

static void put_tallies(struct xpd_jsonw *w, const struct xpd_recorder *r)
{
    uint32_t count;
    const struct xpd_ask *plan = xpd_report_plan(&count);
    struct xpd_report_tally sum;
    xpd_json_key(w, "held");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < count; i++) {
        if (!tally_of(r, i, &sum) || sum.held + sum.left_out == 0)
            continue;
        xpd_json_obj(w);
        xpd_json_ktext(w, "what", plan[i].holds);
        xpd_json_ku64(w, "held", sum.held);
        xpd_json_ku64(w, "left_out", sum.left_out);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

void xpd_report_head(struct xpd_strbuf *out, const struct xpd_recorder *r, uint64_t limit_bytes)
{
    const struct xpd_run *run = r->profile->run;
    struct xpd_strbuf json = {0};
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &json);
    xpd_json_obj(&w);
    xpd_json_ki64(&w, "schema", 1);
    xpd_json_ktext(&w, "version", xpd_version());
    xpd_json_ku64(&w, "limit_bytes", limit_bytes);
    put_run(&w, run, r->default_module);
    put_base(&w, r);
    xpd_json_kbool(&w, "one_module", r->want->module != NULL);
    xpd_json_ktext(&w, "space", r->want->space);
    put_routes(&w, r);
    put_tallies(&w, r);
    xpd_json_obj_end(&w);
    if (json.size > 2)
        xpd_strbuf_add(out, json.data + 1, json.size - 2);
    out->failed |= json.failed;
    xpd_strbuf_fini(&json);
}

void xpd_report_left_out(struct xpd_strbuf *out, const struct xpd_recorder *r)
{
    uint32_t count;
    const struct xpd_ask *plan = xpd_report_plan(&count);
    struct xpd_report_tally sum;
    for (uint32_t i = 0; i < count; i++)
        if (tally_of(r, i, &sum) && sum.left_out > 0)
            xpd_strbuf_printf(out, "%s%" PRIu64 " of %" PRIu64 " answers on %s",
                              out->size ? "; " : "", sum.left_out, sum.held + sum.left_out,
                              plan[i].holds);
}

/* Findings as SARIF 2.1.0 (annotations at source lines) and as JUnit XML. In: a diagnosis. Out:
 * bytes without times, so that two runs are equal. */
#include "diagnosis.h"
#include "sarif.h"

static const char *level_of(const struct xpd_finding *f)
{
    return f->severity == XPD_DOCTOR_ERROR  ? "error"
           : f->severity == XPD_DOCTOR_WARN ? "warning"
                                            : "note";
}

static void write_rules(struct xpd_jsonw *w)
{
    uint32_t count;
    const struct xpd_doctor_rule *rule = xpd_doctor_rules(&count);
    xpd_json_key(w, "rules");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < count; i++) {
        xpd_json_obj(w);
        xpd_json_ktext(w, "id", rule[i].id);
        xpd_json_ktext(w, "name", rule[i].name);
        xpd_json_key(w, "help");
        xpd_json_obj(w);
        xpd_json_ktext(w, "text", rule[i].what_to_try);
        xpd_json_obj_end(w);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

static void write_location(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                           const struct xpd_finding *f)
{
    struct xpd_finding_at at = xpd_finding_at(ctx->hlo, f);
    xpd_json_key(w, "locations");
    xpd_json_arr(w);
    xpd_json_obj(w);
    if (at.file.size > 0) {
        xpd_sarif_place(w, at.file, at.line);
    } else {
        xpd_json_key(w, "logicalLocations");
        xpd_json_arr(w);
        xpd_json_obj(w);
        xpd_json_ktext(w, "name", xpd_diagnosis_of(ctx));
        xpd_json_obj_end(w);
        xpd_json_arr_end(w);
    }
    xpd_json_obj_end(w);
    xpd_json_arr_end(w);
}

static void write_result(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                         const struct xpd_finding *f)
{
    xpd_json_obj(w);
    xpd_json_ktext(w, "ruleId", f->rule->id);
    xpd_json_ktext(w, "level", level_of(f));
    xpd_sarif_message(w, f->claim);
    write_location(w, ctx, f);
    xpd_json_key(w, "properties");
    xpd_json_obj(w);
    xpd_json_ktext(w, "confidence", xpd_doctor_confidence_word(f->confidence));
    xpd_tools_kknown(w, "savingBytes", f->saving_bytes);
    xpd_tools_kknown(w, "savingPs", f->saving_ps);
    xpd_json_obj_end(w);
    if (f->silenced) {
        xpd_json_key(w, "suppressions");
        xpd_json_arr(w);
        xpd_json_obj(w);
        xpd_json_ktext(w, "kind", "external");
        xpd_json_kstr(w, "justification", f->silenced->reason);
        xpd_json_obj_end(w);
        xpd_json_arr_end(w);
    }
    xpd_json_obj_end(w);
}

void xpd_diagnosis_sarif(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                         const struct xpd_diagnosis *d)
{
    xpd_sarif_begin(w);
    write_rules(w);
    xpd_sarif_results(w);
    for (uint32_t i = 0; i < d->count; i++)
        write_result(w, ctx, &d->finding[i]);
    xpd_sarif_end(w);
}

static void put_case(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                     const struct xpd_diagnosis *d, const struct xpd_doctor_rule *rule)
{
    struct xpd_strbuf source = {0};
    xpd_strbuf_printf(out, "    <testcase classname=\"xprofd.doctor\" name=\"%s %s\">\n", rule->id,
                      rule->name);
    for (uint32_t i = 0; i < d->count; i++) {
        const struct xpd_finding *f = &d->finding[i];
        if (f->rule != rule)
            continue;
        bool fails = !f->silenced && f->severity != XPD_DOCTOR_INFO;
        xpd_strbuf_clear(&source);
        xpd_finding_source(&source, ctx->hlo, f);
        xpd_strbuf_puts(out, fails ? "      <failure message=\"" : "      <system-out>");
        xpd_xml_put(out, f->claim);
        xpd_strbuf_puts(out, fails ? "\">" : " ");
        xpd_xml_put(out, (struct xpd_str){source.data, source.size});
        xpd_strbuf_puts(out, fails ? "</failure>\n" : "</system-out>\n");
    }
    xpd_strbuf_puts(out, "    </testcase>\n");
    xpd_strbuf_fini(&source);
}

void xpd_diagnosis_junit(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                         const struct xpd_diagnosis *d)
{
    uint32_t count, failures = 0;
    const struct xpd_doctor_rule *rule = xpd_doctor_rules(&count);
    for (uint32_t k = 0; k < count; k++) {
        bool fails = false;
        for (uint32_t i = 0; i < d->count; i++)
            fails |= d->finding[i].rule == &rule[k] && !d->finding[i].silenced &&
                     d->finding[i].severity != XPD_DOCTOR_INFO;
        failures += fails;
    }
    xpd_strbuf_printf(out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite "
                      "name=\"xprofd doctor\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\">\n",
                      count, failures);
    for (uint32_t k = 0; k < count; k++)
        put_case(out, ctx, d, &rule[k]);
    xpd_strbuf_puts(out, "  </testsuite>\n</testsuites>\n");
}

/* The JSON all commands share. In: parts of one object. Out: stdout. */
#include "json_out.h"
#include "xprofd/cli/exit_codes.h"
#include <stdio.h>

struct xpd_jsonw *xpd_cli_json_begin(struct xpd_cli_json *out, const char *command)
{
    *out = (struct xpd_cli_json){0};
    xpd_jsonw_init(&out->w, &out->text);
    xpd_json_obj(&out->w);
    xpd_json_ki64(&out->w, "schema", 1);
    xpd_json_ktext(&out->w, "command", command);
    return &out->w;
}

void xpd_cli_json_end(struct xpd_cli_json *out)
{
    xpd_json_obj_end(&out->w);
    xpd_strbuf_putc(&out->text, '\n');
    fwrite(out->text.data, 1, out->text.size, stdout);
    xpd_strbuf_fini(&out->text);
}

void xpd_cli_json_answer(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                         const char *command, int code, const char *key, struct xpd_str body)
{
    struct xpd_cli_json out;
    struct xpd_jsonw *w = xpd_cli_json_begin(&out, command);
    xpd_cli_json_verdict(w, code);
    xpd_cli_json_covers(w, profile, args);
    xpd_json_key(w, key);
    xpd_json_raw(w, body);
    xpd_cli_json_end(&out);
}

static void skipped(struct xpd_jsonw *w, const char *what, const char *why)
{
    xpd_json_obj(w);
    xpd_json_ktext(w, "what", what);
    xpd_json_ktext(w, "why", why);
    xpd_json_obj_end(w);
}

void xpd_cli_json_covers(struct xpd_jsonw *w, const struct xpd_cli_profile *profile,
                         const struct xpd_profile_args *args)
{
    const struct xpd_run *run = profile->run;
    xpd_json_key(w, "covers");
    xpd_json_obj(w);
    xpd_json_ktext(w, "path", args->path);
    xpd_json_ktext(w, "run", run ? run->entry->id : NULL);
    xpd_json_key(w, "hosts");
    xpd_json_arr(w);
    for (uint32_t i = 0; run && i < run->host_count; i++) {
        const struct xpd_host *host = &run->host[i];
        xpd_json_obj(w);
        xpd_json_ktext(w, "name", host->name);
        xpd_json_ktext(w, "file", host->input ? host->input->name : NULL);
        if (host->input)
            xpd_json_ku64(w, "size_bytes", host->input->identity.size_bytes);
        else
            xpd_json_knull(w, "size_bytes");
        xpd_json_kbool(w, "read", host->error.code == XPD_OK);
        xpd_json_kbool(w, "complete",
                       host->error.code == XPD_OK && (!host->space || host->space->complete));
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_key(w, "skipped");
    xpd_json_arr(w);
    bool told = false;
    for (uint32_t i = 0; run && i < run->host_count; i++)
        if (run->host[i].error.code != XPD_OK) {
            skipped(w, run->host[i].input ? run->host[i].input->name : run->host[i].name,
                    run->host[i].error.text);
            told = true;
        }
    for (uint32_t i = 0; run && !told && run->warnings && i < run->warnings->count; i++)
        if (run->warnings->item[i].severity == XPD_ERROR)
            skipped(w, run->warnings->item[i].code, run->warnings->item[i].text);
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

int xpd_cli_exit_code(int rc)
{
    switch (rc) {
    case XPD_OK: return XPD_EXIT_OK;
    case XPD_EINVAL: return XPD_EXIT_USAGE;
    case XPD_ENOTFOUND:
    case XPD_EFORMAT:
    case XPD_EIO:
    case XPD_ECHANGED:
    case XPD_ELIMIT: return XPD_EXIT_INPUT;
    default: return XPD_EXIT_INTERNAL;
    }
}

void xpd_cli_json_exit(struct xpd_jsonw *w, int rc)
{
    xpd_json_key(w, "exit");
    xpd_json_obj(w);
    xpd_json_ki64(w, "code", xpd_cli_exit_code(rc));
    xpd_json_ktext(w, "word", xpd_code_word(rc));
    xpd_json_obj_end(w);
}

void xpd_cli_json_verdict(struct xpd_jsonw *w, int code)
{
    xpd_json_key(w, "exit");
    xpd_json_obj(w);
    xpd_json_ki64(w, "code", code);
    xpd_json_ktext(w, "word",
                   code == XPD_EXIT_OK       ? "ok"
                   : code == XPD_EXIT_BROKEN ? "broken"
                   : code == XPD_EXIT_INPUT  ? xpd_code_word(XPD_EFORMAT)
                                             : "not_judged");
    xpd_json_obj_end(w);
}

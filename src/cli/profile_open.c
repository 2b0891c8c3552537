/* Opening the profile a command is about, calling tools on it, and the parts of the JSON all
 * commands share. */
#include "profile_args.h"
#include "xprofd/cli/exit_codes.h"
#include <stdio.h>
#include <string.h>

static int pick_run(const struct xpd_profile_args *args, const struct xpd_catalog *catalog,
                    const char **id, struct xpd_err *err)
{
    if (args->run) {
        *id = args->run;
        return XPD_OK;
    }
    if (catalog->root_problem)
        return xpd_fail(err, XPD_ENOTFOUND, args->path, XPD_NO_OFFSET, "%s", catalog->root_problem);
    if (catalog->run_count == 0)
        return xpd_fail(err, XPD_ENOTFOUND, args->path, XPD_NO_OFFSET,
                        "no profile here: looked for *.xplane.pb, *.hlo_proto.pb and *.hlo.pb "
                        "(each also .gz) in "
                        "%u folder%s, %u file%s%s%s",
                        catalog->folder_count, catalog->folder_count == 1 ? "" : "s",
                        catalog->file_count, catalog->file_count == 1 ? "" : "s",
                        catalog->found_count ? "; nearest: " : "",
                        catalog->found_count ? catalog->found[0].what : "");
    if (catalog->run_count == 1) {
        *id = catalog->run[0].id;
        return XPD_OK;
    }
    char names[320];
    xpd_catalog_names(catalog, names, sizeof names);
    return xpd_fail(err, XPD_EINVAL, "--run", XPD_NO_OFFSET,
                    "%u runs here; choose one with --run: %s", catalog->run_count, names);
}

int xpd_cli_open(struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 struct xpd_err *err)
{
    *profile = (struct xpd_cli_profile){0};
    struct xpd_store_options options = {.base_root = args->diff};
    int rc = xpd_store_open(&profile->store, args->path, &options, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_catalog *catalog = xpd_store_catalog(profile->store, 1000);
    if (!catalog)
        return xpd_fail(err, XPD_ENOMEM, args->path, XPD_NO_OFFSET,
                        "no memory for the list of runs");
    const char *id = NULL;
    rc = pick_run(args, catalog, &id, err);
    if (rc == XPD_OK) {
        struct xpd_load_state state;
        rc = xpd_store_acquire(profile->store, xpd_str_of(id), -1, &profile->run, &state, err);
    }
    xpd_catalog_release(catalog);
    return rc;
}

bool xpd_cli_any_read(const struct xpd_run *run)
{
    for (uint32_t i = 0; i < run->host_count; i++)
        if (run->host[i].error.code == XPD_OK)
            return true;
    return run->host_count == 0;
}

int xpd_cli_require_modules(const struct xpd_cli_profile *profile, struct xpd_err *err)
{
    return profile->run->module_count > 0 ? XPD_OK : xpd_run_no_modules(profile->run, err);
}

int xpd_cli_pick_module(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                        uint32_t *module, struct xpd_err *err)
{
    struct xpd_param param[2] = {{XPD_STR("module"), xpd_str_of(args->module)},
                                 {XPD_STR("host"), xpd_str_of(args->host)}};
    struct xpd_tool_ctx ctx = {
        .store = profile->store, .run = profile->run, .param = param, .param_count = 2};
    int rc = xpd_tool_pick_module(&ctx, err);
    *module = ctx.module;
    return rc;
}

void xpd_cli_close(struct xpd_cli_profile *profile)
{
    if (profile->run)
        xpd_store_release(profile->store, profile->run);
    if (profile->store)
        xpd_store_close(profile->store);
    *profile = (struct xpd_cli_profile){0};
}

int xpd_cli_write_source(const struct xpd_body_source *source, FILE *file, struct xpd_err *err)
{
    struct xpd_strbuf piece = {0};
    int rc;
    do {
        xpd_strbuf_clear(&piece);
        rc = source->next(source->self, &piece, err);
        if (rc == XPD_OK && piece.failed)
            rc = xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "out of memory");
        if (rc == XPD_OK && fwrite(piece.data, 1, piece.size, file) != piece.size)
            rc = xpd_fail(err, XPD_EWRITE, NULL, XPD_NO_OFFSET, "the output could not be written");
    } while (rc == XPD_OK && piece.size > 0);
    xpd_strbuf_fini(&piece);
    source->close(source->self);
    return rc;
}

/* Into `out`, or to `file` while it is made. */
static int call(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                const char *route, const char *module, int64_t color, const struct xpd_param *more,
                uint32_t more_count, struct xpd_strbuf *out, FILE *file, struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_param param[16];
    uint32_t count = 0;
    char space[24], hbm[24];
    param[count++] = (struct xpd_param){XPD_STR("run"), xpd_str_of(profile->run->entry->id)};
    if (module)
        param[count++] = (struct xpd_param){XPD_STR("module"), xpd_str_of(module)};
    if (color >= 0) {
        snprintf(space, sizeof space, "%lld", (long long)color);
        param[count++] = (struct xpd_param){XPD_STR("space"), xpd_str_of(space)};
    }
    if (args->hbm_bytes >= 0) {
        snprintf(hbm, sizeof hbm, "%lld", (long long)args->hbm_bytes);
        param[count++] = (struct xpd_param){XPD_STR("hbm"), xpd_str_of(hbm)};
    }
    for (uint32_t i = 0; i < more_count && count < sizeof param / sizeof *param; i++)
        param[count++] = more[i];
    struct xpd_tool_ctx ctx = {.arena = &arena,
                               .param = param,
                               .param_count = count,
                               .hbm_override_bytes = -1,
                               .may_stream = file != NULL};
    struct xpd_tool_result result = {0};
    struct xpd_load_state state;
    int rc = xpd_tool_call(xpd_tool_find(xpd_str_of(route)), profile->store, &ctx, -1, &result,
                           &state, err);
    if (rc == XPD_OK && result.source.next)
        rc = xpd_cli_write_source(&result.source, file, err);
    else if (rc == XPD_OK && file)
        fwrite(result.body.data, 1, result.body.size, file);
    else if (rc == XPD_OK)
        xpd_strbuf_add(out, result.body.data, result.body.size);
    xpd_strbuf_fini(&result.body);
    xpd_arena_fini(&arena);
    return rc;
}

int xpd_cli_call(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 const char *route, const char *module, int64_t color, const struct xpd_param *more,
                 uint32_t more_count, struct xpd_strbuf *out, struct xpd_err *err)
{
    return call(profile, args, route, module, color, more, more_count, out, NULL, err);
}

int xpd_cli_print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                  const char *route, const char *module, const struct xpd_param *more,
                  uint32_t more_count, struct xpd_err *err)
{
    return call(profile, args, route, module, -1, more, more_count, NULL, stdout, err);
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

int xpd_cli_fail(const struct xpd_profile_args *args, const char *command,
                 const struct xpd_err *err)
{
    if (args->output == XPD_OUT_JSON) {
        struct xpd_strbuf out = {0};
        struct xpd_jsonw w;
        xpd_jsonw_init(&w, &out);
        xpd_json_obj(&w);
        xpd_json_ki64(&w, "schema", 1);
        xpd_json_ktext(&w, "command", command);
        xpd_cli_json_exit(&w, err->code);
        xpd_json_key(&w, "error");
        xpd_json_obj(&w);
        xpd_json_ktext(&w, "code", xpd_code_word(err->code));
        xpd_json_ktext(&w, "message", err->text);
        xpd_json_ktext(&w, "where", err->where[0] ? err->where : NULL);
        if (err->offset == XPD_NO_OFFSET)
            xpd_json_knull(&w, "offset");
        else
            xpd_json_ku64(&w, "offset", err->offset);
        xpd_json_obj_end(&w);
        xpd_json_obj_end(&w);
        xpd_strbuf_putc(&out, '\n');
        fwrite(out.data, 1, out.size, stdout);
        xpd_strbuf_fini(&out);
    }
    fprintf(stderr, "xprofd %s: ", command);
    if (err->where[0] && !strstr(err->text, err->where)) {
        xpd_cli_put(stderr, xpd_str_of(err->where), sizeof err->where);
        fputs(": ", stderr);
    }
    xpd_cli_put(stderr, xpd_str_of(err->text), sizeof err->text);
    if (err->offset != XPD_NO_OFFSET)
        fprintf(stderr, " (byte %llu)", (unsigned long long)err->offset);
    fputc('\n', stderr);
    return xpd_cli_exit_code(err->code);
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

struct plain { /* a command without an exit code of its own */
    int (*print)(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 struct xpd_err *err);
    int (*print_code)(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                      int *code, struct xpd_err *err);
};

static int run_command(const char *command, const char *help, int argc, char **argv,
                       const struct plain *how)
{
    struct xpd_profile_args args;
    struct xpd_cli_profile profile = {0};
    struct xpd_err err = {0};
    int rc = xpd_profile_args_parse(&args, help, argc, argv, &err), code = XPD_EXIT_OK;
    if (rc == XPD_OK && args.help) {
        fputs(help, stdout);
        return XPD_EXIT_OK;
    }
    if (rc == XPD_OK)
        rc = xpd_cli_open(&profile, &args, &err);
    if (rc == XPD_OK)
        rc = xpd_cli_require_modules(&profile, &err);
    if (rc == XPD_OK && how->print)
        rc = how->print(&profile, &args, &err);
    if (rc == XPD_OK && how->print_code)
        rc = how->print_code(&profile, &args, &code, &err);
    if (rc != XPD_OK)
        code = xpd_cli_fail(&args, command, &err);
    xpd_cli_close(&profile);
    return code;
}

int xpd_cli_run(const char *command, const char *help, int argc, char **argv,
                int (*print)(const struct xpd_cli_profile *profile,
                             const struct xpd_profile_args *args, struct xpd_err *err))
{
    return run_command(command, help, argc, argv, &(struct plain){.print = print});
}

int xpd_cli_run_code(const char *command, const char *help, int argc, char **argv,
                     int (*print)(const struct xpd_cli_profile *profile,
                                  const struct xpd_profile_args *args, int *code,
                                  struct xpd_err *err))
{
    return run_command(command, help, argc, argv, &(struct plain){.print_code = print});
}

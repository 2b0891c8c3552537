/* Opening the profile a command is about, and calling tools on it. */
#include "json_out.h"
#include "xprofd/cli/exit_codes.h"
#include <inttypes.h>
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
                        "no profile here: looked for *.xplane.pb, *.hlo_proto.pb, *.hlo.pb and "
                        "HLO text (each also .gz) in "
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
    xpd_catalog_names(catalog, XPD_STR(""), names, sizeof names);
    return xpd_fail(err, XPD_EINVAL, "--run", XPD_NO_OFFSET,
                    "%u runs found; choose one with --run: %s", catalog->run_count, names);
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
        return xpd_no_memory(err, args->path, "for the list of runs");
    const char *id = NULL;
    rc = pick_run(args, catalog, &id, err);
    if (rc == XPD_OK) {
        struct xpd_load_state state;
        rc = xpd_store_acquire(profile->store, xpd_str_of(id), -1, &profile->run, &state, err);
    }
    xpd_catalog_release(catalog);
    return rc;
}

static const char *plain_id(const struct xpd_run_entry *entry)
{
    return entry->id + sizeof XPD_BASE_PREFIX - 1;
}

int xpd_cli_base_run(struct xpd_store *store, const struct xpd_profile_args *args, const char **id,
                     struct xpd_err *err)
{
    const struct xpd_catalog *catalog = xpd_store_base(store);
    char names[320] = "";
    size_t used = 0;
    if (catalog->root_problem)
        return xpd_fail(err, XPD_ENOTFOUND, args->diff, XPD_NO_OFFSET, "%s", catalog->root_problem);
    if (catalog->run_count == 0)
        return xpd_fail(err, XPD_ENOTFOUND, args->diff, XPD_NO_OFFSET,
                        "no profile here to compare with: looked for *.xplane.pb, *.hlo_proto.pb, "
                        "*.hlo.pb and HLO text (each also .gz)");
    for (uint32_t i = 0; i < catalog->run_count; i++) {
        const char *name = plain_id(&catalog->run[i]);
        if (catalog->run_count == 1 || (args->run && strcmp(args->run, name) == 0)) {
            *id = catalog->run[i].id;
            return XPD_OK;
        }
        if (used < sizeof names - 80)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%.60s", i ? ", " : "", name);
    }
    return xpd_fail(err, XPD_EINVAL, "--diff", XPD_NO_OFFSET,
                    "BEFORE has %" PRIu32 " runs; give the folder of one of them: %s",
                    catalog->run_count, names);
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
            rc = xpd_no_memory(err, NULL, "for this answer");
        if (rc == XPD_OK && fwrite(piece.data, 1, piece.size, file) != piece.size)
            rc = xpd_fail(err, XPD_EWRITE, NULL, XPD_NO_OFFSET, "the output could not be written");
    } while (rc == XPD_OK && piece.size > 0);
    xpd_strbuf_fini(&piece);
    source->close(source->self);
    return rc;
}

struct sink { /* destination of an answer */
    struct xpd_strbuf *out;
    FILE *file; /* while it is made */
    int (*use)(void *self, const struct xpd_record *record, const void *answer,
               struct xpd_err *err);
    void *self;
};

static int call(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                const char *route, const char *module, int64_t color, const struct xpd_param *more,
                uint32_t more_count, const struct sink *sink, struct xpd_err *err)
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
                               .may_stream = sink->file != NULL,
                               .use = sink->use,
                               .use_self = sink->self};
    struct xpd_tool_result result = {0};
    struct xpd_load_state state;
    int rc = xpd_tool_call(xpd_tool_find(xpd_str_of(route)), profile->store, &ctx, -1, &result,
                           &state, err);
    if (rc == XPD_OK && result.source.next)
        rc = xpd_cli_write_source(&result.source, sink->file, err);
    else if (rc == XPD_OK && sink->file)
        fwrite(result.body.data, 1, result.body.size, sink->file);
    else if (rc == XPD_OK && sink->out)
        xpd_strbuf_add(sink->out, result.body.data, result.body.size);
    xpd_strbuf_fini(&result.body);
    xpd_arena_fini(&arena);
    return rc;
}

int xpd_cli_call(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 const char *route, const char *module, int64_t color, const struct xpd_param *more,
                 uint32_t more_count, struct xpd_strbuf *out, struct xpd_err *err)
{
    return call(profile, args, route, module, color, more, more_count, &(struct sink){.out = out},
                err);
}

int xpd_cli_use(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                const char *route, const char *module, const struct xpd_param *more,
                uint32_t more_count,
                int (*use)(void *self, const struct xpd_record *record, const void *answer,
                           struct xpd_err *err),
                void *self, struct xpd_err *err)
{
    return call(profile, args, route, module, -1, more, more_count,
                &(struct sink){.use = use, .self = self}, err);
}

int xpd_cli_print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                  const char *route, const char *module, const struct xpd_param *more,
                  uint32_t more_count, struct xpd_err *err)
{
    return call(profile, args, route, module, -1, more, more_count, &(struct sink){.file = stdout},
                err);
}

int xpd_cli_fail(const struct xpd_profile_args *args, const char *command,
                 const struct xpd_err *err)
{
    if (args->output == XPD_OUT_JSON) {
        struct xpd_cli_json out;
        struct xpd_jsonw *w = xpd_cli_json_begin(&out, command);
        xpd_cli_json_exit(w, err->code);
        xpd_json_key(w, "error");
        xpd_json_obj(w);
        xpd_json_ktext(w, "code", xpd_code_word(err->code));
        xpd_json_ktext(w, "message", err->text);
        xpd_json_ktext(w, "where", err->where[0] ? err->where : NULL);
        if (err->offset == XPD_NO_OFFSET)
            xpd_json_knull(w, "offset");
        else
            xpd_json_ku64(w, "offset", err->offset);
        xpd_json_obj_end(w);
        xpd_cli_json_end(&out);
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

struct plain { /* a command without its own exit code */
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
    if (rc == XPD_OK && how->print)
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

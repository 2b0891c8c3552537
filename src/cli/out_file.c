/* Files that a command writes because the user named them. */
#include "json_out.h"
#include "profile_args.h"
#include "xprofd/cli/exit_codes.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool xpd_cli_is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

bool xpd_cli_stdout_taken(const struct xpd_profile_args *args)
{
    return xpd_cli_is_stdout(args->sarif) || xpd_cli_is_stdout(args->junit);
}

int xpd_cli_check_stdout(const struct xpd_profile_args *args, struct xpd_err *err)
{
    const char *option = xpd_cli_is_stdout(args->sarif) ? "--sarif" : "--junit";
    if (!xpd_cli_stdout_taken(args))
        return XPD_OK;
    if (xpd_cli_is_stdout(args->sarif) && xpd_cli_is_stdout(args->junit))
        return xpd_fail(err, XPD_EINVAL, "--junit", XPD_NO_OFFSET,
                        "--sarif=- and --junit=- would both write to stdout: give a file for one");
    if (args->has_output)
        return xpd_fail(err, XPD_EINVAL, option, XPD_NO_OFFSET,
                        "%s=- and --json, --csv or --md would both write to stdout: give a file",
                        option);
    return XPD_OK;
}

int xpd_cli_check_target(const struct xpd_cli_profile *profile, const char *option,
                         const char *path, struct xpd_err *err)
{
    const struct xpd_run_entry *entry = profile->run->entry;
    struct stat st;
    if (!path || xpd_cli_is_stdout(path) || stat(path, &st) != 0)
        return XPD_OK;
    if (S_ISDIR(st.st_mode))
        return xpd_fail(err, XPD_EINVAL, option, XPD_NO_OFFSET,
                        "%s takes a file, but %s is a folder", option, path);
    for (uint32_t i = 0; i < entry->input_count; i++)
        if (entry->input[i].identity.device == (uint64_t)st.st_dev &&
            entry->input[i].identity.inode == (uint64_t)st.st_ino)
            return xpd_fail(err, XPD_EINVAL, option, XPD_NO_OFFSET,
                            "%s is a file of the profile and will not be overwritten", path);
    return XPD_OK;
}

int xpd_cli_check_targets(const struct xpd_cli_profile *profile,
                          const struct xpd_profile_args *args, struct xpd_err *err)
{
    int rc = xpd_cli_check_target(profile, "--sarif", args->sarif, err);
    return rc == XPD_OK ? xpd_cli_check_target(profile, "--junit", args->junit, err) : rc;
}

static int write_stdout(struct xpd_str text, struct xpd_err *err)
{
    return fwrite(text.data, 1, text.size, stdout) == text.size && fflush(stdout) == 0
               ? XPD_OK
               : xpd_fail(err, XPD_EWRITE, "stdout", XPD_NO_OFFSET, "stdout cannot be written: %s",
                          strerror(errno));
}

void xpd_cli_remove_file(const char *path)
{
    struct stat st;
    if (!xpd_cli_is_stdout(path) && stat(path, &st) == 0 && S_ISREG(st.st_mode))
        unlink(path);
}

int xpd_cli_write_file(const char *path, struct xpd_str text, struct xpd_err *err)
{
    if (xpd_cli_is_stdout(path))
        return write_stdout(text, err);
    FILE *out = fopen(path, "wb");
    if (!out)
        return xpd_fail(err, XPD_EIO, path, XPD_NO_OFFSET, "%s cannot be written: %s", path,
                        strerror(errno));
    bool ok = fwrite(text.data, 1, text.size, out) == text.size;
    if (fclose(out) != 0)
        ok = false;
    return ok ? XPD_OK
              : xpd_fail(err, XPD_EWRITE, path, XPD_NO_OFFSET, "%s cannot be written: %s", path,
                         strerror(errno));
}

/* The JSON all commands share. In: parts of one object. Out: stdout. */

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

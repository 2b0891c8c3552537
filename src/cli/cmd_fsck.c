/* xprofd fsck PROFILE: the readable part of each file, and damaged or doubtful data in it. */
#include "json_out.h"
#include "xprofd/cli/command.h"

#include <inttypes.h>

static const char help[] =
    "usage: xprofd fsck PROFILE [--run=NAME] [--json]\n"
    "Reads all of a profile (files, programs, their memory, the events of each host) and\n"
    "reports damage: truncated files, invalid messages, dangling ids, programs that cannot be\n"
    "loaded.\n"
    "Exit 0: nothing is missing. 1: data are missing. 3: nothing could be read.\n";

struct tally {
    uint64_t notes, warnings, errors;
};

/* One warning list: lines on a terminal, an array in JSON. */
struct report {
    struct xpd_jsonw *w; /* NULL: text */
    struct tally tally;
};

static void put_warnings(struct report *r, const struct xpd_warnings *list)
{
    if (r->w)
        xpd_json_warnings(r->w, "warnings", list);
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct xpd_warning *item = &list->item[i];
        uint64_t *count = item->severity == XPD_ERROR     ? &r->tally.errors
                          : item->severity == XPD_WARNING ? &r->tally.warnings
                                                          : &r->tally.notes;
        *count += item->count;
        if (r->w)
            continue;
        printf("  %-8s%-24s ", xpd_severity_word(item->severity), item->code);
        xpd_cli_put(stdout, xpd_str_of(item->text), 400);
        if (item->offset != XPD_NO_OFFSET)
            printf(" (byte %" PRIu64 ")", item->offset);
        if (item->count > 1)
            printf(" x %" PRIu64, item->count);
        putchar('\n');
    }
    if (!r->w && list && list->dropped > 0)
        printf("  %" PRIu64 " more kinds of warnings\n", list->dropped);
}

static void put_problem(struct report *r, const struct xpd_err *err)
{
    r->tally.errors++;
    if (r->w) {
        xpd_json_ktext(r->w, "error", err->text);
        return;
    }
    fputs("  error   ", stdout);
    xpd_cli_put(stdout, xpd_str_of(err->text), 400);
    putchar('\n');
}

static void put_file(struct report *r, const struct xpd_host *host)
{
    const struct xpd_xspace *space = host->space;
    uint64_t events = 0, lines = 0, size = host->input->identity.size_bytes;
    for (uint32_t i = 0; space && i < space->plane_count; i++) {
        lines += space->plane[i].line_count;
        events += space->plane[i].event_count;
    }
    if (r->w) {
        xpd_json_obj(r->w);
        xpd_json_ktext(r->w, "file", host->input->name);
        xpd_json_ku64(r->w, "size_bytes", size);
        xpd_json_kbool(r->w, "complete", host->error.code == XPD_OK && (!space || space->complete));
        xpd_json_ku64(r->w, "read_until_bytes", space ? space->read_until : 0);
        xpd_json_ku64(r->w, "planes", space ? space->plane_count : 0);
        xpd_json_ku64(r->w, "lines", lines);
        xpd_json_ku64(r->w, "events", events);
        xpd_json_ku64(r->w, "programs", space ? space->hlo_count : 0);
    } else {
        fputs("file    ", stdout);
        xpd_cli_put(stdout, xpd_str_of(host->input->name), 300);
        printf("  %" PRIu64 " bytes", size);
        if (space)
            printf(", %" PRIu32 " planes, %" PRIu64 " lines, %" PRIu64 " events, %" PRIu32
                   " programs%s",
                   space->plane_count, lines, events, space->hlo_count,
                   space->complete ? "" : ", NOT COMPLETE");
        putchar('\n');
    }
    if (host->error.code != XPD_OK)
        put_problem(r, &host->error);
    put_warnings(r, space ? &space->warnings : NULL);
    if (r->w)
        xpd_json_obj_end(r->w);
}

static void put_module(struct report *r, const struct xpd_cli_profile *profile, uint32_t module)
{
    const struct xpd_module *m = &profile->run->module[module];
    const struct xpd_hlo *hlo = NULL;
    const struct xpd_mem *mem = NULL;
    struct xpd_err err = {0};
    int rc = xpd_store_module(profile->store, profile->run, module, &hlo, &mem, &err);
    if (r->w) {
        xpd_json_obj(r->w);
        xpd_json_ktext(r->w, "program", m->key);
        xpd_json_ku64(r->w, "instructions", rc == XPD_OK ? hlo->instructions.count : 0);
        xpd_json_ku64(r->w, "memory_spaces", rc == XPD_OK ? mem->space_count : 0);
    } else {
        fputs("program ", stdout);
        xpd_cli_put(stdout, xpd_str_of(m->key), 300);
        if (rc == XPD_OK)
            printf("  %" PRIu32 " instructions, %" PRIu32 " buffers, %" PRIu32 " memory spaces",
                   hlo->instructions.count, hlo->buffers.count, mem->space_count);
        putchar('\n');
    }
    if (rc != XPD_OK)
        put_problem(r, &err);
    put_warnings(r, rc == XPD_OK ? &hlo->warnings : NULL);
    if (r->w) {
        xpd_json_key(r->w, "memory");
        xpd_json_obj(r->w);
    }
    put_warnings(r, rc == XPD_OK ? &mem->warnings : NULL);
    if (r->w) {
        xpd_json_obj_end(r->w);
        xpd_json_obj_end(r->w);
    }
}

/* The events of a host, read as the trace viewer reads them. */
static void put_events(struct report *r, const struct xpd_cli_profile *profile, uint32_t host)
{
    const struct xpd_trace *trace = NULL;
    struct xpd_load_state state;
    struct xpd_err err = {0};
    const char *name = profile->run->host[host].name;
    int rc = xpd_store_trace(profile->store, profile->run, host, -1, &trace, &state, &err);
    if (r->w) {
        xpd_json_obj(r->w);
        xpd_json_ktext(r->w, "host", name);
        xpd_json_ku64(r->w, "events", rc == XPD_OK ? trace->event_count : 0);
    } else {
        fputs("events  ", stdout);
        xpd_cli_put(stdout, xpd_str_of(name), 300);
        if (rc == XPD_OK)
            printf("  %" PRIu64 " events in %" PRIu32 " rows", trace->event_count,
                   trace->row_count);
        putchar('\n');
    }
    if (rc != XPD_OK)
        put_problem(r, &err);
    put_warnings(r, rc == XPD_OK ? &trace->warnings : NULL);
    if (r->w)
        xpd_json_obj_end(r->w);
}

static bool has_events(const struct xpd_host *host)
{
    for (uint32_t i = 0; host->space && i < host->space->plane_count; i++)
        if (host->space->plane[i].event_count > 0)
            return true;
    return false;
}

static void examine(struct report *r, const struct xpd_cli_profile *profile)
{
    const struct xpd_run *run = profile->run;
    if (r->w) {
        xpd_json_key(r->w, "files");
        xpd_json_arr(r->w);
    }
    for (uint32_t i = 0; i < run->host_count; i++)
        put_file(r, &run->host[i]);
    if (r->w) {
        xpd_json_arr_end(r->w);
        xpd_json_key(r->w, "programs");
        xpd_json_arr(r->w);
    }
    for (uint32_t i = 0; i < run->module_count; i++)
        put_module(r, profile, i);
    if (r->w) {
        xpd_json_arr_end(r->w);
        xpd_json_key(r->w, "traces");
        xpd_json_arr(r->w);
    }
    for (uint32_t i = 0; i < run->host_count; i++)
        if (has_events(&run->host[i]))
            put_events(r, profile, i);
    if (r->w)
        xpd_json_arr_end(r->w);
}

static int code_of(const struct tally *tally, const struct xpd_run *run)
{
    if (!xpd_cli_any_read(run))
        return XPD_EXIT_INPUT;
    return tally->errors > 0 ? XPD_EXIT_BROKEN : XPD_EXIT_OK;
}

static void print_json(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                       int *code)
{
    struct xpd_strbuf body = {0};
    struct xpd_jsonw inner;
    struct report r = {.w = &inner};
    xpd_jsonw_init(&inner, &body);
    xpd_json_obj(&inner);
    examine(&r, profile);
    xpd_json_ku64(&inner, "errors", r.tally.errors);
    xpd_json_ku64(&inner, "doubtful", r.tally.warnings);
    xpd_json_ku64(&inner, "notes", r.tally.notes);
    xpd_json_obj_end(&inner);
    *code = code_of(&r.tally, profile->run);
    xpd_cli_json_answer(profile, args, "fsck", *code, "fsck",
                        (struct xpd_str){body.data, body.size});
    xpd_strbuf_fini(&body);
}

static void print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                  int *code)
{
    struct report r = {0};
    if (args->output == XPD_OUT_JSON) {
        print_json(profile, args, code);
        return;
    }
    examine(&r, profile);
    *code = code_of(&r.tally, profile->run);
    printf("%" PRIu64 " error%s, %" PRIu64 " doubtful, %" PRIu64 " notes\n", r.tally.errors,
           r.tally.errors == 1 ? "" : "s", r.tally.warnings, r.tally.notes);
}

static int run(int argc, char **argv)
{
    struct xpd_profile_args args;
    struct xpd_cli_profile profile = {0};
    struct xpd_err err = {0};
    int code = XPD_EXIT_OK;
    int rc = xpd_profile_args_parse(&args, help, argc, argv, &err);
    if (rc == XPD_OK && args.help) {
        fputs(help, stdout);
        return XPD_EXIT_OK;
    }
    if (rc == XPD_OK)
        rc = xpd_cli_open(&profile, &args, &err); /* without a program it is a profile still */
    if (rc == XPD_OK)
        print(&profile, &args, &code);
    else
        code = xpd_cli_fail(&args, "fsck", &err);
    xpd_cli_close(&profile);
    return code;
}

const struct xpd_command xpd_command_fsck = {
    .name = "fsck", .help = "report which parts of a profile are damaged", .run = run};

/* xprofd modules PROFILE: one line a module, largest peak first, or the JSON of /api/v1/modules. */
#include "json_out.h"
#include "xprofd/base/bytes_text.h"
#include "xprofd/cli/command.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: xprofd modules PROFILE [--run=NAME] [--json|--csv]\n"
    "Lists the compiled programs of a profile with their peaks, largest first.\n";

struct row {
    const struct xpd_module *module;
    int64_t peak_bytes;                    /* -1 unknown */
    int64_t argument, temp, fragmentation; /* -1 = unknown */
    const char *problem;
};

static int larger_first(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->peak_bytes != y->peak_bytes)
        return x->peak_bytes < y->peak_bytes ? 1 : -1;
    return strcmp(x->module->key, y->module->key);
}

/* The main memory space, as everywhere. */
static void main_space(struct row *row, const struct xpd_mem *mem)
{
    const struct xpd_mem_space *space = xpd_mem_main_space(mem);
    row->peak_bytes = space->peak_bytes;
    row->argument = space->totals.argument;
    row->temp = xpd_mem_peak_temp(space);
    row->fragmentation = xpd_mem_fragmentation(space);
}

static void print_size(int64_t bytes, int64_t page_bytes)
{
    char text[48] = "unknown";
    if (bytes >= 0)
        xpd_bytes_text(text, bytes, page_bytes);
    printf("%14s ", text);
}

static void print_row(const struct row *row, int64_t page_bytes)
{
    print_size(row->peak_bytes, page_bytes);
    print_size(row->argument, page_bytes);
    print_size(row->temp, page_bytes);
    print_size(row->fragmentation, page_bytes);
    if (row->module->run_count_known)
        printf(" %8" PRIu64 "  ", row->module->run_count);
    else
        printf(" %8s  ", "unknown");
    xpd_cli_put(stdout, xpd_str_of(row->module->key), 512);
    if (row->problem) {
        fputs("  ", stdout);
        xpd_cli_put(stdout, xpd_str_of(row->problem), 512);
    }
    putchar('\n');
}

static int print_text(const struct xpd_cli_profile *profile, struct xpd_err *err)
{
    const struct xpd_run *run = profile->run;
    struct xpd_arena arena = {0};
    struct row *row = XPD_NEW_ARRAY(&arena, struct row, run->module_count);
    if (!row)
        return xpd_no_memory(err, "modules", "for %u modules", run->module_count);
    for (uint32_t i = 0; i < run->module_count; i++) {
        const struct xpd_hlo *hlo;
        const struct xpd_mem *mem = NULL;
        struct xpd_err why;
        row[i] = (struct row){.module = &run->module[i],
                              .peak_bytes = -1,
                              .argument = -1,
                              .temp = -1,
                              .fragmentation = -1};
        if (xpd_store_module(profile->store, run, i, &hlo, &mem, &why) != XPD_OK)
            row[i].problem = xpd_arena_printf(&arena, "(%s)", why.text);
        else if (mem->space_count == 0)
            row[i].problem = "(no buffer assignment)";
        else
            main_space(&row[i], mem);
    }
    qsort(row, run->module_count, sizeof *row, larger_first);
    printf("%14s %14s %14s %14s %9s  %s\n", "peak", "arguments", "temporaries", "fragmentation",
           "runs", "module");
    for (uint32_t i = 0; i < run->module_count; i++)
        print_row(&row[i], row[0].peak_bytes); /* one unit, of the largest */
    xpd_arena_fini(&arena);
    return XPD_OK;
}

static int print_data(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                      struct xpd_err *err)
{
    struct xpd_strbuf body = {0};
    struct xpd_param csv = {XPD_STR("format"), XPD_STR("csv")};
    int rc = xpd_cli_call(profile, args, "/api/v1/modules", NULL, -1, &csv,
                          args->output == XPD_OUT_CSV, &body, err);
    if (rc == XPD_OK && args->output == XPD_OUT_JSON)
        xpd_cli_json_answer(profile, args, "modules", XPD_EXIT_OK, "modules",
                            (struct xpd_str){body.data, body.size});
    else if (rc == XPD_OK)
        fwrite(body.data, 1, body.size, stdout);
    xpd_strbuf_fini(&body);
    return rc;
}

static int print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 struct xpd_err *err)
{
    return args->output == XPD_OUT_TEXT ? print_text(profile, err) : print_data(profile, args, err);
}

static int run(int argc, char **argv)
{
    return xpd_cli_run("modules", help, argc, argv, print);
}

const struct xpd_command xpd_command_modules = {
    .name = "modules",
    .help = "list the compiled programs of a profile with their peaks",
    .run = run};

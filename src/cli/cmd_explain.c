/* xprofd explain: one HLO instruction in plain sentences, of a profile's program or pasted. */
#include "json_out.h"
#include "options.h"
#include "xprofd/answer/write.h"
#include "xprofd/cli/command.h"
#include "xprofd/explain/expect.h"
#include "xprofd/explain/parts.h"
#include "xprofd/tools/explanation.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: xprofd explain PROFILE --node=NAME [--run=NAME] [--module=NAME] [OPTIONS]\n"
    "       xprofd explain --text='HLO LINE' [OPTIONS]\n"
    "Explains one HLO instruction: each part of its text, its memory layout, what is inside,\n"
    "and how long it should take at the peaks of its device. You can paste any HLO text;\nparts "
    "that need the module are marked.\n"
    "  --device='TPU v5e'   use the peaks of this chip\n"
    "  --mesh=data=4,model=2  device axes, to name the axes of groups and shardings\n"
    "  --sharding='P(data, None)'  sharding of the whole array, if the op has none;\n"
    "                       HLO syntax also works: {devices=[4,1]<=[4]}\n"
    "  --json               for scripts\n";

static void put_str(struct xpd_str text)
{
    xpd_cli_put(stdout, text, 4096);
}

static void put_text(const char *text)
{
    put_str(xpd_str_of(text ? text : ""));
}

static void print_parts(const struct xpd_explain_text *text)
{
    for (uint32_t i = 0; i < text->segments.n; i++)
        put_str(text->segments.at[i].text);
    fputs("\n\n", stdout);
    for (uint32_t i = 0; i < text->parts.n; i++) {
        printf("%3" PRIu32 "  %-12s ", i + 1, text->parts.at[i].label);
        put_str(text->parts.at[i].sentence);
        putchar('\n');
    }
}

static void print_step(const struct xpd_explain_step *step, struct xpd_strbuf *out)
{
    xpd_strbuf_putc(out, '[');
    for (uint32_t k = 0; k < step->dims.n; k++)
        xpd_strbuf_printf(out, "%s%" PRId64, k ? ", " : "", step->dims.at[k]);
    xpd_strbuf_puts(out, "]  ");
    xpd_strbuf_add(out, step->words.data, step->words.size);
    if (step->size_bytes >= 0) {
        xpd_strbuf_puts(out, ", ");
        xpd_put_bytes(out, step->size_bytes);
    }
    printf("     %-12.*s ", (int)step->label.size, step->label.data);
    put_str((struct xpd_str){out->data, out->size});
    putchar('\n');
    xpd_strbuf_clear(out);
}

static void print_layout(const struct xpd_explain_layout *layout)
{
    struct xpd_strbuf out = {0};
    for (uint32_t i = 0; layout && i < layout->steps.n; i++) {
        fputs(i == 0 ? "\nLayout\n" : "", stdout);
        print_step(&layout->steps.at[i], &out);
    }
    xpd_strbuf_fini(&out);
}

static void print_contains(const struct xpd_explain_contains *contains)
{
    const struct xpd_explain_matmul *matmul = contains->matmul;
    const struct xpd_explain_collective *collective = contains->collective;
    if (!matmul && !collective && !contains->note)
        return;
    fputs("\nContains\n", stdout);
    if (matmul)
        printf("     matmul       %" PRId64 " x (m %" PRId64 ", n %" PRId64 ", k %" PRId64 ")\n",
               matmul->batch, matmul->m, matmul->n, matmul->k);
    if (collective) {
        printf("     %-12s ", collective->kind);
        put_str(collective->words);
        putchar('\n');
    }
    if (contains->note) {
        fputs("     ", stdout);
        put_text(contains->note);
        putchar('\n');
    }
}

/* What a sharding and the groups of a collective mean along the axes of the mesh that is given. */
static void print_devices(const struct xpd_explanation *answer)
{
    static const struct xpd_explain_sharding no_sharding;
    const struct xpd_explain_sharding *sharding =
        answer->sharding ? answer->sharding : &no_sharding;
    struct xpd_str groups = {0};
    if (answer->contains->collective)
        groups = answer->contains->collective->mesh;
    const struct xpd_str lines[] = {sharding->text, sharding->words, sharding->mesh, groups};
    bool any = false;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!lines[i].data)
            continue;
        fputs(any ? "     " : "\nAcross devices\n     ", stdout);
        put_str(lines[i]);
        putchar('\n');
        any = true;
    }
}

static void print_row(const char *what, int64_t amount, bool in_bytes, const char *unit,
                      double seconds)
{
    struct xpd_strbuf out = {0};
    if (amount < 0)
        xpd_strbuf_puts(&out, "unknown");
    else if (strcmp(unit, "cycles") == 0) {
        xpd_put_number(&out, amount);
        xpd_strbuf_puts(&out, " cycles");
    } else if (in_bytes)
        xpd_put_bytes(&out, amount);
    else
        xpd_put_decimal(&out, (double)amount, unit);
    printf("     %-12s %-16.*s ", what, (int)out.size, out.data);
    xpd_strbuf_clear(&out);
    if (seconds < 0)
        xpd_strbuf_puts(&out, amount < 0 ? "" : "peak not known");
    else
        xpd_put_seconds(&out, seconds);
    xpd_cli_put(stdout, (struct xpd_str){out.data, out.size}, 100);
    putchar('\n');
    xpd_strbuf_fini(&out);
}

static void print_expected(const struct xpd_explain_expected *expected)
{
    const char *device = expected->peaks ? expected->peaks->device : NULL;
    printf("\nExpected time%s%s\n", device && device[0] ? " on " : "", device ? device : "");
    print_row("work", expected->flops, false, "FLOP", expected->compute_s);
    print_row("HBM", expected->hbm_bytes, true, "B", expected->hbm_s);
    if (expected->link_bytes != 0)
        print_row("link", expected->link_bytes, true, "B", expected->link_s);
    if (expected->cycles >= 0)
        print_row("compiler", expected->cycles, false, "cycles", expected->cycles_s);
    fputs("     ", stdout);
    put_str(expected->verdict);
    fputs("\n     ", stdout);
    put_text(expected->rule);
    fputs(".\n", stdout);
}

struct shown {
    const struct xpd_cli_profile *profile; /* NULL: pasted */
    const struct xpd_profile_args *args;
};

static void put_json(const struct shown *shown, const struct xpd_record *record, const void *answer)
{
    struct xpd_cli_json out;
    struct xpd_jsonw *w = xpd_cli_json_begin(&out, "explain");
    xpd_cli_json_exit(w, XPD_OK);
    if (shown->profile)
        xpd_cli_json_covers(w, shown->profile, shown->args);
    else
        xpd_json_knull(w, "covers"); /* a pasted line belongs to no file */
    xpd_json_key(w, "answer");
    xpd_answer_put(w, record, answer);
    xpd_cli_json_end(&out);
}

static int show(void *self, const struct xpd_record *record, const void *answer,
                struct xpd_err *err)
{
    const struct shown *shown = self;
    const struct xpd_explanation *explanation = answer;
    (void)err;
    if (shown->args->output == XPD_OUT_JSON) {
        put_json(shown, record, answer);
        return XPD_OK;
    }
    print_parts(explanation->text);
    print_layout(explanation->layout);
    print_contains(explanation->contains);
    print_devices(explanation);
    print_expected(explanation->expected);
    return XPD_OK;
}

/* The parameters that both forms take; at most 4 with the first. */
static uint32_t params_of(struct xpd_param param[4], const char *first, const char *value,
                          const struct xpd_profile_args *args)
{
    const struct {
        const char *name, *value;
    } all[] = {{first, value},
               {"device", args->device},
               {"mesh", args->mesh},
               {"sharding", args->sharding}};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value)
            param[count++] = (struct xpd_param){xpd_str_of(all[i].name), xpd_str_of(all[i].value)};
    return count;
}

/* ---- of a profile ---- */

static int print_node(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                      struct xpd_err *err)
{
    struct xpd_param more[4];
    struct shown shown = {profile, args};
    uint32_t module, count = params_of(more, "node", args->node, args);
    if (!args->node)
        return xpd_fail(err, XPD_EINVAL, "--node", XPD_NO_OFFSET,
                        "give an instruction with --node, or paste one with --text");
    int rc = xpd_cli_check_device(args->device, err);
    if (rc == XPD_OK)
        rc = xpd_cli_require_modules(profile, err);
    if (rc == XPD_OK)
        rc = xpd_cli_pick_module(profile, args, &module, err);
    if (rc == XPD_OK)
        rc = xpd_cli_use(profile, args, "/api/v1/graph/explain", profile->run->module[module].key,
                         more, count, show, &shown, err);
    return rc;
}

/* ---- pasted ---- */

struct pasted {
    struct xpd_profile_args args; /* device, mesh, sharding, output, help */
    const char *text;
};

static bool parse_pasted(struct pasted *out, int argc, char **argv)
{
    static const struct xpd_option options[] = {
        {XPD_OPTION(TEXT, struct pasted, text, "--text")},
        {XPD_OPTION(TEXT, struct pasted, args.device, "--device")},
        {XPD_OPTION(TEXT, struct pasted, args.mesh, "--mesh")},
        {XPD_OPTION(TEXT, struct pasted, args.sharding, "--sharding")},
        XPD_OPTION_FORM_OF("--json", XPD_OUT_JSON),
        {.name = NULL}};
    return xpd_options_read(out, options, help, argc, argv, NULL) == XPD_OK && optind == argc;
}

static int explain_pasted(const struct pasted *pasted, struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_load_state state = {0};
    struct xpd_tool_result result = {.type = XPD_BODY_JSON};
    struct shown shown = {NULL, &pasted->args};
    struct xpd_param param[4];
    struct xpd_tool_ctx ctx = {.arena = &arena,
                               .param = param,
                               .param_count = params_of(param, "text", pasted->text, &pasted->args),
                               .hbm_override_bytes = -1,
                               .use = show,
                               .use_self = &shown};
    int rc = xpd_cli_check_device(pasted->args.device, err);
    if (rc == XPD_OK)
        rc = xpd_tool_call(xpd_tool_find(XPD_STR("/api/v1/explain")), NULL, &ctx, 0, &result,
                           &state, err);
    xpd_arena_fini(&arena);
    return rc;
}

static int run(int argc, char **argv)
{
    struct pasted pasted = {.text = NULL};
    struct xpd_err err = {0};
    bool is_pasted = false;
    for (int i = 1; i < argc; i++)
        is_pasted = is_pasted || strncmp(argv[i], "--text", 6) == 0;
    if (!is_pasted)
        return xpd_cli_run("explain", help, argc, argv, print_node);
    if (!parse_pasted(&pasted, argc, argv))
        return xpd_cli_usage(
            "explain --text takes --device, --mesh, --sharding and --json, and no profile");
    if (pasted.args.help) {
        fputs(help, stdout);
        return XPD_EXIT_OK;
    }
    if (explain_pasted(&pasted, &err) == XPD_OK)
        return XPD_EXIT_OK;
    return xpd_cli_fail(&pasted.args, "explain", &err);
}

const struct xpd_command xpd_command_explain = {
    .name = "explain",
    .help = "explain one HLO instruction and how long it should take",
    .run = run};

/* xprofd explain: one HLO instruction in plain sentences, of a profile's program or pasted. */
#include "json_out.h"
#include "refused.h"
#include "xprofd/cli/command.h"
#include "xprofd/explain/expect.h"
#include "xprofd/explain/parts.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: xprofd explain PROFILE --node=NAME [--run=NAME] [--module=NAME] [OPTIONS]\n"
    "       xprofd explain --text='HLO LINE' [OPTIONS]\n"
    "Explains one HLO instruction: each part of its text, its memory layout, what is inside,\n"
    "and how long it should take at the peaks of its device. The text can be pasted from\n"
    "anywhere; parts that need the module say so.\n"
    "  --device='TPU v5e'   use the peaks of this chip\n"
    "  --mesh=data=4,model=2  device axes, to name the axes of groups and shardings\n"
    "  --sharding='P(data, None)'  sharding of the whole array, if the op has none;\n"
    "                       HLO syntax also works: {devices=[4,1]<=[4]}\n"
    "  --json               for scripts\n";

static void put_text(const char *text)
{
    xpd_cli_put(stdout, xpd_str_of(text ? text : ""), 4096);
}

static const char *text_of(const struct xpd_json *object, const char *key)
{
    return xpd_json_to_text(xpd_json_member(object, key));
}

static int64_t number_of(const struct xpd_json *object, const char *key)
{
    int64_t value;
    return xpd_json_to_i64(xpd_json_member(object, key), &value) ? value : -1;
}

static void print_parts(const struct xpd_json *doc)
{
    const struct xpd_json *text = xpd_json_member(doc, "text");
    const struct xpd_json *segments = xpd_json_member(xpd_json_member(text, "segments"), "text");
    const struct xpd_json *parts = xpd_json_member(text, "parts");
    const struct xpd_json *label = xpd_json_member(parts, "label");
    const struct xpd_json *sentence = xpd_json_member(parts, "sentence");
    for (size_t i = 0; i < xpd_json_count(segments); i++)
        put_text(xpd_json_to_text(xpd_json_item(segments, i)));
    fputs("\n\n", stdout);
    for (size_t i = 0; i < xpd_json_count(label); i++) {
        printf("%3zu  %-12s ", i + 1, xpd_json_to_text(xpd_json_item(label, i)));
        put_text(xpd_json_to_text(xpd_json_item(sentence, i)));
        putchar('\n');
    }
}

static void print_layout(const struct xpd_json *doc)
{
    const struct xpd_json *steps = xpd_json_member(xpd_json_member(doc, "layout"), "steps");
    struct xpd_strbuf out = {0};
    for (size_t i = 0; i < xpd_json_count(steps); i++) {
        const struct xpd_json *step = xpd_json_item(steps, i);
        const struct xpd_json *dims = xpd_json_member(step, "dims");
        int64_t bytes = number_of(step, "bytes"), dim = 0;
        xpd_strbuf_putc(&out, '[');
        for (size_t k = 0; k < xpd_json_count(dims); k++)
            if (xpd_json_to_i64(xpd_json_item(dims, k), &dim))
                xpd_strbuf_printf(&out, "%s%" PRId64, k ? ", " : "", dim);
        xpd_strbuf_puts(&out, "]  ");
        xpd_strbuf_puts(&out, text_of(step, "words"));
        if (bytes >= 0) {
            xpd_strbuf_puts(&out, ", ");
            xpd_put_bytes(&out, bytes);
        }
        printf("%s     %-12s ", i == 0 ? "\nLayout\n" : "", text_of(step, "label"));
        xpd_cli_put(stdout, (struct xpd_str){out.data, out.size}, 4096);
        putchar('\n');
        xpd_strbuf_clear(&out);
    }
    xpd_strbuf_fini(&out);
}

static void print_contains(const struct xpd_json *doc)
{
    const struct xpd_json *contains = xpd_json_member(doc, "contains");
    const struct xpd_json *matmul = xpd_json_member(contains, "matmul");
    const struct xpd_json *collective = xpd_json_member(contains, "collective");
    const char *words = text_of(collective, "words"), *note = text_of(contains, "note");
    if (number_of(matmul, "m") < 0 && !words && !note)
        return;
    fputs("\nContains\n", stdout);
    if (number_of(matmul, "m") >= 0)
        printf("     matmul       %" PRId64 " x (m %" PRId64 ", n %" PRId64 ", k %" PRId64 ")\n",
               number_of(matmul, "batch"), number_of(matmul, "m"), number_of(matmul, "n"),
               number_of(matmul, "k"));
    if (words) {
        printf("     %-12s ", text_of(collective, "kind"));
        put_text(words);
        putchar('\n');
    }
    if (note) {
        fputs("     ", stdout);
        put_text(note);
        putchar('\n');
    }
}

/* What a sharding and the groups of a collective mean along the axes of the mesh that is given. */
static void print_devices(const struct xpd_json *doc)
{
    const struct xpd_json *sharding = xpd_json_member(doc, "sharding");
    const struct xpd_json *collective =
        xpd_json_member(xpd_json_member(doc, "contains"), "collective");
    const char *lines[] = {text_of(sharding, "text"), text_of(sharding, "words"),
                           text_of(sharding, "mesh"), text_of(collective, "mesh")};
    bool any = false;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!lines[i])
            continue;
        fputs(any ? "     " : "\nAcross devices\n     ", stdout);
        put_text(lines[i]);
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

static double seconds_of(const struct xpd_json *expected, const char *key)
{
    double value;
    return xpd_json_to_double(xpd_json_member(expected, key), &value) ? value : -1;
}

static void print_expected(const struct xpd_json *doc)
{
    const struct xpd_json *expected = xpd_json_member(doc, "expected");
    const struct xpd_json *given = xpd_json_member(expected, "peaks");
    const char *device = text_of(given, "device");
    int64_t cycles = number_of(expected, "cycles"), link = number_of(expected, "link_bytes");
    printf("\nExpected time%s%s\n", device && device[0] ? " on " : "", device ? device : "");
    print_row("work", number_of(expected, "flops"), false, "FLOP",
              seconds_of(expected, "compute_s"));
    print_row("HBM", number_of(expected, "hbm_bytes"), true, "B", seconds_of(expected, "hbm_s"));
    if (link != 0)
        print_row("link", link, true, "B", seconds_of(expected, "link_s"));
    if (cycles >= 0)
        print_row("compiler", cycles, false, "cycles", seconds_of(expected, "cycles_s"));
    fputs("     ", stdout);
    put_text(text_of(expected, "verdict"));
    fputs("\n     ", stdout);
    put_text(text_of(expected, "rule"));
    fputs(".\n", stdout);
}

static void put_json(struct xpd_str body, const struct xpd_cli_profile *profile,
                     const struct xpd_profile_args *args)
{
    struct xpd_cli_json out;
    struct xpd_jsonw *w = xpd_cli_json_begin(&out, "explain");
    xpd_cli_json_exit(w, XPD_OK);
    if (profile)
        xpd_cli_json_covers(w, profile, args);
    else
        xpd_json_knull(w, "covers"); /* a pasted line is of no file */
    xpd_json_key(w, "answer");
    xpd_json_raw(w, body);
    xpd_cli_json_end(&out);
}

/* `profile` NULL: pasted. */
static int print_answer(struct xpd_str body, const struct xpd_cli_profile *profile,
                        const struct xpd_profile_args *args, struct xpd_err *err)
{
    if (args->output == XPD_OUT_JSON) {
        put_json(body, profile, args);
        return XPD_OK;
    }
    struct xpd_json *doc = xpd_json_parse_answer(body);
    if (!doc)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the answer");
    print_parts(doc);
    print_layout(doc);
    print_contains(doc);
    print_devices(doc);
    print_expected(doc);
    xpd_json_free(doc);
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

/* One of the table of peaks, or none is named. */
static int check_device(const char *device, struct xpd_err *err)
{
    char names[360] = "";
    size_t used = 0;
    if (!device || xpd_peaks_find(xpd_str_of(device)))
        return XPD_OK;
    for (uint32_t i = 0; xpd_peaks_at(i) && used + 32 < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 xpd_peaks_at(i)->device);
    return xpd_fail(err, XPD_EINVAL, "--device", XPD_NO_OFFSET,
                    "--device takes one of %s, ..., not \"%.60s\"", names, device);
}

/* ---- of a profile ---- */

static int print_node(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                      struct xpd_err *err)
{
    struct xpd_strbuf body = {0};
    struct xpd_param more[4];
    uint32_t module, count = params_of(more, "node", args->node, args);
    if (!args->node)
        return xpd_fail(err, XPD_EINVAL, "--node", XPD_NO_OFFSET,
                        "give an instruction with --node, or paste one with --text");
    int rc = check_device(args->device, err);
    if (rc == XPD_OK)
        rc = xpd_cli_require_modules(profile, err);
    if (rc == XPD_OK)
        rc = xpd_cli_pick_module(profile, args, &module, err);
    if (rc == XPD_OK)
        rc = xpd_cli_call(profile, args, "/api/v1/graph/explain", profile->run->module[module].key,
                          -1, more, count, &body, err);
    struct xpd_str answer = {body.data, body.size};
    if (rc == XPD_OK && xpd_str_starts(answer, "{\"error\"")) {
        struct xpd_json *doc = xpd_json_parse_answer(answer);
        rc = xpd_cli_refused(doc, "--node", err);
        xpd_json_free(doc);
    }
    if (rc == XPD_OK)
        rc = print_answer(answer, profile, args, err);
    xpd_strbuf_fini(&body);
    return rc;
}

/* ---- pasted ---- */

struct pasted {
    const char *text;
    struct xpd_profile_args args; /* device, mesh, sharding, output, help */
};

static bool parse_pasted(struct pasted *out, int argc, char **argv)
{
    static const struct option options[] = {{"text", required_argument, NULL, 't'},
                                            {"device", required_argument, NULL, 'd'},
                                            {"mesh", required_argument, NULL, 'm'},
                                            {"sharding", required_argument, NULL, 's'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int option;
    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 't': out->text = optarg; break;
        case 'd': out->args.device = optarg; break;
        case 'm': out->args.mesh = optarg; break;
        case 's': out->args.sharding = optarg; break;
        case 'j': out->args.output = XPD_OUT_JSON; break;
        case 'h': out->args.help = true; break;
        default: return false;
        }
    }
    return optind == argc;
}

static int explain_pasted(const struct pasted *pasted, struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_load_state state = {0};
    struct xpd_tool_result result = {.type = XPD_BODY_JSON};
    struct xpd_param param[4];
    struct xpd_tool_ctx ctx = {.arena = &arena,
                               .param = param,
                               .param_count = params_of(param, "text", pasted->text, &pasted->args),
                               .hbm_override_bytes = -1};
    int rc = check_device(pasted->args.device, err);
    if (rc == XPD_OK)
        rc = xpd_tool_call(xpd_tool_find(XPD_STR("/api/v1/explain")), NULL, &ctx, 0, &result,
                           &state, err);
    if (rc == XPD_OK)
        rc = print_answer((struct xpd_str){result.body.data, result.body.size}, NULL, &pasted->args,
                          err);
    xpd_strbuf_fini(&result.body);
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

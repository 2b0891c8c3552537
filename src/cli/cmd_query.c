/* xprofd query PROFILE QUESTION: questions about a compiled program, answered as a table or as the
 * JSON of the tool. */
#include "json_out.h"
#include "xprofd/answer/write.h"
#include "xprofd/cli/command.h"
#include "xprofd/cli/exit_codes.h"

static const char help[] =
    "usage: xprofd query PROFILE QUESTION [--run=NAME] [--module=NAME] [--top=N] [--json]\n"
    "Answers questions about a compiled program. QUESTION is one of\n"
    "  opcodes            instructions summed by opcode\n"
    "  calls              the computations as a call tree\n"
    "  path FROM TO       the shortest path of a value from one instruction to another\n"
    "  critical           the longest chain of operations, by compiler cycles if available\n"
    "  layout-changes     copies and transposes that only change a layout\n"
    "  search TEXT        instructions by name, opcode, op_name, source or shape\n"
    "  around NODE        instructions within --width steps (default 1) of NODE\n"
    "--top is how many rows to print (default 50). The default module is the one with the\n"
    "largest peak among those that ran.\n";

enum { CELL_MAX = 60, TOP_DEFAULT = 50 };

static const struct question {
    const char *word, *route;
    const char *argument[2]; /* parameters given by the words after it */
    const char *count;       /* parameter that --top is, or NULL */
    const char *totals;      /* members to print first */
    const char *columns;
} questions[] = {{"opcodes",
                  "/api/v1/graph/opcodes",
                  {0},
                  NULL,
                  "computations instructions edges fusions",
                  "count opcode cycles flops moved_bytes result_bytes"},
                 {"calls",
                  "/api/v1/graph/calls",
                  {0},
                  "count",
                  "left_out",
                  "depth computation ops callers opcode caller line"},
                 {"path",
                  "/api/v1/graph/path",
                  {"from", "to"},
                  NULL,
                  "reversed why",
                  "operand name opcode shape line computation"},
                 {"critical",
                  "/api/v1/graph/critical",
                  {0},
                  NULL,
                  "by length total",
                  "own name opcode shape line"},
                 {"layout-changes",
                  "/api/v1/graph/layouts",
                  {0},
                  "count",
                  "total total_moved_bytes",
                  "moved_bytes cycles name from from_shape shape line"},
                 {"search",
                  "/api/v1/graph/search",
                  {"q"},
                  "count",
                  "total problem",
                  "name opcode shape line op_name"},
                 {"around",
                  "/api/v1/graph/near",
                  {"node"},
                  "count",
                  "left_out",
                  "distance name opcode shape line op_name"}};

static const struct question *question_of(const char *word)
{
    for (size_t k = 0; k < sizeof questions / sizeof questions[0]; k++)
        if (strcmp(questions[k].word, word) == 0)
            return &questions[k];
    return NULL;
}

/* ---- printing ---- */

struct asked {
    const struct xpd_cli_profile *profile;
    const struct xpd_profile_args *args;
    const struct question *question;
};

static void put_totals(struct xpd_strbuf *out, const struct xpd_record *record, const void *answer,
                       const char *keys)
{
    struct xpd_strbuf value = {0};
    while (*keys) {
        struct xpd_str key = {keys, strcspn(keys, " ")};
        xpd_strbuf_clear(&value);
        if (xpd_answer_value(&value, record, answer, key)) {
            xpd_strbuf_add(out, key.data, key.size);
            xpd_strbuf_puts(out, ": ");
            xpd_strbuf_add(out, value.data, value.size);
            xpd_strbuf_putc(out, '\n');
        }
        keys += key.size;
        keys += strspn(keys, " ");
    }
    xpd_strbuf_fini(&value);
}

static void put_text(const struct asked *asked, const struct xpd_record *record, const void *answer)
{
    int64_t top = asked->args->top;
    struct xpd_strbuf out = {0};
    const struct xpd_record_field *table = xpd_answer_table_of(record, answer);
    put_totals(&out, record, answer, asked->question->totals);
    if (table)
        xpd_answer_table_part(&out, table, answer, asked->question->columns,
                              top < 0            ? TOP_DEFAULT
                              : top > UINT32_MAX ? UINT32_MAX
                                                 : (uint32_t)top,
                              CELL_MAX);
    xpd_cli_put_lines(stdout, (struct xpd_str){out.data ? out.data : "", out.size});
    xpd_strbuf_fini(&out);
}

static void put_json(const struct asked *asked, const struct xpd_record *record, const void *answer)
{
    struct xpd_cli_json out;
    struct xpd_arena arena = {0};
    struct xpd_strbuf body = {0};
    struct xpd_jsonw *w = xpd_cli_json_begin(&out, "query");
    xpd_json_ktext(w, "question", asked->args->word[0]);
    xpd_cli_json_exit(w, XPD_OK);
    xpd_cli_json_covers(w, asked->profile, asked->args);
    xpd_json_key(w, "answer");
    xpd_answer_json(&body, record, answer, &arena);
    xpd_json_raw(w, (struct xpd_str){body.data, body.size});
    xpd_cli_json_end(&out);
    xpd_strbuf_fini(&body);
    xpd_arena_fini(&arena);
}

static int show(void *self, const struct xpd_record *record, const void *answer,
                struct xpd_err *err)
{
    const struct asked *asked = self;
    (void)err;
    if (asked->args->output == XPD_OUT_JSON)
        put_json(asked, record, answer);
    else
        put_text(asked, record, answer);
    return XPD_OK;
}

/* ---- asking ---- */

static int ask(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
               const struct question *question, struct xpd_err *err)
{
    struct asked asked = {profile, args, question};
    struct xpd_param more[4];
    uint32_t count = 0, module;
    char top[24], width[24];
    for (int k = 0; k < 2 && question->argument[k]; k++)
        more[count++] =
            (struct xpd_param){xpd_str_of(question->argument[k]), xpd_str_of(args->word[k + 1])};
    snprintf(top, sizeof top, "%lld", (long long)(args->top > 0 ? args->top : TOP_DEFAULT));
    snprintf(width, sizeof width, "%lld", (long long)args->width);
    if (question->count)
        more[count++] = (struct xpd_param){xpd_str_of(question->count), xpd_str_of(top)};
    if (args->width >= 0)
        more[count++] = (struct xpd_param){XPD_STR("radius"), xpd_str_of(width)};
    int rc = xpd_cli_pick_module(profile, args, &module, err);
    if (rc == XPD_OK)
        rc = xpd_cli_use(profile, args, question->route, profile->run->module[module].key, more,
                         count, show, &asked, err);
    return rc;
}

/* Name of a word after the question in the help. */
static const char *word_name(const struct question *question, int k)
{
    const char *name = question->argument[k] ? question->argument[k] : "";
    return strcmp(name, "q") == 0      ? "TEXT"
           : strcmp(name, "from") == 0 ? "FROM"
           : strcmp(name, "to") == 0   ? "TO"
                                       : "NODE";
}

/* The question, and whether it has all its words. */
static int check(const struct xpd_profile_args *args, const struct question **question,
                 struct xpd_err *err)
{
    *question = args->word_count ? question_of(args->word[0]) : NULL;
    if (!*question)
        return xpd_fail(err, XPD_EINVAL, "QUESTION", XPD_NO_OFFSET,
                        "ask for opcodes, calls, path, critical, layout-changes, search or around");
    int wanted = ((*question)->argument[0] != NULL) + ((*question)->argument[1] != NULL);
    if (args->word_count != wanted + 1)
        return xpd_fail(err, XPD_EINVAL, "QUESTION", XPD_NO_OFFSET,
                        "%s takes %s after it: xprofd query PROFILE %s%s%s%s%s", args->word[0],
                        wanted == 0   ? "nothing"
                        : wanted == 1 ? "one word"
                                      : "two words",
                        args->word[0], wanted ? " " : "", wanted ? word_name(*question, 0) : "",
                        wanted > 1 ? " " : "", wanted > 1 ? word_name(*question, 1) : "");
    if (args->output != XPD_OUT_TEXT && args->output != XPD_OUT_JSON)
        return xpd_fail(err, XPD_EINVAL, "--csv", XPD_NO_OFFSET, "query gives text or --json");
    return XPD_OK;
}

static int run(int argc, char **argv)
{
    struct xpd_profile_args args;
    struct xpd_cli_profile profile = {0};
    const struct question *question = NULL;
    struct xpd_err err = {0};
    int rc = xpd_profile_args_parse_words(&args, help, XPD_CLI_WORDS, argc, argv, &err);
    if (rc == XPD_OK && args.help) {
        fputs(help, stdout);
        return XPD_EXIT_OK;
    }
    if (rc == XPD_OK)
        rc = check(&args, &question, &err);
    if (rc == XPD_OK)
        rc = xpd_cli_open(&profile, &args, &err);
    if (rc == XPD_OK)
        rc = xpd_cli_require_modules(&profile, &err);
    if (rc == XPD_OK)
        rc = ask(&profile, &args, question, &err);
    int code = rc == XPD_OK ? XPD_EXIT_OK : xpd_cli_fail(&args, "query", &err);
    xpd_cli_close(&profile);
    return code;
}

const struct xpd_command xpd_command_query = {
    .name = "query",
    .help = "ask about a compiled program: opcodes, paths, calls, ...",
    .run = run};

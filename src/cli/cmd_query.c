/* xprofd query PROFILE QUESTION: what a person or a script asks about a compiled program, as a
 * table or as the JSON of the tool that answers it. */
#include "json_out.h"
#include "refused.h"
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

enum { COLUMNS_MAX = 10, CELL_MAX = 60, TOP_DEFAULT = 50 };

static const struct question {
    const char *word, *route;
    const char *argument[2]; /* parameters that the words behind it are */
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

/* ---- a table out of columns ---- */

static void cell_text(char out[CELL_MAX + 1], const struct xpd_json *value)
{
    const char *text = xpd_json_to_text(value);
    int64_t number;
    if (text)
        snprintf(out, CELL_MAX + 1, "%s", text);
    else if (xpd_json_to_i64(value, &number))
        snprintf(out, CELL_MAX + 1, "%lld", (long long)number);
    else
        snprintf(out, CELL_MAX + 1, "-");
}

struct table {
    const struct xpd_json *column[COLUMNS_MAX];
    char title[COLUMNS_MAX][CELL_MAX + 1];
    int width[COLUMNS_MAX];
    int count;
    size_t rows;
};

static void open_table(struct table *table, const struct xpd_json *answer, const char *columns,
                       size_t most)
{
    char cell[CELL_MAX + 1];
    while (*columns && table->count < COLUMNS_MAX) {
        int size = (int)strcspn(columns, " "), at = table->count++;
        snprintf(table->title[at], sizeof table->title[at], "%.*s", size, columns);
        table->column[at] = xpd_json_member(answer, table->title[at]);
        table->width[at] = size;
        columns += size;
        columns += strspn(columns, " ");
    }
    table->rows = table->count ? xpd_json_count(table->column[0]) : 0;
    table->rows = table->rows < most ? table->rows : most;
    for (int c = 0; c < table->count; c++)
        for (size_t row = 0; row < table->rows; row++) {
            cell_text(cell, xpd_json_item(table->column[c], row));
            int size = (int)strlen(cell);
            table->width[c] = size > table->width[c] ? size : table->width[c];
        }
}

static void put_cell(const char *text, int width, bool last)
{
    size_t put = xpd_cli_put(stdout, xpd_str_of(text), CELL_MAX);
    for (size_t k = put; !last && k < (size_t)width + 2; k++)
        putchar(' ');
    if (last)
        putchar('\n');
}

static void put_table(const struct table *table)
{
    char cell[CELL_MAX + 1];
    for (int c = 0; c < table->count; c++)
        put_cell(table->title[c], table->width[c], c + 1 == table->count);
    for (size_t row = 0; row < table->rows; row++)
        for (int c = 0; c < table->count; c++) {
            cell_text(cell, xpd_json_item(table->column[c], row));
            put_cell(cell, table->width[c], c + 1 == table->count);
        }
}

static void put_totals(const struct xpd_json *answer, const char *names)
{
    char name[CELL_MAX + 1], cell[CELL_MAX * 4];
    while (*names) {
        int size = (int)strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", size, names);
        const struct xpd_json *value = xpd_json_member(answer, name);
        const char *text = xpd_json_to_text(value);
        int64_t number;
        cell[0] = '\0';
        if (text && *text)
            snprintf(cell, sizeof cell, "%s", text);
        else if (xpd_json_to_i64(value, &number))
            snprintf(cell, sizeof cell, "%lld", (long long)number);
        if (cell[0]) {
            printf("%s: ", name);
            xpd_cli_put(stdout, xpd_str_of(cell), sizeof cell);
            putchar('\n');
        }
        names += size;
        names += strspn(names, " ");
    }
}

/* ---- asking ---- */

static void put_json(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                     struct xpd_str body)
{
    struct xpd_cli_json out;
    struct xpd_jsonw *w = xpd_cli_json_begin(&out, "query");
    xpd_json_ktext(w, "question", args->word[0]);
    xpd_cli_json_exit(w, XPD_OK);
    xpd_cli_json_covers(w, profile, args);
    xpd_json_key(w, "answer");
    xpd_json_raw(w, body);
    xpd_cli_json_end(&out);
}

static int show(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                const struct question *question, struct xpd_str body, struct xpd_err *err)
{
    struct xpd_json *answer = xpd_json_parse_answer(body);
    int rc = answer ? xpd_cli_refused(answer, "node", err) : XPD_OK;
    if (rc == XPD_OK && args->output == XPD_OUT_JSON) {
        put_json(profile, args, body);
    } else if (rc == XPD_OK && !answer) {
        rc = xpd_fail(err, XPD_ELIMIT, "--top", XPD_NO_OFFSET,
                      "The answer is too large for a table; take a smaller --top, or --json.");
    } else if (rc == XPD_OK) {
        struct table table = {0};
        put_totals(answer, question->totals);
        open_table(&table, answer, question->columns,
                   args->top >= 0 ? (size_t)args->top : TOP_DEFAULT);
        put_table(&table);
    }
    xpd_json_free(answer);
    return rc;
}

static int ask(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
               const struct question *question, struct xpd_err *err)
{
    struct xpd_strbuf body = {0};
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
        rc = xpd_cli_call(profile, args, question->route, profile->run->module[module].key, -1,
                          more, count, &body, err);
    if (rc == XPD_OK)
        rc = show(profile, args, question, (struct xpd_str){body.data, body.size}, err);
    xpd_strbuf_fini(&body);
    return rc;
}

/* What the help calls a word behind the question. */
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
                        "%s takes %s behind it: xprofd query PROFILE %s%s%s%s%s", args->word[0],
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

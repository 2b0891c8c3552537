/* Issue 5, section 7, item by item: for each kind of bad input every route of the graph answers,
 * what is whole is shown, and a note says what is not. The cases carry the words of the issue. */
#include "tool_call.h"

#include "../../support/hlo_builder.h"
#include "xprofd/compat/routes.h"

enum { MEGABYTE = 1 << 20, MANY = 100000 };

static const struct hb_shape plain = {
    .type = HB_F32, .rank = 2, .dims = {64, 128}, .layout = HB_DESCENDING};

struct made {
    struct hb hb;
    int64_t ids[MANY];
    char name[MEGABYTE + 1];
};

static void add(struct made *m, const char *name, const char *opcode, int64_t id,
                const struct hb_shape *shape, int64_t operand, int64_t called)
{
    int64_t operands[] = {operand}, calls[] = {called};
    hb_instruction(&m->hb, &(struct hb_instr){.name = name,
                                              .opcode = opcode,
                                              .id = id,
                                              .shape = shape,
                                              .operands = operands,
                                              .n_operands = operand != 0,
                                              .called = calls,
                                              .n_called = called != 0});
}

/* What is whole in each module: %whole, a negate of the parameter. */
static void begin(struct made *m)
{
    hb_init(&m->hb, "bad");
    m->hb.no_assignment = true;
    hb_begin_computation(&m->hb, "main", 1, false);
    add(m, "p", "parameter", 1, &plain, 0, 0);
    add(m, "whole", "negate", 2, &plain, 1, 0);
}

/* ---- one function for each kind of damage; `subject` has the id 9 ---- */

static void unknown_opcode(struct made *m)
{
    add(m, "subject", "frobnicate-start", 9, &plain, 2, 0);
}

static void missing_computation(struct made *m)
{
    add(m, "subject", "call", 9, &plain, 2, 77);
}

static void missing_id(struct made *m)
{
    add(m, "subject", "negate", 9, &plain, 4711, 0);
}

static void cycle(struct made *m)
{
    add(m, "turn", "bitcast", 8, &plain, 9, 0);
    add(m, "subject", "bitcast", 9, &plain, 8, 0);
}

static void cycle_of_one(struct made *m)
{
    add(m, "subject", "add", 9, &plain, 9, 0);
}

static void calls_itself(struct made *m)
{
    add(m, "subject", "call", 9, &plain, 2, 1);
}

static void many_operands(struct made *m)
{
    for (int k = 0; k < MANY; k++)
        m->ids[k] = 1 + k % 2;
    hb_instruction(&m->hb, &(struct hb_instr){.name = "subject",
                                              .opcode = "concatenate",
                                              .id = 9,
                                              .shape = &plain,
                                              .operands = m->ids,
                                              .n_operands = MANY});
}

static void fusion_without_body(struct made *m)
{
    add(m, "subject", "fusion", 9, &plain, 2, 0);
}

#define NAMED(function, text)                                                                      \
    static void function(struct made *m)                                                           \
    {                                                                                              \
        add(m, text, "negate", 9, &plain, 2, 0);                                                   \
    }
NAMED(quotes, "evil\"]; evil [\"'\\\"")
NAMED(back_ticks, "evil`+evil()+`")
NAMED(interpolation, "evil${evil()}")
NAMED(markup, "</pre></script><script>evil()</script><img src=x onerror=evil()>]; evil [")
NAMED(newlines, "evil\n]; evil [\r\n}\nevil")

static void long_name(struct made *m)
{
    memset(m->name, 'n', MEGABYTE);
    add(m, m->name, "negate", 9, &plain, 2, 0);
}

static void no_entry(struct made *m)
{
    m->hb.entry_name = "elsewhere";
    m->hb.entry_id = 1234;
    add(m, "subject", "negate", 9, &plain, 2, 0);
}

/* f32[64,128] with a literal of one element and a half. */
static void literal_cut_short(struct made *m)
{
    struct pbw *w = &m->hb.computations;
    size_t mark = pbw_begin(w, 2);
    pbw_str(w, 1, "subject");
    pbw_str(w, 2, "constant");
    hb_shape(&m->hb, w, 3,
             &(struct hb_shape){.type = HB_F32, .rank = 1, .dims = {4}, .layout = HB_DESCENDING});
    size_t literal = pbw_begin(w, 8);
    pbw_bytes(w, 8, "\0\0\x80\x3f\0\0", 6);
    pbw_end(w, literal);
    pbw_int(w, 35, 9);
    pbw_end(w, mark);
}

static void constant(struct made *m, const struct hb_shape *shape, const char *values, size_t size)
{
    struct pbw *w = &m->hb.computations;
    size_t mark = pbw_begin(w, 2);
    pbw_str(w, 1, "subject");
    pbw_str(w, 2, "constant");
    hb_shape(&m->hb, w, 3, shape);
    size_t literal = pbw_begin(w, 8);
    pbw_bytes(w, 4, values, size); /* s32s, packed */
    pbw_end(w, literal);
    pbw_int(w, 35, 9);
    pbw_end(w, mark);
}

static void literal_without_rows(struct made *m)
{
    constant(m,
             &(struct hb_shape){.type = HB_S32, .rank = 2, .dims = {2, 2}, .layout = HB_DESCENDING},
             "\1\2\3", 3);
}

static void literal_empty(struct made *m)
{
    constant(m, &(struct hb_shape){.type = HB_S32}, "", 0);
}

static void contradicting_layout(struct made *m)
{
    struct hb_shape lies = {.type = HB_F32, .rank = 2, .dims = {4, 4}, .layout = HB_MINOR};
    lies.minor[0] = lies.minor[1] = 7; /* a dimension that is not there, twice */
    lies.tiles[0][0] = -5;
    add(m, "subject", "negate", 9, &lies, 2, 0);
}

static const struct bad {
    const char *words; /* of the issue */
    void (*make)(struct made *m);
    const char *note; /* in a warning of the module or a note of the picture; NULL = see `text` */
    const char *text; /* in the long text */
} cases[] = {
    {"unknown opcodes (with note)", unknown_opcode, "which XLA's list does not have",
     "frobnicate-start("},
    {"missing computations", missing_computation, "which does not exist", "to_apply=?"},
    {"instruction ids that do not exist", missing_id, "4711", "negate(?)"},
    {"cycles", cycle, "depends on its own result, in a cycle of 2 instructions", "%subject"},
    {"cycles (of one)", cycle_of_one, "depends on its own result, in a cycle of 1 instruction,",
     "add(%subject)"},
    {"cycles (of calls)", calls_itself, "calls itself", "to_apply=%main"},
    {"100,000 operands", many_operands, NULL, "/*index=99995*/"},
    {"fusions without bodies", fusion_without_body, "a fusion that names no body", "%subject"},
    {"names with quotes", quotes, NULL, "%evil\"]; evil [\"'\\\""},
    {"names with back-ticks", back_ticks, NULL, "%evil`+evil()+`"},
    {"names with ${", interpolation, NULL, "%evil${evil()}"},
    {"names with markup", markup, NULL, "<script>evil()</script>"},
    {"names with newlines", newlines, NULL, "%evil\n]; evil [\r\n}\nevil"},
    {"1 MB names", long_name, NULL, "nnnnnnnnnn"},
    {"modules with no entry", no_entry, "entry", "%subject"},
    {"literals cut short", literal_cut_short, "the literal of %subject is cut short: 1 of 4 values",
     "constant({1, ? /*literal cut short: 1 of 4 values*/})"},
    {"literals cut short (rows)", literal_without_rows, "cut short: 3 of 4 values",
     "constant({ { 1, 2 }, { 3, ? /*literal cut short: 3 of 4 values*/ } })"},
    {"literals cut short (nothing)", literal_empty, "cut short: 0 of 1 values",
     "constant(? /*literal cut short: 0 of 1 values*/)"},
    {"layouts that contradict their shapes", contradicting_layout, "does not fit its shape",
     "f32[4,4]{7,7"},
};

/* ---- what must hold of each ---- */

static const char *const questions[] = {"overview",
                                        "tree",
                                        "around?node=9",
                                        "around?node=9&all=1",
                                        "around?node=2",
                                        "around?computation=main",
                                        "order?computation=main&px=100",
                                        "list?computation=main&from=0&to=20",
                                        "search?q=whole",
                                        "node?node=9",
                                        "explain?node=9",
                                        "explain?node=2",
                                        "opcodes",
                                        "calls",
                                        "critical?computation=main",
                                        "layouts",
                                        "path?from=1&to=9",
                                        "near?node=9&radius=2",
                                        "dot?node=whole&radius=2",
                                        "dot?node=whole&radius=2&merge=1",
                                        "text?format=short",
                                        "text?format=long",
                                        "proto?format=pbtxt",
                                        "proto?format=json",
                                        "times"};

/* Outside of "..." and <...> the text of Graphviz must not hold the word. */
static void stays_inside(const char *dot, size_t size, const char *words)
{
    bool quoted = false;
    int depth = 0;
    for (size_t at = 0; at < size; at++) {
        char c = dot[at];
        if (!quoted && depth == 0 && size - at >= 4 && memcmp(dot + at, "evil", 4) == 0)
            fail_msg("%s: out of DOT at byte %zu", words, at);
        if (quoted && c == '\\')
            at++;
        else if (depth == 0 && c == '"')
            quoted = !quoted;
        else if (!quoted && depth == 0 && c == '-')
            at++; /* an arrow */
        else if (!quoted && (c == '<' || c == '>'))
            depth += c == '<' ? 1 : -1;
    }
    assert_false(quoted);
    assert_int_equal(depth, 0);
}

static bool any_note(const cJSON *list, const char *field, const char *note)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, list)
    {
        const cJSON *text = field ? cJSON_GetObjectItem(one, field) : one;
        if (cJSON_IsString(text) && strstr(text->valuestring, note))
            return true;
    }
    return false;
}

static void check_note(struct xpd_store *store, const struct bad *bad)
{
    struct answer overview, around;
    if (!bad->note)
        return;
    ask_ok(&overview, store, "/api/v1/graph/overview", "%s", "");
    ask_ok(&around, store, "/api/v1/graph/around", "node=9");
    if (!any_note(at(around.json, "notes"), NULL, bad->note))
        fail_msg("%s: the picture has no note with \"%s\"", bad->words, bad->note);
    if (cJSON_GetArraySize(at(overview.json, "warnings")) == 0 &&
        !strstr(bad->note, "fusion")) /* that one is a note of the node alone */
        fail_msg("%s: the overview has no warning", bad->words);
    answer_free(&overview);
    answer_free(&around);
}

static void check_text(struct xpd_store *store, const struct bad *bad)
{
    struct answer text;
    ask_ok(&text, store, "/api/v1/graph/text", "format=long");
    if (!strstr(text.body, bad->text))
        fail_msg("%s: the text has no %s: %.300s", bad->words, bad->text, text.body);
    if (!strstr(text.body, "%whole = f32[64,128]{1,0} negate(%p)"))
        fail_msg("%s: what is whole is not in the text", bad->words);
    answer_free(&text);
}

/* Ours and XProf's: as DOT, and as the page around it, where the text is text and there is no
 * script. */
static void check_pictures(struct xpd_store *store, const struct bad *bad)
{
    struct answer dot, html;
    ask_ok(&dot, store, "/api/v1/graph/dot", "node=whole&radius=3");
    stays_inside(dot.body, dot.size, bad->words);
    answer_free(&dot);
    ask_ok(&html, store, "/data",
           "tag=graph_viewer&type=graph&node_name=whole&graph_width=3&format=html");
    assert_null(strstr(html.body, "<script"));
    assert_null(strstr(html.body, "<img"));
    assert_null(strstr(html.body, "${"));
    assert_null(memchr(html.body, '`', html.size));
    assert_ptr_equal(strstr(html.body, "</pre>"), strstr(html.body, "</pre>\n</html>\n"));
    answer_free(&html);
}

static void every_route_answers(struct xpd_store *store, const struct bad *bad)
{
    for (size_t k = 0; k < sizeof questions / sizeof *questions; k++) {
        struct answer answer;
        char route[64];
        const char *query = strchr(questions[k], '?');
        snprintf(route, sizeof route, "/api/v1/graph/%.*s",
                 (int)(query ? query - questions[k] : (int)strlen(questions[k])), questions[k]);
        ask(&answer, store, route, "%s", query ? query + 1 : "");
        if (answer.code != XPD_OK)
            fail_msg("%s: %s: %s", bad->words, questions[k], answer.err.text);
        answer_free(&answer);
    }
}

static void each_kind(void **state)
{
    static struct made made;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct pbw bytes = {0};
        char path[256];
        print_message("%s\n", cases[k].words);
        memset(&made, 0, sizeof made);
        begin(&made);
        cases[k].make(&made);
        hb_end_computation(&made.hb, 2);
        hb_finish(&made.hb, &bytes);
        struct xpd_store *store = store_of_proto(bytes.data, bytes.len, path);
        every_route_answers(store, &cases[k]);
        check_note(store, &cases[k]);
        check_text(store, &cases[k]);
        check_pictures(store, &cases[k]);
        xpd_store_close(store);
        remove_folder(path);
        pbw_free(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_kind)};
    return cmocka_run_group_tests_name("graph_bad_input", tests, NULL, NULL);
}

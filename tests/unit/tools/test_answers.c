/* Answers whose content is known: real captures with figures from XLA's own reports, and small
 * programs made here. */
#include "tool_call.h"

#include "hlo_builder.h"
#include "vectors.h"
#include "xspace_wrap.h"

static void join_sentence(const cJSON *largest, char *out, size_t capacity)
{
    const cJSON *piece;
    out[0] = '\0';
    cJSON_ArrayForEach(piece, at(largest, "sentence"))
        strncat(out, text_at(piece, "text"), capacity - strlen(out) - 1);
}

static void headline_of_a_transformer(void **state)
{
    (void)state;
    const char *root = shared_set("tpu_transformer_noremat/logdir");
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer summary;
    char sentence[600];
    ask_ok(&summary, store, "/api/v1/memory/summary", "hbm=16GiB");
    const cJSON *s = summary.json;
    join_sentence(at(s, "largest"), sentence, sizeof sentence);
    assert_string_equal(
        sentence,
        "6 \xc3\x97 f32[8,16,1024,1024] hold 3,072.0 MiB (49 % of the peak), temporaries of "
        "jit(train_step)/jvp(block)/attention/sub, tpu_aot.py:92");
    assert_string_equal(text_at(s, "largest.advice"), "In bf16 the peak would be 4,690.3 MiB.");
    assert_int_equal(number_at(s, "largest.count"), 6);
    assert_int_equal(number_at(s, "largest.each_bytes"), 536870912);
    assert_int_equal(number_at(s, "peak.step"), 115);
    assert_int_equal(number_at(s, "steps"), 272);
    assert_string_equal(text_at(s, "peak.instruction"), "fusion.21");
    assert_int_equal(number_at(s, "xla_report.total_bytes"), 6697484800);
    assert_int_equal(number_at(s, "headroom_bytes"), 17179869184 - number_at(s, "peak.held_bytes"));
    assert_string_equal(text_at(s, "capacity_from"), "the hbm parameter");
    answer_free(&summary);
    xpd_store_close(store);
}

static void program_that_does_not_fit(void **state)
{
    (void)state;
    const char *root = shared_set("tpu_padded_oom/xla/xla_dump");
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer summary, card;
    ask_ok(&summary, store, "/api/v1/memory/summary", "x=y");
    const cJSON *s = summary.json;
    assert_non_null(strstr(text_at(s, "largest.advice"), "padding"));
    answer_free(&summary);
    ask_ok(&card, store, "/api/v1/card", "x=y");
    assert_string_equal(text_at(card.json, "kind"), "dump");
    assert_true(cJSON_IsNull(at(card.json, "holds.memory")));
    assert_true(cJSON_IsString(at(card.json, "holds.trace")));
    answer_free(&card);
    xpd_store_close(store);
}

/* The line of the list: the two sizes are those of XLA's error text, the share is that of the
 * padding in XLA's own memory plan: 23,041,741,224 of 24,590,436,352 bytes. */
static void problem_in_one_line(void **state)
{
    (void)state;
    const char *root = shared_set("tpu_padded_oom/xla");
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer card;
    ask_ok(&card, store, "/api/v1/card", "run=xla_dump");
    assert_string_equal(text_at(card.json, "problem.severity"), "error");
    assert_string_equal(text_at(card.json, "problem.text"),
                        "did not compile: needs 22.90 GiB of 15.75 GiB in HBM, 94 % padding");
    assert_non_null(strstr(text_at(card.json, "problem.detail"), "RESOURCE_EXHAUSTED: E1000"));
    answer_free(&card);
    xpd_store_close(store);
    root = shared_set("tpu_vmem_oom/xla");
    if (!root)
        skip();
    store = open_store(root);
    ask_ok(&card, store, "/api/v1/card", "run=xla_dump");
    assert_string_equal(text_at(card.json, "problem.text"),
                        "did not compile: needs 256.0 MiB of 128.0 MiB in VMEM");
    answer_free(&card);
    struct answer summary;
    ask_ok(&summary, store, "/api/v1/memory/summary", "run=xla_dump");
    assert_string_equal(text_at(summary.json, "oom.match.sentence"),
                        "the text names no program; it is about too_big.1, which is in "
                        "jit_too_big");
    answer_free(&summary);
    xpd_store_close(store);
}

static const char error_text[] =
    "RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory "
    "required for HLO "
    "temporaries (22.90G) exceeds available HBM (15.75G). HLO module: %s.";

static void error_is_matched(void **state)
{
    (void)state;
    const char *root = shared_set("tpu_padded_oom/logdir");
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer runs, oom;
    char text[400];
    ask_ok(&runs, store, "/api/v1/runs", "x=y");
    const char *run = cJSON_GetArrayItem(at(runs.json, "id"), 0)->valuestring;
    snprintf(text, sizeof text, error_text, "jit_padded_step");
    ask_ok(&oom, store, "/api/v1/oom", "run=%s&text=%s", run, text);
    assert_true(cJSON_IsTrue(at(oom.json, "understood")));
    assert_true(cJSON_IsTrue(at(oom.json, "match.matches")));
    assert_non_null(strstr(text_at(oom.json, "match.sentence"), "22.90 GiB"));
    answer_free(&oom);
    snprintf(text, sizeof text, error_text, "jit_other");
    ask_ok(&oom, store, "/api/v1/oom", "run=%s&text=%s", run, text);
    assert_true(cJSON_IsFalse(at(oom.json, "match.matches")));
    assert_string_equal(text_at(oom.json, "match.sentence"),
                        "this is about jit_other, which is not in this run");
    answer_free(&oom);
    /* no program, no number of ours, but an operation that is here */
    ask_ok(&oom, store, "/api/v1/oom", "run=%s&text=%s", run,
           "RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem. Used 256.00M of 128.00M "
           "vmem. Exceeded vmem capacity by 128.00M.\n\n  1. Size: 128.00M\n     Shape: "
           "u8[134217728]{0}\n     XLA label: pad.2 = pad(a.1)\n     Allocation type: scoped\n");
    assert_true(cJSON_IsNull(at(oom.json, "match.matches")));
    assert_string_equal(text_at(oom.json, "match.sentence"),
                        "the text names no program; it is about pad.2, which is in "
                        "jit_padded_step");
    answer_free(&oom);
    ask_ok(&oom, store, "/api/v1/oom", "run=%s&text=%s", run,
           "RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem. Used 256.00M of 128.00M "
           "vmem. Exceeded vmem capacity by 128.00M.");
    assert_string_equal(text_at(oom.json, "match.sentence"),
                        "the text names no program; jit_padded_step is the only one of this run "
                        "but its number differs");
    answer_free(&oom);
    ask_ok(&oom, store, "/api/v1/oom", "text=%s", "hello");
    assert_true(cJSON_IsFalse(at(oom.json, "understood")));
    assert_true(cJSON_IsNull(at(oom.json, "match")));
    answer_free(&oom);
    answer_free(&runs);
    xpd_store_close(store);
}

static void search_ranks(void **state)
{
    (void)state;
    const char *root = shared_set("tpu_transformer_noremat/logdir");
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer search;
    ask_ok(&search, store, "/api/v1/search", "q=fusion.21&limit=5");
    const cJSON *kind = at(search.json, "kind"), *name = at(search.json, "name");
    bool exact = false;
    for (int i = 0; i < cJSON_GetArraySize(kind); i++)
        if (strcmp(cJSON_GetArrayItem(kind, i)->valuestring, "op") == 0 && !exact) {
            assert_string_equal(cJSON_GetArrayItem(name, i)->valuestring, "fusion.21");
            exact = true;
        }
    assert_true(exact);
    answer_free(&search);
    ask_ok(&search, store, "/api/v1/search", "q=/^fusion\\.7[56][0-9]$/&limit=100");
    assert_true(number_at(search.json, "total_ops") >= 10);
    answer_free(&search);
    /* One of six equal attention scores that are held at the peak: 6,226.3 MiB become 5,714.3. */
    ask_ok(&search, store, "/api/v1/search", "q=fusion.761{1}&limit=5");
    const cJSON *saving = at(search.json, "saving_bytes");
    assert_int_equal(cJSON_GetArraySize(saving), 1);
    assert_string_equal(cJSON_GetArrayItem(at(search.json, "kind"), 0)->valuestring, "buffer");
    assert_true(cJSON_GetArrayItem(saving, 0)->valuedouble == 512.0 * 1024 * 1024);
    answer_free(&search);
    ask_ok(&search, store, "/api/v1/search", "q=fusion.76&limit=5");
    kind = at(search.json, "kind");
    saving = at(search.json, "saving_bytes");
    for (int i = 0; i < cJSON_GetArraySize(kind); i++) /* what is not a buffer saves nothing */
        assert_true(cJSON_IsNumber(cJSON_GetArrayItem(saving, i)) ==
                    (strcmp(cJSON_GetArrayItem(kind, i)->valuestring, "buffer") == 0));
    answer_free(&search);
    ask_ok(&search, store, "/api/v1/search", "q=/(/");
    assert_true(cJSON_IsString(at(search.json, "note")));
    answer_free(&search);
    xpd_store_close(store);
}

static const char *column_text(const struct answer *answer, const char *column, int row)
{
    const cJSON *cell = cJSON_GetArrayItem(at(answer->json, column), row);
    return cJSON_IsString(cell) ? cell->valuestring : NULL;
}

/* A copy-done has no buffer of its own: the search leads to that of its copy-start, which XLA
 * printed as the place of the copy-done (buffer-assignment-values of tpu_transformer_oom). */
static void search_leads_to_the_holder(void **state)
{
    (void)state;
    const char *root = shared_set("tpu_transformer_oom/logdir");
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer search;
    ask_ok(&search, store, "/api/v1/search", "q=copy-done.212&limit=5");
    assert_string_equal(text_at(search.json, "opcode"), "copy-done");
    assert_string_equal(text_at(search.json, "opcode_text"),
                        "Waits until the asynchronous copy has arrived.");
    assert_int_equal(cJSON_GetArraySize(at(search.json, "kind")), 2);
    assert_int_equal(number_at(search.json, "total_buffers"), 1);
    assert_string_equal(column_text(&search, "kind", 0), "buffer");
    assert_string_equal(column_text(&search, "name", 0), "copy-start.212{0}");
    assert_string_equal(column_text(&search, "holds", 0), "copy-done.212");
    assert_null(column_text(&search, "held_by", 0));
    assert_string_equal(column_text(&search, "kind", 1), "op");
    assert_string_equal(column_text(&search, "held_by", 1), "copy-start.212{0}");
    assert_null(column_text(&search, "holds", 1));
    const cJSON *buffer = at(search.json, "buffer"), *space = at(search.json, "space");
    assert_true(cJSON_IsNumber(cJSON_GetArrayItem(buffer, 1)));
    assert_true(cJSON_Compare(cJSON_GetArrayItem(buffer, 0), cJSON_GetArrayItem(buffer, 1), true));
    assert_int_equal(cJSON_GetArrayItem(space, 0)->valueint, 1); /* S(1) in its shape */
    assert_int_equal(cJSON_GetArrayItem(space, 1)->valueint, 1);
    answer_free(&search);
    ask_ok(&search, store, "/api/v1/search", "q=done&limit=5"); /* no operation */
    assert_true(cJSON_IsNull(at(search.json, "opcode")));
    assert_true(cJSON_IsNull(at(search.json, "opcode_text")));
    answer_free(&search);
    ask_ok(&search, store, "/api/v1/search", "q=all-gather-done&limit=5");
    assert_string_equal(text_at(search.json, "opcode_text"),
                        "Waits for a collective between devices.");
    answer_free(&search);
    ask_ok(&search, store, "/api/v1/memory/buffer", "instruction=copy-done.212");
    assert_string_equal(text_at(search.json, "name"), "copy-start.212{0}");
    answer_free(&search);
    /* ... which is not of the main memory */
    ask_ok(&search, store, "/api/v1/search", "q=copy-done.212&space=0&limit=5");
    assert_int_equal(number_at(search.json, "total_buffers"), 0);
    answer_free(&search);
    /* what has buffers of its own leads to them, once */
    ask_ok(&search, store, "/api/v1/search", "q=copy-start.212&limit=5");
    assert_int_equal(number_at(search.json, "total_buffers"), 3);
    for (int i = 0; i < cJSON_GetArraySize(at(search.json, "kind")); i++)
        assert_true(!column_text(&search, "holds", i) && !column_text(&search, "held_by", i));
    answer_free(&search);
    xpd_store_close(store);
}

/* Ids beyond 2^53 and beyond 2^63 arrive digit by digit, and are found again. */
static void large_ids_survive(void **state)
{
    (void)state;
    struct hb hb;
    struct pbw proto = {0};
    struct answer table, card;
    char folder[256];
    int64_t id = INT64_MAX - 1;
    hb_init(&hb, "big");
    hb_buffer(&hb, id, 20480, 20000, 0);
    hb_alloc_begin(&hb, &(struct hb_alloc){.index = 0, .size = 20480});
    hb_assign(&hb, id, 0, 20480);
    hb_alloc_end(&hb);
    hb_trace_begin(&hb);
    hb_event(&hb, HB_ALLOC, id, "main", "x", 0);
    hb_event(&hb, HB_FREE, id, "main", "x", 0);
    hb_trace_end(&hb, true, 0);
    hb_finish(&hb, &proto);
    struct xpd_store *store = store_of_proto(proto.data, proto.len, folder);
    ask_ok(&table, store, "/api/v1/memory/buffers", "x=y");
    assert_non_null(strstr(table.body, "\"id\":[\"9223372036854775806\"]"));
    ask_ok(&card, store, "/api/v1/memory/buffer", "id=9223372036854775806");
    assert_int_equal(number_at(card.json, "buffer"), 0);
    assert_string_equal(text_at(card.json, "id"), "9223372036854775806");
    answer_free(&card);
    answer_free(&table);
    ask(&card, store, "/api/v1/memory/buffer", "id=5");
    assert_int_equal(card.code, XPD_ENOTFOUND);
    answer_free(&card);
    xpd_store_close(store);
    remove_folder(folder);
    pbw_free(&proto);
}

/* A program whose largest buffer is the table of a tuple (a step with thousands of arguments) is
 * told by the arrays that it points at, the most bytes first; nested ones count, too. */
static void headline_names_the_leaves_of_a_tuple(void **state)
{
    static const struct hb_shape big = {.type = HB_F32, .rank = 2, .dims = {64, 64}};
    static const struct hb_shape row = {.type = HB_BF16, .rank = 1, .dims = {64}};
    static const struct hb_shape one = {.type = HB_S32};
    static const struct hb_shape count = {.type = HB_U32};
    struct hb_shape element[1200];
    struct hb_shape inner[3] = {row, one, count};
    struct hb_shape tuple = {.type = HB_TUPLE, .elements = element, .n_elements = 1200};
    struct hb hb;
    struct pbw proto = {0};
    struct answer summary;
    char folder[256], sentence[600];
    (void)state;
    for (int i = 0; i < 1200; i++)
        element[i] = i < 800 ? big
                     : i < 1199
                         ? row
                         : (struct hb_shape){.type = HB_TUPLE, .elements = inner, .n_elements = 3};
    hb_init(&hb, "tuple");
    hb_shaped_buffer(&hb, 1, 1200 * 8, 0, &tuple, NULL, 0);
    hb_shaped_buffer(&hb, 2, 256, 0, &row, NULL, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 16384}, "1@0:9600 2@9600:256");
    hb_trace(&hb, "A1 A2 F1 F2");
    hb_finish(&hb, &proto);
    struct xpd_store *store = store_of_proto(proto.data, proto.len, folder);
    ask_ok(&summary, store, "/api/v1/memory/summary", "x=y");
    join_sentence(at(summary.json, "largest"), sentence, sizeof sentence);
    const char *want = "tuple of 1,202 arrays (800 \xc3\x97 f32[64,64], 400 \xc3\x97 bf16[64], 1 "
                       "\xc3\x97 s32[], 1 "
                       "other) holds 9.4 KiB";
    if (strncmp(sentence, want, strlen(want)) != 0)
        fail_msg("%s", sentence);
    answer_free(&summary);
    xpd_store_close(store);
    remove_folder(folder);
    pbw_free(&proto);
}

/* A sharer larger than its canonical: the list at each step is what is held then, not what it grows
 * to. */
static void storage_that_grows(void **state)
{
    (void)state;
    struct pbw proto = {0};
    char folder[256];
    static const int64_t expected[] = {32768, 65536, 65536, 0};
    vec_V6(&proto);
    struct xpd_store *store = store_of_proto(proto.data, proto.len, folder);
    for (int step = 0; step < 4; step++) {
        struct answer live;
        ask_ok(&live, store, "/api/v1/memory/live", "step=%d&fold_bytes=0", step);
        assert_int_equal(number_at(live.json, "live_bytes"), expected[step]);
        assert_int_equal(column_sum(live.json, "size_bytes"), expected[step]);
        answer_free(&live);
    }
    struct answer diff;
    ask_ok(&diff, store, "/api/v1/memory/diff", "a=0&b=1");
    assert_int_equal(number_at(diff.json, "both_grown_bytes"), 32768);
    answer_free(&diff);
    xpd_store_close(store);
    remove_folder(folder);
    pbw_free(&proto);
}

/* Every vector answers every route, whatever is wrong with it. */
static void vectors_answer(void **state)
{
    (void)state;
    static const char *const routes[] = {
        "summary", "curve", "steps", "scopes", "map", "live", "buffers", "tree",
    };
    for (size_t i = 0; i < n_vectors; i++) {
        struct pbw proto = {0};
        char folder[256], route[64];
        vectors[i].build(&proto);
        struct xpd_store *store = store_of_proto(proto.data, proto.len, folder);
        for (size_t k = 0; k < sizeof routes / sizeof *routes; k++) {
            struct answer answer;
            snprintf(route, sizeof route, "/api/v1/memory/%s", routes[k]);
            ask_ok(&answer, store, route, "x=y");
            answer_free(&answer);
        }
        xpd_store_close(store);
        remove_folder(folder);
        pbw_free(&proto);
    }
}

static void code_of(struct xpd_store *store, const char *route, const char *query, int code,
                    const char *where)
{
    struct answer answer;
    ask(&answer, store, route, "%s", query);
    if (answer.code != code)
        fail_msg("%s?%s: %s", route, query, answer.err.text);
    if (where)
        assert_string_equal(answer.err.where, where);
    answer_free(&answer);
}

static void wrong_questions(void **state)
{
    (void)state;
    struct pbw proto = {0};
    char folder[256];
    vec_V5(&proto);
    struct xpd_store *store = store_of_proto(proto.data, proto.len, folder);
    code_of(store, "/api/v1/run", "run=nothing", XPD_ENOTFOUND, NULL);
    code_of(store, "/api/v1/memory/summary", "module=nothing", XPD_ENOTFOUND, NULL);
    code_of(store, "/api/v1/memory/summary", "space=77", XPD_ENOTFOUND, "space");
    code_of(store, "/api/v1/memory/summary", "host=nobody", XPD_ENOTFOUND, "host");
    code_of(store, "/api/v1/memory/curve", "from=5&to=5", XPD_EINVAL, "from");
    code_of(store, "/api/v1/memory/curve", "px=0", XPD_EINVAL, "px");
    code_of(store, "/api/v1/memory/live", "step=8", XPD_EINVAL, "step");
    code_of(store, "/api/v1/memory/live", "step=7", XPD_OK, NULL);
    code_of(store, "/api/v1/memory/diff", "a=1", XPD_EINVAL, "b");
    code_of(store, "/api/v1/memory/buffer", "x=y", XPD_EINVAL, "buffer");
    code_of(store, "/api/v1/memory/buffer", "buffer=4", XPD_ENOTFOUND, "buffer");
    code_of(store, "/api/v1/memory/buffers", "at=x", XPD_EINVAL, "at");
    code_of(store, "/api/v1/memory/buffers", "at=99", XPD_EINVAL, "at");
    code_of(store, "/api/v1/memory/whatif", "buffers=0,x", XPD_EINVAL, "buffers");
    code_of(store, "/api/v1/memory/whatif", "buffers=0,1,1,2", XPD_OK, NULL);
    code_of(store, "/api/v1/memory/tree", "limit=1", XPD_EINVAL, "limit");
    code_of(store, "/api/v1/search", "x=y", XPD_EINVAL, "q");
    code_of(store, "/api/v1/oom", "x=y", XPD_EINVAL, "text");
    xpd_store_close(store);
    remove_folder(folder);
    pbw_free(&proto);
}

/* Too little memory for a request is an answer, never a crash or half an answer. */
static void small_budgets(void **state)
{
    (void)state;
    static const char *const questions[][2] = {
        {"/api/v1/run", "x=y"},
        {"/api/v1/card", "x=y"},
        {"/api/v1/modules", "x=y"},
        {"/api/v1/memory/summary", "x=y"},
        {"/api/v1/memory/curve", "px=64"},
        {"/api/v1/memory/steps", "x=y"},
        {"/api/v1/memory/scopes", "px=64"},
        {"/api/v1/memory/map", "x=y"},
        {"/api/v1/memory/live", "x=y"},
        {"/api/v1/memory/diff", "a=1&b=5"},
        {"/api/v1/memory/range", "x=y"},
        {"/api/v1/memory/buffers", "by=scope"},
        {"/api/v1/memory/buffers", "sort=name&filter=/f/"},
        {"/api/v1/memory/buffers", "format=csv"},
        {"/api/v1/memory/buffer", "buffer=3"},
        {"/api/v1/memory/tree", "x=y"},
        {"/api/v1/memory/whatif", "buffers=1,2,3"},
        {"/api/v1/search", "q=f"},
        {"/api/v1/graph/explain", "node=fusion.3"},
        {"/api/v1/explain", "text=a = f32[3,5]{1,0:T(2,2)} add(f32[3,5]{1,0} b, c), x={y}"},
        {"/api/v1/oom", "text=Used 22.90G of 15.75G hbm. Exceeded hbm capacity by 7.15G."},
    };
    struct xpd_store *store = open_testdata("tpu_padded_demo");
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct answer whole, answer;
        request_budget_bytes = 0;
        ask_ok(&whole, store, questions[i][0], "%s", questions[i][1]);
        for (uint64_t budget = 256; budget < 4000000; budget += budget / 3) {
            request_budget_bytes = budget;
            ask(&answer, store, questions[i][0], "%s", questions[i][1]);
            if (answer.code == XPD_OK) {
                assert_int_equal(answer.size, whole.size);
                assert_memory_equal(answer.body, whole.body, whole.size);
            } else {
                assert_true(answer.code == XPD_ENOMEM || answer.code == XPD_ELIMIT);
            }
            answer_free(&answer);
        }
        answer_free(&whole);
    }
    request_budget_bytes = 0;
    xpd_store_close(store);
}

/* The module that is shown when none is asked for: of a run with one host it is the same whether
 * that host is named or not. V5 has more bytes, but none in the device's main memory. */
static void default_module_of_a_host(void **state)
{
    (void)state;
    struct pbw hlo[2] = {{0}, {0}}, space = {0};
    struct one_run made;
    vec_V1(&hlo[0]);
    vec_V5(&hlo[1]);
    const struct xspace_module modules[] = {{"V1", 1, hlo[0].data, hlo[0].len},
                                            {"V5", 5, hlo[1].data, hlo[1].len}};
    xspace_wrap_all(&space, modules, 2, false);
    make_run(&made);
    FILE *file = fopen(made.file, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(space.data, 1, space.len, file), space.len);
    assert_int_equal(fclose(file), 0);
    struct xpd_store *store = open_store(made.root);
    static const char *const query[] = {"run=run", "run=run&host=host0"};
    for (int i = 0; i < 2; i++) {
        struct answer answer;
        ask_ok(&answer, store, "/api/v1/memory/summary", "%s", query[i]);
        assert_string_equal(text_at(answer.json, "module.key"), "V1(1)");
        answer_free(&answer);
    }
    xpd_store_close(store);
    remove_run(&made);
    pbw_free(&hlo[0]);
    pbw_free(&hlo[1]);
    pbw_free(&space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headline_of_a_transformer),
        cmocka_unit_test(program_that_does_not_fit),
        cmocka_unit_test(problem_in_one_line),
        cmocka_unit_test(error_is_matched),
        cmocka_unit_test(search_ranks),
        cmocka_unit_test(search_leads_to_the_holder),
        cmocka_unit_test(large_ids_survive),
        cmocka_unit_test(headline_names_the_leaves_of_a_tuple),
        cmocka_unit_test(storage_that_grows),
        cmocka_unit_test(vectors_answer),
        cmocka_unit_test(default_module_of_a_host),
        cmocka_unit_test(wrong_questions),
        cmocka_unit_test(small_budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

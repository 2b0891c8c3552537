/* The routes about a program over HTTP, and XProf's graph_viewer: answers, refusals with XProf's
 * texts, limits, names that try to become code. Numbers are those of the compiler's own dump. */
#include "answer.h"
#include "hlo_builder.h"
#include "tempfile.h"

#define RUN "run=" SMALL_RUN
#define XPROF                                                                                      \
    "/data/plugin/profile/data?tag=graph_viewer&" RUN                                              \
    "&module_name=jit_padded_step(7506317489879146938)"
/* A name that breaks out of markup, attributes, scripts and template strings, if anything does. */
#define EVIL "a</script></pre><img src=x onerror=alert(1)>`${alert(2)}\"'&"
#define EVIL_URL                                                                                   \
    "a%3C/script%3E%3C/pre%3E%3Cimg%20src=x%20onerror=alert(1)%3E%60$%7Balert(2)%7D%22%27%26"

static struct http_reply get(const struct server_process *server, const char *target, int status)
{
    struct http_reply reply = http_get_loaded(server->port, target);
    if (reply.status != status)
        fail_msg("%s: %d %.300s", target, reply.status, reply.body);
    assert_true(reply.whole);
    return reply;
}

static void says(const char *target, int status, const char *wanted)
{
    struct http_reply reply = get(&shared_server, target, status);
    if (!strstr(reply.body, wanted))
        fail_msg("%s: no \"%s\" in %.300s", target, wanted, reply.body);
    http_reply_free(&reply);
}

static void is_type(const char *target, const char *type)
{
    struct http_reply reply = get(&shared_server, target, 200);
    assert_memory_equal(http_header(&reply, "Content-Type"), type, strlen(type));
    http_reply_free(&reply);
}

/* ---- our routes ---- */

static void every_route_answers(void **state)
{
    (void)state;
    static const char *const route[] = {"overview?",
                                        "tree?",
                                        "around?node=tuple.4&",
                                        "order?",
                                        "list?",
                                        "search?q=fusion&",
                                        "opcodes?",
                                        "node?node=tuple.4&",
                                        "calls?",
                                        "critical?",
                                        "layouts?",
                                        "explain?node=tuple.4&",
                                        "near?node=tuple.4&",
                                        "times?",
                                        "path?from=copy-start&to=tuple.4&"};
    for (size_t i = 0; i < sizeof route / sizeof *route; i++) {
        char target[256];
        snprintf(target, sizeof target, "/api/v1/graph/%s" RUN, route[i]);
        struct answer answer = ask(&shared_server, target, 200);
        done(&answer);
    }
    says("/api/v1/graph/text?" RUN, 200, "HloModule jit_padded_step");
    says("/api/v1/graph/dot?node=tuple.4&" RUN, 200, "digraph G {");
}

/* The body of the one in the middle, asked for by the word, is the one asked for by its number. */
static void expand_center(void **state)
{
    (void)state;
    struct answer word =
        ask(&shared_server,
            "/api/v1/graph/around?node=convert_add_fusion&merge=1&expand=center&" RUN, 200);
    int64_t ix = -1;
    assert_true(xpd_json_to_i64(find(&word, "center.ix"), &ix));
    char target[256];
    snprintf(target, sizeof target,
             "/api/v1/graph/around?node=convert_add_fusion&merge=1&expand=%lld&" RUN,
             (long long)ix);
    struct answer number = ask(&shared_server, target, 200);
    assert_string_equal(word.reply.body, number.reply.body);
    assert_non_null(strstr(word.reply.body, "\"computation\":[\"fused_computation.19\"]"));
    done(&word);
    done(&number);
}

/* What links from one tool to another ask: the buffer of an instruction in any memory. */
static void buffer_of_an_instruction(void **state)
{
    (void)state;
    struct answer card =
        ask(&shared_server, "/api/v1/memory/buffer?instruction=%25convert_add_fusion&" RUN, 200);
    assert_string_equal(xpd_json_to_text(find(&card, "instruction")), "convert_add_fusion");
    int64_t space = -1;
    assert_true(xpd_json_to_i64(find(&card, "space"), &space));
    assert_int_equal(space, 1); /* u32[509]{0:T(512)S(1)} */
    done(&card);
    says("/api/v1/memory/buffer?instruction=param_0.54&" RUN, 404,
         "no buffer holds the result of param_0.54: it is inside a fusion");
    says("/api/v1/memory/buffer?instruction=none&" RUN, 404, "has no instruction none");
}

static void unknown_names_are_404(void **state)
{
    (void)state;
    static const char *const route[] = {"around", "order", "list", "node", "explain", "near"};
    for (size_t i = 0; i < sizeof route / sizeof *route; i++) {
        char target[256];
        snprintf(target, sizeof target, "/api/v1/graph/%s?node=tuple.44&" RUN, route[i]);
        struct answer answer = ask(&shared_server, target, 404);
        assert_non_null(strstr(answer.reply.body, "\"nearest\":["));
        assert_non_null(strstr(answer.reply.body, "\"tuple.4\""));
        done(&answer);
    }
    says("/api/v1/graph/explain?node=tuple.4&mesh=data=&" RUN, 400, "A mesh is at most");
    says("/api/v1/graph/path?from=tuple.4&to=none&" RUN, 404, "\"nearest\":[");
    says("/api/v1/graph/text?instruction=none&" RUN, 404, "has no instruction none");
    says("/api/v1/graph/text?computation=none&" RUN, 404, "has no computation none");
    says("/api/v1/graph/dot?node=none&" RUN, 404, "no instruction or computation none");
}

static void bad_parameters_are_400(void **state)
{
    (void)state;
    static const char *const target[] = {"text?format=pdf",
                                         "text?metadata=2",
                                         "proto?format=xml",
                                         "dot?x=1",
                                         "near?x=1",
                                         "dot?node=a&radius=11",
                                         "around?node=tuple.4&radius=11",
                                         "search?field=x",
                                         "near?node=tuple.4&radius=101",
                                         "near?node=tuple.4&way=up"};
    for (size_t i = 0; i < sizeof target / sizeof *target; i++) {
        char all[256];
        snprintf(all, sizeof all, "/api/v1/graph/%s&" RUN, target[i]);
        says(all, 400, "\"code\":\"invalid_argument\"");
    }
}

static void proto_forms(void **state)
{
    (void)state;
    struct http_reply pb = get(&shared_server, "/api/v1/graph/proto?" RUN, 200);
    assert_memory_equal(pb.body, "\x0a", 1); /* field 1, hlo_module */
    assert_string_equal(http_header(&pb, "Content-Type"), "application/octet-stream");
    assert_string_equal(http_header(&pb, "Content-Disposition"), "attachment");
    http_reply_free(&pb);
    struct http_reply text = get(&shared_server, "/api/v1/graph/proto?format=pbtxt&" RUN, 200);
    assert_memory_equal(text.body, "hlo_module {\n", 13);
    assert_non_null(strstr(text.body, "\nbuffer_assignment {\n"));
    http_reply_free(&text);
    struct answer json = ask(&shared_server, "/api/v1/graph/proto?format=json&" RUN, 200);
    assert_string_equal(xpd_json_to_text(find(&json, "hlo_module.name")), "jit_padded_step");
    done(&json);
}

/* ---- XProf's route ---- */

static void xprof_types(void **state)
{
    (void)state;
    is_type(XPROF "&type=short_txt", "application/octet-stream");
    is_type(XPROF "&type=long_txt", "application/octet-stream");
    is_type(XPROF "&type=pb", "application/octet-stream");
    is_type(XPROF "&type=pbtxt", "application/octet-stream");
    is_type(XPROF "&type=graph&format=html&node_name=tuple.4", "text/html");
    says(XPROF "&type=graph&format=dot&node_name=%25TUPLE.4", 200, "digraph G {");
    says(XPROF "&type=adj_nodes&node_name=tuple.4", 200, "{\"consumer_names\":[");
    says(XPROF "&type=pbtxt", 200, "hlo_module {\n  name: \"jit_padded_step\"\n");
}

/* The texts of XProf 2.24.2's refusals. */
static void xprof_refusals(void **state)
{
    (void)state;
    says(XPROF, 400, "Graph viewer must provide a type option.");
    says(XPROF "&type=json", 400, "Not implemented");
    says(XPROF "&type=graph&format=dot", 400, "node_name should not be empty");
    says(XPROF "&type=graph&node_name=tuple.4", 400,
         "Can't render as URL; no URL renderer was registered.");
    says(XPROF "&type=graph&format=url&node_name=tuple.4", 400, "Can't render as URL");
    says(XPROF "&type=graph&format=dot&node_name=no_such_node", 404,
         "Couldn't find HloInstruction or HloComputation named no_such_node.");
    says(XPROF "&type=adj_nodes&node_name=main.10", 400,
         "GetAdjacentNodes is not implemented for HloComputation.");
    says(XPROF "&type=custom_call&node_name=tuple.4", 404, "Backend config not found");
    says(XPROF "&type=custom_call&node_name=main.10", 404, "HLO Instruction not found");
    says("/data?tag=graph_viewer&type=short_txt&program_id=7506317489879146938&" RUN, 200,
         "HloModule jit_padded_step");
    says("/data?tag=graph_viewer&type=short_txt&program_id=75063174898791469&" RUN, 404,
         "no module with program id 75063174898791469");
    says(XPROF "&type=other", 400, "not \\\"other\\\"");
}

/* ---- questions that fit several programs ---- */

static void notes(const struct server_process *server, const char *target, int status,
                  const char *wanted)
{
    struct http_reply reply = get(server, target, status);
    if (wanted ? !strstr(http_header(&reply, "X-Xprofd-Note"), wanted)
               : *http_header(&reply, "X-Xprofd-Note"))
        fail_msg("%s: note \"%s\"", target, http_header(&reply, "X-Xprofd-Note"));
    http_reply_free(&reply);
}

/* As XProf took them for the same names (docs/XPROF-DIFFERENCES.md): a note says which it was. */
static void which_program(void **state)
{
    (void)state;
    struct server_process server;
    server_serve(&server, source_path("testdata/cpu_mlp_train/logdir"), NULL, NULL);
#define MLP "/data?tag=graph_viewer&run=run0&type=short_txt"
    notes(&server, MLP "&program_id=2", 200,
          "answered jit_broadcast_in_dim(12), as XProf does; the program of exactly that id is "
          "module_name=jit_broadcast_in_dim(2)");
    notes(&server, MLP "&program_id=4", 200, NULL);
    notes(&server, MLP "&program_id=18", 200, NULL);
    notes(&server, MLP "&program_id=1", 404, NULL);
    notes(&server, MLP "&program_id=", 404, NULL);
    notes(&server, MLP "&module_name=jit_broadcast_in_dim(2)", 200, NULL);
    notes(&server, MLP "&node_name=wrapped_broadcast", 200,
          "no module was named; answered jit_broadcast_in_dim(");
    notes(&server, MLP "&node_name=%25WRAPPED_broadcast", 200, "no module was named; answered");
    notes(&server, MLP "&node_name=no_such", 404, NULL);
    server_stop(&server);
}

/* ---- names that try to become code ---- */

static void names_stay_data(void **state)
{
    (void)state;
    static const struct hb_shape scalar = {.type = HB_F32};
    struct hb hb;
    struct pbw out = {0};
    struct server_process server;
    hb_init(&hb, "m");
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(&hb, &(struct hb_instr){.name = EVIL,
                                           .opcode = "iota",
                                           .id = 1,
                                           .shape = &scalar,
                                           .op_name = EVIL,
                                           .backend_config = EVIL});
    hb_end_computation(&hb, 1);
    hb_finish(&hb, &out);
    char *path = temp_file(out.data, out.len, ".hlo_proto.pb");
    server_serve(&server, path, NULL, NULL);
    struct answer runs = ask(&server, "/api/v1/runs", 200);
    const char *id = strstr(runs.reply.body, "\"id\":[\"");
    assert_non_null(id);
    char run[128], target[1024];
    snprintf(run, sizeof run, "%.*s", (int)strcspn(id + 7, "\""), id + 7);
    done(&runs);
    snprintf(target, sizeof target,
             "/data?tag=graph_viewer&run=%s&type=graph&format=html&show_metadata=true&node_name=%s",
             run, EVIL_URL);
    struct http_reply page = get(&server, target, 200);
    assert_null(strstr(page.body, "<script"));
    assert_null(strstr(page.body, "</script"));
    assert_null(strstr(page.body, "<img"));
    assert_null(strchr(page.body, '`'));
    assert_null(strstr(page.body, "${"));
    assert_null(strstr(page.body, "http:"));
    char *first = strstr(page.body, "</pre>"); /* only the page's own */
    assert_non_null(first);
    assert_null(strstr(first + 1, "</pre>"));
    assert_non_null(strstr(page.body, "a&lt;/script&gt;"));
    http_reply_free(&page);
    snprintf(target, sizeof target, "/api/v1/graph/proto?format=json&run=%s", run);
    struct answer json = ask(&server, target, 200);
    const struct xpd_json *computation = xpd_json_item(find(&json, "hlo_module.computations"), 0);
    const struct xpd_json *first_one =
        xpd_json_item(xpd_json_member(computation, "instructions"), 0);
    assert_string_equal(xpd_json_to_text(xpd_json_member(first_one, "name")), EVIL);
    done(&json);
    server_stop(&server);
    temp_remove(path);
    pbw_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_answers),
        cmocka_unit_test(expand_center),
        cmocka_unit_test(buffer_of_an_instruction),
        cmocka_unit_test(unknown_names_are_404),
        cmocka_unit_test(bad_parameters_are_400),
        cmocka_unit_test(proto_forms),
        cmocka_unit_test(xprof_types),
        cmocka_unit_test(xprof_refusals),
        cmocka_unit_test(which_program),
        cmocka_unit_test(names_stay_data),
    };
    return cmocka_run_group_tests(tests, start_shared, stop_shared);
}

/* Every route about a program's graph on a HloProto of any bytes, from the file to the answer: ours
 * and XProf's graph_viewer in all its types. */
#include "ask_run.h"

enum { NODES = 5, NAME = 64 };

/* Of the whole module. */
static const char *const module_questions[][2] = {
    {"overview", ""},         {"tree", ""},           {"tree", "parent=g1"},
    {"tree", "parent=g2"},    {"tree", "parent=c0"},  {"tree", "parent=o1"},
    {"tree", "parent=c0:n"},  {"search", "q=a"},      {"search", "q=/o.*1/"},
    {"opcodes", ""},          {"calls", ""},          {"critical", ""},
    {"layouts", ""},          {"times", ""},          {"text", "format=short"},
    {"text", "format=long"},  {"proto", "format=pb"}, {"proto", "format=pbtxt"},
    {"proto", "format=json"},
};

/* Of one instruction: %s is its id. */
static const char *const node_questions[][2] = {
    {"around", "node=%s&radius=3&users=2"},
    {"around", "node=%s&radius=1&merge=1"},
    {"dot", "node=%s&radius=2"},
    {"node", "node=%s"},
    {"near", "node=%s&radius=3"},
    {"path", "from=%s&to=1"},
    {"explain", "node=%s"},
    {"explain", "node=%s&device=TPU v5e"},
    {"order", "computation=%s&px=64"},
    {"list", "computation=%s&from=0&to=64"},
};

static const char *const compat_types[] = {"graph",    "adj_nodes", "custom_call", "short_txt",
                                           "long_txt", "pb",        "pbtxt",       "json"};

static void ask_node(const char *run, const char *node)
{
    char route[64], query[512];
    for (size_t i = 0; i < sizeof node_questions / sizeof *node_questions; i++) {
        const char *at = strstr(node_questions[i][1], "%s");
        snprintf(route, sizeof route, "/api/v1/graph/%s", node_questions[i][0]);
        snprintf(query, sizeof query, "%.*s%s%s", (int)(at - node_questions[i][1]),
                 node_questions[i][1], node, at + 2);
        ask(route, run, query);
    }
    for (size_t i = 0; i < sizeof compat_types / sizeof *compat_types; i++) {
        snprintf(query, sizeof query,
                 "tag=graph_viewer&type=%s&node_name=%s&graph_width=2&merge_fusion=%zu&format=dot",
                 compat_types[i], node, i % 2);
        ask("/data", run, query);
    }
}

/* A name that a query of this program can hold; others are left to the ids. */
static bool take_name(char out[NAME], struct xpd_str name)
{
    if (name.size == 0 || name.size >= NAME || memchr(name.data, '&', name.size) ||
        memchr(name.data, '=', name.size) || memchr(name.data, '\0', name.size))
        return false;
    memcpy(out, name.data, name.size);
    out[name.size] = '\0';
    return true;
}

/* Names of the first module: three instructions and the entry, then two that may not be there. */
static int take_nodes(const char *id, char node[NODES][NAME])
{
    const struct xpd_run *run = NULL;
    struct xpd_load_state state;
    struct xpd_err err = {0};
    const struct xpd_hlo *hlo;
    int n = 0;
    MUST(xpd_store_acquire(store, xpd_str_of(id), -1, &run, &state, &err) == XPD_OK);
    if (run->module_count && xpd_store_module(store, run, 0, &hlo, NULL, &err) == XPD_OK) {
        uint32_t count = hlo->instructions.count, at[] = {0, count / 2, count ? count - 1 : 0};
        for (int k = 0; k < 3 && count; k++)
            n += take_name(node[n], xpd_hlo_text(hlo, hlo->instructions.name[at[k]]));
        if (hlo->entry != XPD_NO_INDEX)
            n += take_name(node[n], xpd_hlo_text(hlo, hlo->computations.name[hlo->entry]));
    }
    xpd_store_release(store, run);
    snprintf(node[n++], NAME, "7");
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_store_stats stats;
    char id[64], route[64], node[NODES][NAME];
    put_run("m.hlo_proto.pb", data, size, id);
    for (size_t i = 0; i < sizeof module_questions / sizeof *module_questions; i++) {
        snprintf(route, sizeof route, "/api/v1/graph/%s", module_questions[i][0]);
        ask(route, id, module_questions[i][1]);
    }
    for (int i = 0, n = take_nodes(id, node); i < n; i++)
        ask_node(id, node[i]);
    xpd_store_stats(store, &stats);
    MUST(stats.runs_held == 0);
    return 0;
}

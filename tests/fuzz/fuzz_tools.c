/* Every tool on a HloProto of any bytes, from the file to the JSON.
 *
 * The input becomes the only file of a run; the store reads it, then each tool of docs/API.md and
 * XProf's memory_viewer are asked about its first module in every memory space (at most three). An
 * answer is JSON that parses, or an error that bad input may have. */
#include "ask_run.h"

/* Questions about one memory space. */
static const char *const questions[][2] = {
    {"summary", ""},
    {"curve", "&px=64"},
    {"curve", "&format=csv"},
    {"steps", "&from=0&to=64"},
    {"scopes", "&px=64"},
    {"map", "&px=64&py=32"},
    {"live", "&fold_bytes=0"},
    {"live", "&order=size&format=csv"},
    {"diff", "&a=0"},
    {"range", ""},
    {"buffers", "&sort=padding"},
    {"buffers", "&by=scope&sort=first_use"},
    {"buffers", "&by=shape&filter=/a|o/&sort=life"},
    {"buffers", "&by=source&sort=saving&format=csv"},
    {"buffer", "&buffer=0"},
    {"buffer", "&buffer=1"},
    {"buffer", "&buffer=2"},
    {"tree", "&by=scope"},
    {"tree", "&by=source&at=0"},
    {"tree", "&by=class"},
    {"whatif", "&buffers=0,1,2"},
    {"whatif", "&plan=0+2-4:drop,1:offload&try=0-9:recompute,5:shard:3&menu=1+2&parts=5&columns=9"},
};

static void ask_space(const char *run, const char *space)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        char route[64], query[128];
        snprintf(route, sizeof route, "/api/v1/memory/%s", questions[i][0]);
        snprintf(query, sizeof query, "%s%s", space, questions[i][1]);
        ask(route, run, query);
    }
}

/* Colours of the first module, asked for while the run is held. */
static uint32_t colors_of(const struct xpd_run *run, int64_t *color, uint32_t capacity)
{
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    struct xpd_err err = {0};
    uint32_t count = 0;
    if (run->module_count == 0 || xpd_store_module(store, run, 0, &hlo, &mem, &err) != XPD_OK)
        return 0;
    for (; count < mem->space_count && count < capacity; count++)
        color[count] = mem->space[count].color;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct xpd_run *run = NULL;
    struct xpd_load_state state;
    struct xpd_store_stats stats;
    struct xpd_err err = {0};
    int64_t color[3];
    char id[64], space[64];
    put_run("m.hlo_proto.pb", data, size, id);
    int rc = xpd_store_acquire(store, xpd_str_of(id), -1, &run, &state, &err);
    MUST(rc == XPD_OK);
    uint32_t colors = colors_of(run, color, 3);
    xpd_store_release(store, run);
    ask("/api/v1/run", id, "");
    ask("/api/v1/card", id, "");
    ask("/api/v1/doctor", id, "");
    ask("/api/v1/doctor", id, "format=text");
    ask("/api/v1/doctor", id, "format=sarif");
    ask("/api/v1/compare", id, "");
    ask("/api/v1/compare", id, "format=md");
    ask("/api/v1/compare/curve", id, "px=50");
    ask("/api/v1/compare/steps", id, "steps=0");
    ask("/api/v1/compare/buffers", id, "");
    ask("/api/v1/compare/buffers", id, "of=program&same=0");
    ask("/api/v1/compare/text", id, "inside=1&config=1&context=-1");
    ask("/api/v1/memory/whatif/held", id, "plan=0:halve,1:recompute&steps=0,1,2&buffers=1");
    ask("/api/v1/memory/whatif", id, "plan=0:drop,1:offload,2:recompute,3:shard:2&columns=7");
    ask("/api/v1/modules", id, "");
    ask("/api/v1/modules", id, "format=csv");
    ask("/api/v1/search", id, "q=a");
    ask("/api/v1/graph/explain", id, "node=1");
    ask("/api/v1/graph/explain", id, "node=2");
    ask("/data", id, "tag=memory_viewer");
    for (uint32_t i = 0; i < colors; i++) {
        snprintf(space, sizeof space, "space=%lld", (long long)color[i]);
        ask_space(id, space);
    }
    if (colors == 0)
        ask_space(id, "space=0");
    xpd_store_stats(store, &stats);
    MUST(stats.runs_held == 0);
    return 0;
}

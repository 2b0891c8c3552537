/* Finding an instruction as a person or a link names it, and saying what is near when there is
 * none. In: a text. Out: an index, or a 404 with the nearest names. */
#include "graph_rows.h"

enum { NEAREST = 5 };

uint32_t xpd_graph_instruction(const struct xpd_hlo *hlo, struct xpd_str text)
{
    int64_t id;
    if (xpd_str_to_i64(text, &id)) {
        uint32_t found = xpd_map64_get(&hlo->instruction_by_id, (uint64_t)id);
        if (found != XPD_NO_INDEX)
            return found;
    }
    return xpd_hlo_named(hlo, xpd_tools_bare_name(text));
}

static uint32_t computation_named(const struct xpd_hlo *hlo, struct xpd_str name)
{
    return xpd_tools_index_of(hlo->computations.name, hlo->computations.count,
                              xpd_intern_find(&hlo->names, xpd_tools_bare_name(name)));
}

int xpd_graph_pick_computation(const struct xpd_tool_ctx *ctx, uint32_t *computation,
                               struct xpd_err *err)
{
    struct xpd_str name = xpd_param_text(ctx, "computation");
    *computation = name.size ? computation_named(ctx->hlo, name) : ctx->hlo->entry;
    if (*computation != XPD_NO_INDEX)
        return XPD_OK;
    if (name.size)
        return xpd_fail(err, XPD_ENOTFOUND, "computation", XPD_NO_OFFSET,
                        "The module has no computation %.*s.",
                        (int)(name.size < 200 ? name.size : 200), name.data);
    return xpd_fail(err, XPD_ENOTFOUND, "computation", XPD_NO_OFFSET,
                    "The module names no entry computation; ask for one by name.");
}

/* ---- nearest names ---- */

struct near {
    uint32_t instruction;
    uint64_t distance;
};

/* "fusion.12" is fusion and 12. */
static struct xpd_str split_number(struct xpd_str name, int64_t *number)
{
    size_t end = name.size;
    while (end > 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9')
        end--;
    if (end < 2 || end == name.size || name.data[end - 1] != '.' ||
        !xpd_str_to_i64((struct xpd_str){name.data + end, name.size - end}, number)) {
        *number = 0;
        return name;
    }
    return (struct xpd_str){name.data, end - 1};
}

/* Names of the same stem by their numbers; then by how much of the beginning they share. */
static uint64_t distance_of(struct xpd_str stem, int64_t number, struct xpd_str name)
{
    int64_t other;
    struct xpd_str other_stem = split_number(name, &other);
    if (xpd_str_eq(stem, other_stem))
        return (uint64_t)(number > other ? number - other : other - number);
    size_t shared = 0, least = stem.size < other_stem.size ? stem.size : other_stem.size;
    while (shared < least && stem.data[shared] == other_stem.data[shared])
        shared++;
    return UINT64_MAX - shared;
}

static uint32_t nearest(const struct xpd_hlo *hlo, struct xpd_str text, struct near best[NEAREST])
{
    int64_t number;
    struct xpd_str stem = split_number(text, &number);
    uint32_t count = 0;
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        struct near one = {i,
                           distance_of(stem, number, xpd_hlo_text(hlo, hlo->instructions.name[i]))};
        if (count == NEAREST && best[NEAREST - 1].distance <= one.distance)
            continue;
        uint32_t at = count < NEAREST ? count++ : NEAREST - 1;
        for (; at > 0 && best[at - 1].distance > one.distance; at--)
            best[at] = best[at - 1];
        best[at] = one;
    }
    return count;
}

static void put_nearest(struct xpd_jsonw *w, const struct xpd_graph_ask *ask, struct xpd_str text)
{
    const struct xpd_module *module = &ask->ctx->run->module[ask->ctx->module];
    struct near best[NEAREST];
    uint32_t count = nearest(ask->hlo, xpd_tools_bare_name(text), best);
    xpd_json_key(w, "nearest");
    xpd_json_arr(w);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = best[k].instruction, line = ask->index->line[i];
        xpd_json_obj(w);
        xpd_json_key(w, "id");
        xpd_json_i64_string(w, ask->hlo->instructions.id[i]);
        xpd_json_ku64(w, "ix", i);
        xpd_json_kstr(w, "name", xpd_graph_name(ask, i));
        xpd_tools_kknown(w, "line", line ? (int64_t)line : -1);
        xpd_json_ktext(w, "module", module->key);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

static void put_error(struct xpd_jsonw *w, const struct xpd_graph_ask *ask, struct xpd_str text,
                      const struct xpd_err *err)
{
    xpd_json_obj(w);
    xpd_json_key(w, "error");
    xpd_json_obj(w);
    xpd_json_ktext(w, "code", xpd_code_word(err->code));
    xpd_json_ktext(w, "message", err->text);
    xpd_json_ktext(w, "where", err->where);
    xpd_json_knull(w, "offset");
    put_nearest(w, ask, text);
    xpd_json_ku64(w, "other_modules", ask->ctx->run->module_count - 1);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

/* For a caller without a body: the same names in the message. */
static void name_nearest(struct xpd_err *err, const struct xpd_hlo *hlo, struct xpd_str text)
{
    struct near best[NEAREST];
    uint32_t count = nearest(hlo, xpd_tools_bare_name(text), best);
    size_t used = xpd_str_of(err->text).size;
    for (uint32_t k = 0; k < count && used < sizeof err->text; k++) {
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.name[best[k].instruction]);
        used += (size_t)snprintf(err->text + used, sizeof err->text - used, "%s%.*s",
                                 k ? ", " : " Nearest: ", (int)(name.size < 60 ? name.size : 60),
                                 name.data);
    }
}

int xpd_graph_nearest(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                      struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct xpd_jsonw w;
    struct xpd_str text = xpd_param_text(ctx, err->where);
    if (xpd_word_index("node from to", xpd_str_of(err->where)) < 0 ||
        xpd_graph_instruction(ctx->hlo, text) != XPD_NO_INDEX)
        return err->code;
    if (ctx->use) {
        name_nearest(err, ctx->hlo, text);
        return err->code;
    }
    if (xpd_graph_ask_init(&ask, ctx, NULL) != XPD_OK)
        return err->code;
    out->status = 404;
    xpd_jsonw_init(&w, &out->body);
    put_error(&w, &ask, text, err);
    xpd_graph_ask_fini(&ask);
    return XPD_OK;
}

int xpd_graph_find(const struct xpd_graph_ask *ask, const char *parameter, uint32_t *instruction,
                   struct xpd_err *err)
{
    struct xpd_str text = xpd_param_text(ask->ctx, parameter), bare = xpd_tools_bare_name(text);
    *instruction = xpd_graph_instruction(ask->hlo, text);
    if (*instruction != XPD_NO_INDEX)
        return XPD_OK;
    return xpd_fail(err, XPD_ENOTFOUND, parameter, XPD_NO_OFFSET, "No op named %.*s in %s.",
                    (int)(bare.size < 200 ? bare.size : 200), bare.data,
                    ask->ctx->run->module[ask->ctx->module].name);
}

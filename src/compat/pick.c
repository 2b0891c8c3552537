/* What a question to XProf's routes means: its program, host, instruction; and the parameters that
 * all of them take. */
#include "graph_viewer.h"
#include "xprofd/compat/file_order.h"

#include "xprofd/base/strbuf.h"

#include <stdio.h>

/* XProf searches the digits of program_id= anywhere in the file names, so "2" may give the
 * program 12. This route answers as XProf does, with a note. An unknown id is refused; XProf
 * answers with some other program. */
static int pick_by_program(const struct xpd_tool_ctx *ctx, struct xpd_str id, uint32_t *module,
                           struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_run *run = ctx->run;
    const uint32_t *order = xpd_file_order(run, ctx->arena);
    if (!order)
        return xpd_no_memory(err, NULL, "for the list of programs");
    uint64_t wanted = 0;
    uint32_t exact = XPD_NO_INDEX, first = XPD_NO_INDEX, fitting = 0;
    bool is_number = xpd_str_to_u64(id, &wanted);
    for (uint32_t i = 0; i < run->module_count; i++) {
        uint32_t m = order[i];
        if (is_number && exact == XPD_NO_INDEX && run->module[m].program_id == wanted)
            exact = m;
        if (xpd_str_find(xpd_str_of(run->module[m].key), id, false) == SIZE_MAX)
            continue;
        first = fitting++ ? first : m;
    }
    if (exact == XPD_NO_INDEX)
        return xpd_fail(err, XPD_ENOTFOUND, "program_id", XPD_NO_OFFSET,
                        "run %s has no module with program id %.*s", run->entry->id, (int)id.size,
                        id.data);
    *module = first == XPD_NO_INDEX ? exact : first;
    if (*module != exact)
        xpd_tool_note(out,
                      "program_id=%.*s stands in the names of %u programs; answered %s, as XProf "
                      "does; the program of exactly that id is module_name=%s",
                      (int)id.size, id.data, fitting, run->module[*module].key,
                      run->module[exact].key);
    return XPD_OK;
}

int xpd_compat_pick_module(const struct xpd_tool_ctx *ctx, const char *who, uint32_t *module,
                           struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_str name = xpd_param_text(ctx, "module_name");
    struct xpd_str id = xpd_param_text(ctx, "program_id");
    if (name.size > 0) {
        for (uint32_t i = 0; i < ctx->run->module_count; i++)
            if (xpd_str_eq(name, xpd_str_of(ctx->run->module[i].key))) {
                *module = i;
                return XPD_OK;
            }
        return xpd_fail(err, XPD_ENOTFOUND, "module_name", XPD_NO_OFFSET,
                        "run %s has no module %.*s; /module_list names what it has",
                        ctx->run->entry->id, (int)name.size, name.data);
    }
    if (id.size > 0)
        return pick_by_program(ctx, id, module, out, err);
    return xpd_fail(err, XPD_ENOTFOUND, "module_name", XPD_NO_OFFSET,
                    "%s needs module_name or program_id; /module_list names the modules", who);
}

/* ---- by an instruction ---- */

/* An instruction of exactly that name, which XProf searches in the files. */
static bool has_instruction(const struct xpd_hlo *hlo, struct xpd_str name)
{
    for (uint32_t i = 0; i < hlo->instructions.count; i++)
        if (xpd_str_eq(xpd_hlo_text(hlo, hlo->instructions.name[i]), name))
            return true;
    return false;
}

/* The first module that has it: exactly, or with '%' and the case left out of account. */
static uint32_t first_with(const struct xpd_tool_ctx *ctx, const uint32_t *order, bool exactly)
{
    struct xpd_str name = xpd_param_text(ctx, "node_name");
    for (uint32_t i = 0; i < ctx->run->module_count; i++) {
        const struct xpd_hlo *hlo;
        uint32_t instruction = XPD_NO_INDEX, computation;
        struct xpd_err why = {0}; /* of this module; another one may have the instruction */
        if (xpd_store_module(ctx->store, ctx->run, order[i], &hlo, NULL, &why) != XPD_OK)
            continue;
        if (exactly ? has_instruction(hlo, name)
                    : xpd_compat_find_node(ctx, hlo, &instruction, &computation, &why) == XPD_OK &&
                          instruction != XPD_NO_INDEX)
            return order[i];
    }
    return XPD_NO_INDEX;
}

int xpd_compat_pick_by_node(const struct xpd_tool_ctx *ctx, uint32_t *module,
                            struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_str name = xpd_param_text(ctx, "node_name");
    const uint32_t *order = xpd_file_order(ctx->run, ctx->arena);
    if (!order)
        return xpd_no_memory(err, NULL, "for the list of programs");
    *module = first_with(ctx, order, true);
    if (*module == XPD_NO_INDEX)
        *module = first_with(ctx, order, false);
    if (*module == XPD_NO_INDEX)
        return xpd_fail(err, XPD_ENOTFOUND, "node_name", XPD_NO_OFFSET,
                        "no module of run %s has an instruction %.*s", ctx->run->entry->id,
                        (int)name.size, name.data);
    if (ctx->run->module_count > 1)
        xpd_tool_note(out,
                      "no module was named; answered %s, the first one in XProf's order that has "
                      "that instruction; module_name= chooses",
                      ctx->run->module[*module].key);
    return XPD_OK;
}

int xpd_compat_check_host(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_str host = xpd_param_text(ctx, "host");
    if (host.size == 0 || xpd_str_eq(host, XPD_STR("ALL_HOSTS")))
        return XPD_OK;
    for (uint32_t i = 0; i < ctx->run->host_count; i++)
        if (xpd_str_eq(host, xpd_str_of(ctx->run->host[i].name)))
            return XPD_OK;
    return xpd_fail(err, XPD_ENOTFOUND, "host", XPD_NO_OFFSET,
                    "No xplane file found for host: %.*s in run: %s", (int)host.size, host.data,
                    ctx->run->entry->id);
}

static bool is_named(const struct xpd_hlo *hlo, xpd_name_id id, struct xpd_str name)
{
    struct xpd_str text = xpd_hlo_text(hlo, id);
    return text.size == name.size && xpd_str_find(text, name, true) == 0;
}

int xpd_compat_find_node(const struct xpd_tool_ctx *ctx, const struct xpd_hlo *hlo,
                         uint32_t *instruction, uint32_t *computation, struct xpd_err *err)
{
    struct xpd_str name = xpd_param_text(ctx, "node_name");
    struct xpd_str bare = name;
    *instruction = *computation = XPD_NO_INDEX;
    if (bare.size && bare.data[0] == '%')
        bare = (struct xpd_str){bare.data + 1, bare.size - 1};
    if (bare.size == 0)
        return xpd_fail(err, XPD_EINVAL, "node_name", XPD_NO_OFFSET,
                        "node_name should not be empty");
    for (uint32_t i = 0; i < hlo->instructions.count && *instruction == XPD_NO_INDEX; i++)
        if (is_named(hlo, hlo->instructions.name[i], bare))
            *instruction = i;
    for (uint32_t c = 0; c < hlo->computations.count && *computation == XPD_NO_INDEX; c++)
        if (is_named(hlo, hlo->computations.name[c], bare))
            *computation = c;
    if (*instruction != XPD_NO_INDEX || *computation != XPD_NO_INDEX)
        return XPD_OK;
    return xpd_fail(err, XPD_ENOTFOUND, "node_name", XPD_NO_OFFSET,
                    "Couldn't find HloInstruction or HloComputation named %.*s.", (int)name.size,
                    name.data);
}

/* XProf opens any folder that a request names. */
#define NO_OTHER_FOLDER "a request opens no other folder; start xprofd with it"

const struct xpd_param_spec xpd_compat_params[] = {
    {.name = "session_path", .type = XPD_PARAM_REFUSED, .help = NO_OTHER_FOLDER},
    {.name = "run_path", .type = XPD_PARAM_REFUSED, .help = NO_OTHER_FOLDER},
    {.name = NULL},
};

bool xpd_compat_flag(const struct xpd_tool_ctx *ctx, const char *name)
{
    struct xpd_str text = xpd_param_text(ctx, name);
    bool yes = text.size == 4;
    for (size_t i = 0; yes && i < text.size; i++)
        yes = (text.data[i] | 0x20) == "true"[i];
    return yes;
}

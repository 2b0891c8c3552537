/* xprofd memory PROFILE: summary, peak and its buffers of one module, as text, JSON or CSV. */
#include "json_out.h"
#include "memory_text.h"
#include "over_time.h"
#include "xprofd/cli/command.h"
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: xprofd memory PROFILE [--run=NAME] [--host=NAME] [--module=NAME] [--space=N|NAME|all]\n"
    "                             [--top=N] [--step=K] [--hbm=SIZE] [--json|--csv]\n"
    "Prints where the peak of a compiled program is and which buffers make it up.\n"
    "PROFILE is a logdir, a run folder, an .xplane.pb, a HloProto or an XLA dump directory.\n"
    "The default module is the one with the largest peak among those that ran.\n"
    "\n"
    "       xprofd memory --over-time PROFILE [--at=TIME] [--against=TIME] [--fail-on-leak]\n"
    "                             [--run=NAME] [--host=NAME] [--top=N] [--json|--csv]\n"
    "Prints what the runtime's allocators had in use: the peak, growth from step to step "
    "and\nwhether it is a leak, what is never freed, and what is live at a time (1.6s; default "
    "the\npeak) or, with --against, at one of two times. --fail-on-leak: exit 1 when an allocator "
    "leaks.\n"
    "--csv: the allocations that are live.\n";

#define SPACES_MAX 32

struct picked {
    const char *module;
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space[SPACES_MAX];
    uint32_t count;
};

/* --space: a number, a name of this platform, "all"; default the main space. */
static int pick_spaces(struct picked *picked, const struct xpd_profile_args *args,
                       const struct xpd_run *run, struct xpd_err *err)
{
    const struct xpd_mem *mem = picked->mem;
    bool all = args->space && strcmp(args->space, "all") == 0;
    int64_t wanted = 0;
    bool number = args->space && xpd_str_to_i64(xpd_str_of(args->space), &wanted);
    for (uint32_t i = 0; i < mem->space_count && picked->count < SPACES_MAX; i++) {
        char scratch[24];
        const char *name = xpd_space_name(run->platform, mem->space[i].color, scratch);
        bool named = args->space &&
                     xpd_str_find(xpd_str_of(args->space), xpd_str_of(name), true) == 0 &&
                     strlen(args->space) == strlen(name);
        if (all || (number && mem->space[i].color == wanted) || named)
            picked->space[picked->count++] = &mem->space[i];
    }
    if (!args->space && mem->space_count > 0)
        picked->space[picked->count++] = xpd_mem_main_space(mem);
    if (picked->count > 0)
        return XPD_OK;
    if (mem->space_count == 0)
        return xpd_mem_no_assignment(mem->hlo, args->path, err);
    return xpd_fail(err, XPD_ENOTFOUND, "--space", XPD_NO_OFFSET,
                    "this module has no memory space \"%s\"; --space=all shows those it has",
                    args->space);
}

#define LIVE_PARAMS 4 /* at most */

/* How memory/live is asked for the buffers at a step, by size and none folded; `step` takes the
 * text of --step. Returns how many parameters there are. */
static uint32_t ask_live(struct xpd_param param[LIVE_PARAMS], char step[24],
                         const struct xpd_profile_args *args)
{
    uint32_t count = 0;
    param[count++] = (struct xpd_param){XPD_STR("fold_bytes"), XPD_STR("0")};
    param[count++] = (struct xpd_param){XPD_STR("order"), XPD_STR("size")};
    if (args->step >= 0) {
        snprintf(step, 24, "%lld", (long long)args->step);
        param[count++] = (struct xpd_param){XPD_STR("step"), xpd_str_of(step)};
    }
    return count;
}

static int append_space(struct xpd_jsonw *w, const struct xpd_cli_profile *profile,
                        const struct xpd_profile_args *args, const char *module,
                        const struct xpd_mem_space *space, struct xpd_err *err)
{
    char limit[24], step[24];
    struct xpd_param param[LIVE_PARAMS];
    uint32_t count = ask_live(param, step, args);
    int64_t top = args->top < 0 ? 20 : args->top;
    snprintf(limit, sizeof limit, "%lld", (long long)(top > 0 ? top : 1)); /* 1 is the least */
    param[count++] = (struct xpd_param){XPD_STR("limit"), xpd_str_of(limit)};
    struct xpd_strbuf summary = {0}, live = {0};
    int rc = xpd_cli_call(profile, args, "/api/v1/memory/summary", module, space->color, NULL, 0,
                          &summary, err);
    if (rc == XPD_OK)
        rc = xpd_cli_call(profile, args, "/api/v1/memory/live", module, space->color, param, count,
                          &live, err);
    if (rc == XPD_OK) {
        xpd_json_obj(w);
        xpd_json_key(w, "summary");
        xpd_json_raw(w, (struct xpd_str){summary.data, summary.size});
        xpd_json_key(w, "buffers");
        xpd_json_raw(w, (struct xpd_str){live.data, live.size});
        xpd_json_obj_end(w);
    }
    xpd_strbuf_fini(&summary);
    xpd_strbuf_fini(&live);
    return rc;
}

static int print_json(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                      const struct picked *picked, struct xpd_err *err)
{
    struct xpd_cli_json out;
    struct xpd_jsonw *w = xpd_cli_json_begin(&out, "memory");
    int rc = XPD_OK;
    xpd_cli_json_exit(w, XPD_OK);
    xpd_cli_json_covers(w, profile, args);
    xpd_json_ktext(w, "module", picked->module);
    xpd_json_key(w, "spaces");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < picked->count && rc == XPD_OK; i++)
        rc = append_space(w, profile, args, picked->module, picked->space[i], err);
    if (rc == XPD_OK) {
        xpd_json_arr_end(w);
        xpd_cli_json_end(&out);
    } else {
        xpd_strbuf_fini(&out.text);
    }
    return rc;
}

static int print_csv(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                     const struct picked *picked, struct xpd_err *err)
{
    char step[24];
    struct xpd_param param[LIVE_PARAMS];
    uint32_t count = ask_live(param, step, args);
    param[count++] = (struct xpd_param){XPD_STR("format"), XPD_STR("csv")};
    struct xpd_strbuf body = {0};
    int rc = picked->count == 1
                 ? xpd_cli_call(profile, args, "/api/v1/memory/live", picked->module,
                                picked->space[0]->color, param, count, &body, err)
                 : xpd_fail(err, XPD_EINVAL, "--space", XPD_NO_OFFSET,
                            "CSV holds one memory space; choose one of the %u with --space",
                            picked->count);
    if (rc == XPD_OK)
        fwrite(body.data, 1, body.size, stdout);
    xpd_strbuf_fini(&body);
    return rc;
}

static int print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 struct xpd_err *err)
{
    struct picked picked = {0};
    uint32_t module = 0;
    const struct xpd_hlo *hlo = NULL;
    int rc = xpd_cli_pick_module(profile, args, &module, err);
    if (rc == XPD_OK)
        rc = xpd_store_module(profile->store, profile->run, module, &hlo, &picked.mem, err);
    if (rc == XPD_OK)
        rc = pick_spaces(&picked, args, profile->run, err);
    if (rc != XPD_OK)
        return rc;
    picked.module = profile->run->module[module].key;
    if (args->output == XPD_OUT_JSON)
        return print_json(profile, args, &picked, err);
    if (args->output == XPD_OUT_CSV)
        return print_csv(profile, args, &picked, err);
    struct xpd_arena arena = {0};
    struct xpd_tool_ctx ctx = {.arena = &arena,
                               .store = profile->store,
                               .run = profile->run,
                               .hbm_override_bytes = args->hbm_bytes};
    struct xpd_memory_text what = {.top = args->top < 0 ? 20 : (uint32_t)args->top,
                                   .step = args->step < 0 ? XPD_NO_STEP : (uint32_t)args->step,
                                   .ctx = &ctx};
    for (uint32_t i = 0; i < picked.count && rc == XPD_OK; i++)
        rc = xpd_memory_text_check_step(picked.space[i], what.step, err);
    if (rc == XPD_OK)
        xpd_memory_text_head(profile->run, &profile->run->module[module], hlo);
    for (uint32_t i = 0; i < picked.count && rc == XPD_OK; i++)
        rc = xpd_memory_text_space(profile->run, picked.mem, picked.space[i], &what, err);
    xpd_arena_fini(&arena);
    return rc;
}

static int print_either(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                        int *code, struct xpd_err *err)
{
    if (args->fail_on)
        return xpd_fail(err, XPD_EINVAL, "--fail-on", XPD_NO_OFFSET,
                        "memory takes no --fail-on; with --over-time it has --fail-on-leak");
    if (args->over_time)
        return xpd_over_time_print(profile, args, code, err);
    if (args->at || args->against || args->fail_on_leak)
        return xpd_fail(err, XPD_EINVAL, "option", XPD_NO_OFFSET,
                        "--at, --against and --fail-on-leak need --over-time");
    int rc = xpd_cli_require_modules(profile, err);
    return rc == XPD_OK ? print(profile, args, err) : rc;
}

static int run(int argc, char **argv)
{
    return xpd_cli_run_code("memory", help, argc, argv, print_either);
}

const struct xpd_command xpd_command_memory = {
    .name = "memory",
    .help = "print the peak of a program and the buffers that make it",
    .run = run};

/* How much memory the device has, and who says so.
 *
 * In: a run, a memory space. Out: bytes with their source, or why they are unknown. An experiment
 * is often seen twice, as a profile and as the compiler's dump, and each may know what the other
 * does not: the profile its chip, the dump the message of a compiler that gave up. They speak for
 * each other where they hold the same program: of one name, with the same instructions or the same
 * allocations, since program ids are other numbers in dumps. */
#include "common.h"

#include "xprofd/memory/oom_text.h"
#include "xprofd/profile/chips.h"

struct kin { /* what the other runs of the experiment say of the same program; beside the run */
    const char *error, *error_of; /* of a dump */
    int64_t bytes;                /* of the profile; -1 */
    const char *from;
    bool nominal;
    int same_program; /* as the run that leads: 1, 0, -1 = not known */
};

/* ---- the same program ---- */

static bool module_digest(struct xpd_store *store, const struct xpd_run *run, uint32_t module,
                          struct xpd_hlo_digest *out)
{
    const struct xpd_hlo *hlo;
    if (xpd_store_module(store, run, module, &hlo, NULL, NULL) != XPD_OK)
        return false;
    *out = xpd_hlo_digest_of(hlo);
    return true;
}

static int holds(struct xpd_store *store, const struct xpd_run *run, const char *name,
                 const struct xpd_hlo_digest *digest)
{
    int found = run->module_count > 0 ? 0 : -1;
    for (uint32_t i = 0; i < run->module_count; i++) {
        struct xpd_hlo_digest other;
        if (strcmp(run->module[i].name, name) != 0)
            continue;
        int one = module_digest(store, run, i, &other) ? xpd_hlo_digest_same(digest, &other) : -1;
        if (one == 1)
            return 1;
        found = one < 0 ? one : found;
    }
    return found;
}

/* By the programs that a dump is about: those that did not compile, else the largest. */
static int same_program(struct xpd_store *store, const struct xpd_run *dump,
                        const struct xpd_run *other)
{
    uint32_t main = XPD_NO_INDEX;
    int found = -1;
    for (uint32_t i = 0; i < dump->module_count; i++)
        if (dump->module[i].failed_to_compile)
            main = XPD_NO_INDEX - 1;
    if (main == XPD_NO_INDEX && xpd_store_default_module(store, dump, &main, NULL) != XPD_OK)
        return -1;
    for (uint32_t i = 0; i < dump->module_count; i++) {
        if (main < dump->module_count ? i != main : !dump->module[i].failed_to_compile)
            continue;
        struct xpd_hlo_digest digest;
        int one = module_digest(store, dump, i, &digest)
                      ? holds(store, other, dump->module[i].name, &digest)
                      : -1;
        if (one == 1)
            return 1;
        found = one == 0 ? 0 : found;
    }
    return found;
}

/* ---- the other runs of the experiment ---- */

struct asker {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_catalog *catalog;
    const struct xpd_run_entry *own;
    struct kin *kin;
    struct xpd_arena *arena;
};

static const char *head_of(const struct xpd_run_entry *run)
{
    return run->lead ? run->lead : run->id;
}

static bool has_error(const struct xpd_run_entry *run)
{
    for (uint32_t i = 0; i < run->input_count; i++)
        if (run->input[i].format == XPD_INPUT_ERROR_TEXT)
            return true;
    return false;
}

static const char *copy(struct asker *a, const char *text)
{
    return xpd_arena_strndup(a->arena, text, strlen(text));
}

static void take(struct asker *a, const struct xpd_run_entry *entry, const struct xpd_run *other)
{
    struct kin *kin = a->kin;
    if (other->error_text && !kin->error) {
        kin->error = copy(a, other->error_text);
        kin->error_of = copy(a, entry->label);
    }
    if (other->capacity_bytes > 0 && kin->bytes < 0) {
        kin->bytes = other->capacity_bytes;
        kin->nominal = other->capacity_nominal;
        kin->from =
            xpd_arena_printf(a->arena, "%s, as %s says", other->capacity_from, entry->label);
    }
}

static void ask(struct asker *a, const struct xpd_run_entry *entry)
{
    const struct xpd_run *own = a->ctx->run, *other;
    struct xpd_load_state state;
    struct xpd_store *store = a->ctx->store;
    if (xpd_store_acquire(store, xpd_str_of(entry->id), -1, &other, &state, NULL) != XPD_OK)
        return;
    int same = entry->kind == XPD_RUN_DUMP ? same_program(store, other, own)
                                           : same_program(store, own, other);
    if (strcmp(entry->id, head_of(a->own)) == 0)
        a->kin->same_program = same;
    if (same == 1)
        take(a, entry, other);
    xpd_store_release(store, other);
}

/* A dump asks the run that leads it; both ask the dumps that have the compiler's message. */
static int make_kin(void *table, struct xpd_arena *arena, const void *of, struct xpd_err *err)
{
    struct asker a = *(const struct asker *)of;
    (void)err;
    a.kin = table;
    a.arena = arena;
    *a.kin = (struct kin){.bytes = -1, .same_program = -1};
    const char *head = head_of(a.own);
    for (uint32_t i = 0; i < a.catalog->run_count; i++) {
        const struct xpd_run_entry *entry = &a.catalog->run[i];
        bool leads = a.own->lead && strcmp(entry->id, head) == 0;
        bool tells = !a.ctx->run->error_text && strcmp(head_of(entry), head) == 0 &&
                     strcmp(entry->id, a.own->id) != 0 && has_error(entry);
        if (leads || tells)
            ask(&a, entry);
    }
    return XPD_OK;
}

/* NULL for a run that stands alone. Only what the newest list of runs shows counts. */
static const struct kin *kin_of(const struct xpd_tool_ctx *ctx)
{
    if (!ctx->store)
        return NULL;
    struct xpd_str id = xpd_str_of(ctx->run->entry->id);
    bool base = xpd_str_starts(id, XPD_BASE_PREFIX);
    struct xpd_catalog *held = base ? NULL : xpd_store_catalog(ctx->store, -1);
    struct asker a = {.ctx = ctx, .catalog = base ? xpd_store_base(ctx->store) : held};
    a.own = a.catalog ? xpd_catalog_find(a.catalog, id) : NULL;
    const void *kin = NULL;
    if (a.own && a.own->kin_fingerprint != a.own->fingerprint) {
        struct xpd_side_want want = {.key = UINT64_C(255) << 56 | a.own->kin_fingerprint >> 8,
                                     .size = sizeof(struct kin),
                                     .make = make_kin,
                                     .of = &a};
        if (xpd_store_side(ctx->store, ctx->run, XPD_NO_INDEX, &want, &kin, NULL) != XPD_OK)
            kin = NULL;
    }
    xpd_catalog_release(held);
    return kin;
}

int xpd_tools_same_program(const struct xpd_tool_ctx *ctx)
{
    const struct kin *kin = kin_of(ctx);
    return kin ? kin->same_program : -1;
}

const char *xpd_tools_error_text(const struct xpd_tool_ctx *ctx)
{
    const struct kin *kin = ctx->run->error_text ? NULL : kin_of(ctx);
    return kin ? kin->error : ctx->run->error_text;
}

/* ---- capacity ---- */

static bool by_error(const struct xpd_tool_ctx *ctx, const char *error, const char *of,
                     int64_t color, struct xpd_capacity *out)
{
    struct xpd_oom_text text;
    if (!error || xpd_oom_read(&text, xpd_str_of(error), ctx->arena, NULL) != XPD_OK)
        return false;
    bool same = text.color == color || (text.color < 0 && color == 0);
    if (!text.understood || !same || text.capacity_bytes < 0)
        return false;
    out->bytes = text.capacity_bytes;
    out->from =
        of ? xpd_arena_printf(ctx->arena, "the error text beside %s", of) : "the error text";
    return true;
}

/* Hosts of a run may have unlike chips: that of the named host counts, else that of a host with the
 * program. */
static bool by_host(const struct xpd_tool_ctx *ctx, struct xpd_capacity *out)
{
    uint32_t host = xpd_tools_host_named(ctx);
    host = host != XPD_NO_INDEX ? host : xpd_tools_host_of_program(ctx);
    const struct xpd_xspace *space = host != XPD_NO_INDEX ? ctx->run->host[host].space : NULL;
    if (!space || space->capacity_bytes <= 0 || space->capacity_nominal)
        return false;
    out->bytes = space->capacity_bytes;
    out->from = space->capacity_from;
    return true;
}

static bool by_run(const struct xpd_run *run, const struct kin *kin, bool nominal,
                   struct xpd_capacity *out)
{
    if (run->capacity_bytes > 0 && run->capacity_nominal == nominal) {
        out->bytes = run->capacity_bytes;
        out->from = run->capacity_from;
    } else if (kin && kin->bytes > 0 && kin->nominal == nominal) {
        out->bytes = kin->bytes;
        out->from = kin->from;
    }
    return out->bytes >= 0;
}

static const char *why_unknown(const struct xpd_tool_ctx *ctx, int64_t color)
{
    if (color != 0)
        return "the size of this memory is only known from compiler errors, and this run has none";
    if (strcmp(ctx->run->platform, "cpu") == 0)
        return "CPU programs use host memory, whose size profiles do not record";
    if (ctx->run->device_type[0])
        return xpd_arena_printf(
            ctx->arena,
            "the profile does not record it, and \"%.60s\" is not in the table of chips",
            ctx->run->device_type);
    return "neither the profile nor an error text next to it names the chip";
}

void xpd_tools_capacity(const struct xpd_tool_ctx *ctx, int64_t color, struct xpd_capacity *out)
{
    *out = (struct xpd_capacity){.bytes = -1};
    if (color == 0 && ctx->hbm_override_bytes > 0) {
        out->bytes = ctx->hbm_override_bytes;
        out->from = xpd_param_has(ctx, "hbm") ? "the hbm parameter" : "the option --hbm";
        return;
    }
    const struct kin *kin = kin_of(ctx);
    /* The compiler that gave up says what it had to fit into: less than the chip has. */
    if (by_error(ctx, ctx->run->error_text, NULL, color, out) ||
        (kin && by_error(ctx, kin->error, kin->error_of, color, out)))
        return;
    /* A device's capacity is that of its main memory. */
    if (color == 0 && (by_host(ctx, out) || by_run(ctx->run, NULL, false, out) ||
                       by_run(ctx->run, kin, false, out) || by_run(ctx->run, kin, true, out)))
        return;
    out->unknown = why_unknown(ctx, color);
}

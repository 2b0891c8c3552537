/* Selection of a module: by key, by name, or the default. */
#include "session_internal.h"

#include <stdio.h>
#include <string.h>

static const char *file_name(const struct xpd_host *host)
{
    return host->input ? host->input->name : host->name;
}

/* Errors reported by the profiler are not damage of the file. */
static bool is_damage(const struct xpd_warning *warning)
{
    return warning->severity == XPD_ERROR && strcmp(warning->code, "profiler_error") != 0;
}

int xpd_run_no_modules(const struct xpd_run *run, struct xpd_err *err)
{
    const struct xpd_warnings *warnings = run->warnings;
    const char *no_files = xpd_run_no_files(run->entry);
    if (no_files)
        return xpd_fail(err, XPD_ENOTFOUND, NULL, XPD_NO_OFFSET, "%s", no_files);
    for (uint32_t i = 0; i < run->host_count; i++) {
        const struct xpd_host *host = &run->host[i];
        if (host->error.code != XPD_OK)
            return xpd_fail(err, host->error.code, file_name(host), host->error.offset, "%s",
                            host->error.text);
    }
    for (uint32_t i = 0; warnings && i < warnings->count; i++)
        if (is_damage(&warnings->item[i]))
            return xpd_fail(err, XPD_EFORMAT, run->host_count ? file_name(&run->host[0]) : NULL,
                            warnings->item[i].offset, "%s", warnings->item[i].text);
    if (run->entry->kind == XPD_RUN_HEAP)
        return xpd_fail(err, XPD_ENOTFOUND, run->entry->id, XPD_NO_OFFSET,
                        "A heap file holds what a process kept, not a program: `xprofd heap` shows "
                        "it, and with --fail-on-growth exits 1 when it grows; `xprofd doctor` "
                        "says which lines grow.");
    /* One file is named; of several hosts none has a program. */
    const char *where = run->host_count == 1 ? file_name(&run->host[0]) : run->entry->id;
    return xpd_fail(err, XPD_ENOTFOUND, where, XPD_NO_OFFSET,
                    "This profile contains no compiled program (no HLO): capture it with HLO "
                    "protos enabled, which is JAX's default.%s",
                    run->has_memory_events ? " `xprofd memory --over-time` shows the allocations "
                                             "that the runtime recorded."
                                           : "");
}

/* "a, b, c", with "..." after the last that fits. */
struct names {
    char text[300];
    size_t used;
};

static bool add_name(struct names *names, const char *name)
{
    size_t room = sizeof names->text - names->used;
    int n = snprintf(names->text + names->used, room, "%s%s", names->used ? ", " : "", name);
    if (n < 0 || (size_t)n + sizeof ", ..." > room) {
        snprintf(names->text + names->used, room, "%s", names->used ? ", ..." : "");
        return false;
    }
    names->used += (size_t)n;
    return true;
}

/* Some keys of the run for a message: those of `name` when there are any, else the first ones. */
static int not_found(const struct xpd_run *run, struct xpd_str wanted, uint32_t same_name,
                     struct xpd_err *err)
{
    struct names some = {.used = 0};
    for (uint32_t i = 0; i < run->module_count; i++) {
        const struct xpd_module *module = &run->module[i];
        if (same_name != 0 && !xpd_str_eq(wanted, xpd_str_of(module->name)))
            continue;
        if (!add_name(&some, module->key))
            break;
    }
    int size = (int)(wanted.size < 80 ? wanted.size : 80);
    if (run->module_count == 0)
        return xpd_fail(err, XPD_ENOTFOUND, "module", XPD_NO_OFFSET,
                        "This run has no modules, so it has no \"%.*s\".", size, wanted.data);
    if (same_name != 0)
        return xpd_fail(err, XPD_ENOTFOUND, "module", XPD_NO_OFFSET,
                        "%u modules are called \"%.*s\"; name one by its key: %s.", same_name, size,
                        wanted.data, some.text);
    return xpd_fail(err, XPD_ENOTFOUND, "module", XPD_NO_OFFSET,
                    "There is no module \"%.*s\"; this run has %u: %s.", size, wanted.data,
                    run->module_count, some.text);
}

int xpd_run_find_host(const struct xpd_run *run, struct xpd_str name, uint32_t *host,
                      struct xpd_err *err)
{
    struct names names = {.used = 0};
    for (uint32_t i = 0; i < run->host_count; i++)
        if (xpd_str_eq(name, xpd_str_of(run->host[i].name))) {
            *host = i;
            return XPD_OK;
        }
    for (uint32_t i = 0; i < run->host_count && add_name(&names, run->host[i].name); i++)
        continue;
    return xpd_fail(err, XPD_ENOTFOUND, "host", XPD_NO_OFFSET,
                    "run %s has no host \"%.*s\"; it has %s", run->entry->id,
                    (int)(name.size < 80 ? name.size : 80), name.data,
                    names.used ? names.text : "none");
}

int xpd_run_find_module(const struct xpd_run *run, struct xpd_str key, uint32_t *module,
                        struct xpd_err *err)
{
    uint32_t same_name = 0, last = 0;
    for (uint32_t i = 0; i < run->module_count; i++) {
        if (xpd_str_eq(key, xpd_str_of(run->module[i].key))) {
            *module = i;
            return XPD_OK;
        }
        if (xpd_str_eq(key, xpd_str_of(run->module[i].name))) {
            same_name++;
            last = i;
        }
    }
    if (same_name != 1)
        return not_found(run, key, same_name, err);
    *module = last;
    return XPD_OK;
}

struct weight { /* of a module, compared from the first member on */
    bool readable, ran;
    int64_t peak, other_peaks; /* colour 0; the other spaces of the device */
};

static struct weight weigh(struct xpd_store *store, const struct xpd_run *run, uint32_t module)
{
    struct weight weight = {.ran = run->module[module].run_count != 0};
    const struct xpd_mem *mem;
    if (xpd_store_module(store, run, module, NULL, &mem, NULL) != XPD_OK)
        return weight;
    weight.readable = true;
    for (uint32_t i = 0; i < mem->space_count; i++) {
        const struct xpd_mem_space *space = &mem->space[i];
        if (space->color == 0)
            weight.peak = space->peak_bytes;
        else if (space->color != 5) /* 5 is memory of the host */
            weight.other_peaks += space->peak_bytes;
    }
    return weight;
}

static bool is_heavier(const struct weight *a, const struct weight *b)
{
    if (a->readable != b->readable)
        return a->readable;
    if (a->ran != b->ran)
        return a->ran;
    if (a->peak != b->peak)
        return a->peak > b->peak;
    return a->other_peaks > b->other_peaks;
}

bool xpd_module_is_on_host(const struct xpd_module *module, uint32_t host)
{
    for (uint32_t i = 0; i < module->host_count; i++)
        if (module->host[i] == host)
            return true;
    return false;
}

bool xpd_module_may_run_on(const struct xpd_run *run, uint32_t module, uint32_t host)
{
    const struct xpd_xspace *space = host < run->host_count ? run->host[host].space : NULL;
    return !space || space->hlo_count == 0 || xpd_module_is_on_host(&run->module[module], host);
}

/* The heaviest module of a host, of any with XPD_NO_INDEX; the first one where none is readable,
 * XPD_NO_INDEX where there is none. */
static uint32_t heaviest(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                         bool *readable)
{
    struct weight best = {0};
    uint32_t module = XPD_NO_INDEX;
    for (uint32_t i = 0; i < run->module_count; i++) {
        if (host != XPD_NO_INDEX && !xpd_module_is_on_host(&run->module[i], host))
            continue;
        struct weight weight = weigh(store, run, i);
        if (module != XPD_NO_INDEX && !is_heavier(&weight, &best))
            continue;
        best = weight;
        module = i;
    }
    *readable = best.readable;
    return module;
}

int xpd_store_default_module(struct xpd_store *store, const struct xpd_run *run, uint32_t *module,
                             struct xpd_err *err)
{
    struct xpd_run_slot *slot = (struct xpd_run_slot *)(uintptr_t)run;
    bool readable;
    pthread_mutex_lock(&slot->lock);
    bool known = slot->default_known;
    *module = slot->default_module;
    pthread_mutex_unlock(&slot->lock);
    if (known)
        return XPD_OK;
    if (run->module_count == 0)
        return xpd_run_no_modules(run, err);
    *module = heaviest(store, run, XPD_NO_INDEX, &readable);
    if (!readable) /* says why */
        return xpd_store_module(store, run, *module, NULL, NULL, err);
    pthread_mutex_lock(&slot->lock);
    slot->default_known = true;
    slot->default_module = *module;
    pthread_mutex_unlock(&slot->lock);
    return XPD_OK;
}

int xpd_store_default_on_host(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                              uint32_t *module, struct xpd_err *err)
{
    bool readable;
    *module = heaviest(store, run, host, &readable);
    if (*module != XPD_NO_INDEX && readable)
        return XPD_OK;
    return xpd_fail(err, XPD_ENOTFOUND, "module", XPD_NO_OFFSET,
                    "host %s has no readable module in this run", run->host[host].name);
}

/* What is said of a run as a whole, once its hosts are read: device, capacity, which program did
 * not compile, what is wrong with its files.
 *
 * In: a slot whose hosts and modules are there. Out: the facts of slot->run, and its warnings. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

static bool names_module(struct xpd_str text, const char *name)
{
    struct xpd_str wanted = xpd_str_of(name);
    if (wanted.size == 0)
        return false;
    while (text.size >= wanted.size) {
        size_t at = xpd_str_find(text, wanted, false);
        if (at == SIZE_MAX)
            return false;
        char before = at > 0 ? text.data[at - 1] : ' ';
        char after = at + wanted.size < text.size ? text.data[at + wanted.size] : ' ';
        bool word_before = before == '_' || (before >= '0' && before <= '9') ||
                           ((before | 0x20) >= 'a' && (before | 0x20) <= 'z');
        bool word_after = after == '_' || (after >= '0' && after <= '9') ||
                          ((after | 0x20) >= 'a' && (after | 0x20) <= 'z');
        if (!word_before && !word_after)
            return true;
        text.data += at + 1;
        text.size -= at + 1;
    }
    return false;
}

/* XLA calls a module jit_f that JAX calls jit(f). A message about the only module needs no name. */
static void mark_failed(struct xpd_run *run)
{
    struct xpd_str text = xpd_str_of(run->error_text);
    for (uint32_t i = 0; i < run->module_count && text.size != 0; i++) {
        struct xpd_module *module = &run->module[i];
        char jax_name[300] = "";
        if (strncmp(module->name, "jit_", 4) == 0)
            snprintf(jax_name, sizeof jax_name, "jit(%s)", module->name + 4);
        module->failed_to_compile = run->module_count == 1 || names_module(text, module->name) ||
                                    names_module(text, jax_name);
    }
}

/* What a host says of its device goes before what the table says of the chip. */
static void take_capacity(struct xpd_run *run)
{
    run->capacity_bytes = -1;
    run->capacity_from = "";
    for (uint32_t i = 0; i < run->host_count; i++) {
        const struct xpd_xspace *space = run->host[i].space;
        if (!space || space->capacity_bytes < 0)
            continue;
        if (run->capacity_bytes < 0 || (run->capacity_nominal && !space->capacity_nominal)) {
            run->capacity_bytes = space->capacity_bytes;
            run->capacity_from = space->capacity_from;
            run->capacity_nominal = space->capacity_nominal;
        }
    }
}

static void sum_up(struct xpd_run_slot *slot, const char *hlo_platform)
{
    struct xpd_run *run = &slot->run;
    run->platform = run->device_type = run->versions = "";
    for (uint32_t i = 0; i < run->host_count; i++) {
        const struct xpd_xspace *space = run->host[i].space;
        if (!space)
            continue;
        run->device_count += space->device_count;
        run->has_memory_events |= space->has_memory_events;
        for (uint32_t k = 0; k < space->plane_count; k++)
            run->event_count += space->plane[k].event_count;
        if (run->platform[0] == '\0')
            run->platform = space->platform;
        if (run->device_type[0] == '\0')
            run->device_type = xpd_intern_get(&space->names, space->device_type).data;
        if (run->versions[0] == '\0')
            run->versions = xpd_intern_get(&space->names, space->versions).data;
    }
    run->has_events = run->event_count != 0;
    if (run->platform[0] == '\0')
        run->platform = hlo_platform;
    take_capacity(run);
    mark_failed(run);
}

static void collect_warnings(struct xpd_run_slot *slot)
{
    struct xpd_run *run = &slot->run;
    struct xpd_warnings *all = run->warnings;
    for (uint32_t i = 0; i < run->host_count; i++) {
        const struct xpd_host *host = &run->host[i];
        if (host->error.code != XPD_OK)
            xpd_warn(all, XPD_ERROR, "unreadable_file", host->error.offset, "%s: %s",
                     host->input->name, host->error.text);
        for (uint32_t k = 0; host->space && k < host->space->warnings.count; k++) {
            const struct xpd_warning *item = &host->space->warnings.item[k];
            xpd_warn(all, item->severity, item->code, item->offset, "%s: %s", host->input->name,
                     item->text);
        }
    }
    uint64_t left_out = 0;
    for (uint32_t i = 0; i < run->left_out_count; i++)
        left_out += run->left_out[i]->identity.size_bytes;
    if (run->left_out_count != 0)
        xpd_warn(all, XPD_NOTE, "hosts_left_out", XPD_NO_OFFSET,
                 "Only %u of %u hosts were asked for: %llu bytes of the others are not read.",
                 run->host_count, run->host_count + run->left_out_count,
                 (unsigned long long)left_out);
    const char *no_files = xpd_run_no_files(run->entry);
    if (no_files)
        xpd_warn(all, run->entry->emptied ? XPD_ERROR : XPD_WARNING,
                 run->entry->emptied ? "files_gone" : "no_profile", XPD_NO_OFFSET, "%s", no_files);
}

void xpd_run_facts(struct xpd_run_slot *slot, const char *hlo_platform)
{
    sum_up(slot, hlo_platform);
    collect_warnings(slot);
}

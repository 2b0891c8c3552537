/* Facts of a whole run after reading its hosts: device, capacity, the program that did not compile,
 * problems of its files.
 *
 * In: a slot whose hosts and modules are there. Out: the facts of slot->run, and its warnings. */
#include "session_internal.h"

#include "xprofd/base/bytes_text.h"
#include "xprofd/profile/chips.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Event counts of the hosts of a run. */

uint64_t xpd_host_events(const struct xpd_host *host)
{
    uint64_t count = 0;
    for (uint32_t i = 0; host->space && i < host->space->plane_count; i++)
        count += host->space->plane[i].event_count;
    return count;
}

bool xpd_host_has_events(const struct xpd_host *host)
{
    return xpd_host_events(host) > 0;
}

uint32_t xpd_run_traced_hosts(const struct xpd_run *run)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->host_count; i++)
        count += xpd_host_has_events(&run->host[i]);
    return count;
}

uint64_t xpd_host_file_bytes(const struct xpd_run *run, uint32_t host)
{
    uint64_t bytes = 0;
    if (host < run->host_count)
        return run->host[host].space->file_bytes;
    for (uint32_t i = 0; i < run->host_count; i++)
        bytes += xpd_host_has_events(&run->host[i]) ? run->host[i].space->file_bytes : 0;
    return bytes;
}

void xpd_host_title(const struct xpd_run *run, uint32_t host, char *text, size_t size)
{
    if (host < run->host_count)
        snprintf(text, size, "%.*s", 60, run->host[host].input->name);
    else
        snprintf(text, size, "%u hosts", xpd_run_traced_hosts(run));
}

/* The programs of a run: one entry for each key, with the hosts that have it.
 *
 * The same program on several hosts is one module, read from the first of them; programs with the
 * same name and other ids stay separate. */

struct found { /* one program on one host */
    struct xpd_module module;
    struct xpd_module_from from;
    uint32_t order; /* of arrival: the first host wins */
};

struct xpd_module_list {
    struct xpd_run_slot *slot;
    XPD_VEC(struct found) found;
    struct xpd_intern keys; /* texts in the slot's arena */
};

struct xpd_module_list *xpd_module_list_new(struct xpd_run_slot *slot)
{
    struct xpd_module_list *list = calloc(1, sizeof *list);
    if (!list)
        return NULL;
    list->slot = slot;
    xpd_intern_init(&list->keys, &slot->arena);
    return list;
}

void xpd_module_list_free(struct xpd_module_list *list)
{
    if (!list)
        return;
    XPD_VEC_FINI(&list->found);
    xpd_intern_fini(&list->keys);
    free(list);
}

uint32_t xpd_module_list_count(const struct xpd_module_list *list)
{
    return (uint32_t)list->found.count;
}

bool xpd_module_list_has(const struct xpd_module_list *list, const char *key)
{
    return xpd_intern_find(&list->keys, xpd_str_of(key)) != XPD_NO_NAME;
}

bool xpd_module_list_add(struct xpd_module_list *list, const struct xpd_module *module,
                         const struct xpd_module_from *from)
{
    struct xpd_str name = xpd_str_of(module->name);
    xpd_name_id key = xpd_intern_put(&list->keys, module->key, strlen(module->key));
    struct found found = {.module = *module, .from = *from};
    found.order = (uint32_t)list->found.count;
    found.module.key = xpd_intern_get(&list->keys, key).data;
    found.module.name = xpd_arena_strndup(&list->slot->arena, name.data, name.size);
    if (list->keys.failed || !found.module.name)
        return false;
    XPD_PUSH(&list->found, found);
    return !list->found.failed;
}

static int by_key(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    int order = strcmp(x->module.key, y->module.key);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

bool xpd_module_list_finish(struct xpd_module_list *list)
{
    struct xpd_run_slot *slot = list->slot;
    struct xpd_run *run = &slot->run;
    size_t count = list->found.count;
    uint32_t *host = XPD_NEW_ARRAY(&slot->arena, uint32_t, count);
    run->module = XPD_NEW_ARRAY(&slot->arena, struct xpd_module, count);
    slot->module = XPD_NEW_ARRAY(&slot->arena, struct xpd_module_slot, count);
    if (!host || !run->module || !slot->module)
        return false;
    if (count > 1)
        qsort(list->found.at, count, sizeof *list->found.at, by_key);
    for (size_t i = 0; i < count; i++) {
        const struct found *found = &list->found.at[i];
        struct xpd_module *last = run->module_count ? &run->module[run->module_count - 1] : NULL;
        host[i] = found->from.host;
        if (last && last->key == found->module.key) { /* interned: equal texts, equal pointers */
            last->host_count++;
            last->run_count += found->module.run_count;
            last->run_count_known &= found->module.run_count_known;
            if (last->unlike_host == XPD_NO_INDEX && found->module.proto_bytes != last->proto_bytes)
                last->unlike_host = host[i];
            continue;
        }
        slot->module[run->module_count].from = found->from;
        run->module[run->module_count] = found->module;
        run->module[run->module_count].host = &host[i];
        run->module[run->module_count].unlike_host = XPD_NO_INDEX;
        run->module[run->module_count++].host_count = 1;
    }
    return true;
}

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

/* A host's own data of its device has priority over the table of chips. */
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

/* Two such runs do not fit beside each other, so that one takes the place of the other. */
static void warn_of_memory(const struct xpd_run_slot *slot)
{
    const struct xpd_run *run = &slot->run;
    uint64_t limit = slot->store->memory_limit_bytes;
    uint64_t wanted =
        run->event_count * (xpd_part_trace.event_bytes + xpd_part_derived.event_bytes +
                            xpd_part_flows.event_bytes + xpd_part_op_times.event_bytes);
    if (wanted <= limit / 2)
        return;
    char needs[48], may[48];
    xpd_bytes_text_own(needs, (int64_t)wanted);
    xpd_bytes_text_own(may, (int64_t)limit);
    xpd_warn(run->warnings, XPD_WARNING, "little_memory", XPD_NO_OFFSET,
             "The events of this run take about %s, and this server may hold %s for all runs "
             "(--memory-limit). Opening another run evicts this one, which is then read again, and "
             "requests that do not fit are refused.",
             needs, may);
}

/* By its peaks, with the name that its host's profile has for it; false: it does not say any. */
static bool chip_of(const struct xpd_host *host, struct xpd_peaks *out)
{
    const struct xpd_xspace *space = host->space;
    if (!space || !xpd_peaks_of_space(out, space))
        return false;
    if (out->device[0] == '\0')
        out->device = xpd_intern_get(&space->names, space->device_type).data;
    return true;
}

static bool are_alike(const struct xpd_peaks *a, const struct xpd_peaks *b)
{
    return a->flops_per_s == b->flops_per_s && a->hbm_bytes_per_s == b->hbm_bytes_per_s &&
           strcmp(a->device, b->device) == 0;
}

/* "host a has V100 (125.3 TFLOP/s, 0.898 TB/s)" */
static void chip_words(char *out, size_t size, const struct xpd_host *host,
                       const struct xpd_peaks *chip)
{
    char flops[32] = "unknown", bytes[32] = "unknown";
    if (chip->flops_per_s > 0)
        snprintf(flops, sizeof flops, "%.4g", chip->flops_per_s / 1e12);
    if (chip->hbm_bytes_per_s > 0)
        snprintf(bytes, sizeof bytes, "%.4g", chip->hbm_bytes_per_s / 1e12);
    snprintf(out, size, "host %s has %s (%s TFLOP/s, %s TB/s)", host->name,
             chip->device[0] ? chip->device : "a chip without a name", flops, bytes);
}

/* Where no host is chosen, one chip has to stand for all. */
static void warn_of_chips(const struct xpd_run *run)
{
    struct xpd_peaks first, chip;
    const struct xpd_host *of = NULL;
    for (uint32_t i = 0; i < run->host_count; i++) {
        const struct xpd_host *host = &run->host[i];
        if (!chip_of(host, of ? &chip : &first))
            continue;
        if (of && !are_alike(&first, &chip)) {
            char one[200], other[200];
            chip_words(one, sizeof one, of, &first);
            chip_words(other, sizeof other, host, &chip);
            xpd_warn(run->warnings, XPD_WARNING, "unlike_chips", XPD_NO_OFFSET,
                     "The hosts have unlike chips: %s, %s. Where no host is chosen, peaks and "
                     "capacity are those of one of them; choose a host for its own.",
                     one, other);
            return;
        }
        of = of ? of : host;
    }
}

/* The program of one host stands for all that have it. Processes count their programs each by
 * itself, so small ones, which JAX makes for a single operation, have one name and id by chance:
 * that is no problem of the run while its largest program is alike. */
static void warn_of_programs(const struct xpd_run *run)
{
    const struct xpd_module *first = NULL, *largest = NULL;
    uint32_t unlike = 0;
    for (uint32_t i = 0; i < run->module_count; i++) {
        const struct xpd_module *module = &run->module[i];
        if (!largest || module->proto_bytes > largest->proto_bytes)
            largest = module;
        if (module->unlike_host == XPD_NO_INDEX)
            continue;
        if (!first || module->proto_bytes > first->proto_bytes)
            first = module;
        unlike++;
    }
    if (!first)
        return;
    enum xpd_severity severity = first == largest ? XPD_WARNING : XPD_NOTE;
    uint32_t more = unlike - 1;
    char others[40] = "";
    if (more > 0)
        snprintf(others, sizeof others, " %u more program%s.", more,
                 more == 1 ? " differs" : "s differ");
    xpd_warn(run->warnings, severity, "unlike_programs", XPD_NO_OFFSET,
             "The HLO of program %.*s is not the same on host %s and host %s. That of %s is used "
             "for both; open the file of %s alone to see its own.%s",
             80, first->key, run->host[first->host[0]].name, run->host[first->unlike_host].name,
             run->host[first->host[0]].name, run->host[first->unlike_host].name, others);
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
                 "Only %u of %u hosts were selected: %llu bytes of the others are not read.",
                 run->host_count, run->host_count + run->left_out_count,
                 (unsigned long long)left_out);
    warn_of_memory(slot);
    warn_of_chips(run);
    warn_of_programs(run);
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

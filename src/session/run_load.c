/* Loads one run: its profiles' directories and the list of its programs.
 *
 * In: a slot with its catalog entry. Out: slot->run, frozen. A file that cannot be read is an error
 * of its host, not of the run; only a changed file, the end of memory or of the program fail the
 * whole. HloProtos are only located here; module_slot.c reads them. */
#include "internal.h"

#include "xprofd/memory/oom_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_TEXT_BYTES ((uint64_t)1 << 20)
#define DIRECTORY_BYTES  ((uint64_t)1 << 20) /* evicted for; most are far smaller */

struct load {
    struct xpd_store *store;
    struct xpd_run_slot *slot;
    struct xpd_module_list *modules;
    const char *hlo_platform; /* what the programs of a dump say */
};

static int no_memory(const struct load *load, struct xpd_err *err)
{
    return xpd_fail(err, XPD_ENOMEM, load->slot->id, XPD_NO_OFFSET,
                    "There is no memory to read this run.");
}

/* Failures that are not one file's own: the run is not kept, the next one to ask tries again. A
 * file too large for the whole budget stays an error of its host. */
static bool ends_load(struct load *load, int rc, struct xpd_err *why)
{
    uint64_t limit = load->store->memory_limit_bytes, room;
    if (rc != XPD_ELIMIT)
        return rc == XPD_ECHANGED || rc == XPD_EBUSY || rc == XPD_ENOMEM;
    room = xpd_store_room(load->store, 0);
    if (room > limit / 4 * 3)
        return false;
    xpd_fail(why, XPD_ELIMIT, why->where, why->offset,
             "There is not enough memory left to read this file: %llu of %llu bytes are free, the "
             "rest is in use. Close other runs, or raise --memory-limit.",
             (unsigned long long)room, (unsigned long long)limit);
    return true;
}

static void say_reading(struct load *load, const char *name)
{
    pthread_mutex_lock(&load->store->lock);
    snprintf(load->slot->what, sizeof load->slot->what, "reading %s", name);
    pthread_mutex_unlock(&load->store->lock);
}

static bool tell_inflating(void *ctx, uint64_t file_bytes)
{
    struct xpd_progress *progress = ctx;
    atomic_store_explicit(&progress->done_bytes, file_bytes, memory_order_relaxed);
    return !atomic_load_explicit(&progress->stop, memory_order_relaxed);
}

static int open_input(struct load *load, const struct xpd_input *input, struct xpd_source **source,
                      struct xpd_err *err)
{
    *source = NULL;
    if (input->problem)
        return xpd_fail(err, input->identity.size_bytes ? XPD_EIO : XPD_EFORMAT, input->name,
                        XPD_NO_OFFSET, "%s", input->problem);
    /* The directory of a plain file is small whatever its size; a packed one is inflated whole. */
    bool packed = xpd_str_ends(xpd_str_of(input->name), ".gz");
    uint64_t room =
        xpd_store_room(load->store, packed ? 4 * input->identity.size_bytes : DIRECTORY_BYTES);
    struct xpd_source_watch watch = {tell_inflating, &load->slot->progress};
    return xpd_input_open(input, room ? room : 1, &watch, source, err);
}

/* Programs of an inflated profile are kept: inflating again for each of them would take far longer.
 */
static const uint8_t *kept_copy(struct load *load, const struct xpd_source *source,
                                struct xpd_wire_range range)
{
    const uint8_t *memory = xpd_source_memory(source);
    if (!memory || range.size > xpd_store_room(load->store, 2 * range.size) / 2)
        return NULL;
    uint8_t *copy = xpd_arena_bytes(&load->slot->arena, (size_t)range.size);
    if (copy)
        memcpy(copy, memory + range.offset, (size_t)range.size);
    return copy;
}

static uint32_t host_index(const struct load *load, const struct xpd_host *host)
{
    return (uint32_t)(host - load->slot->run.host);
}

/* One more host, for this input; its error says why it cannot be opened. */
static int begin_host(struct load *load, const struct xpd_input *input, struct xpd_host **host,
                      struct xpd_source **source)
{
    struct xpd_run *run = &load->slot->run;
    *host = &run->host[run->host_count++];
    **host = (struct xpd_host){.name = input->host, .input = input};
    say_reading(load, input->name);
    return open_input(load, input, source, &(*host)->error);
}

static int end_host(struct load *load, struct xpd_host *host, int rc, struct xpd_err *err)
{
    atomic_fetch_add(&load->slot->before_bytes, host->input->identity.size_bytes);
    atomic_store(&load->slot->progress.done_bytes, 0);
    if (!ends_load(load, rc, &host->error))
        return XPD_OK;
    *err = host->error;
    return rc;
}

static int add_programs(struct load *load, const struct xpd_source *source,
                        const struct xpd_host *host, struct xpd_err *err)
{
    const struct xpd_xspace *space = host->space;
    for (uint32_t i = 0; i < space->hlo_count; i++) {
        const struct xpd_hlo_ref *ref = &space->hlo[i];
        struct xpd_module module = {
            .key = xpd_intern_get(&space->names, ref->key).data,
            .name = xpd_intern_get(&space->names, ref->name).data,
            .program_id = ref->program_id,
            .run_count = ref->run_count,
            .run_count_known = ref->run_count_known,
            .proto_bytes = ref->bytes.size,
        };
        struct xpd_module_from from = {.host = host_index(load, host), .range = ref->bytes};
        if (!xpd_module_list_has(load->modules, module.key))
            from.bytes = kept_copy(load, source, ref->bytes);
        if (!xpd_module_list_add(load->modules, &module, &from))
            return no_memory(load, err);
    }
    return XPD_OK;
}

static int load_xplane(struct load *load, const struct xpd_input *input, struct xpd_err *err)
{
    struct xpd_source *source;
    struct xpd_host *host;
    int rc = begin_host(load, input, &host, &source);
    if (rc == XPD_OK) {
        bool inflated = xpd_source_memory(source) != NULL;
        int64_t size = inflated ? (int64_t)xpd_source_size(source) : 0;
        xpd_store_account(load->store, load->slot, size);
        rc = xpd_xspace_load(&host->space, source,
                             inflated ? &load->slot->inflated : &load->slot->progress,
                             xpd_store_room(load->store, 0), &host->error);
        int added = rc == XPD_OK ? add_programs(load, source, host, err) : XPD_OK;
        xpd_store_account(load->store, load->slot, -size);
        xpd_source_close(source);
        if (added != XPD_OK)
            return added;
    }
    return end_host(load, host, rc, err);
}

/* The key of a dump is its file's stem; "name(digits)" tells the program id too. */
static int add_dump(struct load *load, const struct xpd_input *input, uint32_t host,
                    const struct xpd_hlo_outline *outline, uint64_t size, struct xpd_err *err)
{
    struct xpd_arena *arena = &load->slot->arena;
    struct xpd_str stem = xpd_str_of(input->name);
    struct xpd_module_from from = {.host = host, .range = {0, UINT64_MAX}};
    struct xpd_module module = {.name = outline->name,
                                .program_id = outline->module_id,
                                .proto_bytes = size,
                                .run_count_known = load->slot->run.entry->kind != XPD_RUN_PROFILE};
    static const char *const ending[] = {".gz", ".hlo_proto.pb", ".hlo.pb"};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (stem.size > strlen(ending[i]) && xpd_str_ends(stem, ending[i]))
            stem.size -= strlen(ending[i]);
    if (stem.size > 2 && stem.data[stem.size - 1] == ')') {
        size_t open = stem.size - 1;
        while (open > 0 && stem.data[open - 1] != '(')
            open--;
        xpd_str_to_u64((struct xpd_str){stem.data + open, stem.size - 1 - open},
                       &module.program_id);
    }
    module.key = xpd_arena_strndup(arena, stem.data, stem.size);
    for (uint32_t n = 2; module.key && xpd_module_list_has(load->modules, module.key); n++)
        module.key = xpd_arena_printf(arena, "%.*s (%u)", (int)stem.size, stem.data, n);
    if (!module.key || !xpd_module_list_add(load->modules, &module, &from))
        return no_memory(load, err);
    if (load->hlo_platform[0] == '\0')
        load->hlo_platform = outline->platform;
    return XPD_OK;
}

static int load_dump(struct load *load, const struct xpd_input *input, struct xpd_err *err)
{
    struct xpd_source *source;
    struct xpd_host *host;
    int rc = begin_host(load, input, &host, &source);
    if (rc == XPD_OK) {
        struct xpd_hlo_outline outline;
        enum xpd_file_kind kind = xpd_file_kind_of(source);
        if (xpd_file_kind_advice(kind) && kind != XPD_FILE_UNKNOWN)
            rc = xpd_fail(&host->error, XPD_EFORMAT, input->name, XPD_NO_OFFSET, "%s",
                          xpd_file_kind_advice(kind));
        else
            rc = xpd_hlo_outline(&outline, source, kind == XPD_FILE_HLO_MODULE, &host->error);
        if (rc == XPD_OK)
            rc = add_dump(load, input, host_index(load, host), &outline, xpd_source_size(source),
                          &host->error);
        xpd_source_close(source);
    }
    return end_host(load, host, rc, err);
}

static int load_error_text(struct load *load, const struct xpd_input *input, struct xpd_err *err)
{
    struct xpd_source *source;
    struct xpd_err why = {0};
    if (input->problem)
        return XPD_OK;
    int rc = open_input(load, input, &source, &why);
    if (rc == XPD_OK) {
        uint64_t size = xpd_source_size(source);
        size = size < ERROR_TEXT_BYTES ? size : ERROR_TEXT_BYTES;
        char *text = xpd_arena_bytes(&load->slot->arena, (size_t)size + 1);
        rc = text ? xpd_source_read(source, 0, text, (size_t)size, &why) : no_memory(load, &why);
        if (rc == XPD_OK) {
            text[size] = '\0';
            load->slot->run.error_text = text;
        }
        xpd_source_close(source);
    }
    if (ends_load(load, rc, &why)) {
        *err = why;
        return rc;
    }
    return XPD_OK;
}

/* XProf's copies beside a profile add nothing, unless the profile lost its programs. */
static bool dump_is_wanted(const struct load *load, const struct xpd_input *input, bool profile)
{
    struct xpd_str name = xpd_str_of(input->name);
    if (!profile || xpd_module_list_count(load->modules) == 0)
        return true;
    if (!xpd_str_ends(name, ").hlo_proto.pb"))
        return false;
    char key[600];
    snprintf(key, sizeof key, "%.*s", (int)(name.size - strlen(".hlo_proto.pb")), name.data);
    return !xpd_module_list_has(load->modules, key);
}

static int load_inputs(struct load *load, struct xpd_err *err)
{
    const struct xpd_run_entry *entry = load->slot->run.entry;
    bool profile = false;
    int rc = XPD_OK;
    for (uint32_t i = 0; i < entry->input_count && rc == XPD_OK; i++) {
        const struct xpd_input *input = &entry->input[i];
        if (input->format == XPD_INPUT_XPLANE) {
            profile = true;
            rc = load_xplane(load, input, err);
        } else if (input->format == XPD_INPUT_ERROR_TEXT) {
            rc = load_error_text(load, input, err);
        }
    }
    bool cut = profile && xpd_module_list_count(load->modules) == 0;
    for (uint32_t i = 0; i < entry->input_count && rc == XPD_OK; i++) {
        const struct xpd_input *input = &entry->input[i];
        if (input->format == XPD_INPUT_HLO_PROTO && dump_is_wanted(load, input, profile && !cut))
            rc = load_dump(load, input, err);
    }
    return rc;
}

/* ---- facts about the whole run ---- */

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

static void take_capacity(struct load *load)
{
    struct xpd_run *run = &load->slot->run;
    run->capacity_bytes = -1;
    run->capacity_from = "";
    for (uint32_t i = 0; i < run->host_count; i++) {
        const struct xpd_xspace *space = run->host[i].space;
        bool nominal = strncmp(run->capacity_from, "nominal", 7) == 0;
        if (!space || space->capacity_bytes < 0)
            continue;
        if (run->capacity_bytes < 0 ||
            (nominal && strncmp(space->capacity_from, "nominal", 7) != 0)) {
            run->capacity_bytes = space->capacity_bytes;
            run->capacity_from = space->capacity_from;
        }
    }
    struct xpd_oom_text oom = {0};
    if (run->capacity_bytes < 0 && run->error_text &&
        xpd_oom_read(&oom, xpd_str_of(run->error_text), &load->slot->arena, NULL) == XPD_OK &&
        oom.understood && oom.color == 0 && oom.capacity_bytes > 0) {
        run->capacity_bytes = oom.capacity_bytes;
        run->capacity_from = "the compiler's message";
    }
}

static void sum_up(struct load *load)
{
    struct xpd_run *run = &load->slot->run;
    run->platform = run->device_type = run->versions = "";
    for (uint32_t i = 0; i < run->host_count; i++) {
        const struct xpd_xspace *space = run->host[i].space;
        if (!space)
            continue;
        run->device_count += space->device_count;
        run->has_memory_events |= space->has_memory_events;
        for (uint32_t k = 0; k < space->plane_count; k++)
            run->has_events |= space->plane[k].event_count != 0;
        if (run->platform[0] == '\0')
            run->platform = space->platform;
        if (run->device_type[0] == '\0')
            run->device_type = xpd_intern_get(&space->names, space->device_type).data;
        if (run->versions[0] == '\0')
            run->versions = xpd_intern_get(&space->names, space->versions).data;
    }
    if (run->platform[0] == '\0')
        run->platform = load->hlo_platform;
    take_capacity(load);
    mark_failed(run);
}

static void collect_warnings(struct load *load)
{
    struct xpd_run *run = &load->slot->run;
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
    if (run->host_count == 0)
        xpd_warn(all, XPD_WARNING, "no_profile", XPD_NO_OFFSET,
                 "This run's folder holds no *.xplane.pb and no HLO: the profiler may have failed "
                 "before writing.");
}

int xpd_run_load(struct xpd_store *store, struct xpd_run_slot *slot, struct xpd_err *err)
{
    struct load load = {.store = store, .slot = slot, .hlo_platform = ""};
    struct xpd_run *run = &slot->run;
    const struct xpd_run_entry *entry = run->entry;
    xpd_arena_init(&slot->arena, 0);
    slot->warnings.arena = &slot->arena;
    run->warnings = &slot->warnings;
    run->host = XPD_NEW_ARRAY(&slot->arena, struct xpd_host, entry->input_count);
    load.modules = xpd_module_list_new(slot);
    atomic_store(&slot->before_bytes, 0);
    atomic_store(&slot->all_bytes, entry->size_bytes);
    int rc = run->host && load.modules ? XPD_OK : no_memory(&load, err);
    if (rc == XPD_OK)
        rc = load_inputs(&load, err);
    if (rc == XPD_OK && !xpd_module_list_finish(load.modules))
        rc = no_memory(&load, err);
    if (rc == XPD_OK) {
        slot->trace = /* and one for all of them */
            XPD_NEW_ARRAY(&slot->arena, struct xpd_trace_slot, (size_t)run->host_count + 1);
        rc = slot->trace ? XPD_OK : no_memory(&load, err);
    }
    if (rc == XPD_OK) {
        sum_up(&load);
        collect_warnings(&load);
    }
    xpd_module_list_free(load.modules);
    return rc;
}

/* Loads one run: its profiles' directories and the list of its programs.
 *
 * In: a slot with its catalog entry. Out: slot->run, frozen. A file that cannot be read is an error
 * of its host, not of the run; only a changed file, the end of memory or of the program fail the
 * whole. HloProtos are only located here; module_slot.c reads them. */
#include "dump_names.h"
#include "session_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_TEXT_BYTES ((uint64_t)1 << 20)
#define DIRECTORY_BYTES  ((uint64_t)1 << 20) /* evicted for; most are far smaller */

struct load {
    struct xpd_store *store;
    struct xpd_run_slot *slot;
    struct xpd_module_list *modules;
    const char *hlo_platform; /* from the programs of a dump */
    uint64_t inflated_bytes;  /* of the file being inflated, counted for the slot */
    uint64_t given_bytes;     /* memory limit of the failed reading step */
};

static int no_memory(const struct load *load, struct xpd_err *err)
{
    return xpd_no_memory(err, load->slot->id, "to read this run");
}

/* Room for the next step of reading a file that holds own_bytes of it already. What is free later
 * says nothing about a step that failed: others may have given their runs up by then. */
static uint64_t take_room(struct load *load, uint64_t wanted, uint64_t own_bytes)
{
    uint64_t room = xpd_store_room(load->store, wanted);
    load->given_bytes = room + own_bytes;
    return room;
}

/* Failures that are not one file's own: the run is not kept, the next one to ask tries again. A
 * file too large for the whole budget stays an error of its host. */
static bool ends_load(const struct load *load, int rc, struct xpd_err *why)
{
    uint64_t limit = load->store->memory_limit_bytes, room = load->given_bytes;
    if (rc != XPD_ELIMIT)
        return rc == XPD_ECHANGED || rc == XPD_EBUSY || rc == XPD_ENOMEM;
    if (room > limit / 4 * 3)
        return false;
    xpd_fail(why, XPD_ELIMIT, why->where, why->offset,
             "There is not enough memory left to read this file: %llu of %llu bytes are free, the "
             "rest is in use. Close other runs, or raise --memory-limit.",
             (unsigned long long)room, (unsigned long long)limit);
    return true;
}

static void say_reading(struct load *load, const struct xpd_input *input)
{
    struct xpd_progress *at[] = {&load->slot->progress, &load->slot->inflated};
    for (int i = 0; i < 2; i++) {
        atomic_store(&at[i]->events, 0);
        atomic_store(&at[i]->modules, 0);
    }
    pthread_mutex_lock(&load->store->lock);
    snprintf(load->slot->what, sizeof load->slot->what, "reading %s", input->name);
    load->slot->reading = input;
    pthread_mutex_unlock(&load->store->lock);
}

static bool tell_inflating(void *ctx, uint64_t file_bytes, uint64_t held_bytes)
{
    struct load *load = ctx;
    xpd_store_account_to(load->store, load->slot, &load->inflated_bytes, held_bytes);
    struct xpd_progress *progress = &load->slot->progress;
    atomic_store_explicit(&progress->done_bytes, file_bytes, memory_order_relaxed);
    return !atomic_load_explicit(&progress->stop, memory_order_relaxed) &&
           !xpd_store_gives_up(load->store, load->slot);
}

static int open_input(struct load *load, const struct xpd_input *input, struct xpd_source **source,
                      struct xpd_err *err)
{
    *source = NULL;
    if (input->problem)
        return xpd_fail(err, input->identity.size_bytes ? XPD_EIO : XPD_EFORMAT, input->name,
                        XPD_NO_OFFSET, "%s", input->problem);
    /* The directory of a plain file is small regardless of its size; a packed one is inflated
     * whole. */
    bool packed = xpd_str_ends(xpd_str_of(input->name), ".gz");
    uint64_t room = take_room(load, packed ? 4 * input->identity.size_bytes : DIRECTORY_BYTES, 0);
    struct xpd_source_watch watch = {tell_inflating, load};
    int rc = xpd_input_open(input, room, &watch, source, err);
    xpd_store_account_to(load->store, load->slot, &load->inflated_bytes, 0); /* the caller counts */
    return rc;
}

/* Programs of an inflated profile are kept: inflating again for each of them would take far longer.
 */
static const uint8_t *kept_copy(struct load *load, struct xpd_arena *arena,
                                const struct xpd_source *source, struct xpd_wire_range range)
{
    const uint8_t *memory = xpd_source_memory(source);
    if (!memory || range.size > xpd_store_room(load->store, 2 * range.size) / 2)
        return NULL;
    uint8_t *copy = xpd_arena_bytes(arena, (size_t)range.size);
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
    say_reading(load, input);
    return open_input(load, input, source, &(*host)->error);
}

static int end_host(struct load *load, struct xpd_host *host, int rc, struct xpd_err *err)
{
    atomic_fetch_add(&load->slot->before_bytes, host->input->identity.size_bytes);
    atomic_store(&load->slot->progress.done_bytes, 0);
    xpd_files_show(load->store, load->slot);
    if (!ends_load(load, rc, &host->error))
        return XPD_OK;
    *err = host->error;
    return rc;
}

/* `source` is NULL when another slot has read the file: then it has kept what is to be kept. */
static int add_programs(struct load *load, const struct xpd_source *source,
                        const struct xpd_host *host, struct xpd_err *err)
{
    struct xpd_file *file = load->slot->part[host_index(load, host)].file;
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
        if (source && !xpd_module_list_has(load->modules, module.key))
            file->kept[i] = kept_copy(load, &file->arena, source, ref->bytes);
        from.bytes = file->kept[i];
        if (!xpd_module_list_add(load->modules, &module, &from))
            return no_memory(load, err);
    }
    return XPD_OK;
}

/* The host as another slot of this run has read it. */
static bool borrow_host(struct load *load, const struct xpd_input *input, struct xpd_host **host)
{
    struct xpd_run *run = &load->slot->run;
    struct xpd_host_part *part = &load->slot->part[run->host_count];
    if (!xpd_file_borrow(load->store, load->slot, input, part))
        return false;
    *host = &run->host[run->host_count++];
    **host = (struct xpd_host){.name = input->host, .input = input, .space = part->file->space};
    return true;
}

static int keep_file(struct load *load, struct xpd_host *host, struct xpd_err *err)
{
    if (xpd_file_new(&load->slot->part[host_index(load, host)], host->space))
        return XPD_OK;
    xpd_xspace_free(host->space);
    host->space = NULL;
    return no_memory(load, err);
}

static int load_xplane(struct load *load, const struct xpd_input *input, struct xpd_err *err)
{
    struct xpd_source *source;
    struct xpd_host *host;
    if (xpd_store_gives_up(load->store, load->slot))
        return xpd_fail(err, XPD_EBUSY, input->name, XPD_NO_OFFSET,
                        "Only a part of this run is needed now.");
    if (borrow_host(load, input, &host)) {
        int added = add_programs(load, NULL, host, err);
        return added == XPD_OK ? end_host(load, host, XPD_OK, err) : added;
    }
    int rc = begin_host(load, input, &host, &source);
    if (rc == XPD_OK) {
        bool inflated = xpd_source_memory(source) != NULL;
        int64_t size = inflated ? (int64_t)xpd_source_size(source) : 0;
        xpd_store_account(load->store, load->slot, size);
        rc = xpd_xspace_load(&host->space, source,
                             inflated ? &load->slot->inflated : &load->slot->progress,
                             take_room(load, 0, (uint64_t)size), &host->error);
        int added = rc == XPD_OK ? keep_file(load, host, err) : XPD_OK;
        if (rc == XPD_OK && added == XPD_OK)
            added = add_programs(load, source, host, err);
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
    static const char *const ending[] = {".gz", ".hlo_proto.pb", ".hlo.pb", ".txt", ".hlo"};
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
    if (load->hlo_platform[0] == '\0')
        load->hlo_platform = xpd_dump_platform(xpd_str_of(input->name));
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

/* Checks only the kind; the contents are read on demand (tools/heap). */
static int load_heap(struct load *load, const struct xpd_input *input, struct xpd_err *err)
{
    struct xpd_source *source;
    struct xpd_host *host;
    int rc = begin_host(load, input, &host, &source);
    if (rc == XPD_OK) {
        enum xpd_file_kind kind = xpd_file_kind_of(source);
        if (kind != XPD_FILE_PPROF && kind != XPD_FILE_UNKNOWN) {
            const char *advice = xpd_file_kind_advice(kind);
            rc = xpd_fail(
                &host->error, XPD_EFORMAT, input->name, XPD_NO_OFFSET, "%s",
                advice
                    ? advice
                    : "This profile has the name of a heap file: rename it to <host>.xplane.pb.");
        }
        xpd_source_close(source);
    }
    return end_host(load, host, rc, err);
}

/* "HloModule jit_f, is_scheduled=true, ..." */
static void name_from_head(const struct xpd_source *source, struct xpd_hlo_outline *outline)
{
    char head[sizeof outline->name] = "";
    uint64_t size = xpd_source_size(source);
    size = size < sizeof head - 1 ? size : sizeof head - 1;
    if (xpd_source_read(source, 0, head, (size_t)size, NULL) != XPD_OK)
        return;
    const char *word = strstr(head, "HloModule ");
    size_t length = word ? strcspn(word + 10, ", \r\n") : 0;
    if (length != 0)
        snprintf(outline->name, sizeof outline->name, "%.*s", (int)length, word + 10);
}

/* A program in text is listed by its file's name; only a file with a name of its own is opened, for
 * the module's. */
static int load_text(struct load *load, const struct xpd_input *input, struct xpd_err *err)
{
    struct xpd_run *run = &load->slot->run;
    struct xpd_str name = xpd_str_of(input->name), module = xpd_dump_module_name(name);
    struct xpd_hlo_outline outline = {.module_id = xpd_dump_module_id(name), .platform = ""};
    struct xpd_source *source = NULL;
    struct xpd_host *host = NULL;
    int rc = XPD_OK;
    snprintf(outline.name, sizeof outline.name, "%.*s", (int)module.size, module.data);
    if (!xpd_dump_is_numbered(name) || xpd_dump_is_numbered(module)) {
        rc = begin_host(load, input, &host, &source);
        if (rc == XPD_OK)
            name_from_head(source, &outline);
        xpd_source_close(source);
    } else {
        host = &run->host[run->host_count++];
        *host = (struct xpd_host){.name = input->host, .input = input};
        if (input->problem)
            rc = xpd_fail(&host->error, XPD_EIO, input->name, XPD_NO_OFFSET, "%s", input->problem);
    }
    uint64_t bytes = input->identity.size_bytes;
    bytes += input->assignment ? input->assignment->identity.size_bytes : 0;
    if (rc == XPD_OK)
        rc = add_dump(load, input, host_index(load, host), &outline, bytes, &host->error);
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

/* XProf's copies beside a profile are redundant, unless the profile lost its programs. */
static bool dump_is_wanted(const struct load *load, const struct xpd_input *input, bool profile)
{
    struct xpd_str name = xpd_str_of(input->name);
    if (load->slot->only[0] && xpd_module_list_count(load->modules) != 0)
        return false; /* it may be of a host that is left out */
    if (!profile || xpd_module_list_count(load->modules) == 0)
        return true;
    if (!xpd_str_ends(name, ").hlo_proto.pb"))
        return false;
    char key[600];
    snprintf(key, sizeof key, "%.*s", (int)(name.size - strlen(".hlo_proto.pb")), name.data);
    return !xpd_module_list_has(load->modules, key);
}

/* Every host named in `only` must be one of the run's. */
static int check_only(const struct load *load, struct xpd_err *err)
{
    const struct xpd_run_entry *entry = load->slot->run.entry;
    const char *only = load->slot->only;
    while (only[0] != '\0') {
        size_t size = strcspn(only, ",");
        bool found = false;
        for (uint32_t i = 0; i < entry->input_count && !found; i++)
            found = entry->input[i].format == XPD_INPUT_XPLANE &&
                    strlen(entry->input[i].host) == size &&
                    memcmp(entry->input[i].host, only, size) == 0;
        if (!found)
            return xpd_fail(err, XPD_ENOTFOUND, "only", XPD_NO_OFFSET,
                            "There is no host \"%.*s\" in run %.120s.",
                            (int)(size < 80 ? size : 80), only, entry->id);
        only += size + (only[size] == ',');
    }
    return XPD_OK;
}

/* Bytes to be read. */
static uint64_t wanted_bytes(const struct xpd_run_slot *slot)
{
    uint64_t bytes = slot->run.entry->size_bytes;
    for (uint32_t i = 0; i < slot->run.entry->input_count; i++) {
        const struct xpd_input *input = &slot->run.entry->input[i];
        if (input->format == XPD_INPUT_XPLANE && !xpd_only_has(slot->only, input->host))
            bytes -= input->identity.size_bytes;
    }
    return bytes;
}

static int load_inputs(struct load *load, struct xpd_err *err)
{
    const struct xpd_run_entry *entry = load->slot->run.entry;
    bool profile = false;
    int rc = XPD_OK;
    for (uint32_t i = 0; i < entry->input_count && rc == XPD_OK; i++) {
        const struct xpd_input *input = &entry->input[i];
        if (input->format == XPD_INPUT_XPLANE && !xpd_only_has(load->slot->only, input->host)) {
            load->slot->run.left_out[load->slot->run.left_out_count++] = input;
        } else if (input->format == XPD_INPUT_XPLANE) {
            profile = true;
            rc = load_xplane(load, input, err);
        } else if (input->format == XPD_INPUT_HEAP) {
            rc = load_heap(load, input, err);
        } else if (input->format == XPD_INPUT_ERROR_TEXT) {
            rc = load_error_text(load, input, err);
        }
    }
    bool cut = profile && xpd_module_list_count(load->modules) == 0;
    for (uint32_t i = 0; i < entry->input_count && rc == XPD_OK; i++) {
        const struct xpd_input *input = &entry->input[i];
        if (input->format == XPD_INPUT_HLO_PROTO && dump_is_wanted(load, input, profile && !cut))
            rc = load_dump(load, input, err);
        else if (input->format == XPD_INPUT_HLO_TEXT)
            rc = load_text(load, input, err);
        else if (input->format == XPD_INPUT_REPORT_TEXT)
            atomic_fetch_add(&load->slot->before_bytes, input->identity.size_bytes);
    }
    return rc;
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
    run->left_out = XPD_NEW_ARRAY(&slot->arena, const struct xpd_input *, entry->input_count);
    slot->part = XPD_NEW_ARRAY(&slot->arena, struct xpd_host_part, (size_t)entry->input_count + 1);
    load.modules = xpd_module_list_new(slot);
    atomic_store(&slot->before_bytes, 0);
    atomic_store(&slot->all_bytes, wanted_bytes(slot));
    bool room = run->host && run->left_out && slot->part && load.modules;
    int rc = room ? check_only(&load, err) : no_memory(&load, err);
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
        xpd_run_facts(slot, load.hlo_platform);
    }
    xpd_module_list_free(load.modules);
    return rc;
}

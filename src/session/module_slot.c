/* Modules on demand: the HLO of a program and its memory analysis, made once.
 *
 * The first request does the work outside all locks, others wait for it. After a temporary failure
 * (memory, a changed file) the next request tries again. */
#include "session_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of one HloProto, read again from the very file the run was loaded from.
 *
 * In: a module of a loaded run. Out: its HloProto, borrowed when the run keeps it (inflated
 * profiles), else read. A bare HloModuleProto gets the one field around it that it lacks; text
 * becomes a proto first (module_text.c). */

/* An HloProto around a bare HloModuleProto: field 1 with its length in front. */
static size_t wrap_head(uint8_t head[11], uint64_t size)
{
    size_t n = 0;
    head[n++] = 1 << 3 | 2;
    do {
        head[n++] = (uint8_t)((size & 0x7F) | (size >= 0x80 ? 0x80 : 0));
        size >>= 7;
    } while (size != 0);
    return n;
}

static int read_whole(const struct xpd_source *source, uint64_t room, uint8_t **bytes, size_t *size,
                      struct xpd_err *err)
{
    uint8_t head[11];
    uint64_t file_size = xpd_source_size(source);
    size_t head_size = 0;
    if (xpd_file_kind_of(source) == XPD_FILE_HLO_MODULE)
        head_size = wrap_head(head, file_size);
    if (file_size + sizeof head > room)
        return XPD_ELIMIT;
    *size = (size_t)file_size + head_size;
    *bytes = malloc(*size + 1);
    if (!*bytes)
        return xpd_no_memory(err, xpd_source_name(source), "to read this module");
    memcpy(*bytes, head, head_size);
    return xpd_source_read(source, 0, *bytes + head_size, (size_t)file_size, err);
}

static int read_range(const struct xpd_source *source, struct xpd_wire_range range, uint64_t room,
                      uint8_t **bytes, size_t *size, struct xpd_err *err)
{
    if (range.size == UINT64_MAX)
        return read_whole(source, room, bytes, size, err);
    if (range.size > room)
        return XPD_ELIMIT;
    *size = (size_t)range.size;
    *bytes = malloc(*size + 1);
    if (!*bytes)
        return xpd_fail(err, XPD_ENOMEM, xpd_source_name(source), range.offset,
                        "Not enough memory to read this module.");
    return xpd_source_read(source, range.offset, *bytes, *size, err);
}

/* The HloProto's bytes (free() them), from the very file the run was loaded from. */
static int read_bytes(const struct xpd_run *run, const struct xpd_module_from *from, uint64_t room,
                      uint8_t **bytes, size_t *size, struct xpd_err *err)
{
    const struct xpd_input *input = run->host[from->host].input;
    struct xpd_source *source;
    int rc = xpd_input_open(input, room, NULL, &source, err);
    if (rc == XPD_OK)
        rc = read_range(source, from->range, room, bytes, size, err);
    if (rc == XPD_OK)
        rc = xpd_source_check(source, err);
    xpd_source_close(source);
    return rc;
}

/* the HloProto of a module; at most `room` bytes, else XPD_ELIMIT without a text.
 * `notes` (may be NULL) gets the warnings of a program read from text. */
static int xpd_module_bytes(struct xpd_run_slot *slot, uint32_t index, uint64_t room,
                            struct xpd_proto_bytes *out, struct xpd_warnings *notes,
                            struct xpd_err *err)
{
    const struct xpd_module_from *from = &slot->module[index].from;
    const struct xpd_input *input = slot->run.host[from->host].input;
    *out = (struct xpd_proto_bytes){.at = from->bytes, .size = (size_t)from->range.size};
    if (from->bytes)
        return XPD_OK;
    int rc = input->format == XPD_INPUT_HLO_TEXT
                 ? xpd_module_text_bytes(input, room, out, notes, err)
                 : read_bytes(&slot->run, from, room, &out->owned, &out->size, err);
    out->at = out->owned;
    if (rc != XPD_OK)
        xpd_proto_bytes_free(out);
    return rc;
}

void xpd_proto_bytes_free(struct xpd_proto_bytes *bytes)
{
    free(bytes->owned);
    *bytes = (struct xpd_proto_bytes){0};
}

int xpd_store_module_bytes(struct xpd_store *store, const struct xpd_run *run, uint32_t module,
                           struct xpd_proto_bytes *out, struct xpd_err *err)
{
    struct xpd_run_slot *slot = xpd_slot_of(run);
    *out = (struct xpd_proto_bytes){0};
    if (module >= run->module_count)
        return xpd_fail(err, XPD_ENOTFOUND, "module", XPD_NO_OFFSET,
                        "There is no module %u; the run has %u.", module, run->module_count);
    uint64_t wanted = run->module[module].proto_bytes, room = xpd_store_room(store, wanted);
    int rc = xpd_module_bytes(slot, module, room, out, NULL, err);
    if (rc == XPD_ELIMIT)
        rc = xpd_fail(err, XPD_ELIMIT, run->module[module].key, XPD_NO_OFFSET,
                      "The module's %llu bytes of HLO do not fit the %llu bytes of memory that are "
                      "free. Close other runs, or raise --memory-limit.",
                      (unsigned long long)wanted, (unsigned long long)room);
    return rc;
}

/* Memory for a byte of HloProto while it is loaded: the byte itself, 1-2.4 of HLO, 0.4-0.9 of
 * analysis in every module measured. Only for eviction; the real use is counted later. */
#define LOAD_FACTOR 4

static bool may_pass(int code)
{
    return code == XPD_ENOMEM || code == XPD_ELIMIT || code == XPD_ECHANGED || code == XPD_EIO;
}

struct result {
    const struct xpd_hlo *of; /* NULL: the HLO is wanted; else its memory analysis */
    struct xpd_hlo *hlo;
    struct xpd_mem *mem;
};

static int over_budget(struct xpd_store *store, const struct xpd_module *module, uint64_t room,
                       struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, module->key, XPD_NO_OFFSET,
                    "The module's %llu bytes of HLO need more memory than is free: %llu of %llu "
                    "bytes%s. Close other runs, or raise --memory-limit.",
                    (unsigned long long)module->proto_bytes, (unsigned long long)room,
                    (unsigned long long)store->memory_limit_bytes,
                    room >= store->memory_limit_bytes / 2 ? "" : ", the rest is in use");
}

/* Warnings from reading a text are added to those from loading its proto. */
static void add_notes(struct xpd_hlo *hlo, const struct xpd_warnings *notes)
{
    struct xpd_warnings *all = &hlo->warnings;
    for (uint32_t i = 0; i < notes->count; i++) {
        const struct xpd_warning *note = &notes->item[i];
        uint32_t before = all->count;
        xpd_warn(all, note->severity, note->code, note->offset, "%s", note->text);
        if (all->count > before)
            all->item[before].count = note->count;
    }
    all->dropped += notes->dropped;
}

static int load_hlo(struct xpd_run_slot *slot, uint32_t index, uint64_t room, struct xpd_hlo **hlo,
                    struct xpd_err *err)
{
    const struct xpd_module_from *from = &slot->module[index].from;
    const char *where = slot->run.host[from->host].input->name;
    struct xpd_proto_bytes proto;
    struct xpd_arena scratch = {0};
    struct xpd_warnings notes = {.arena = &scratch};
    int rc = xpd_module_bytes(slot, index, room, &proto, &notes, err);
    if (rc == XPD_OK) {
        uint64_t used = proto.owned ? proto.size : 0;
        struct xpd_hlo_limits limits = {.arena_bytes = room > used ? room - used : 1};
        uint64_t offset = from->range.size == UINT64_MAX ? 0 : from->range.offset;
        rc = xpd_hlo_load(hlo, proto.at, proto.size, offset, where, &limits, err);
    }
    if (rc == XPD_OK)
        add_notes(*hlo, &notes);
    xpd_arena_fini(&scratch);
    xpd_proto_bytes_free(&proto);
    return rc;
}

/* One of a module's results within the memory that is free; when that was not enough and something
 * can be evicted, once more. */
static int make(struct xpd_store *store, struct xpd_run_slot *slot, uint32_t index,
                struct result *result, struct xpd_err *err)
{
    const struct xpd_module *module = &slot->run.module[index];
    uint64_t room = 0, wanted = LOAD_FACTOR * module->proto_bytes;
    int rc = XPD_ELIMIT;
    if (module->proto_bytes > store->memory_limit_bytes)
        return over_budget(store, module, xpd_store_room(store, 0), err);
    for (int round = 0; round < 2 && rc == XPD_ELIMIT; round++) {
        uint64_t now = xpd_store_room(store, wanted);
        if (now <= room)
            break;
        room = now;
        wanted = store->memory_limit_bytes; /* everything that is not held */
        xpd_store_account(store, slot, (int64_t)module->proto_bytes);
        rc = result->of ? xpd_mem_analyse(&result->mem, result->of, room, err)
                        : load_hlo(slot, index, room, &result->hlo, err);
        xpd_store_account(store, slot, -(int64_t)module->proto_bytes);
    }
    if (rc == XPD_ELIMIT)
        return over_budget(store, module, room, err);
    if (rc == XPD_OK)
        xpd_store_account(store, slot,
                          (int64_t)(result->of ? xpd_mem_memory_bytes(result->mem)
                                               : xpd_hlo_memory_bytes(result->hlo)));
    return rc;
}

/* One of a module's two results. Returns with the run lock held, as it is called. */
static int demand(struct xpd_store *store, struct xpd_run_slot *slot, uint32_t index, bool mem,
                  struct xpd_err *err)
{
    struct xpd_module_slot *module = &slot->module[index];
    enum xpd_work_state *state = mem ? &module->mem_state : &module->hlo_state;
    struct xpd_err *error = mem ? &module->mem_error : &module->hlo_error;
    bool waited = false;
    while (*state == XPD_WORK_BUSY) {
        waited = true;
        pthread_cond_wait(&slot->changed, &slot->lock);
    }
    if (*state == XPD_WORK_DONE)
        return XPD_OK;
    if (*state == XPD_WORK_FAILED && (waited || !may_pass(error->code))) {
        if (err)
            *err = *error;
        return error->code;
    }
    *state = XPD_WORK_BUSY;
    struct result result = {.of = mem ? module->hlo : NULL};
    struct xpd_err why = {0};
    pthread_mutex_unlock(&slot->lock);
    int rc = make(store, slot, index, &result, &why);
    pthread_mutex_lock(&slot->lock);
    if (rc == XPD_OK && mem)
        module->mem = result.mem;
    else if (rc == XPD_OK)
        module->hlo = result.hlo;
    *state = rc == XPD_OK ? XPD_WORK_DONE : XPD_WORK_FAILED;
    *error = why;
    if (rc != XPD_OK && err)
        *err = why;
    pthread_cond_broadcast(&slot->changed);
    return rc;
}

int xpd_store_module(struct xpd_store *store, const struct xpd_run *run, uint32_t module,
                     const struct xpd_hlo **hlo, const struct xpd_mem **mem, struct xpd_err *err)
{
    struct xpd_run_slot *slot = xpd_slot_of(run);
    if (module >= run->module_count)
        return xpd_fail(err, XPD_ENOTFOUND, "module", XPD_NO_OFFSET,
                        "There is no module %u; the run has %u.", module, run->module_count);
    pthread_mutex_lock(&slot->lock);
    int rc = demand(store, slot, module, false, err);
    if (rc == XPD_OK && mem)
        rc = demand(store, slot, module, true, err);
    if (rc == XPD_OK && hlo)
        *hlo = slot->module[module].hlo;
    if (rc == XPD_OK && mem)
        *mem = slot->module[module].mem;
    pthread_mutex_unlock(&slot->lock);
    return rc;
}

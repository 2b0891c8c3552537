/* The bytes of one HloProto, read again from the very file the run was loaded from.
 *
 * In: a module of a loaded run. Out: its HloProto, borrowed when the run keeps it (inflated
 * profiles), else read. A bare HloModuleProto gets the one field around it that it lacks; text
 * becomes a proto first (module_text.c). */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

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
        return xpd_fail(err, XPD_ENOMEM, xpd_source_name(source), XPD_NO_OFFSET,
                        "There is no memory to read this module.");
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
                        "There is no memory to read this module.");
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

int xpd_module_bytes(struct xpd_run_slot *slot, uint32_t index, uint64_t room,
                     struct xpd_proto_bytes *out, struct xpd_warnings *notes, struct xpd_err *err)
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

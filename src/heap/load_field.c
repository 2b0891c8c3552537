/* Shared by the readers of pprof files: strings of the table, and messages unpacked with the guard,
 * with warnings for missing or damaged data. */
#include "heap_internal.h"

#include <inttypes.h>

struct xpd_str xpd_heap_string(struct xpd_heap_load *load, int64_t index, uint64_t offset)
{
    if (index >= 0 && (uint64_t)index < load->string.count)
        return load->string.at[index];
    XPD_HEAP_WARN(load, XPD_ERROR, "missing_string", offset,
                  "the string table has %zu entries and entry %" PRId64
                  " is asked for; what it names has no name",
                  load->string.count, index);
    return XPD_STR("");
}

void *xpd_heap_unpack(struct xpd_heap_load *load, const ProtobufCMessageDescriptor *type,
                      const struct xpd_field *field)
{
    const struct xpd_guard guard = {.max_depth = 4, .max_unpacked_bytes = UINT64_C(1) << 28};
    struct xpd_err why = {0};
    xpd_arena_reset(&load->scratch);
    void *message = field->wire_type == 2
                        ? xpd_pb_unpack(&guard, type, field->bytes, (size_t)field->size,
                                        field->offset, load->where, &load->scratch, &why)
                        : NULL;
    if (!message)
        XPD_HEAP_WARN(load, XPD_ERROR, "damaged_message", field->offset, "a %s is left out: %s",
                      type->short_name, why.text[0] ? why.text : "it is not a message");
    return message;
}

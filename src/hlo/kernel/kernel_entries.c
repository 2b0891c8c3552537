/* The attributes and types of MLIR bytecode: where each lies, and those that are text. In: the
 * sections. Out: entries. */
#include "kernel_internal.h"

/* Groups of a dialect: its number, how many entries, of each its size and whether it is encoded. */
void xpd_mlir_read_entries(struct xpd_mlir *m)
{
    struct xpd_mlir_bytes from = m->section[XPD_MLIR_OFFSETS], in = m->section[XPD_MLIR_ENTRIES];
    if (!from.at || !in.at)
        return;
    uint64_t attributes = xpd_mlir_int(&from), types = xpd_mlir_int(&from), at = 0;
    uint64_t most = (uint64_t)(from.end - from.at);
    if (from.failed || attributes > most || types > most - attributes) {
        m->cut = true;
        return;
    }
    struct xpd_mlir_entry *entry =
        XPD_NEW_ARRAY(m->arena, struct xpd_mlir_entry, attributes + types + 1);
    while (entry && at < attributes + types && !from.failed) {
        uint64_t dialect = xpd_mlir_int(&from), count = xpd_mlir_int(&from);
        for (uint64_t i = 0; i < count && at < attributes + types && !from.failed; i++) {
            uint64_t head = xpd_mlir_int(&from), size = head >> 1;
            if (from.failed || size > (uint64_t)(in.end - in.at)) {
                from.failed = true;
                break;
            }
            entry[at++] = (struct xpd_mlir_entry){
                .bytes = {in.at, in.at + size, false},
                .dialect = dialect < m->dialect_count ? m->dialect[dialect] : XPD_STR("?"),
                .encoded = head & 1};
            in.at += size;
        }
    }
    m->attribute = entry;
    m->attribute_count = entry ? (uint32_t)(at < attributes ? at : attributes) : 0;
    m->type = entry ? entry + attributes : NULL;
    m->type_count = entry && at > attributes ? (uint32_t)(at - attributes) : 0;
    m->cut = m->cut || from.failed;
}

void xpd_mlir_put_entry(struct xpd_strbuf *out, struct xpd_mlir *m,
                        const struct xpd_mlir_entry *entry, const char *prefix)
{
    if (!entry) {
        xpd_strbuf_printf(out, "%s?", prefix);
        m->unknown++;
    } else if (entry->encoded) {
        xpd_strbuf_puts(out, prefix);
        xpd_mlir_put(out, entry->dialect);
        xpd_strbuf_printf(out, "<%zu bytes>", (size_t)(entry->bytes.end - entry->bytes.at));
        m->unknown++;
    } else { /* with a NUL behind it */
        size_t size = (size_t)(entry->bytes.end - entry->bytes.at);
        const char *text = (const char *)entry->bytes.at;
        xpd_mlir_put(out, (struct xpd_str){text, size && text[size - 1] == '\0' ? size - 1 : size});
    }
}

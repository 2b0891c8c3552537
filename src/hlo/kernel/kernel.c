/* Kernel bodies: out of the backend config, and the parts of MLIR bytecode that need no knowledge
 * of its dialects. In: bytes. Out: text. */
#include "kernel_internal.h"

#include "xprofd/base/base64.h"
#include "xprofd/base/vec.h"

/* The text after `key`; empty if the key is missing. */
static struct xpd_str behind(struct xpd_str text, struct xpd_str key)
{
    size_t at = xpd_str_find(text, key, false);
    return at == SIZE_MAX ? XPD_STR("")
                          : (struct xpd_str){text.data + at + key.size, text.size - at - key.size};
}

int xpd_kernel_bytes(struct xpd_str *out, struct xpd_arena *arena, struct xpd_str config,
                     struct xpd_err *err)
{
    struct xpd_str call = behind(config, XPD_STR("\"custom_call_config\":"));
    struct xpd_str body = behind(call, XPD_STR("\"body\":\""));
    const char *end = body.size ? memchr(body.data, '"', body.size) : NULL;
    *out = XPD_STR("");
    if (call.size == 0 || !end)
        return xpd_fail(err, XPD_ENOTFOUND, "node_name", XPD_NO_OFFSET,
                        "Custom call config not found");
    body.size = (size_t)(end - body.data);
    uint8_t *bytes = xpd_arena_bytes(arena, body.size / 4 * 3 + 3);
    size_t size;
    if (!bytes)
        return xpd_no_memory(err, "node_name", "for the kernel's body");
    if (!xpd_base64_read(bytes, &size, body))
        return xpd_fail(err, XPD_EFORMAT, "node_name", XPD_NO_OFFSET,
                        "The kernel's body of %zu characters is not base64.", body.size);
    *out = (struct xpd_str){(const char *)bytes, size};
    return XPD_OK;
}

/* ---- reading ---- */

static struct xpd_str text_to_nul(struct xpd_mlir_bytes *from)
{
    const uint8_t *nul = memchr(from->at, 0, (size_t)(from->end - from->at));
    struct xpd_str text = {(const char *)from->at, nul ? (size_t)(nul - from->at) : 0};
    from->failed = from->failed || !nul;
    from->at = nul ? nul + 1 : from->end;
    return text;
}

/* Section by section; of two with one number the last counts. */
static void read_sections(struct xpd_mlir *m, struct xpd_mlir_bytes *from)
{
    while (from->at < from->end && !from->failed) {
        uint8_t id = *from->at++;
        uint64_t size = xpd_mlir_int(from);
        if (id & 0x80) { /* aligned: padding of 0xCB */
            (void)xpd_mlir_int(from);
            while (from->at < from->end && *from->at == 0xCB)
                from->at++;
        }
        if (from->failed || size > (uint64_t)(from->end - from->at)) {
            m->cut = true;
            return;
        }
        if ((id & 0x7F) < XPD_MLIR_SECTIONS)
            m->section[id & 0x7F] = (struct xpd_mlir_bytes){from->at, from->at + size, false};
        from->at += size;
    }
    m->cut = m->cut || from->failed;
}

static void read_strings(struct xpd_mlir *m)
{
    struct xpd_mlir_bytes from = m->section[XPD_MLIR_STRINGS];
    uint64_t count = xpd_mlir_int(&from);
    if (from.failed || count > (uint64_t)(from.end - from.at)) {
        m->cut = true;
        return;
    }
    m->string = XPD_NEW_ARRAY(m->arena, struct xpd_str, count);
    const uint8_t *end = from.end;
    for (uint64_t i = count; m->string && i > 0; i--) { /* sizes of the last first, with the NUL */
        uint64_t size = xpd_mlir_int(&from);
        if (from.failed || size == 0 || from.at > end || size > (uint64_t)(end - from.at)) {
            m->cut = true;
            return;
        }
        end -= size;
        m->string[i - 1] = (struct xpd_str){(const char *)end, (size_t)size - 1};
    }
    m->string_count = m->string ? (uint32_t)count : 0;
}

static void read_dialects(struct xpd_mlir *m)
{
    struct xpd_mlir_bytes from = m->section[XPD_MLIR_DIALECTS];
    uint64_t count = xpd_mlir_int(&from), bytes = (uint64_t)(from.end - from.at);
    if (from.failed || count > bytes || m->version > 0)
        return; /* later versions carry flags and counts here; names are in the strings */
    m->dialect = XPD_NEW_ARRAY(m->arena, struct xpd_str, count);
    m->op = XPD_NEW_ARRAY(m->arena, struct xpd_mlir_op, bytes);
    for (uint64_t i = 0; m->dialect && i < count; i++)
        m->dialect[m->dialect_count++] = xpd_mlir_string(m, xpd_mlir_int(&from));
    while (m->op && from.at < from.end && !from.failed) {
        uint64_t dialect = xpd_mlir_int(&from), ops = xpd_mlir_int(&from);
        for (uint64_t i = 0; i < ops && !from.failed && m->op_count < bytes; i++)
            m->op[m->op_count++] =
                (struct xpd_mlir_op){dialect < count ? m->dialect[dialect] : XPD_STR("?"),
                                     xpd_mlir_string(m, xpd_mlir_int(&from))};
    }
    m->cut = m->cut || from.failed;
}

/* ---- writing ---- */

static void put_names(struct xpd_strbuf *out, const struct xpd_mlir *m)
{
    enum { STRINGS_MOST = 2000 };
    xpd_strbuf_puts(out, "\n// Dialects:");
    for (uint32_t i = 0; i < m->dialect_count; i++) {
        xpd_strbuf_putc(out, ' ');
        xpd_mlir_put(out, m->dialect[i]);
    }
    xpd_strbuf_printf(out, "\n// Strings (%u):\n", m->string_count);
    for (uint32_t i = 0; i < m->string_count && i < STRINGS_MOST; i++) {
        xpd_strbuf_puts(out, "//   ");
        xpd_mlir_put(out, m->string[i]);
        xpd_strbuf_putc(out, '\n');
    }
    if (m->string_count > STRINGS_MOST)
        xpd_strbuf_printf(out, "// showing %d of them\n", STRINGS_MOST);
}

/* Comments around the operations if something is missing. */
static void put_head(struct xpd_strbuf *out, const struct xpd_mlir *m, struct xpd_str producer,
                     size_t size)
{
    xpd_strbuf_printf(out, "// MLIR bytecode version %llu by ", (unsigned long long)m->version);
    xpd_mlir_put(out, producer);
    xpd_strbuf_printf(out, ", %zu bytes.\n", size);
    if (m->version > 0)
        xpd_strbuf_puts(out, "// Decoded: strings. Not decoded: the operations of this version, "
                             "attributes, types, locations.\n");
    if (m->unknown)
        xpd_strbuf_printf(out,
                          "// %u attributes or types are not known here: #dialect<N bytes>, "
                          "!dialect<N bytes>.\n",
                          m->unknown);
    if (m->full)
        xpd_strbuf_printf(out, "// The text is cut after %zu bytes.\n", m->text_most);
    else if (m->cut)
        xpd_strbuf_puts(out, "// The bytecode is cut or damaged: the rest could not be read.\n");
}

int xpd_kernel_text(struct xpd_strbuf *out, struct xpd_arena *arena, struct xpd_str bytes,
                    struct xpd_err *err)
{
    static const char magic[] = "ML\xEFR";
    struct xpd_mlir m = {.arena = arena, .text_most = 4096 + 100 * bytes.size};
    struct xpd_mlir_bytes from = {(const uint8_t *)bytes.data,
                                  (const uint8_t *)bytes.data + bytes.size, false};
    struct xpd_strbuf operations = {0};
    if (bytes.size < 5 || memcmp(bytes.data, magic, 4) != 0)
        return xpd_fail(err, XPD_EFORMAT, "node_name", 0,
                        "The kernel's body of %zu bytes does not begin as MLIR bytecode does; "
                        "format=bytes downloads it",
                        bytes.size);
    from.at += 4;
    m.version = xpd_mlir_int(&from);
    struct xpd_str producer = text_to_nul(&from);
    read_sections(&m, &from);
    read_strings(&m);
    read_dialects(&m);
    if (m.version == 0) {
        xpd_mlir_read_entries(&m);
        xpd_mlir_put_operations(&operations, &m);
    }
    bool whole = m.version == 0 && m.unknown == 0 && !m.cut && operations.size > 0;
    if (!whole)
        put_head(out, &m, producer, bytes.size);
    if (operations.size) /* the last line of a whole kernel has no end, as in XProf's answer */
        xpd_strbuf_add(out, operations.data, operations.size - (whole ? 1 : 0));
    if (!whole)
        put_names(out, &m);
    bool failed = out->failed || operations.failed || arena->failed;
    xpd_strbuf_fini(&operations);
    return failed ? xpd_no_memory(err, "node_name", "for the kernel's text") : XPD_OK;
}

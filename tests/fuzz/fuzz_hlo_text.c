/* Bytes as HLO text: what comes out of any text loads, prints, and reads the same a second time. */
#include "must.h"

#include "xprofd/hlo/parse.h"
#include "xprofd/hlo/print.h"

#include <string.h>

enum { ARENA = 256 << 20, TEXT = 16 << 20 };

/* The module in an HloProto. */
static void wrap(struct xpd_str module, struct xpd_strbuf *out)
{
    xpd_strbuf_putc(out, 1 << 3 | 2);
    uint64_t size = module.size;
    for (; size >= 128; size >>= 7)
        xpd_strbuf_putc(out, (char)(uint8_t)(size | 128));
    xpd_strbuf_putc(out, (char)(uint8_t)size);
    xpd_strbuf_add(out, module.data, module.size);
}

static void check_names(const struct xpd_hlo *hlo, const struct xpd_hlo_names *names)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    int64_t id;
    MUST(!xpd_hlo_names_instruction(names, XPD_STR(""), &id));
    for (uint32_t i = 0; i < ins->count && i < 64; i++) {
        struct xpd_str name = xpd_hlo_text(hlo, ins->name[i]);
        if (xpd_hlo_names_instruction(names, name, &id))
            MUST(xpd_map64_get(&hlo->instruction_by_id, (uint64_t)id) != XPD_NO_INDEX);
    }
}

static void check_module(struct xpd_str module, const struct xpd_hlo_names *names)
{
    static const uint32_t variants[] = {XPD_PRINT_SHORT, XPD_PRINT_LONG | XPD_PRINT_METADATA,
                                        XPD_PRINT_EXPRESSION};
    struct xpd_strbuf bytes = {0};
    struct xpd_hlo_limits limits = {.arena_bytes = ARENA};
    struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    struct xpd_err err;
    wrap(module, &bytes);
    MUST(!bytes.failed);
    int rc = xpd_hlo_load(&hlo, (const uint8_t *)bytes.data, bytes.size, 0, "input", &limits, &err);
    MUST(rc == XPD_OK || rc == XPD_ELIMIT);
    if (rc == XPD_OK) {
        MUST(hlo->computations.count > 0 && hlo->entry != XPD_NO_INDEX);
        check_names(hlo, names);
        MUST(xpd_hlo_printer_new(&printer, hlo, (const uint8_t *)bytes.data, bytes.size, &err) ==
             XPD_OK);
        for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
            struct xpd_strbuf out = {.limit_bytes = TEXT};
            xpd_hlo_print_module(printer, variants[i], &out, NULL);
            xpd_strbuf_fini(&out);
        }
        xpd_hlo_printer_free(printer);
    }
    xpd_hlo_free(hlo);
    xpd_strbuf_fini(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_str text = {(const char *)data, size}, module[2];
    struct xpd_arena arena[2];
    struct xpd_warnings warnings[2] = {{.arena = &arena[0]}, {.arena = &arena[1]}};
    struct xpd_hlo_names *names[2];
    int rc[2];
    for (int i = 0; i < 2; i++) {
        struct xpd_err err = {0};
        xpd_arena_init(&arena[i], ARENA);
        rc[i] =
            xpd_hlo_text_parse(text, "input", &arena[i], &warnings[i], &module[i], &names[i], &err);
        MUST(rc[i] == XPD_OK || (err.code == rc[i] && err.text[0]));
        MUST((rc[i] == XPD_OK) == (module[i].data != NULL));
        MUST((rc[i] == XPD_OK) == (names[i] != NULL));
    }
    MUST(rc[0] == rc[1] && warnings[0].count == warnings[1].count);
    MUST(rc[0] != XPD_OK || (module[0].size == module[1].size &&
                             memcmp(module[0].data, module[1].data, module[0].size) == 0));
    if (rc[0] == XPD_OK)
        check_module(module[0], names[0]);
    xpd_arena_fini(&arena[0]);
    xpd_arena_fini(&arena[1]);
    return 0;
}

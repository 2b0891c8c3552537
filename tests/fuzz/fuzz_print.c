/* A HloProto through the printer of HLO text, in all its variants, and as protobuf text and JSON.
 */
#include "must.h"

#include "xprofd/hlo/print.h"
#include "xprofd/hlo/proto_text.h"
#include "xprofd/json/reader.h"

#include <string.h>

enum { ARENA = 256 << 20, TEXT = 16 << 20 };

static void check_module(struct xpd_hlo_printer *printer, uint32_t flags)
{
    struct xpd_strbuf out = {.limit_bytes = TEXT}, again = {.limit_bytes = TEXT};
    xpd_hlo_print_module(printer, flags, &out, NULL);
    MUST(out.failed || (out.size >= 12 && memcmp(out.data, "HloModule ", 10) == 0));
    xpd_hlo_print_module(printer, flags, &again, NULL); /* printing leaves nothing behind */
    MUST(out.failed == again.failed && out.size == again.size);
    MUST(out.size == 0 || memcmp(out.data, again.data, out.size) == 0);
    xpd_strbuf_fini(&out);
    xpd_strbuf_fini(&again);
}

/* The parts are in order and within the text, whatever the names hold. */
static void check_places(struct xpd_hlo_printer *printer, uint32_t i)
{
    struct xpd_strbuf out = {.limit_bytes = TEXT}, plain = {.limit_bytes = TEXT};
    struct xpd_hlo_places places = {0};
    xpd_hlo_print_places(printer, i, XPD_PRINT_EXPRESSION, &out, &places);
    xpd_hlo_print_instruction(printer, i, XPD_PRINT_EXPRESSION, &plain);
    MUST(out.failed || (out.size == plain.size && memcmp(out.data, plain.data, out.size) == 0));
    size_t at = places.name.from;
    MUST(out.failed ||
         (places.name.to >= at && places.shape.from >= places.name.to &&
          places.opcode.from >= places.shape.to && places.operands.from >= places.opcode.to &&
          places.operands.to >= places.operands.from));
    for (size_t k = 0; !out.failed && k < places.operand.count; k++) {
        MUST(places.operand.at[k].from >= places.operands.from &&
             places.operand.at[k].to >= places.operand.at[k].from &&
             places.operand.at[k].to <= places.operands.to);
    }
    at = places.operands.to;
    for (size_t k = 0; !out.failed && k < places.attribute.count; k++) {
        MUST(places.attribute.at[k] >= at + 2 && places.attribute.at[k] <= out.size);
        at = places.attribute.at[k];
    }
    XPD_VEC_FINI(&places.operand);
    XPD_VEC_FINI(&places.attribute);
    xpd_strbuf_fini(&out);
    xpd_strbuf_fini(&plain);
}

static void check_instruction(struct xpd_hlo_printer *printer, const struct xpd_hlo *hlo,
                              uint32_t i)
{
    struct xpd_strbuf out = {.limit_bytes = TEXT};
    const uint32_t *before;
    uint64_t all;
    xpd_hlo_print_instruction(printer, i, XPD_PRINT_EXPRESSION | XPD_PRINT_METADATA, &out);
    xpd_hlo_print_attributes(printer, i, XPD_PRINT_PERCENT | XPD_PRINT_CONTROL, '\x1f', &out);
    xpd_hlo_print_value(printer, i, 8, i % 2, &out);
    xpd_hlo_print_first_values(printer, i, 10, &out, &all);
    xpd_hlo_config(printer, i, XPD_PRINT_XPROF);
    xpd_hlo_direction(printer, i);
    uint32_t count = xpd_hlo_control_predecessors(printer, i, &before);
    for (uint32_t k = 0; k < count; k++)
        MUST(before[k] < hlo->instructions.count);
    xpd_strbuf_fini(&out);
    check_places(printer, i);
    /* What cannot break takes one line. */
    struct xpd_strbuf line = {.limit_bytes = TEXT};
    bool names = false;
    for (uint32_t id = 0; id < hlo->names.count; id++)
        names = names || memchr(hlo->names.text[id].data, '\n', hlo->names.text[id].size);
    xpd_hlo_print_instruction(printer, i, XPD_PRINT_LONG | XPD_PRINT_METADATA, &line);
    if (!names && !xpd_hlo_may_break(printer, i))
        MUST(line.size == 0 || !memchr(line.data, '\n', line.size));
    xpd_strbuf_fini(&line);
}

/* Any bytes can be written as a HloProto; JSON always reads back. */
static void check_proto(const uint8_t *data, size_t size)
{
    struct xpd_strbuf text = {.limit_bytes = TEXT}, json = {.limit_bytes = TEXT};
    (void)xpd_hlo_proto_text(XPD_PROTO_TEXT, data, size, &text, NULL, NULL);
    for (size_t i = 0; !text.failed && i < text.size; i++)
        MUST(text.data[i] == '\n' || (text.data[i] >= 32 && text.data[i] < 127));
    if (xpd_hlo_proto_text(XPD_PROTO_JSON, data, size, &json, NULL, NULL) == XPD_OK) {
        struct xpd_json *read = xpd_json_parse((struct xpd_str){json.data, json.size});
        MUST(read);
        xpd_json_free(read);
    }
    xpd_strbuf_fini(&text);
    xpd_strbuf_fini(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { INSTRUCTIONS = 200 };
    struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    struct xpd_hlo_limits limits = {.arena_bytes = ARENA};
    check_proto(data, size);
    if (xpd_hlo_load(&hlo, data, size, 0, "input", &limits, NULL) != XPD_OK)
        return 0;
    if (xpd_hlo_printer_new(&printer, hlo, data, size, NULL) == XPD_OK) {
        check_module(printer, XPD_PRINT_SHORT);
        check_module(printer, XPD_PRINT_LONG | XPD_PRINT_METADATA);
        check_module(printer, XPD_PRINT_LONG | XPD_PRINT_OPERAND_SHAPES | XPD_PRINT_XPROF);
        for (uint32_t i = 0; i < hlo->instructions.count && i < INSTRUCTIONS; i++)
            check_instruction(printer, hlo, i);
        xpd_hlo_printer_free(printer);
    }
    xpd_hlo_free(hlo);
    return 0;
}

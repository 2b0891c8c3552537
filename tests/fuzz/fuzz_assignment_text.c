/* Reports of a buffer assignment of any bytes, with live ranges behind the first NUL and a program
 * beside them: what is made of them is a proto that loads, with sizes that are in the text. */
#include "must.h"

#include "xprofd/hlo/assignment_text.h"
#include "xprofd/hlo/module.h"

static const char PROGRAM[] =
    "HloModule jit_f, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }\n\n"
    "ENTRY %main (a: f32[8]) -> f32[8] {\n"
    "  %a = f32[8]{0} parameter(0)\n"
    "  %b = f32[8]{0} custom-call(%a), custom_call_target=\"ConcatBitcast\"\n"
    "  ROOT %c = f32[8]{0} negate(%b)\n}\n";

static void look_at(const struct xpd_hlo *hlo, const struct xpd_assignment_facts *facts)
{
    MUST(hlo->has_buffer_assignment);
    MUST(hlo->allocation_count == facts->allocations && hlo->buffers.count == facts->values);
    MUST(hlo->events.count == facts->events && facts->held_bytes >= 0);
    MUST(facts->ranges <= facts->values);
    for (uint32_t i = 0; i < hlo->allocation_count; i++)
        MUST(hlo->allocation[i].size_bytes >= 0);
    for (uint32_t i = 0; i < hlo->buffers.count; i++)
        MUST(hlo->buffers.size_bytes[i] >= 0);
    for (uint32_t i = 0; i < hlo->events.count; i++)
        MUST(hlo->events.buffer[i] != XPD_NO_INDEX && hlo->events.kind[i] <= XPD_EVENT_SHARE_WITH);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = size ? (const char *)data : "";
    const char *stop = size ? memchr(bytes, '\0', size) : NULL;
    size_t first = stop ? (size_t)(stop - bytes) : size;
    struct xpd_assignment_text text = {
        .assignment = {bytes, first},
        .live_range = {stop ? stop + 1 : "", stop ? size - first - 1 : 0},
        .name = "report",
        .live_name = "ranges"};
    struct xpd_arena arena = {0};
    struct xpd_warnings notes = {.arena = &arena};
    struct xpd_str module_proto, assignment, proto;
    struct xpd_hlo_names *names;
    struct xpd_assignment_facts facts;
    struct xpd_err err = {0};
    MUST(xpd_hlo_text_parse(xpd_str_of(PROGRAM), "f", &arena, &notes, &module_proto, &names,
                            &err) == XPD_OK);
    int rc = xpd_assignment_text_parse(&text, module_proto, names, &arena, &notes, &assignment,
                                       &facts, &err);
    MUST(rc == XPD_OK || rc == XPD_EFORMAT);
    struct xpd_hlo *hlo = NULL;
    if (rc == XPD_OK) {
        MUST(xpd_hlo_proto_join(module_proto, assignment, &arena, &proto));
        MUST(xpd_hlo_load(&hlo, (const uint8_t *)proto.data, proto.size, 0, "f", NULL, &err) ==
             XPD_OK);
        look_at(hlo, &facts);
    }
    xpd_hlo_free(hlo);
    xpd_arena_fini(&arena);
    return 0;
}

/* Values that hold nothing of their own: results of the custom call "ConcatBitcast", by which a TPU
 * compiler says that pieces copied into fast memory side by side are one array from here on.
 *
 * In: the program's proto. Out: is_view of the values such instructions define. Only reports of TPU
 * compilers have them, so other programs are not walked. */
#include "assignment_internal.h"
#include "xprofd/hlo/module.h"
#include "xprofd/wire/cursor.h"

enum { COMPUTATIONS = 3, INSTRUCTIONS = 2, CALL_TARGET = 28, ID = 35 };

static void look_at(const struct xpd_field *instruction, struct xpd_map64 *view)
{
    struct xpd_cursor cursor = xpd_cursor_sub(instruction);
    struct xpd_field field;
    bool is_view = false;
    uint64_t id = 0;
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number == CALL_TARGET && field.wire_type == 2)
            is_view = xpd_str_eq(xpd_field_str(&field), XPD_STR("ConcatBitcast"));
        else if (field.number == ID && field.wire_type == 0)
            id = field.value;
    }
    if (is_view)
        xpd_map64_put(view, id, 1);
}

static void find_views(struct xpd_str module_proto, struct xpd_map64 *view)
{
    struct xpd_cursor module;
    struct xpd_field computation, instruction;
    xpd_cursor_init(&module, module_proto.data, module_proto.size, 0);
    while (xpd_cursor_next(&module, &computation)) {
        if (computation.number != COMPUTATIONS || computation.wire_type != 2)
            continue;
        struct xpd_cursor inside = xpd_cursor_sub(&computation);
        while (xpd_cursor_next(&inside, &instruction))
            if (instruction.number == INSTRUCTIONS && instruction.wire_type == 2)
                look_at(&instruction, view);
    }
}

void xpd_assignment_mark_views(struct xpd_assignment *a, struct xpd_str module_proto,
                               const struct xpd_hlo_names *names)
{
    bool wanted = false;
    struct xpd_map64 view = {0};
    for (size_t i = 0; i < a->allocation.count && !wanted; i++)
        wanted = a->allocation.at[i].flags & XPD_SAYS_PAGE;
    if (!wanted || !names)
        return;
    find_views(module_proto, &view);
    for (size_t i = 0; i < a->value.count && view.count != 0; i++) {
        int64_t id;
        if (xpd_hlo_names_instruction(names, a->value.at[i].name, &id))
            a->value.at[i].is_view = xpd_map64_get(&view, (uint64_t)id) != XPD_NO_INDEX;
    }
    a->key_failed |= view.failed;
    xpd_map64_fini(&view);
}

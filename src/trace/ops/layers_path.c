/* Where an operation stands: in the model's code by its op name, in the program by its computation.
 * In: a program. Out: parts of scopes, orders, loops. */
#include "layers_parts.h"

#include <stdlib.h>

bool xpd_layers_is(const struct xpd_hlo *hlo, uint32_t instruction, const char *opcode)
{
    return xpd_str_eq(xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]), xpd_str_of(opcode));
}

/* ---- scopes ---- */

/* The last part of an op name is the operation. One without any, and what only passes on another's
 * value, is called by its opcode. */
static struct xpd_str operation(const struct xpd_hlo *hlo, uint32_t instruction,
                                struct xpd_str op_name)
{
    bool own = hlo->instructions.op_name[instruction] != 0;
    struct xpd_str rest = op_name, part, last = XPD_STR("");
    while ((own || xpd_layers_is(hlo, instruction, "fusion")) && xpd_scope_next_part(&rest, &part))
        last = part;
    return last.size > 0 ? last : xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
}

void xpd_layers_path_of(struct xpd_layers_path *path, struct xpd_strbuf *text,
                        const struct xpd_hlo *hlo, uint32_t instruction)
{
    struct xpd_str op_name = xpd_hlo_text(hlo, xpd_scope_name_of(hlo, instruction));
    xpd_strbuf_clear(text);
    xpd_scope_plain(text, op_name);
    struct xpd_str rest = {text->data ? text->data : "", text->size};
    path->count = 0;
    path->op = operation(hlo, instruction, op_name);
    path->phase = xpd_scope_phase(op_name);
    while (path->count < XPD_LAYERS_PARTS_MAX &&
           xpd_scope_next_part(&rest, &path->part[path->count]))
        path->count++;
    if (rest.size > 0 && path->count > 0) { /* the rest belongs to the last */
        struct xpd_str *last = &path->part[path->count - 1];
        last->size = (size_t)(rest.data + rest.size - last->data);
    }
}

void xpd_layers_put_path(struct xpd_strbuf *out, const struct xpd_layers_path *path, uint32_t count,
                         bool fold)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            xpd_strbuf_putc(out, '/');
        if (!fold || !xpd_scope_fold(out, path->part[i]))
            xpd_strbuf_add(out, path->part[i].data, path->part[i].size);
    }
}

/* ---- the program ---- */

uint32_t *xpd_layers_ops(const struct xpd_ran_ops *in, struct xpd_arena *arena)
{
    uint32_t count = in->hlo->instructions.count;
    uint32_t *op = XPD_NEW_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; op && i < count; i++)
        op[i] = XPD_NO_INDEX;
    for (uint32_t o = 0; op && o < in->program->op_count; o++)
        if (in->instruction[o] != XPD_NO_INDEX)
            op[in->instruction[o]] = o;
    return op;
}

uint32_t xpd_layers_order(uint32_t *out, const struct xpd_hlo *hlo, uint32_t computation,
                          const uint32_t *op_of)
{
    const struct xpd_hlo_computations *all = &hlo->computations;
    uint32_t from = all->schedule_first[computation], to = all->schedule_first[computation + 1];
    uint32_t first = all->first[computation], n = 0;
    bool scheduled = to > from;
    uint32_t count = scheduled ? to - from : all->instruction_count[computation];
    for (uint32_t i = 0; i < count && n < all->instruction_count[computation]; i++) {
        uint32_t at = scheduled ? all->schedule[from + i] : first + i;
        if (at != XPD_NO_INDEX && op_of[at] != XPD_NO_INDEX)
            out[n++] = op_of[at];
    }
    return n;
}

uint32_t xpd_layers_body_of(const struct xpd_hlo *hlo, uint32_t loop)
{
    uint32_t first = hlo->instructions.called_first[loop];
    uint32_t body = first < hlo->instructions.called_first[loop + 1]
                        ? hlo->instructions.called[first]
                        : XPD_NO_INDEX;
    return body < hlo->computations.count ? body : XPD_NO_INDEX;
}

bool xpd_layers_loop_body(bool *inside, const struct xpd_hlo *hlo, uint32_t loop)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    XPD_VEC(uint32_t) open = {0}; /* instructions whose calls are to be followed */
    XPD_PUSH(&open, loop);
    while (open.count > 0 && !open.failed) {
        uint32_t at = open.at[--open.count];
        for (uint32_t k = all->called_first[at]; k < all->called_first[at + 1]; k++) {
            uint32_t c = all->called[k];
            if (c >= hlo->computations.count || inside[c])
                continue;
            inside[c] = true;
            for (uint32_t i = 0; i < hlo->computations.instruction_count[c]; i++) {
                uint32_t in = hlo->computations.first[c] + i;
                if (all->called_first[in] < all->called_first[in + 1])
                    XPD_PUSH(&open, in);
            }
        }
    }
    bool fine = !open.failed;
    XPD_VEC_FINI(&open);
    return fine;
}

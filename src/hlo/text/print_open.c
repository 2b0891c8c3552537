/* Opening a printer: each instruction's message found again, what the text folds away, the order of
 * the computations.
 *
 * In: the frozen columns and the bytes they came from. The bytes are walked once, by the loader's
 * walk, so that both see the same instructions in the same order. */
#include "print_internal.h"

#include <stdlib.h>

enum { HLO_MODULE = 1, MODULE_COMPUTATION = 3, COMPUTATION_INSTRUCTION = 2, LENGTH = 2 };

static void find_instructions(struct xpd_hlo_printer *printer, const struct xpd_field *computation,
                              uint32_t *next)
{
    struct xpd_hlo_walk walk;
    struct xpd_field field;
    xpd_hlo_walk_init(&walk, computation, XPD_FIELD_BIT(COMPUTATION_INSTRUCTION), NULL);
    while (xpd_hlo_walk_next(&walk, &field))
        if (xpd_field_tag(&field) == XPD_TAG(COMPUTATION_INSTRUCTION, LENGTH) &&
            *next < printer->hlo->instructions.count)
            printer->message[(*next)++] = field;
}

static void find_parts(struct xpd_hlo_printer *printer, const struct xpd_field *module,
                       uint32_t *next, struct xpd_field *own, uint32_t *own_count)
{
    struct xpd_hlo_walk walk;
    struct xpd_field field;
    xpd_hlo_walk_init(&walk, module, XPD_FIELD_BIT(MODULE_COMPUTATION), NULL);
    while (xpd_hlo_walk_next(&walk, &field)) {
        if (xpd_field_tag(&field) == XPD_TAG(MODULE_COMPUTATION, LENGTH))
            find_instructions(printer, &field, next);
        if (field.number == MODULE_COMPUTATION)
            continue; /* of another wire type: damage, and no part of the header */
        if (own)
            own[*own_count] = field;
        ++*own_count;
    }
}

static void each_module(struct xpd_hlo_printer *printer, const struct xpd_field *top,
                        uint32_t *next, struct xpd_field *own, uint32_t *own_count)
{
    struct xpd_hlo_walk walk;
    struct xpd_field field;
    *next = *own_count = 0;
    xpd_hlo_walk_init(&walk, top, XPD_FIELD_BIT(HLO_MODULE), NULL);
    while (xpd_hlo_walk_next(&walk, &field))
        if (xpd_field_tag(&field) == XPD_TAG(HLO_MODULE, LENGTH))
            find_parts(printer, &field, next, own, own_count);
}

static bool is_async(struct xpd_str opcode)
{
    return xpd_str_eq(opcode, XPD_STR("async-start")) ||
           xpd_str_eq(opcode, XPD_STR("async-update")) || xpd_str_eq(opcode, XPD_STR("async-done"));
}

static bool only_parameters_and_root(const struct xpd_hlo *hlo, uint32_t computation)
{
    const struct xpd_hlo_computations *c = &hlo->computations;
    uint32_t root = c->root[computation], first = c->first[computation];
    for (uint32_t i = first; i < first + c->instruction_count[computation]; i++)
        if (i != root &&
            !xpd_str_eq(xpd_hlo_text(hlo, hlo->instructions.opcode[i]), XPD_STR("parameter")))
            return false;
    return root != XPD_NO_INDEX;
}

static void find_folded(struct xpd_hlo_printer *printer)
{
    const struct xpd_hlo *hlo = printer->hlo;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    for (uint32_t c = 0; c < hlo->computations.count; c++)
        printer->folded_root[c] = XPD_NO_INDEX;
    for (uint32_t i = 0; i < ins->count; i++) {
        if (!is_async(xpd_hlo_text(hlo, ins->opcode[i])))
            continue;
        for (uint32_t k = ins->called_first[i]; k < ins->called_first[i + 1]; k++)
            if (ins->called[k] != XPD_NO_INDEX && only_parameters_and_root(hlo, ins->called[k]))
                printer->folded_root[ins->called[k]] = hlo->computations.root[ins->called[k]];
    }
}

uint32_t xpd_print_wrapped(const struct xpd_hlo_printer *printer, uint32_t instruction)
{
    const struct xpd_hlo *hlo = printer->hlo;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    /* An update or done leads back to its start; the chain is as long as the file says. */
    for (uint32_t hops = 0; hops <= ins->count; hops++) {
        struct xpd_str opcode = xpd_hlo_text(hlo, ins->opcode[instruction]);
        if (!is_async(opcode))
            return XPD_NO_INDEX;
        if (xpd_str_eq(opcode, XPD_STR("async-start"))) {
            uint32_t first = ins->called_first[instruction];
            if (first == ins->called_first[instruction + 1] || ins->called[first] == XPD_NO_INDEX)
                return XPD_NO_INDEX;
            return printer->folded_root[ins->called[first]];
        }
        uint32_t operand = ins->operand_first[instruction];
        if (operand == ins->operand_first[instruction + 1] || ins->operand[operand] == XPD_NO_INDEX)
            return XPD_NO_INDEX;
        instruction = ins->operand[operand];
    }
    return XPD_NO_INDEX;
}

/* Depth first over calls, without recursion: a hostile file may call as deep as it likes. */
struct visit {
    uint32_t computation, instruction, call; /* where to go on in it */
};

static void emit_from(struct xpd_hlo_printer *printer, uint32_t root, struct visit *stack,
                      bool *seen)
{
    const struct xpd_hlo *hlo = printer->hlo;
    const struct xpd_hlo_computations *c = &hlo->computations;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    uint32_t depth = 0;
    if (seen[root])
        return;
    seen[root] = true;
    stack[depth++] = (struct visit){root, c->first[root], ins->called_first[c->first[root]]};
    while (depth > 0) {
        struct visit *at = &stack[depth - 1];
        uint32_t end = c->first[at->computation] + c->instruction_count[at->computation];
        if (at->call >= ins->called_first[end]) {
            if (printer->folded_root[at->computation] == XPD_NO_INDEX)
                printer->order[printer->order_count++] = at->computation;
            depth--;
            continue;
        }
        uint32_t callee = ins->called[at->call++];
        if (callee == XPD_NO_INDEX || seen[callee])
            continue;
        seen[callee] = true;
        stack[depth++] =
            (struct visit){callee, c->first[callee], ins->called_first[c->first[callee]]};
    }
}

static bool make_order(struct xpd_hlo_printer *printer)
{
    const struct xpd_hlo *hlo = printer->hlo;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    uint32_t n = hlo->computations.count;
    struct xpd_arena *scratch = &printer->order_scratch;
    struct visit *stack = XPD_NEW_ARRAY(scratch, struct visit, n);
    bool *seen = XPD_NEW_ARRAY(scratch, bool, n), *called = XPD_NEW_ARRAY(scratch, bool, n);
    if (!stack || !seen || !called)
        return false;
    for (uint32_t k = 0; k < ins->called_first[ins->count]; k++)
        if (ins->called[k] != XPD_NO_INDEX)
            called[ins->called[k]] = true;
    for (uint32_t c = 0; c < n; c++)
        if (!called[c])
            emit_from(printer, c, stack, seen);
    for (uint32_t c = 0; c < n; c++) /* only in cycles, which XLA refuses */
        emit_from(printer, c, stack, seen);
    xpd_arena_reset(scratch);
    return true;
}

int xpd_hlo_printer_new(struct xpd_hlo_printer **out, const struct xpd_hlo *hlo,
                        const uint8_t *bytes, size_t size, struct xpd_err *err)
{
    struct xpd_hlo_printer *printer = calloc(1, sizeof *printer);
    struct xpd_field top = {.bytes = bytes, .size = size};
    uint32_t found, own;
    *out = NULL;
    if (!printer)
        return xpd_no_memory(err, NULL, "to print this module");
    printer->hlo = hlo;
    printer->shapes_of.warnings.arena = &printer->arena;
    printer->shapes =
        (struct xpd_hlo_load){.hlo = &printer->shapes_of, .where = "", .local_of = XPD_NO_INDEX};
    printer->shapes.empty_shape = XPD_NEW(&printer->arena, struct xpd_shape);
    printer->message = XPD_NEW_ARRAY(&printer->arena, struct xpd_field, hlo->instructions.count);
    printer->folded_root = XPD_NEW_ARRAY(&printer->arena, uint32_t, hlo->computations.count);
    printer->order = XPD_NEW_ARRAY(&printer->arena, uint32_t, hlo->computations.count);
    if (!printer->arena.failed) {
        each_module(printer, &top, &found, NULL, &own);
        struct xpd_field *field = XPD_NEW_ARRAY(&printer->arena, struct xpd_field, own);
        if (field)
            each_module(printer, &top, &found, field, &own);
        printer->top = xpd_raw_of(field, own);
        find_folded(printer);
    }
    if (printer->arena.failed || !make_order(printer)) {
        xpd_hlo_printer_free(printer);
        return xpd_no_memory(err, NULL, "to print this module");
    }
    if (found != hlo->instructions.count) {
        xpd_hlo_printer_free(printer);
        return xpd_fail(err, XPD_ECHANGED, NULL, XPD_NO_OFFSET,
                        "The module has %u instructions now, and had %u when it was loaded.", found,
                        hlo->instructions.count);
    }
    *out = printer;
    return XPD_OK;
}

void xpd_hlo_printer_free(struct xpd_hlo_printer *printer)
{
    if (!printer)
        return;
    xpd_arena_fini(&printer->arena);
    xpd_arena_fini(&printer->scratch);
    xpd_arena_fini(&printer->order_scratch);
    xpd_arena_fini(&printer->shapes_of.arena);
    xpd_arena_fini(&printer->shapes.scratch);
    xpd_arena_fini(&printer->shapes.keys);
    free(printer->shapes.shapes.slot);
    free(printer->shapes.layouts.slot);
    xpd_strbuf_fini(&printer->frames);
    xpd_strbuf_fini(&printer->shape_text);
    free(printer);
}

const struct xpd_shape *xpd_print_shape_of(struct xpd_hlo_printer *printer,
                                           const struct xpd_field *field)
{
    return xpd_hlo_load_shape(&printer->shapes, field);
}

uint32_t xpd_hlo_print_order(const struct xpd_hlo_printer *printer, const uint32_t **computation)
{
    *computation = printer->order;
    return printer->order_count;
}

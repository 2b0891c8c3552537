/* The printer: opening, names, instruction lines, computations, the module.
 *
 * In: the frozen columns and the bytes they came from. Out: text. The bytes are walked once at the
 * opening to find each instruction's message again; the walk is the loader's, so both see the same
 * instructions in the same order. */
#include "print_internal.h"

#include <stdlib.h>

enum { HLO_MODULE = 1, MODULE_COMPUTATION = 3, COMPUTATION_INSTRUCTION = 2 };
enum { VARINT = 0, LENGTH = 2 };

/* ---- opening ---- */

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
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                        "There is no memory to print this module.");
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
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                        "There is no memory to print this module.");
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

/* ---- small texts ---- */

void xpd_print_name(struct xpd_print *p, xpd_name_id name)
{
    struct xpd_str text = xpd_hlo_text(p->hlo, name);
    if (p->flags & XPD_PRINT_PERCENT)
        xpd_strbuf_putc(p->out, '%');
    xpd_strbuf_add(p->out, text.data, text.size);
}

static size_t escape(uint8_t c, char out[4])
{
    static const char special[] = "\n\r\t\"'\\", letter[] = "nrt\"'\\";
    const char *at = memchr(special, c, sizeof special - 1);
    out[0] = '\\';
    if (at) {
        out[1] = letter[at - special];
        return 2;
    }
    out[1] = (char)('0' + (c >> 6));
    out[2] = (char)('0' + (c >> 3 & 7));
    out[3] = (char)('0' + (c & 7));
    return 4;
}

static inline bool is_plain(uint8_t c)
{
    static const bool odd[256] = {['"'] = true, ['\''] = true, ['\\'] = true};
    return c >= 32 && c < 127 && !odd[c];
}

void xpd_print_escaped(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0, from; i < text.size;) {
        for (from = i; i < text.size && is_plain((uint8_t)text.data[i]);)
            i++;
        xpd_strbuf_add(out, text.data + from, i - from);
        if (i < text.size) {
            char escaped[4];
            xpd_strbuf_add(out, escaped, escape((uint8_t)text.data[i++], escaped));
        }
    }
}

/* Whether the whole text is one balanced {...} with proper strings. */
static bool is_dictionary(struct xpd_str text)
{
    uint32_t depth = 0;
    bool quoted = false;
    if (text.size == 0 || text.data[0] != '{')
        return false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (quoted) {
            if (c == '\\')
                i++;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{') {
            depth++;
        } else if (c == '}' && --depth == 0) {
            return i == text.size - 1;
        }
    }
    return false;
}

void xpd_print_dictionary(struct xpd_strbuf *out, struct xpd_str text)
{
    if (is_dictionary(text)) {
        xpd_strbuf_add(out, text.data, text.size);
        return;
    }
    xpd_strbuf_putc(out, '"');
    xpd_print_escaped(out, text);
    xpd_strbuf_putc(out, '"');
}

void xpd_print_ints(struct xpd_strbuf *out, struct xpd_raw_ints ints)
{
    for (uint32_t i = 0; i < ints.count; i++) {
        if (i != 0)
            xpd_strbuf_putc(out, ',');
        xpd_strbuf_i64(out, ints.at[i]);
    }
}

void xpd_print_shape(struct xpd_print *p, const struct xpd_raw *raw, uint32_t number)
{
    const struct xpd_field *field = xpd_raw_last(raw, number);
    if (field && field->wire_type == LENGTH)
        xpd_shape_text(p->out, xpd_print_shape_of(p->printer, field), true);
}

/* ---- an instruction ---- */

static void print_opcode(struct xpd_print *p, uint32_t wrapped)
{
    struct xpd_str opcode = xpd_print_opcode(p);
    if (wrapped == XPD_NO_INDEX) {
        xpd_strbuf_add(p->out, opcode.data, opcode.size);
        return;
    }
    struct xpd_str inner = xpd_hlo_text(p->hlo, p->hlo->instructions.opcode[wrapped]);
    xpd_strbuf_add(p->out, inner.data, inner.size);
    xpd_strbuf_puts(p->out, opcode.data + strlen("async")); /* "-start", "-update", "-done" */
}

static void print_operands(struct xpd_print *p)
{
    const struct xpd_hlo_instructions *ins = &p->hlo->instructions;
    uint32_t first = ins->operand_first[p->instruction];
    uint32_t count = ins->operand_first[p->instruction + 1] - first;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t operand = ins->operand[first + k];
        if (k != 0 && k % 5 == 0 && p->flags & XPD_PRINT_INDEX_COMMENTS)
            xpd_print_index(p->out, k);
        else if (k != 0)
            xpd_strbuf_puts(p->out, ", ");
        if (operand == XPD_NO_INDEX) { /* the file names something that does not exist */
            xpd_strbuf_puts(p->out, "?");
            continue;
        }
        if (p->flags & XPD_PRINT_OPERAND_SHAPES) {
            xpd_print_known_shape(p, ins->shape[operand]);
            xpd_strbuf_putc(p->out, ' ');
        }
        xpd_print_name(p, ins->name[operand]);
    }
}

bool xpd_print_elements_at_most(const struct xpd_shape *shape, int64_t most)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (__builtin_mul_overflow(n, shape->dims[i], &n))
            return false;
    return n <= most;
}

static void print_constant(struct xpd_print *p)
{
    const struct xpd_shape *shape = p->hlo->instructions.shape[p->instruction];
    const struct xpd_field *field = xpd_raw_last(&p->raw, 8);
    bool shown = p->flags & XPD_PRINT_LARGE ||
                 (shape->type != XPD_TYPE_TUPLE && xpd_print_elements_at_most(shape, 10));
    if (!field || field->wire_type != LENGTH || !shown) {
        xpd_strbuf_puts(p->out, "{...}");
        return;
    }
    struct xpd_raw literal = xpd_raw_read(&p->printer->scratch, field->bytes, (size_t)field->size);
    xpd_print_literal(p, shape, &literal, 0);
}

static void put_text(struct xpd_strbuf *out, const char *key, struct xpd_str text, bool *any)
{
    if (text.size == 0)
        return;
    xpd_strbuf_puts(out, *any ? " " : ", metadata={");
    xpd_strbuf_puts(out, key);
    xpd_strbuf_puts(out, "=\"");
    xpd_print_escaped(out, text);
    xpd_strbuf_putc(out, '"');
    *any = true;
}

static void put_number(struct xpd_strbuf *out, const char *key, int64_t value, bool *any)
{
    if (value == 0)
        return;
    xpd_strbuf_puts(out, *any ? " " : ", metadata={");
    xpd_strbuf_puts(out, key);
    xpd_strbuf_putc(out, '=');
    xpd_strbuf_i64(out, value);
    *any = true;
}

static void print_metadata(struct xpd_print *p)
{
    struct xpd_raw metadata = xpd_raw_message(&p->printer->scratch, &p->raw, 7);
    int64_t frame = xpd_raw_int(&metadata, 15, 0);
    bool any = false;
    if (xpd_raw_text(&metadata, 1).size == 0 && xpd_raw_text(&metadata, 2).size == 0 &&
        xpd_raw_text(&metadata, 3).size == 0 && xpd_raw_text(&metadata, 16).size == 0 && frame == 0)
        return;
    put_text(p->out, "op_type", xpd_raw_text(&metadata, 1), &any);
    put_text(p->out, "op_name", xpd_raw_text(&metadata, 2), &any);
    put_text(p->out, "source_file", xpd_raw_text(&metadata, 3), &any);
    put_number(p->out, "source_line", (int32_t)xpd_raw_int(&metadata, 4, 0), &any);
    put_number(p->out, "source_end_line", (int32_t)xpd_raw_int(&metadata, 17, 0), &any);
    put_number(p->out, "source_column", (int32_t)xpd_raw_int(&metadata, 18, 0), &any);
    put_number(p->out, "source_end_column", (int32_t)xpd_raw_int(&metadata, 19, 0), &any);
    struct xpd_raw_ints profile = xpd_raw_ints(&p->printer->scratch, &metadata, 5);
    if (profile.count) {
        xpd_strbuf_puts(p->out, any ? " profile_type={" : ", metadata={profile_type={");
        xpd_print_ints(p->out, profile);
        xpd_strbuf_putc(p->out, '}');
        any = true;
    }
    put_text(p->out, "deduplicated_name", xpd_raw_text(&metadata, 12), &any);
    put_text(p->out, "scheduling_name", xpd_raw_text(&metadata, 16), &any);
    if (frame > 0 && (uint64_t)frame <= p->hlo->frame_count) {
        xpd_print_make_frames(p->printer);
        if (p->printer->new_frame)
            put_number(p->out, "stack_frame_id", p->printer->new_frame[frame], &any);
    }
    if (any)
        xpd_strbuf_putc(p->out, '}');
}

struct xpd_str xpd_print_config_of(struct xpd_print *p)
{
    struct xpd_str config = xpd_raw_text(&p->raw, 43);
    if (config.size != 0 || !xpd_raw_has(&p->raw, 99))
        return config;
    struct xpd_raw payload = xpd_raw_message(&p->printer->scratch, &p->raw, 99);
    config = xpd_raw_text(&payload, 1);
    if (config.size != 0)
        return config;
    /* Kept once for all in the module's pool, HloModuleProto.payloads[22]. */
    int64_t id = xpd_raw_has(&payload, 2) ? xpd_raw_int(&payload, 2, -1)
                                          : xpd_raw_int(&p->raw, 99, payload.count ? -1 : 0);
    for (uint32_t i = 0; i < p->printer->top.count && id >= 0; i++)
        if (p->printer->top.field[i].number == 22 && id-- == 0)
            return xpd_field_str(&p->printer->top.field[i]);
    return config;
}

static void print_line(struct xpd_print *p)
{
    const struct xpd_hlo_instructions *ins = &p->hlo->instructions;
    uint32_t wrapped = xpd_print_wrapped(p->printer, p->instruction);
    struct xpd_str opcode = xpd_print_opcode(p);
    xpd_print_name(p, ins->name[p->instruction]);
    xpd_strbuf_puts(p->out, " = ");
    xpd_print_known_shape(p, ins->shape[p->instruction]);
    xpd_strbuf_putc(p->out, ' ');
    print_opcode(p, wrapped);
    xpd_strbuf_putc(p->out, '(');
    if (xpd_str_eq(opcode, XPD_STR("parameter")))
        xpd_strbuf_i64(p->out, ins->parameter_number[p->instruction]);
    else if (xpd_str_eq(opcode, XPD_STR("constant")))
        print_constant(p);
    else
        print_operands(p);
    xpd_strbuf_putc(p->out, ')');
    xpd_print_attributes(p, wrapped);
    if (p->flags & XPD_PRINT_METADATA)
        print_metadata(p);
    struct xpd_str config = p->flags & XPD_PRINT_CONFIG ? xpd_print_config_of(p) : XPD_STR("");
    if (config.size) {
        xpd_strbuf_puts(p->out, ", backend_config=");
        xpd_print_dictionary(p->out, config);
    }
}

void xpd_hlo_print_instruction(struct xpd_hlo_printer *printer, uint32_t instruction,
                               uint32_t flags, struct xpd_strbuf *out)
{
    if (instruction >= printer->hlo->instructions.count)
        return;
    const struct xpd_field *message = &printer->message[instruction];
    struct xpd_print p = {printer, printer->hlo, out, flags, instruction, {0}, NULL};
    p.raw = xpd_raw_read(&printer->scratch, message->bytes, (size_t)message->size);
    print_line(&p);
    out->failed = out->failed || printer->scratch.failed;
    xpd_arena_reset(&printer->scratch);
}

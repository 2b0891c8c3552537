/* Where an instruction comes from in the user's program.
 *
 * In: metadata columns and the table of stack frames. Out: op_name, file, line, stack. Frames name
 * their parent, and a damaged file may name it in a circle: no walk takes more steps than there are
 * frames, nor more than XPD_STACK_MAX are kept. */
#include "xprofd/hlo/source_info.h"

static void walk_stack(const struct xpd_hlo *hlo, uint32_t frame, struct xpd_source_info *out)
{
    uint32_t steps = 0;
    while (frame >= 1 && frame <= hlo->frame_count) {
        if (out->frame_count == XPD_STACK_MAX || ++steps > hlo->frame_count) {
            out->frames_cut = true;
            return;
        }
        out->frame[out->frame_count++] = frame;
        frame = hlo->frame[frame - 1].parent;
    }
}

/* Fills `out` from this instruction only. */
static void take_own(const struct xpd_hlo *hlo, uint32_t instruction, struct xpd_source_info *out)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    out->from = instruction;
    out->op_name = xpd_hlo_text(hlo, all->op_name[instruction]);
    out->file = xpd_hlo_text(hlo, all->source_file[instruction]);
    out->line = all->source_line[instruction];
    out->frame_count = 0;
    out->frames_cut = false;
    walk_stack(hlo, all->stack_frame[instruction], out);
    for (uint32_t i = 0; i < out->frame_count && out->file.size == 0; i++) {
        const struct xpd_hlo_frame *frame = &hlo->frame[out->frame[i] - 1];
        out->file = xpd_hlo_text(hlo, frame->file);
        out->line = frame->line;
    }
    if (out->file.size == 0 || out->line < 0)
        out->line = 0;
}

static bool has_source(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    if (all->source_file[instruction] != 0)
        return true;
    uint32_t frame = all->stack_frame[instruction];
    for (uint32_t steps = 0; frame >= 1 && frame <= hlo->frame_count && steps < XPD_STACK_MAX;
         steps++) {
        if (hlo->frame[frame - 1].file != 0)
            return true;
        frame = hlo->frame[frame - 1].parent;
    }
    return false;
}

/* The computation a fusion calls, or XPD_NO_INDEX for anything else. */
static uint32_t fused_computation(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    if (!xpd_str_eq(xpd_hlo_text(hlo, all->opcode[instruction]), XPD_STR("fusion")))
        return XPD_NO_INDEX;
    uint32_t at = all->called_first[instruction];
    return at < all->called_first[instruction + 1] ? all->called[at] : XPD_NO_INDEX;
}

/* The fused instruction with a source: the root, else the last one, because instructions nearer to
 * the result describe it better. */
static uint32_t look_into(const struct xpd_hlo *hlo, uint32_t computation)
{
    const struct xpd_hlo_computations *all = &hlo->computations;
    uint32_t root = all->root[computation];
    if (root != XPD_NO_INDEX && has_source(hlo, root))
        return root;
    for (uint32_t i = all->instruction_count[computation]; i > 0; i--)
        if (has_source(hlo, all->first[computation] + i - 1))
            return all->first[computation] + i - 1;
    return XPD_NO_INDEX;
}

/* The one that says where an instruction comes from: itself, or an instruction of its fusion. */
static uint32_t source_instruction(const struct xpd_hlo *hlo, uint32_t instruction)
{
    if (has_source(hlo, instruction))
        return instruction;
    uint32_t computation = fused_computation(hlo, instruction);
    uint32_t inner = computation != XPD_NO_INDEX ? look_into(hlo, computation) : XPD_NO_INDEX;
    return inner != XPD_NO_INDEX ? inner : instruction;
}

void xpd_source_of(const struct xpd_hlo *hlo, uint32_t instruction, struct xpd_source_info *out)
{
    /* not the frames: 1 KiB, of which few are ever written */
    out->op_name = out->file = XPD_STR("");
    out->line = 0;
    out->frame_count = 0;
    out->frames_cut = false;
    out->from = instruction;
    if (instruction >= hlo->instructions.count)
        return;
    take_own(hlo, source_instruction(hlo, instruction), out);
    struct xpd_str own_name = xpd_hlo_text(hlo, hlo->instructions.op_name[instruction]);
    if (own_name.size != 0)
        out->op_name = own_name;
}

/* "file:line:column" of each frame; returns whether there was one. */
static bool print_stack(const struct xpd_hlo *hlo, const struct xpd_source_info *info,
                        struct xpd_strbuf *stack)
{
    for (uint32_t i = 0; i < info->frame_count; i++) {
        const struct xpd_hlo_frame *frame = &hlo->frame[info->frame[i] - 1];
        struct xpd_str file = xpd_hlo_text(hlo, frame->file);
        if (i != 0)
            xpd_strbuf_putc(stack, '\n');
        xpd_strbuf_add(stack, file.data, file.size);
        xpd_strbuf_putc(stack, ':');
        xpd_strbuf_i64(stack, frame->line);
        xpd_strbuf_putc(stack, ':');
        xpd_strbuf_i64(stack, frame->column);
    }
    return info->frame_count != 0;
}

/* XProf splits the text of the first frame at its colons, so a file name with a colon loses the
 * rest and the line. */
static void split_as_xprof(const struct xpd_hlo *hlo, const struct xpd_hlo_frame *frame,
                           struct xpd_str *file, int32_t *line)
{
    struct xpd_str text = xpd_hlo_text(hlo, frame->file);
    size_t colon = xpd_str_find(text, XPD_STR(":"), false);
    *file = text;
    *line = frame->line;
    if (colon == SIZE_MAX)
        return;
    file->size = colon;
    struct xpd_str rest = {text.data + colon + 1, text.size - colon - 1};
    size_t end = xpd_str_find(rest, XPD_STR(":"), false);
    if (end != SIZE_MAX)
        rest.size = end;
    int64_t number = 0;
    *line = xpd_str_to_i64(rest, &number) && number >= INT32_MIN && number <= INT32_MAX
                ? (int32_t)number
                : 0;
}

bool xpd_source_of_xprof(const struct xpd_hlo *hlo, uint32_t instruction, struct xpd_str *file,
                         int32_t *line, struct xpd_strbuf *stack)
{
    *file = XPD_STR("");
    *line = 0;
    if (instruction >= hlo->instructions.count)
        return false;
    struct xpd_source_info info = {.from = instruction};
    walk_stack(hlo, hlo->instructions.stack_frame[instruction], &info);
    bool has_stack = print_stack(hlo, &info, stack);
    if (hlo->instructions.source_file[instruction] != 0) {
        *file = xpd_hlo_text(hlo, hlo->instructions.source_file[instruction]);
        *line = hlo->instructions.source_line[instruction];
        return true;
    }
    if (has_stack)
        split_as_xprof(hlo, &hlo->frame[info.frame[0] - 1], file, line);
    return has_stack && file->size != 0; /* XProf ignores a first frame without a file */
}

#define SCOPE_HOPS 64 /* a damaged module may pass a value round in a circle */

/* Gives the values of its operand again, in another place, type or layout. */
static bool passes_on(struct xpd_str opcode)
{
    static const char *const words[] = {"copy",
                                        "copy-start",
                                        "copy-done",
                                        "convert",
                                        "bitcast",
                                        "transpose",
                                        "reshape",
                                        "bitcast-convert",
                                        "tuple",
                                        "get-tuple-element",
                                        "async-start",
                                        "async-update",
                                        "optimization-barrier",
                                        "async-done",
                                        "reduce-precision",
                                        "slice",
                                        "broadcast",
                                        "dynamic-slice",
                                        "pad",
                                        "reverse"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (xpd_str_eq(opcode, xpd_str_of(words[i])))
            return true;
    return false;
}

/* The operand whose values it has; an element of a tuple that is made here comes from its maker. */
static uint32_t passed_operand(const struct xpd_hlo *hlo, uint32_t i)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t first = all->operand_first[i], count = all->operand_first[i + 1] - first;
    if (count == 0 || all->operand[first] >= all->count)
        return XPD_NO_INDEX;
    uint32_t from = all->operand[first];
    if (!xpd_str_eq(xpd_hlo_text(hlo, all->opcode[i]), XPD_STR("get-tuple-element")) ||
        !xpd_str_eq(xpd_hlo_text(hlo, all->opcode[from]), XPD_STR("tuple")))
        return from;
    first = all->operand_first[from];
    count = all->operand_first[from + 1] - first;
    int64_t k = all->tuple_index[i];
    return k >= 0 && k < (int64_t)count ? all->operand[first + (uint32_t)k] : from;
}

xpd_name_id xpd_scope_name_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    for (uint32_t hops = 0; hops < SCOPE_HOPS && instruction < all->count; hops++) {
        if (all->op_name[instruction])
            return all->op_name[instruction];
        uint32_t from = source_instruction(hlo, instruction);
        if (all->op_name[from])
            return all->op_name[from];
        if (!passes_on(xpd_hlo_text(hlo, all->opcode[instruction])))
            return 0;
        instruction = passed_operand(hlo, instruction);
    }
    return 0;
}

/* ---- as texts ---- */

struct xpd_str xpd_hlo_op_name(const struct xpd_hlo *hlo, uint32_t instruction)
{
    if (instruction == XPD_NO_INDEX)
        return XPD_STR("");
    struct xpd_str own = xpd_hlo_text(hlo, hlo->instructions.op_name[instruction]);
    if (own.size > 0)
        return own;
    struct xpd_source_info info;
    xpd_source_of(hlo, instruction, &info);
    return info.op_name;
}

struct xpd_str xpd_hlo_scope_name(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return instruction == XPD_NO_INDEX ? XPD_STR("")
                                       : xpd_hlo_text(hlo, xpd_scope_name_of(hlo, instruction));
}

void xpd_source_put(struct xpd_strbuf *out, struct xpd_str file, int64_t line)
{
    xpd_strbuf_add(out, file.data, file.size);
    if (line > 0) {
        xpd_strbuf_putc(out, ':');
        xpd_strbuf_i64(out, line);
    }
}

void xpd_source_put_of(struct xpd_strbuf *out, const struct xpd_hlo *hlo, uint32_t instruction)
{
    if (instruction == XPD_NO_INDEX)
        return;
    struct xpd_source_info info;
    xpd_source_of(hlo, instruction, &info);
    if (info.file.size > 0)
        xpd_source_put(out, info.file, info.line);
}

struct xpd_str xpd_source_base_name(struct xpd_str path)
{
    for (size_t i = path.size; i > 0; i--)
        if (path.data[i - 1] == '/' || path.data[i - 1] == '\\')
            return (struct xpd_str){path.data + i, path.size - i};
    return path;
}

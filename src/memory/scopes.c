/* Scopes: paths of op names taken apart.
 *
 * JAX writes jit(train_step)/transpose(jvp(block))/attention/dot_general: the last part is the
 * operation itself, transpose(...) marks the backward pass, jvp(...) alone the forward one.
 * Arguments are named by the user's own expression: params['blocks'][0]['up']. In: borrowed text.
 * Out: borrowed parts of it. */
#include "xprofd/memory/scopes.h"

#include "xprofd/hlo/scope.h"
#include "xprofd/hlo/source_info.h"
#include <stdlib.h>
#include <string.h>

const char *xpd_mem_phase(struct xpd_str op_name)
{
    switch (xpd_scope_phase(op_name)) {
    case XPD_PHASE_FORWARD: return "forward";
    case XPD_PHASE_BACKWARD:
    case XPD_PHASE_RECOMPUTE: return "backward"; /* its buffers are held then */
    default: return "";
    }
}

static struct xpd_str name_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return instruction == XPD_NO_INDEX ? XPD_STR("")
                                       : xpd_hlo_text(hlo, xpd_scope_name_of(hlo, instruction));
}

/* params['blocks'][0]['up'] is params / blocks / 0 / up. */
static uint32_t argument_parts(struct xpd_str name, struct xpd_str *part, uint32_t capacity)
{
    uint32_t count = 0;
    size_t start = 0;
    for (size_t i = 0; i <= name.size && count < capacity; i++) {
        if (i < name.size && (name.data[i] == '\0' || !strchr("[]'\"\\", name.data[i])))
            continue;
        if (i > start)
            part[count++] = (struct xpd_str){name.data + start, i - start};
        start = i + 1;
    }
    return count;
}

static const char *first_part(enum xpd_mem_class mem_class, struct xpd_str name)
{
    switch (mem_class) {
    case XPD_CLASS_PARAMETER: return "arguments";
    case XPD_CLASS_OUTPUT: return "outputs";
    case XPD_CLASS_CONSTANT: return "constants";
    default: return xpd_mem_phase(name);
    }
}

uint32_t xpd_mem_scope_parts(const struct xpd_mem *mem, uint32_t buffer,
                             enum xpd_mem_class mem_class, struct xpd_str part[XPD_SCOPE_PARTS])
{
    struct xpd_str name =
        name_of(mem->hlo, buffer == XPD_NO_INDEX ? XPD_NO_INDEX : mem->buffer[buffer].instruction);
    struct xpd_str first = xpd_str_of(first_part(mem_class, name));
    uint32_t count = 0;
    if (first.size > 0)
        part[count++] = first;
    if (name.size == 0)
        part[count++] = XPD_STR("[no scope]");
    else if (mem_class == XPD_CLASS_PARAMETER)
        return count + argument_parts(name, part + count, XPD_SCOPE_PARTS - count);
    struct xpd_str rest = xpd_scope_path(name), next;
    while (count < XPD_SCOPE_PARTS && xpd_scope_next_part(&rest, &next))
        part[count++] = next;
    return count;
}

/* ---- labels of the strip ---- */

/* Parts of a path added by JAX itself, which do not help the reader of the strip. */
static bool is_machinery(struct xpd_str part)
{
    static const char *const words[] = {"body",      "closed_call",          "checkpoint",
                                        "remat",     "custom_jvp_call",      "custom_vjp_call",
                                        "shard_map", "rematted_computation", "jit(main)"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (xpd_str_eq(part, xpd_str_of(words[i])))
            return true;
    return false;
}

/* transpose(jvp(block)) is block: the marks are in the phase already. */
static struct xpd_str unwrapped(struct xpd_str part)
{
    static const char *const marks[] = {"transpose(", "jvp(", "jit(", "vmap(", "pjit("};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (xpd_str_starts(part, marks[i]) && part.data[part.size - 1] == ')') {
            size_t skip = strlen(marks[i]);
            return unwrapped((struct xpd_str){part.data + skip, part.size - skip - 1});
        }
    return part;
}

/* The deepest label of a path: phase, then named scopes. The last part is the operation and is left
 * out. end[k] becomes the size of the label with k scopes. */
static void take_apart(struct xpd_strbuf *out, struct xpd_str op_name, const char *phase,
                       size_t end[XPD_STRIP_DEPTH_MAX + 2])
{
    struct xpd_str rest = xpd_scope_path(op_name), part;
    uint32_t taken = 0;
    xpd_strbuf_clear(out);
    xpd_strbuf_puts(out, phase);
    end[0] = out->size;
    while (taken <= XPD_STRIP_DEPTH_MAX && xpd_scope_next_part(&rest, &part) && rest.size > 0) {
        part = unwrapped(part);
        if (part.size == 0 || is_machinery(part))
            continue;
        if (out->size > 0)
            xpd_strbuf_putc(out, taken == 0 ? ' ' : '/');
        xpd_strbuf_add(out, part.data, part.size);
        end[++taken] = out->size;
    }
    for (uint32_t k = taken + 1; k < XPD_STRIP_DEPTH_MAX + 2; k++)
        end[k] = end[taken];
}

void xpd_strip_labels_init(struct xpd_strip_labels *labels, struct xpd_arena *arena)
{
    *labels = (struct xpd_strip_labels){0};
    xpd_intern_init(&labels->text, arena);
    XPD_PUSH(&labels->label, (struct xpd_strip_label){0});
}

void xpd_strip_labels_fini(struct xpd_strip_labels *labels)
{
    xpd_intern_fini(&labels->text);
    XPD_VEC_FINI(&labels->label);
    xpd_map64_fini(&labels->of_op_name);
    xpd_map64_fini(&labels->of_text);
    xpd_strbuf_fini(&labels->scratch);
}

bool xpd_strip_labels_failed(const struct xpd_strip_labels *labels)
{
    return labels->text.failed || labels->label.failed || labels->of_op_name.failed ||
           labels->of_text.failed || labels->scratch.failed;
}

/* Most op names have the label of another one. */
static uint32_t number_of(struct xpd_strip_labels *labels, const struct xpd_strip_label *label)
{
    uint32_t deepest = label->text[XPD_STRIP_DEPTH_MAX];
    uint32_t number = xpd_map64_get(&labels->of_text, deepest);
    if (number != XPD_NO_INDEX && !memcmp(&labels->label.at[number], label, sizeof *label))
        return number;
    number = (uint32_t)labels->label.count;
    XPD_PUSH(&labels->label, *label);
    xpd_map64_put(&labels->of_text, deepest, number);
    return labels->label.failed ? 0 : number;
}

uint32_t xpd_strip_label_of(struct xpd_strip_labels *labels, struct xpd_str op_name)
{
    size_t end[XPD_STRIP_DEPTH_MAX + 2];
    struct xpd_strip_label label;
    uint64_t address = (uint64_t)(uintptr_t)op_name.data;
    if (op_name.size == 0)
        return 0;
    uint32_t number = xpd_map64_get(&labels->of_op_name, address);
    if (number != XPD_NO_INDEX)
        return number;
    const char *phase = xpd_mem_phase(op_name);
    uint32_t more = phase[0] ? 0 : 1; /* without a phase the first scope is the label of depth 0 */
    take_apart(&labels->scratch, op_name, phase, end);
    for (uint32_t depth = 0; depth <= XPD_STRIP_DEPTH_MAX; depth++) {
        size_t size = end[depth + more];
        label.text[depth] =
            size > 0 ? xpd_intern_put(&labels->text, labels->scratch.data, size) : 0;
    }
    number = number_of(labels, &label);
    xpd_map64_put(&labels->of_op_name, address, number);
    return number;
}

/* Known by instruction: steps of one follow each other. */
bool xpd_strip_steps(struct xpd_strip_labels *labels, const struct xpd_mem *mem,
                     const struct xpd_mem_space *space, uint32_t *of_step)
{
    uint32_t instructions = mem->hlo->instructions.count;
    uint32_t *known = calloc((size_t)instructions + 1, sizeof *known); /* + 1 */
    for (uint32_t step = 0; known && step < space->step_count; step++) {
        uint32_t running = xpd_mem_running(mem, space, step);
        of_step[step] = 0;
        if (running == XPD_NO_INDEX)
            continue;
        if (known[running] == 0)
            known[running] = 1 + xpd_strip_label_of(labels, name_of(mem->hlo, running));
        of_step[step] = known[running] - 1;
    }
    free(known);
    return known != NULL;
}

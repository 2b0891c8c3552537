/* Scopes: paths of op names taken apart.
 *
 * JAX writes jit(train_step)/transpose(jvp(block))/attention/dot_general: the last part is the
 * operation itself, transpose(...) marks the backward pass, jvp(...) alone the forward one.
 * Arguments are named by the user's own expression: params['blocks'][0]['up']. In: borrowed text.
 * Out: borrowed parts of it. */
#include "../common/common.h"

const char *xpd_tools_phase(struct xpd_str op_name)
{
    switch (xpd_scope_phase(op_name)) {
    case XPD_PHASE_FORWARD: return "forward";
    case XPD_PHASE_BACKWARD:
    case XPD_PHASE_RECOMPUTE: return "backward"; /* its buffers are held then */
    default: return "";
    }
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
    default: return xpd_tools_phase(name);
    }
}

uint32_t xpd_tools_scope_parts(const struct xpd_mem *mem, uint32_t buffer,
                               enum xpd_mem_class mem_class, struct xpd_str *part,
                               uint32_t capacity)
{
    struct xpd_str name = xpd_tools_scope_name(mem->hlo, xpd_tools_instruction(mem, buffer));
    struct xpd_str first = xpd_str_of(first_part(mem_class, name));
    uint32_t count = 0;
    if (first.size > 0 && count < capacity)
        part[count++] = first;
    if (name.size == 0 && count < capacity)
        part[count++] = XPD_STR("[no scope]");
    else if (mem_class == XPD_CLASS_PARAMETER)
        return count + argument_parts(name, part + count, capacity - count);
    struct xpd_str rest = xpd_scope_path(name), next;
    while (count < capacity && xpd_scope_next_part(&rest, &next))
        part[count++] = next;
    return count;
}

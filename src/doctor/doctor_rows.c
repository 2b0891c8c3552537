/* Rows at the peak and their words. In: a run of the doctor. Out: rows, texts. */
#include "doctor_internal.h"

uint32_t xpd_dx_row_of(const struct xpd_dx *dx, uint32_t buffer)
{
    if (buffer >= dx->hlo->buffers.count)
        return XPD_NO_INDEX;
    const struct xpd_mem_buffer *b = &dx->mem->buffer[buffer];
    if (b->allocation == XPD_NO_INDEX ||
        dx->hlo->allocation[b->allocation].color != dx->space->color)
        return XPD_NO_INDEX;
    bool temporary =
        xpd_mem_class_of(dx->hlo->allocation[b->allocation].flags) == XPD_CLASS_TEMPORARY;
    uint32_t row = dx->row_of_storage[temporary ? b->root : dx->hlo->buffers.count + b->allocation];
    return row == 0 ? XPD_NO_INDEX : row - 1;
}

uint32_t xpd_dx_instruction(const struct xpd_dx *dx, const struct xpd_held *row)
{
    return row->buffer == XPD_NO_INDEX ? XPD_NO_INDEX : dx->mem->buffer[row->buffer].instruction;
}

const struct xpd_shape *xpd_dx_shape_of(const struct xpd_dx *dx, const struct xpd_held *row)
{
    static const struct xpd_shape none;
    const struct xpd_shape *shape =
        row->buffer == XPD_NO_INDEX ? NULL : dx->mem->buffer[row->buffer].shape;
    return shape ? shape : &none;
}

int64_t xpd_dx_share(const struct xpd_dx *dx, double share)
{
    double bytes = (double)dx->peak_bytes * share;
    return bytes >= 9e18 ? INT64_MAX : (int64_t)bytes;
}

bool xpd_dx_big(const struct xpd_dx *dx, int64_t bytes)
{
    return bytes >= xpd_dx_share(dx, dx->t->big_share) && (double)bytes >= dx->t->big_bytes;
}

int64_t xpd_dx_permille(const struct xpd_dx *dx, int64_t bytes)
{
    return dx->peak_bytes > 0 ? (int64_t)((double)bytes * 1000.0 / (double)dx->peak_bytes + 0.5)
                              : 0;
}

uint32_t xpd_dx_steps(const struct xpd_dx *dx, double share)
{
    double steps = (double)dx->space->step_count * share;
    return steps >= (double)UINT32_MAX ? UINT32_MAX : (uint32_t)steps;
}

uint32_t xpd_dx_buffer_of(const struct xpd_dx *dx, uint32_t instruction, int64_t element)
{
    const struct xpd_hlo_buffers *buffers = &dx->hlo->buffers;
    if (instruction >= dx->hlo->instructions.count)
        return XPD_NO_INDEX;
    for (uint32_t k = dx->buffers_of.first[instruction]; k < dx->buffers_of.first[instruction + 1];
         k++) {
        uint32_t b = dx->buffers_of.at[k], first = buffers->index_first[b];
        uint32_t depth = buffers->index_first[b + 1] - first;
        if ((element < 0 && depth == 0) ||
            (element >= 0 && depth == 1 && buffers->shape_index[first] == element))
            return b;
    }
    return XPD_NO_INDEX;
}

struct xpd_str xpd_dx_opcode(const struct xpd_dx *dx, uint32_t instruction)
{
    if (instruction == XPD_NO_INDEX)
        return XPD_STR("");
    return xpd_hlo_text(dx->hlo, dx->hlo->instructions.opcode[instruction]);
}

bool xpd_dx_is(const struct xpd_dx *dx, uint32_t instruction, const char *opcode)
{
    return xpd_str_eq(xpd_dx_opcode(dx, instruction), xpd_str_of(opcode));
}

struct xpd_str xpd_dx_op_name(const struct xpd_dx *dx, uint32_t instruction)
{
    if (instruction == XPD_NO_INDEX)
        return XPD_STR("");
    struct xpd_str own = xpd_hlo_text(dx->hlo, dx->hlo->instructions.op_name[instruction]);
    if (own.size > 0)
        return own;
    struct xpd_source_info info;
    xpd_source_of(dx->hlo, instruction, &info);
    return info.op_name;
}

bool xpd_dx_has(struct xpd_str text, const char *word)
{
    return xpd_str_find(text, xpd_str_of(word), true) != SIZE_MAX;
}

bool xpd_dx_is_state_name(struct xpd_str name)
{
    return xpd_dx_has(name, "opt_state") || xpd_dx_has(name, "momentum") ||
           xpd_dx_has(name, "optimizer") || xpd_dx_has(name, "adam");
}

static const char *kept(struct xpd_dx *dx, struct xpd_strbuf *text)
{
    const char *copy = text->failed
                           ? NULL
                           : xpd_arena_strndup(dx->arena, text->data ? text->data : "", text->size);
    xpd_strbuf_fini(text);
    dx->arena->failed |= !copy;
    return copy ? copy : "";
}

const char *xpd_dx_bytes(struct xpd_dx *dx, int64_t bytes)
{
    char text[48];
    xpd_bytes_text(text, bytes, dx->page_bytes);
    const char *copy = xpd_arena_strndup(dx->arena, text, strlen(text));
    return copy ? copy : "";
}

/* Each in its own unit: 12 of 64.0 KiB are 768.0 KiB, where 0.1 and 0.8 MiB would not add up. */
const char *xpd_dx_bytes_own(struct xpd_dx *dx, int64_t bytes)
{
    char text[48];
    xpd_bytes_text_own(text, bytes);
    const char *copy = xpd_arena_strndup(dx->arena, text, strlen(text));
    return copy ? copy : "";
}

const char *xpd_dx_time_text(struct xpd_dx *dx, int64_t ps)
{
    char text[XPD_TIME_TEXT_BYTES];
    const char *kept = xpd_arena_printf(dx->arena, "%s", xpd_time_text(text, (double)ps));
    return kept ? kept : "";
}

const char *xpd_dx_name(struct xpd_dx *dx, uint32_t buffer)
{
    struct xpd_strbuf text = {0};
    xpd_strbuf_putc(&text, '%');
    xpd_mem_buffer_name(&text, dx->mem, buffer);
    return buffer == XPD_NO_INDEX ? (xpd_strbuf_fini(&text), "an unnamed buffer") : kept(dx, &text);
}

const char *xpd_dx_shape(struct xpd_dx *dx, uint32_t buffer, bool layout)
{
    struct xpd_strbuf text = {0};
    if (buffer != XPD_NO_INDEX && dx->mem->buffer[buffer].shape)
        xpd_shape_text(&text, dx->mem->buffer[buffer].shape, layout);
    return kept(dx, &text);
}

const char *xpd_dx_percent(struct xpd_dx *dx, int64_t part, int64_t whole)
{
    double percent = whole > 0 ? (double)part * 100.0 / (double)whole : 0;
    const char *text = xpd_arena_printf(dx->arena, percent < 9.95 ? "%.1f %%" : "%.0f %%", percent);
    return text ? text : "";
}

bool xpd_dx_same_dims(const struct xpd_shape *a, const struct xpd_shape *b)
{
    if (!a || !b || a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i])
            return false;
    return true;
}

bool xpd_dx_is_float(int32_t type)
{
    char scratch[16];
    const char *name = xpd_type_name(type, scratch);
    return name[0] == 'f' || name[0] == 'b';
}

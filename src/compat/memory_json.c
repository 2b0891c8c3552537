/* Texts of a memory answer: see memory_json.h. */
#include "memory_json.h"
#include <stdio.h>

void xpd_compat_json_init(struct xpd_compat_json *j, const struct xpd_compat_memory *memory,
                          struct xpd_arena *arena)
{
    *j = (struct xpd_compat_json){
        .hlo = memory->hlo, .mem = memory->mem, .numbers = &memory->numbers, .arena = arena};
    j->shape_text = XPD_NEW_ARRAY(arena, struct xpd_str, memory->hlo->buffers.count);
    j->name_text = XPD_NEW_ARRAY(arena, struct xpd_str, memory->hlo->buffers.count);
}

void xpd_compat_json_fini(struct xpd_compat_json *j)
{
    xpd_strbuf_fini(&j->scratch);
}

struct xpd_str xpd_compat_shape(struct xpd_compat_json *j, const struct xpd_mem_buffer *buffer)
{
    size_t index = (size_t)(buffer - j->mem->buffer);
    if (!j->shape_text)
        return (struct xpd_str){"", 0};
    if (!j->shape_text[index].data) {
        struct xpd_strbuf text = {0};
        if (buffer->xprof_shape)
            xpd_shape_text(&text, buffer->xprof_shape, true);
        j->shape_text[index] = xpd_strbuf_keep(&text, j->arena);
        xpd_strbuf_fini(&text);
    }
    return j->shape_text[index];
}

struct xpd_str xpd_compat_name(struct xpd_compat_json *j, uint32_t buffer)
{
    if (!j->name_text)
        return (struct xpd_str){"", 0};
    if (!j->name_text[buffer].data) {
        const struct xpd_hlo_buffers *b = &j->hlo->buffers;
        struct xpd_str name =
            xpd_hlo_text(j->hlo, j->hlo->instructions.name[j->mem->buffer[buffer].instruction]);
        struct xpd_strbuf text = {0};
        xpd_strbuf_add(&text, name.data, name.size);
        for (uint32_t i = b->index_first[buffer]; i < b->index_first[buffer + 1]; i++) {
            xpd_strbuf_putc(&text, i == b->index_first[buffer] ? '{' : ',');
            xpd_strbuf_i64(&text, b->shape_index[i]);
        }
        if (b->index_first[buffer + 1] > b->index_first[buffer])
            xpd_strbuf_putc(&text, '}');
        j->name_text[buffer] = xpd_strbuf_keep(&text, j->arena);
        xpd_strbuf_fini(&text);
    }
    return j->name_text[buffer];
}

const char *xpd_compat_category(uint8_t mem_class)
{
    static const char *const words[XPD_CLASS_COUNT] = {"Parameter", "Output", "Thread-local",
                                                       "Constant", "Temporary"};
    return mem_class < XPD_CLASS_COUNT ? words[mem_class] : "Temporary";
}

/* Walks the colour wheel by the golden angle so that neighbours differ. */
void xpd_compat_color(uint32_t number, char text[8])
{
    uint32_t hue = (number * 222u) % 360u, section = hue / 60u, part = hue % 60u;
    uint32_t low = 90, high = 220, up = low + (high - low) * part / 60u,
             down = high - (high - low) * part / 60u;
    uint32_t rgb[6][3] = {{high, up, low},   {down, high, low}, {low, high, up},
                          {low, down, high}, {up, low, high},   {high, low, down}};
    snprintf(text, 8, "#%02x%02x%02x", rgb[section][0] & 255u, rgb[section][1] & 255u,
             rgb[section][2] & 255u);
}

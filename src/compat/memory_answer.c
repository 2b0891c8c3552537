/* The memory of the module that a question names, with the numbers XProf has for it. */
#include "compat.h"
#include "memory_json.h"
#include "xprofd/base/markup.h"
#include "xprofd/export/csv.h"
#include <stdio.h>
#include <string.h>

/* What XProf's "timeline" link shows. XProf answers a page whose drawing scripts come from the
 * internet; this one is a plain table of the same boxes (offset, size, first and last step),
 * readable without a script. The drawn map is in xprofd's own page. */

static void row(struct xpd_strbuf *out, struct xpd_compat_json *j, const struct xpd_xprof_block *b)
{
    const struct xpd_mem_buffer *buffer = &j->mem->buffer[b->buffer];
    xpd_strbuf_printf(out, "<tr><td>%lld<td>", (long long)j->hlo->buffers.id[b->buffer]);
    xpd_markup_put(out, xpd_compat_name(j, b->buffer));
    xpd_strbuf_puts(out, "<td>");
    xpd_markup_put(out, xpd_compat_shape(j, buffer));
    xpd_strbuf_printf(out, "<td>%lld<td>%lld<td>%lld<td>%d<td>%d\n", (long long)b->size_bytes,
                      (long long)buffer->xprof_unpadded_bytes, (long long)b->offset_bytes,
                      b->start_step, b->end_step);
}

int xpd_compat_memory_timeline(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                               struct xpd_err *err)
{
    struct xpd_compat_memory memory;
    int rc = xpd_compat_open_memory(ctx, &memory, out, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_compat_json j;
    xpd_compat_json_init(&j, &memory, ctx->arena);
    out->type = XPD_BODY_HTML;
    struct xpd_strbuf *body = &out->body;
    xpd_strbuf_puts(body,
                    "<!doctype html><html lang=en><meta charset=utf-8><title>Memory allocation "
                    "timeline</title><h1>Memory allocation timeline of ");
    xpd_markup_put(body, xpd_hlo_text(memory.hlo, memory.hlo->name));
    xpd_strbuf_puts(body, "</h1>\n");
    if (memory.numbers.block_count == 0) {
        xpd_strbuf_printf(body,
                          "<p>No timeline: this module has no heap trace in memory space %lld.\n",
                          (long long)memory.color);
    } else {
        xpd_strbuf_puts(body, "<p>Boxes in file order; the drawn map is on xprofd's Memory page.\n"
                              "<table><tr><th>buffer_id<th>hlo_op<th>shape<th>size<th>unpadded_size"
                              "<th>offset<th>first step<th>last step\n");
        for (uint32_t i = 0; i < memory.numbers.block_count; i++)
            if (memory.numbers.block[i].buffer != XPD_NO_INDEX)
                row(body, &j, &memory.numbers.block[i]);
        xpd_strbuf_puts(body, "</table>\n");
    }
    xpd_compat_json_fini(&j);
    return XPD_OK;
}

/* Texts of a memory answer: see memory_json.h. */

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

/* data_csv of memory_viewer: the buffers at the peak, one row each. XProf answers a row of JSON
 * keys here; the columns are those its page prepares and never saves, with the bytes beside the
 * MiB. */

static void mib_cell(struct xpd_csv *csv, int64_t bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%.6f", (double)bytes / 1048576.0);
    xpd_csv_text(csv, text);
}

static const struct xpd_xprof_span **spans_by_buffer(const struct xpd_compat_json *j)
{
    const struct xpd_xprof_span **by =
        XPD_NEW_ARRAY(j->arena, const struct xpd_xprof_span *, j->hlo->buffers.count);
    for (uint32_t i = 0; by && i < j->numbers->span_count; i++)
        by[j->numbers->span[i].buffer] = &j->numbers->span[i];
    return by;
}

static void csv_row(struct xpd_csv *csv, struct xpd_compat_json *j, const struct xpd_xprof_bar *bar,
                    const struct xpd_xprof_span *const *span)
{
    bool small = bar->buffer == XPD_NO_INDEX;
    const struct xpd_mem_buffer *b = small ? NULL : &j->mem->buffer[bar->buffer];
    xpd_csv_str(csv, small ? XPD_STR("small (<16384 bytes)") : xpd_compat_name(j, bar->buffer));
    mib_cell(csv, bar->unpadded_bytes);
    mib_cell(csv, bar->size_bytes);
    if (!small && span && span[bar->buffer]) {
        xpd_csv_i64(csv, span[bar->buffer]->start);
        xpd_csv_i64(csv, span[bar->buffer]->limit);
    } else { /* there all the time, or many in one */
        xpd_csv_empty(csv);
        xpd_csv_empty(csv);
    }
    if (small) {
        for (int i = 0; i < 4; i++)
            xpd_csv_empty(csv);
    } else {
        const struct xpd_hlo_instructions *ins = &j->hlo->instructions;
        xpd_csv_str(csv, xpd_hlo_text(j->hlo, ins->op_name[b->instruction]));
        xpd_csv_str(csv, xpd_hlo_text(j->hlo, ins->opcode[b->instruction]));
        xpd_csv_str(csv, xpd_compat_shape(j, b));
        xpd_csv_text(csv, xpd_compat_category(b->mem_class));
    }
    xpd_csv_i64(csv, bar->size_bytes);
    xpd_csv_i64(csv, bar->unpadded_bytes);
    xpd_csv_end_row(csv);
}

int xpd_compat_memory_csv(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                          struct xpd_err *err)
{
    struct xpd_compat_memory memory;
    int rc = xpd_compat_open_memory(ctx, &memory, out, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_compat_json j;
    xpd_compat_json_init(&j, &memory, ctx->arena);
    struct xpd_csv csv;
    xpd_csv_init(&csv, &out->body);
    xpd_csv_header(&csv,
                   "InstructionName,UnpaddedSizeMiB,SizeMiB,AllocAt,FreeAt,TfOpName,OpCode,Shape,"
                   "AllocationType,SizeBytes,UnpaddedBytes");
    const struct xpd_xprof_span *const *span = spans_by_buffer(&j);
    for (uint32_t i = 0; i < memory.numbers.bar_count; i++)
        csv_row(&csv, &j, &memory.numbers.bar[i], span);
    xpd_compat_json_fini(&j);
    out->type = XPD_BODY_CSV;
    out->file_name = "memory_viewer.csv";
    return XPD_OK;
}

/* As XProf reads numbers: blanks around one and a plus before it do not count; what it cannot read
 * it takes for 0. */
static int64_t number_of(struct xpd_str text)
{
    static const char blank[] = {' ', '\t', '\n', '\v', '\f', '\r'};
    int64_t number = 0;
    while (text.size && memchr(blank, text.data[0], sizeof blank))
        text = (struct xpd_str){text.data + 1, text.size - 1};
    while (text.size && memchr(blank, text.data[text.size - 1], sizeof blank))
        text.size--;
    if (text.size > 1 && text.data[0] == '+' && text.data[1] != '-')
        text = (struct xpd_str){text.data + 1, text.size - 1};
    return xpd_str_to_i64(text, &number) ? number : 0;
}

int xpd_compat_open_memory(const struct xpd_tool_ctx *ctx, struct xpd_compat_memory *out,
                           struct xpd_tool_result *result, struct xpd_err *err)
{
    int rc = xpd_compat_check_host(ctx, err);
    uint32_t module = 0;
    if (rc == XPD_OK)
        rc = xpd_compat_pick_module(ctx, "memory_viewer", &module, result, err);
    if (rc == XPD_OK)
        rc = xpd_store_module(ctx->store, ctx->run, module, &out->hlo, &out->mem, err);
    if (rc != XPD_OK)
        return rc;
    out->color = number_of(xpd_param_text(ctx, "memory_space"));
    rc = xpd_xprof_memory(&out->numbers, out->mem, out->color, XPD_XPROF_SMALL_BYTES, ctx->arena,
                          err);
    if (rc == XPD_OK && out->numbers.error_text)
        rc = xpd_fail(
            err, XPD_EFORMAT, ctx->run->module[module].key, XPD_NO_OFFSET,
            "XProf gives up on this module: %s. The page and /api/v1/memory/summary show it",
            out->numbers.error_text);
    return rc;
}

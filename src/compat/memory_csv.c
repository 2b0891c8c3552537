/* data_csv of memory_viewer: the buffers at the peak, one row each. XProf answers a row of JSON
 * keys here; the columns are those its page prepares and never saves, with the bytes beside the
 * MiB. */
#include "compat.h"
#include "memory_json.h"
#include "xprofd/export/csv.h"
#include <stdio.h>

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

static void row(struct xpd_csv *csv, struct xpd_compat_json *j, const struct xpd_xprof_bar *bar,
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
        row(&csv, &j, &memory.numbers.bar[i], span);
    xpd_compat_json_fini(&j);
    out->type = XPD_BODY_CSV;
    out->file_name = "memory_viewer.csv";
    return XPD_OK;
}

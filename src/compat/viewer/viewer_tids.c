/* The tids of rows: ids of lines, but of a GPU as XProf numbers them anew. */
#include "viewer_private.h"

/* Lines of a GPU are numbered anew, with room for the rows derived from each. */
#define GPU_TIDS (1 + XPD_IDS_A_STREAM)

uint32_t xpd_xprof_row_tid(const struct xpd_xprof *xprof, const struct xpd_xprof_parts *parts,
                           uint32_t number)
{
    const struct xpd_trace_row *row = &xprof->input.trace->row[number];
    if (!parts->line_of)
        return (uint32_t)row->id;
    return 1 +
           GPU_TIDS * parts->line_of[number - xprof->input.trace->process[row->process].first_row];
}

bool xpd_xprof_lacks(const struct xpd_trace_row *row)
{
    return row->derived && row->id >= XPD_DERIVED_ID + XPD_OWN_STREAM_IDS;
}

bool xpd_xprof_derived_tid(const struct xpd_xprof_parts *parts, const struct xpd_trace_row *row,
                           uint32_t *tid)
{
    int64_t place = row->id - XPD_DERIVED_ID - XPD_STREAM_IDS;
    *tid = (uint32_t)row->id;
    if (!parts->line_of || place < 0)
        return true;
    *tid = (uint32_t)(2 + place / XPD_IDS_A_STREAM * GPU_TIDS + place % XPD_IDS_A_STREAM);
    return !xpd_xprof_lacks(row);
}

bool xpd_xprof_number_lines(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts,
                            uint32_t process)
{
    const struct xpd_trace *trace = xprof->input.trace;
    const struct xpd_trace_process *at = &trace->process[process];
    uint32_t count;
    parts->line_of = NULL;
    if (at->kind != XPD_PROCESS_GPU || xprof->without_derived)
        return true;
    uint32_t *row = XPD_NEW_ARRAY(&xprof->arena, uint32_t, (size_t)at->row_count + 1);
    uint32_t *line_of = XPD_NEW_ARRAY(&xprof->arena, uint32_t, (size_t)at->row_count + 1);
    if (!row || !line_of || !xpd_gpu_lines(trace, process, row, &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        line_of[row[i] - at->first_row] = i;
    for (uint32_t i = 1; i < at->row_count; i++) /* further series of counters */
        if (trace->row[at->first_row + i].kind == XPD_ROW_COUNTER &&
            trace->row[at->first_row + i - 1].kind == XPD_ROW_COUNTER &&
            trace->row[at->first_row + i].id == trace->row[at->first_row + i - 1].id)
            line_of[i] = line_of[i - 1];
    parts->line_of = line_of;
    return true;
}

/* Which program a trace is about: the one that kept its TPUs busy for longest. */
#include "../derived/derive.h"

#include <stdlib.h>

bool xpd_main_program(const struct xpd_trace *trace, xpd_name_id *program)
{
    int64_t *total_ps = calloc((size_t)trace->names.count + 1, sizeof *total_ps);
    *program = XPD_NO_NAME;
    if (!total_ps)
        return false;
    xpd_name_id best = XPD_NO_NAME;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const struct xpd_trace_row *row = &trace->row[r];
        if (row->kind != XPD_ROW_MODULES || trace->process[row->process].kind != XPD_PROCESS_TPU)
            continue;
        for (uint32_t d = 0; d < row->depth_count; d++) {
            const struct xpd_depth *depth = &trace->depth[row->first_depth + d];
            for (uint32_t i = 0; i < depth->count; i++) {
                xpd_name_id name = trace->name[depth->name[i]].caption;
                if (total_ps[name] <= INT64_MAX - depth->duration_ps[i])
                    total_ps[name] += depth->duration_ps[i];
                if (best == XPD_NO_NAME || total_ps[name] > total_ps[best])
                    best = name;
            }
        }
    }
    free(total_ps);
    *program = best;
    return true;
}

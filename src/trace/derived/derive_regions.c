/* Work of thread pools: from ThreadpoolListener::StartRegion to StopRegion. */
#include "derive.h"
#include <stdio.h>

#define REGION "ThreadpoolListener::Region"

static bool is_called(const struct xpd_trace *trace, uint32_t name, xpd_name_id wanted)
{
    return wanted != XPD_NO_NAME && trace->name[name].name == wanted;
}

static void regions_of_row(struct xpd_deriving *deriving, uint32_t row, xpd_name_id start_name,
                           xpd_name_id stop_name)
{
    const struct xpd_trace *trace = deriving->trace;
    struct xpd_builder builder = {0};
    struct xpd_merge merge;
    struct xpd_merged event, start = {0};
    bool open = false;
    xpd_merge_init(&merge, true);
    xpd_merge_add_row(&merge, trace, row);
    while (xpd_merge_next(&merge, &event)) {
        if (is_called(trace, event.name, start_name)) {
            start = event;
            open = true;
        } else if (open && is_called(trace, event.name, stop_name)) {
            struct xpd_drawn drawn = {
                .start_ps = start.start_ps,
                .end_ps = event.start_ps + event.duration_ps,
                .event = start.event,
                .name = xpd_derive_name(deriving, XPD_STR(REGION), XPD_STR(REGION), XPD_OP_NONE),
                .pair = xpd_derive_pair(deriving, event.event, -1)};
            XPD_PUSH(&builder.drawn, drawn);
            open = false;
        }
    }
    deriving->failed |= merge.failed;
    xpd_merge_fini(&merge);
    char caption[300];
    struct xpd_str thread = xpd_intern_get(&trace->names, trace->row[row].caption);
    (void)snprintf(caption, sizeof caption, "%.*s: regions",
                   (int)(thread.size < 256 ? thread.size : 256), thread.data);
    xpd_derive_row(
        deriving, trace->row[row].process, trace->row[row].id, xpd_str_of(caption), XPD_ROW_LINE,
        "From each ThreadpoolListener::StartRegion to the next StopRegion of the thread", &builder);
    xpd_builder_fini(&builder);
}

void xpd_derive_regions(struct xpd_deriving *deriving, uint32_t process)
{
    const struct xpd_trace *trace = deriving->trace;
    const struct xpd_trace_process *at = &trace->process[process];
    xpd_name_id start = xpd_intern_find(&trace->names, XPD_STR("ThreadpoolListener::StartRegion"));
    xpd_name_id stop = xpd_intern_find(&trace->names, XPD_STR("ThreadpoolListener::StopRegion"));
    if (start == XPD_NO_NAME || stop == XPD_NO_NAME)
        return;
    for (uint32_t i = 0; i < at->row_count; i++)
        if (trace->row[at->first_row + i].kind == XPD_ROW_LINE)
            regions_of_row(deriving, at->first_row + i, start, stop);
}

/* The tids of rows: ids of lines, but of a GPU as XProf numbers them anew. */
#include "viewer_private.h"
#include "xprofd/compat/unstable_sort.h"

#include <stdlib.h>

/* Which planes XProf shows as processes, and under which pids. */

#define FIRST_DEVICE_PID 1u
#define LAST_DEVICE_PID  500u
#define FIRST_CUSTOM_PID 501u
#define FIRST_HOST_PID   701u

struct xpd_str xpd_xprof_plane_name(const struct xpd_trace *trace, uint32_t plane)
{
    return xpd_intern_get(&trace->space->names, trace->space->plane[plane].name);
}

struct host {
    struct xpd_str name;
    uint32_t plane;
};

static int by_name(const void *a, const void *b)
{
    const struct host *x = a, *y = b;
    int order = xpd_str_order(x->name, y->name);
    return order ? order : (x->plane > y->plane) - (x->plane < y->plane);
}

/* Host planes are numbered in order of their names, those that are not shown among them. */
static void number_hosts(struct xpd_xprof_planes *planes, struct host *host, uint32_t count)
{
    qsort(host, count, sizeof *host, by_name);
    for (uint32_t i = 0; i < count; i++)
        planes->hosts[host[i].plane] = i;
}

bool xpd_xprof_find_planes(struct xpd_xprof *xprof, struct xpd_xprof_planes *planes)
{
    const struct xpd_trace *trace = xprof->input.trace;
    uint32_t count = trace->space->plane_count, hosts = 0;
    struct host *host = malloc(((size_t)count + 1) * sizeof *host);
    *planes = (struct xpd_xprof_planes){.hosts = XPD_NEW_ARRAY(&xprof->arena, uint32_t, count)};
    for (uint32_t p = 0; host && p < count; p++) {
        struct xpd_str name = xpd_xprof_plane_name(trace, p);
        planes->gpu |= xpd_str_starts(name, "/device:GPU:");
        planes->tpu |= xpd_str_starts(name, "/device:TPU:");
        if (xpd_str_starts(name, "/host:CPU"))
            host[hosts++] = (struct host){name, p};
    }
    bool fine = host && planes->hosts;
    if (fine)
        number_hosts(planes, host, hosts);
    free(host);
    return fine;
}

/* 0 = XProf does not show this process. */
static uint32_t new_pid_of(const struct xpd_trace *trace, uint32_t plane,
                           enum xpd_process_kind kind, const struct xpd_xprof_planes *planes)
{
    int64_t id = trace->space->plane[plane].id;
    if (kind == XPD_PROCESS_HOST)
        return FIRST_HOST_PID + planes->hosts[plane];
    if (kind == XPD_PROCESS_CUSTOM)
        return FIRST_CUSTOM_PID + (uint32_t)id;
    if (kind != XPD_PROCESS_GPU && (planes->gpu || !xpd_process_is_tpu(kind)))
        return 0;
    return id < 0 || id >= LAST_DEVICE_PID ? FIRST_DEVICE_PID : FIRST_DEVICE_PID + (uint32_t)id;
}

/* The old viewer's: one kind of device, one host plane. False: not shown. */
static bool old_pid_of(const struct xpd_trace *trace, uint32_t plane, enum xpd_process_kind kind,
                       const struct xpd_xprof_planes *planes, uint32_t *pid)
{
    *pid = FIRST_DEVICE_PID + (uint32_t)trace->space->plane[plane].id;
    if (kind == XPD_PROCESS_HOST) {
        *pid = FIRST_HOST_PID;
        return xpd_str_eq(xpd_xprof_plane_name(trace, plane), XPD_STR("/host:CPU"));
    }
    if (kind == XPD_PROCESS_CUSTOM)
        return !planes->gpu && !planes->tpu;
    return kind == XPD_PROCESS_GPU || (xpd_process_is_tpu(kind) && !planes->gpu);
}

bool xpd_xprof_pid(const struct xpd_xprof *xprof, uint32_t plane, enum xpd_process_kind kind,
                   const struct xpd_xprof_planes *planes, uint32_t *pid)
{
    const struct xpd_trace *trace = xprof->input.trace;
    if (xprof->input.old)
        return old_pid_of(trace, plane, kind, planes, pid);
    *pid = new_pid_of(trace, plane, kind, planes);
    return *pid != 0;
}

/* Lines of a GPU are numbered anew, with room for the rows derived from each; behind the last one
 * that has room a line has no such rows and keeps its number. */
#define GPU_TIDS (1 + XPD_IDS_A_STREAM)
enum { GPU_LINES_MOST = 16 };

uint32_t xpd_xprof_row_tid(const struct xpd_xprof *xprof, const struct xpd_xprof_parts *parts,
                           uint32_t number)
{
    const struct xpd_trace_row *row = &xprof->input.trace->row[number];
    uint32_t place = parts->place_of ? parts->place_of[row->line] : XPD_NO_INDEX;
    return place == XPD_NO_INDEX ? (uint32_t)row->id : 1 + GPU_TIDS * place;
}

bool xpd_xprof_lacks(const struct xpd_trace_row *row)
{
    return row->derived && row->id >= XPD_DERIVED_ID + XPD_OWN_STREAM_IDS;
}

bool xpd_xprof_derived_tid(const struct xpd_xprof *xprof, const struct xpd_xprof_parts *parts,
                           const struct xpd_trace_row *row, uint32_t *tid)
{
    *tid = (uint32_t)row->id;
    if (!parts->place_of || row->id < XPD_DERIVED_ID + XPD_STREAM_IDS)
        return true;
    int64_t at = row->id - XPD_DERIVED_ID - XPD_STREAM_IDS;
    if (xpd_xprof_lacks(row))
        return false;
    uint32_t stream = parts->derived_from[at / XPD_IDS_A_STREAM];
    uint32_t place = parts->place_of[xprof->input.trace->row[stream].line];
    *tid = 2 + place * GPU_TIDS + (uint32_t)(at % XPD_IDS_A_STREAM);
    return place != XPD_NO_INDEX;
}

/* Streams that compute first, then the fullest; std::sort decides between equal ones. */
static void place_lines(const struct xpd_trace *trace, const struct xpd_plane *plane,
                        struct xpd_unstable *line, uint32_t *place_of)
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < plane->line_count; l++) {
        const struct xpd_line *at = &plane->line[l];
        struct xpd_str name = xpd_intern_get(&trace->space->names, at->name);
        bool compute = xpd_str_find(name, XPD_STR("Compute"), false) != SIZE_MAX;
        place_of[l] = XPD_NO_INDEX;
        if ((uint32_t)at->id - (uint32_t)XPD_DERIVED_ID >= XPD_DERIVED_IDS)
            line[count++] = (struct xpd_unstable){
                .start_ps = !compute, .duration_ps = -(int64_t)at->event_count, .name = l};
    }
    xpd_unstable_sort(line, count);
    for (uint32_t i = 0; i < count && i < GPU_LINES_MOST; i++)
        place_of[line[i].name] = i;
}

bool xpd_xprof_number_lines(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts,
                            uint32_t process)
{
    const struct xpd_trace *trace = xprof->input.trace;
    const struct xpd_trace_process *at = &trace->process[process];
    const struct xpd_plane *plane = &trace->space->plane[at->plane];
    uint32_t count;
    parts->place_of = NULL;
    if (at->kind != XPD_PROCESS_GPU || xprof->without_derived)
        return true;
    uint32_t *row = XPD_NEW_ARRAY(&xprof->arena, uint32_t, (size_t)at->row_count + 1);
    uint32_t *place_of = XPD_NEW_ARRAY(&xprof->arena, uint32_t, (size_t)plane->line_count + 1);
    struct xpd_unstable *line = malloc(((size_t)plane->line_count + 1) * sizeof *line);
    bool fine = row && place_of && line && xpd_gpu_lines(trace, process, row, &count);
    if (fine) {
        place_lines(trace, plane, line, place_of);
        parts->place_of = place_of;
        parts->derived_from = row;
    }
    free(line);
    return fine;
}

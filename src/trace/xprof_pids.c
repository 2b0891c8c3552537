/* Which planes XProf shows as processes, and under which pids (trace.md 2.1, 2.2). */
#include "core.h"
#include "xprof.h"

#define FIRST_DEVICE_PID 1u
#define LAST_DEVICE_PID  500u
#define FIRST_CUSTOM_PID 501u
#define FIRST_HOST_PID   701u

struct xpd_str xpd_xprof_plane_name(const struct xpd_trace *trace, uint32_t plane)
{
    return xpd_intern_get(&trace->space->names, trace->space->plane[plane].name);
}

struct xpd_xprof_devices xpd_xprof_find_devices(const struct xpd_trace *trace)
{
    struct xpd_xprof_devices devices = {0};
    for (uint32_t p = 0; p < trace->space->plane_count; p++) {
        devices.gpu |= xpd_str_starts(xpd_xprof_plane_name(trace, p), "/device:GPU:");
        devices.tpu |= xpd_str_starts(xpd_xprof_plane_name(trace, p), "/device:TPU:");
    }
    return devices;
}

/* Host planes are numbered in order of their names, those that are not shown among them. */
static uint32_t host_pid(const struct xpd_trace *trace, struct xpd_str name)
{
    uint32_t before = 0;
    for (uint32_t p = 0; p < trace->space->plane_count; p++) {
        struct xpd_str other = xpd_xprof_plane_name(trace, p);
        size_t size = name.size < other.size ? name.size : other.size;
        int order = size ? memcmp(other.data, name.data, size) : 0;
        if (xpd_str_starts(other, "/host:CPU") &&
            (order < 0 || (order == 0 && other.size < name.size)))
            before++;
    }
    return FIRST_HOST_PID + before;
}

/* 0 = XProf does not show this process. */
static uint32_t new_pid_of(const struct xpd_trace *trace, uint32_t plane,
                           enum xpd_process_kind kind, struct xpd_xprof_devices devices)
{
    int64_t id = trace->space->plane[plane].id;
    if (kind == XPD_PROCESS_HOST)
        return host_pid(trace, xpd_xprof_plane_name(trace, plane));
    if (kind == XPD_PROCESS_CUSTOM)
        return FIRST_CUSTOM_PID + (uint32_t)id;
    if (kind != XPD_PROCESS_GPU && (devices.gpu || !xpd_process_is_tpu(kind)))
        return 0;
    return id < 0 || id >= LAST_DEVICE_PID ? FIRST_DEVICE_PID : FIRST_DEVICE_PID + (uint32_t)id;
}

/* The old viewer's: one kind of device, one host plane. False: not shown. */
static bool old_pid_of(const struct xpd_trace *trace, uint32_t plane, enum xpd_process_kind kind,
                       struct xpd_xprof_devices devices, uint32_t *pid)
{
    *pid = FIRST_DEVICE_PID + (uint32_t)trace->space->plane[plane].id;
    if (kind == XPD_PROCESS_HOST) {
        *pid = FIRST_HOST_PID;
        return xpd_str_eq(xpd_xprof_plane_name(trace, plane), XPD_STR("/host:CPU"));
    }
    if (kind == XPD_PROCESS_CUSTOM)
        return !devices.gpu && !devices.tpu;
    return kind == XPD_PROCESS_GPU || (xpd_process_is_tpu(kind) && !devices.gpu);
}

bool xpd_xprof_pid(const struct xpd_xprof *xprof, uint32_t plane, enum xpd_process_kind kind,
                   struct xpd_xprof_devices devices, uint32_t *pid)
{
    const struct xpd_trace *trace = xprof->input.trace;
    if (xprof->input.old)
        return old_pid_of(trace, plane, kind, devices, pid);
    *pid = new_pid_of(trace, plane, kind, devices);
    return *pid != 0;
}

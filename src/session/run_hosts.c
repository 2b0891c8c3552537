/* What the hosts of a run are as far as events go. */
#include "internal.h"

#include <stdio.h>

uint64_t xpd_host_events(const struct xpd_host *host)
{
    uint64_t count = 0;
    for (uint32_t i = 0; host->space && i < host->space->plane_count; i++)
        count += host->space->plane[i].event_count;
    return count;
}

bool xpd_host_has_events(const struct xpd_host *host)
{
    return xpd_host_events(host) > 0;
}

uint32_t xpd_run_traced_hosts(const struct xpd_run *run)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->host_count; i++)
        count += xpd_host_has_events(&run->host[i]);
    return count;
}

uint64_t xpd_host_file_bytes(const struct xpd_run *run, uint32_t host)
{
    uint64_t bytes = 0;
    if (host < run->host_count)
        return run->host[host].space->file_bytes;
    for (uint32_t i = 0; i < run->host_count; i++)
        bytes += xpd_host_has_events(&run->host[i]) ? run->host[i].space->file_bytes : 0;
    return bytes;
}

void xpd_host_title(const struct xpd_run *run, uint32_t host, char *text, size_t size)
{
    if (host < run->host_count)
        snprintf(text, size, "%.*s", 60, run->host[host].input->name);
    else
        snprintf(text, size, "%u hosts", xpd_run_traced_hosts(run));
}

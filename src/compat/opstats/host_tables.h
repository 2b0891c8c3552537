/* The tables of a host that several of XProf's tools ask for, made on several threads. */
#ifndef XPROFD_COMPAT_OPSTATS_HOST_TABLES_H
#define XPROFD_COMPAT_OPSTATS_HOST_TABLES_H

#include "duty.h"
#include "opstats.h"
#include "opstats_steps.h"

/* Makes op stats and steps, and with `duty` duty cycles, of the hosts that host= means. What fails
 * here fails again for whoever asks for it. */
void xpd_host_tables_ahead(const struct xpd_tool_ctx *ctx, bool duty);

#endif

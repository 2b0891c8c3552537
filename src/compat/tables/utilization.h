/* Utilization of a TPU's units from hardware counters, each relative to its peak in the cycles of
 * the sample. XProf supports two kinds of chips. Rules: XProf's tpu_generic_utilization_utils.cc.
 */
#ifndef XPROFD_COMPAT_TABLES_UTILIZATION_H
#define XPROFD_COMPAT_TABLES_UTILIZATION_H

#include "xprofd/base/str.h"
#include "xprofd/base/vec.h"

#include <stdint.h>

struct xpd_use { /* of a unit in a sample, in `unit` */
    double host, device, sample, node, achieved, peak;
    struct xpd_str name, unit; /* constants */
};
struct xpd_unit_uses {
    XPD_VEC(struct xpd_use) list;
};

struct xpd_use_counted { /* the value of a counter; of one id the last in `order` holds */
    uint64_t id, order, value;
};
struct xpd_use_chip; /* where the counters of a kind of chip are */
struct xpd_use_sample {
    const struct xpd_use_chip *chip;
    double device, number;           /* ids of the device and of the line */
    struct xpd_use_counted *counted; /* is sorted */
    size_t count;
    struct xpd_unit_uses *uses; /* they are added to it; list.failed = no memory */
};

/* By device_type_string; NULL if XProf does not support its counters. */
const struct xpd_use_chip *xpd_use_chip_called(struct xpd_str type);
/* Nothing without counters. */
void xpd_use_add(struct xpd_use_sample *sample);

#endif

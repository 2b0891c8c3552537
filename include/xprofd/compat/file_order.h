/* The order in which XProf meets the hosts and the programs of a run.
 *
 * Hosts of a run are taken as the file system lists their profiles: the first one has the cores
 * from 0 on.
 *
 * XProf writes each program to MODULE.hlo_proto.pb beside the profile. Asked for a program by a
 * part of its name, or for an instruction without a module, it takes the first file that fits, in
 * the order in which the file system lists the folder. ext4 lists a folder by a hash of the names
 * (half-MD4); where the file system has no seed of its own, as in images of machines, the order
 * follows from the names alone, and it is the one of every recorded answer
 * (docs/XPROF-DIFFERENCES.md). On a file system with a seed, or of another kind, XProf answers such
 * a question with another program; there is then no order to be equal to. */
#ifndef XPROFD_COMPAT_FILE_ORDER_H
#define XPROFD_COMPAT_FILE_ORDER_H

#include "xprofd/base/arena.h"
#include "xprofd/base/str.h"
#include "xprofd/session/store.h"

struct xpd_file_place { /* files are listed by hash, then by minor */
    uint32_t hash, minor;
};

/* Where ext4 lists a file of that name in its folder. */
struct xpd_file_place xpd_file_place_of(struct xpd_str name);

/* The hosts of a run in the order of their profiles: host_count indices in `arena`; NULL: no
 * memory. */
const uint32_t *xpd_host_order(const struct xpd_run *run, struct xpd_arena *arena);

/* The modules of a run in the order of their files: module_count indices in `arena`; NULL: no
 * memory. */
const uint32_t *xpd_file_order(const struct xpd_run *run, struct xpd_arena *arena);

#endif

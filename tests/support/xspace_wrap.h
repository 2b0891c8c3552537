/* xspace_wrap: puts HloProtos into an XSpace, as a profiler does. */
#ifndef TESTS_SUPPORT_XSPACE_WRAP_H
#define TESTS_SUPPORT_XSPACE_WRAP_H

#include "pbw.h"

struct xspace_module {
    const char *name; /* of the module; the metadata entry is called name(program_id) */
    uint64_t program_id;
    const void *hlo;
    size_t hlo_len;
};

/*
 * An XSpace with one plane /host:metadata that holds the modules as "Hlo Proto" stats. With
 * program_id_stats the ids are in stats of that name and the metadata ids are 1, 2, 3 …, as in
 * JAX's CPU captures; otherwise the metadata id is the program id, as on TPUs.
 */
void xspace_wrap_all(struct pbw *out, const struct xspace_module *modules, size_t n,
                     bool program_id_stats);
void xspace_wrap(struct pbw *out, const char *name, uint64_t program_id, const struct pbw *hlo);

#endif

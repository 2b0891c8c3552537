/*
 * broken: profiles that are wrong in one way each, built with hlo_builder and xspace_wrap.
 *
 * Every case is the bytes of one .xplane.pb. Nothing here says what a reader should make of them;
 * that is in tests/broken.
 */
#ifndef TESTS_SUPPORT_BROKEN_H
#define TESTS_SUPPORT_BROKEN_H

#include "pbw.h"

struct broken {
    const char *name; /* also the name of the run */
    void (*build)(struct pbw *out);
    bool large; /* more than some 100 kB */
};

extern const struct broken broken_hlo[], broken_spaces[];
extern const size_t n_broken_hlo, n_broken_spaces;

/* What every case starts from: V1 of the reference in a module of this name, as an XSpace. */
void broken_good(struct pbw *out, const char *module_name);

#endif

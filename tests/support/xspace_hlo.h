/*
 * xspace_hlo: the HloProto bytes of an xplane file, for tests that need real modules before or
 * without the profile layer; and where the shared data is.
 */
#ifndef TESTS_SUPPORT_XSPACE_HLO_H
#define TESTS_SUPPORT_XSPACE_HLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xspace_hlo {
    char name[200]; /* of the metadata entry: module(program id) */
    uint64_t program_id;
    const uint8_t *bytes;
    size_t size;
};

struct xspace_hlos {
    uint8_t *file;
    struct xspace_hlo *at;
    size_t count;
};

/* False (and empty) when the file cannot be read. In order of the program ids. */
bool xspace_hlos_load(struct xspace_hlos *out, const char *path);
void xspace_hlos_free(struct xspace_hlos *hlos);

/* XPD_SHARED, or ../shared beside the source tree; "" when neither is there. */
const char *shared_dir(void);
/* The only file below shared/data/<set>/logdir/plugins/profile/<run>/ that ends in .xplane.pb. */
bool shared_xplane(const char *set, char *path, size_t size);
/* The whole file, NUL-terminated; NULL when it cannot be read. free() it. */
char *shared_read(const char *path, size_t *size);

#endif

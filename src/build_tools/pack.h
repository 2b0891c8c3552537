/* Shared by the programs that put files into the binary. They run on the build machine only; a
 * failure ends the build. */
#ifndef XPROFD_SRC_BUILD_TOOLS_PACK_H
#define XPROFD_SRC_BUILD_TOOLS_PACK_H

#include <stddef.h>

#define PACK_PATH_BYTES 4096

struct pack_bytes {
    unsigned char *at; /* malloc'ed */
    size_t size;
};

void pack_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void pack_join(char out[PACK_PATH_BYTES], const char *folder, const char *name, const char *suffix);
/* A whole file, not empty. */
struct pack_bytes pack_load(const char *path);
void pack_save(const char *path, struct pack_bytes data);
/* By zopfli: 4 % smaller than zlib's best, once, at build time. It writes no time and no name, so
 * that equal input gives equal output. */
struct pack_bytes pack_gzip(struct pack_bytes raw);

#endif

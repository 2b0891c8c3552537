/* Files of the build: read, compressed, written. */
#include "pack.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zopfli/zopfli.h>

void pack_die(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("pack: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

void pack_join(char out[PACK_PATH_BYTES], const char *folder, const char *name, const char *suffix)
{
    int n = snprintf(out, PACK_PATH_BYTES, "%s/%s%s", folder, name, suffix);
    if (n < 0 || n >= PACK_PATH_BYTES)
        pack_die("path too long: %s/%s", folder, name);
}

struct pack_bytes pack_load(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        pack_die("cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        pack_die("%s is not a file; the page is one flat folder", path);
    if (st.st_size == 0)
        pack_die("%s is empty", path);
    struct pack_bytes data = {malloc((size_t)st.st_size), (size_t)st.st_size};
    FILE *file = fopen(path, "rb");
    if (!data.at || !file || fread(data.at, 1, data.size, file) != data.size)
        pack_die("cannot read %s", path);
    fclose(file);
    return data;
}

/* What is this large is loaded after the first view: 15 rounds make it 1 % smaller and take 12 s.
 */
#define LARGE_BYTES ((size_t)300 << 10)

struct pack_bytes pack_gzip(struct pack_bytes raw)
{
    ZopfliOptions options;
    struct pack_bytes out = {0};
    ZopfliInitOptions(&options);
    if (raw.size > LARGE_BYTES)
        options.numiterations = 1;
    ZopfliCompress(&options, ZOPFLI_FORMAT_GZIP, raw.at, raw.size, &out.at, &out.size);
    if (!out.at)
        pack_die("out of memory");
    return out;
}

void pack_save(const char *path, struct pack_bytes data)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data.at, 1, data.size, file) != data.size || fclose(file) != 0)
        pack_die("cannot write %s", path);
}

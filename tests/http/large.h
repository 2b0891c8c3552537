/* A compressed profile that takes a while to inflate. */
#ifndef XPROFD_TESTS_HTTP_LARGE_H
#define XPROFD_TESTS_HTTP_LARGE_H

#include "common.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define PADDING_MIB                                                                                \
    128 /* two thirds of a second: more than twice what a request waits before it says 202 */

/* One varint. */
static size_t put_varint(unsigned char *to, uint64_t value)
{
    size_t size = 0;
    for (; value >= 128; value >>= 7)
        to[size++] = (unsigned char)(value | 128);
    to[size++] = (unsigned char)value;
    return size;
}

/* A compressed profile that takes a while to inflate: a plane, then an unknown field, full of
 * noise that only Huffman coding makes smaller. */
__attribute__((unused)) static void write_large_profile(const char *path)
{
    static const unsigned char plane[] = "\x0a\x0b\x12\x09/host:CPU";
    static unsigned char noise[1 << 20];
    unsigned char head[16] = {0xa2, 0x06}; /* field 100, length-delimited */
    uint32_t seed = 7;
    for (size_t i = 0; i < sizeof noise; i++) {
        seed = seed * 1664525u + 1013904223u;
        noise[i] = (unsigned char)('a' + (seed >> 28));
    }
    gzFile out = gzopen(path, "wb1h");
    assert_non_null(out);
    gzwrite(out, plane, sizeof plane - 1);
    gzwrite(out, head, (unsigned)(2 + put_varint(head + 2, (uint64_t)PADDING_MIB << 20)));
    for (int i = 0; i < PADDING_MIB; i++)
        assert_int_equal(gzwrite(out, noise, sizeof noise), sizeof noise);
    assert_int_equal(gzclose(out), Z_OK);
}

/* A new folder `root` with the run "large" in it: one host in the file `name`. */
__attribute__((unused)) static void make_large_run(char root[64], const char *name)
{
    char path[256];
    strcpy(root, "/tmp/xprofd-large-XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/large", root);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/large/%s", root, name);
    write_large_profile(path);
}

__attribute__((unused)) static int remove_large_run(const char *root)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

#endif

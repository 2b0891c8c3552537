/* Files for tests, in $TMPDIR or /tmp. Every failure ends the test run: a test that cannot write
 * its input has nothing to say. */
#ifndef TESTS_SUPPORT_TEMPFILE_H
#define TESTS_SUPPORT_TEMPFILE_H

#include <stddef.h>
#include <stdint.h>

/* A new file with these bytes. Returns its path; temp_remove deletes the file and frees the path.
 * `suffix` is the end of its name, e.g. ".gz"; NULL is none. */
char *temp_file(const void *bytes, size_t size, const char *suffix);
void temp_remove(char *path);

/* Puts bytes at an offset of an existing file, which grows (sparse) when it must. */
void temp_write_at(const char *path, uint64_t offset, const void *bytes, size_t size);
void temp_resize(const char *path, uint64_t size);

#endif

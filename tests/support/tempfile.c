/* In: bytes. Out: files that exist until temp_remove. */
#define _GNU_SOURCE 1
#include "tempfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(int good, const char *what)
{
    if (!good) {
        perror(what);
        abort();
    }
}

static void write_all(int fd, uint64_t offset, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size != 0) {
        ssize_t n = pwrite(fd, at, size, (off_t)offset);
        must(n > 0, "pwrite");
        at += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
}

char *temp_file(const void *bytes, size_t size, const char *suffix)
{
    const char *directory = getenv("TMPDIR");
    char *path = NULL;
    if (!directory || !*directory)
        directory = "/tmp";
    if (!suffix)
        suffix = "";
    must(asprintf(&path, "%s/xpdtest-XXXXXX%s", directory, suffix) > 0, "asprintf");
    int fd = mkstemps(path, (int)strlen(suffix));
    must(fd >= 0, path);
    write_all(fd, 0, bytes, size);
    must(close(fd) == 0, path);
    return path;
}

void temp_remove(char *path)
{
    unlink(path);
    free(path);
}

void temp_write_at(const char *path, uint64_t offset, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    must(fd >= 0, path);
    write_all(fd, offset, bytes, size);
    must(close(fd) == 0, path);
}

void temp_resize(const char *path, uint64_t size)
{
    must(truncate(path, (off_t)size) == 0, path);
}

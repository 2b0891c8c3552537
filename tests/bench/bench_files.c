/* Directory pass over a 1 GB XSpace (sixteen device lines full of events, made here and removed
 * again); the floor is read() over the same file in the same run. */
#include "bench.h"
#include "pbw.h"
#include "xprofd/profile/xspace.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EVENTS_A_LINE 1000000
#define LINES         26

/* An XLine of events as a TPU writes them: metadata id, offset, duration and one stat. */
static void make_line(struct pbw *plane, int line)
{
    size_t mark = pbw_begin(plane, 3);
    pbw_int(plane, 1, line + 1);
    pbw_str(plane, 2, "XLA Ops");
    for (int64_t i = 0; i < EVENTS_A_LINE; i++) {
        size_t event = pbw_begin(plane, 4);
        pbw_int(plane, 1, 1 + i % 700);
        pbw_int(plane, 2, 1000000000 + i * 83000);
        pbw_int(plane, 3, 40000 + i % 4096);
        size_t stat = pbw_begin(plane, 4);
        pbw_int(plane, 1, 7);
        pbw_uint(plane, 3, (uint64_t)i * 977);
        pbw_end(plane, stat);
        size_t other = pbw_begin(plane, 4);
        pbw_int(plane, 1, 9);
        pbw_int(plane, 4, 3000000000 + i);
        pbw_end(plane, other);
        pbw_end(plane, event);
    }
    pbw_end(plane, mark);
}

static uint64_t make_file(int fd)
{
    uint64_t total = 0;
    for (int i = 0; i < LINES; i++) {
        struct pbw plane = {0}, space = {0};
        char name[32];
        snprintf(name, sizeof name, "/device:TPU:%d", i);
        pbw_int(&plane, 1, i + 1);
        pbw_str(&plane, 2, name);
        make_line(&plane, i);
        pbw_msg(&space, 1, &plane);
        if (write(fd, space.data, space.len) == (ssize_t)space.len)
            total += space.len;
        pbw_free(&plane);
        pbw_free(&space);
    }
    return total;
}

static void floor_read(void *arg)
{
    static char buffer[256 * 1024];
    int fd = open(arg, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && read(fd, buffer, sizeof buffer) > 0)
        ;
    if (fd >= 0)
        close(fd);
}

static void directory(void *arg)
{
    struct xpd_source *source = NULL;
    struct xpd_xspace *space = NULL;
    struct xpd_progress progress = {0};
    if (xpd_source_open(&source, arg, 0, NULL) != XPD_OK ||
        xpd_xspace_load(&space, source, &progress, 0, NULL) != XPD_OK)
        printf("  the directory pass failed\n");
    xpd_xspace_free(space);
    xpd_source_close(source);
}

void bench_files(const char *shared, const char *words)
{
    (void)words;
    (void)shared;
    const char *dir = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/xprofd-bench-XXXXXX.xplane.pb", dir ? dir : "/tmp");
    int fd = mkstemps(path, 10);
    if (fd < 0) {
        printf("no temporary file for the directory pass\n");
        return;
    }
    uint64_t size = make_file(fd);
    close(fd);
    double floor_ms = bench_median_ms(floor_read, path, 5);
    uint64_t before = bench_rss_bytes();
    double pass_ms = bench_median_ms(directory, path, 5);
    uint64_t after = bench_rss_bytes();
    unlink(path);
    printf("directory pass over %.2f GB, %d million events\n", (double)size / 1e9,
           LINES * EVENTS_A_LINE / 1000000);
    printf("  read() of the same file (floor)     %8.1f ms\n", floor_ms);
    printf("  directory pass                      %8.1f ms  %.2fx the floor; process grew by %.1f "
           "MB\n",
           pass_ms, pass_ms / floor_ms, after > before ? (double)(after - before) / 1e6 : 0.0);
}

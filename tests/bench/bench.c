/* Benchmark: what issue 3 section 7 asks for, each figure beside a floor measured in the same run.
 * Prints; judges nothing, because times on a shared machine are no test. XPD_SHARED names the
 * folder of real data sets. */
#include "bench.h"
#include "xprofd/profile/xspace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double bench_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double bench_median_ms(void (*fn)(void *), void *arg, int runs)
{
    double took[31];
    fn(arg);
    for (int i = 0; i < runs && i < 31; i++) {
        double start = bench_now_ms();
        fn(arg);
        took[i] = bench_now_ms() - start;
    }
    qsort(took, (size_t)runs, sizeof *took, by_value);
    return took[runs / 2];
}

double bench_cpu_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

double bench_least_cpu_ms(void (*fn)(void *), void *arg, int runs)
{
    double least = 0;
    fn(arg);
    for (int i = 0; i < runs; i++) {
        double start = bench_cpu_now_ms();
        fn(arg);
        double took = bench_cpu_now_ms() - start;
        least = i == 0 || took < least ? took : least;
    }
    return least;
}

double bench_process_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

struct bench_least bench_least_of(void (*fn)(void *), void *arg, int runs)
{
    struct bench_least least = {0};
    double *each = malloc((size_t)runs * sizeof *each);
    fn(arg);
    for (int i = 0; i < runs && each; i++) {
        double start = bench_now_ms(), cpu = bench_process_now_ms();
        fn(arg);
        cpu = bench_process_now_ms() - cpu;
        double took = bench_now_ms() - start;
        least.wall_ms = i == 0 || took < least.wall_ms ? took : least.wall_ms;
        each[i] = cpu;
    }
    if (each && runs > 0) {
        qsort(each, (size_t)runs, sizeof *each, by_value);
        least.cpu_ms = each[0];
        least.median_cpu_ms = each[runs / 2];
    }
    free(each);
    return least;
}

uint64_t bench_rss_bytes(void)
{
    unsigned long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f)
        return 0;
    if (fscanf(f, "%lu %lu", &pages, &resident) != 2)
        resident = 0;
    fclose(f);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint8_t *bench_read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long end = ftell(f);
    rewind(f);
    uint8_t *bytes = end > 0 ? malloc((size_t)end) : NULL;
    *size = bytes ? fread(bytes, 1, (size_t)end, f) : 0;
    fclose(f);
    return bytes;
}

uint8_t *bench_hlo_of(const char *xplane, const char *name, size_t *size)
{
    struct xpd_source *source = NULL;
    struct xpd_xspace *space = NULL;
    struct xpd_progress progress = {0};
    uint8_t *bytes = NULL;
    if (xpd_source_open(&source, xplane, 0, NULL) == XPD_OK &&
        xpd_xspace_load(&space, source, &progress, 0, NULL) == XPD_OK)
        for (uint32_t i = 0; i < space->hlo_count && !bytes; i++) {
            struct xpd_str module = xpd_intern_get(&space->names, space->hlo[i].name);
            if (name && !xpd_str_eq(module, xpd_str_of(name)))
                continue;
            *size = (size_t)space->hlo[i].bytes.size;
            bytes = malloc(*size);
            if (bytes &&
                xpd_source_read(source, space->hlo[i].bytes.offset, bytes, *size, NULL) != XPD_OK) {
                free(bytes);
                bytes = NULL;
            }
        }
    xpd_xspace_free(space);
    xpd_source_close(source);
    return bytes;
}

struct part {
    const char *name;
    void (*run)(const char *shared, const char *words);
};
static const struct part parts[] = {{"memory", bench_memory}, {"doctor", bench_doctor},
                                    {"files", bench_files},   {"program", bench_program},
                                    {"graph", bench_graph},   {"trace", bench_trace},
                                    {"pages", bench_pages},   {"text", bench_text}};

/* In a process of its own: the peak of its memory is not that of the parts before. */
static bool run_part(const struct part *part, const char *shared, const char *words)
{
    pid_t pid = fork();
    if (pid == 0) {
        part->run(shared, words);
        exit(0);
    }
    int status = 0;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* xprofd_bench [PART [WORDS]]: memory, doctor, files, program, graph, trace or pages; all without
 * one. memory WORDS asks only the questions whose name holds them, 40 times as often, for a
 * profiler to look at; trace large, totals, first, command or growth measures only that. */
int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "";
    bool met = false, fine = true;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (*only && strcmp(only, parts[i].name) != 0)
            continue;
        met = true;
        fine = run_part(&parts[i], getenv("XPD_SHARED"), argc > 2 ? argv[2] : NULL) && fine;
    }
    if (!met)
        fprintf(stderr, "%s: no such part\n", only);
    return met && fine ? 0 : 1;
}

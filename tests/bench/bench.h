/* Helpers of the benchmark program: a clock, the median of several runs, memory of this process. */
#ifndef XPROFD_TESTS_BENCH_H
#define XPROFD_TESTS_BENCH_H

#include <stddef.h>
#include <stdint.h>

double bench_now_ms(void);
/* Median of `runs` (at most 31) timings of fn(arg), in ms; one call before is not counted. */
double bench_median_ms(void (*fn)(void *), void *arg, int runs);
/* Least processor time of `runs` timings of fn(arg), in ms: what does not depend on who else is at
 * the machine. One call before is not counted. */
double bench_least_cpu_ms(void (*fn)(void *), void *arg, int runs);
double bench_cpu_now_ms(void);     /* processor time of this thread */
double bench_process_now_ms(void); /* ... of all threads */
/* The same of the clock and of the processor time of all threads, and the median of the latter:
 * what a question takes that each call asks differently. */
struct bench_least {
    double wall_ms, cpu_ms, median_cpu_ms;
};
struct bench_least bench_least_of(void (*fn)(void *), void *arg, int runs);
/* Resident memory of this process now, in bytes. */
uint64_t bench_rss_bytes(void);
/* Reads a whole file; NULL when it is not there. Free it. */
uint8_t *bench_read_file(const char *path, size_t *size);
/* The first HloProto of an xplane file, copied; NULL when there is none. `name` picks one by module
 * name, or NULL. */
uint8_t *bench_hlo_of(const char *xplane, const char *name, size_t *size);

/* Times of the tools on this HloProto and its analysis. `only`: those whose name holds it, or
 * NULL; `rounds` repeats each, for a profiler to look at. */
struct xpd_mem;
void bench_tools(const uint8_t *hlo, size_t size, const struct xpd_mem *mem, const char *only,
                 int rounds);

/* The parts. `shared`: the folder of real data sets, NULL = none. `words`: of memory, only
 * questions whose name holds them (of pages too); of trace, one of "large", "totals", "first",
 * "command" and "growth"; NULL = all; the others have none. */
void bench_memory(const char *shared, const char *words);
void bench_doctor(const char *shared, const char *words);
void bench_files(const char *shared, const char *words);
void bench_program(const char *shared, const char *words);
void bench_graph(const char *shared, const char *words);
void bench_text(const char *shared, const char *words);
void bench_trace(const char *shared, const char *words);
void bench_pages(const char *shared, const char *words);

#endif

/* gen_vectors: writes the test vectors, or a large HloProto for measuring, to files. */
#include "hlo_bench.h"
#include "vectors.h"
#include "xspace_gen.h"
#include "xspace_wrap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "gen_vectors [--xspace] DIR                        V1.hlo_proto.pb … S13.hlo_proto.pb;\n"
    "                                                  --xspace: also vectors.xplane.pb\n"
    "gen_vectors --bench INSTRUCTIONS BUFFERS EVENTS FILE\n"
    "gen_vectors --events SHAPE EVENTS FILE  an XSpace; shapes as in xspace_gen.c\n";

static bool write_vectors(const char *dir)
{
    for (size_t i = 0; i < n_vectors; i++) {
        struct pbw hlo = {0};
        char path[4096];
        vectors[i].build(&hlo);
        snprintf(path, sizeof path, "%s/%s.hlo_proto.pb", dir, vectors[i].name);
        bool ok = pbw_save(&hlo, path);
        pbw_free(&hlo);
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* All vectors in one XSpace; their program ids are 1001, 1002 … in the order of the table. */
static bool write_xspace(const char *dir)
{
    struct xspace_module *modules = calloc(n_vectors, sizeof *modules);
    struct pbw *hlos = calloc(n_vectors, sizeof *hlos);
    struct pbw xspace = {0};
    bool ok = false;
    if (modules && hlos) {
        for (size_t i = 0; i < n_vectors; i++) {
            vectors[i].build(&hlos[i]);
            modules[i] =
                (struct xspace_module){vectors[i].name, 1001 + i, hlos[i].data, hlos[i].len};
        }
        xspace_wrap_all(&xspace, modules, n_vectors, false);
        char path[4096];
        snprintf(path, sizeof path, "%s/vectors.xplane.pb", dir);
        ok = pbw_save(&xspace, path);
        for (size_t i = 0; i < n_vectors; i++) {
            pbw_free(&hlos[i]);
        }
    }
    pbw_free(&xspace);
    free(hlos);
    free(modules);
    return ok;
}

static bool count(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *out = value;
    return errno == 0 && end != text && *end == '\0' && value >= 0 && value <= INT32_MAX;
}

static bool write_bench(char **arg)
{
    struct bench_size size;
    if (!count(arg[0], &size.instructions) || !count(arg[1], &size.buffers) ||
        !count(arg[2], &size.events)) {
        fputs(usage, stderr);
        return false;
    }
    struct pbw hlo = {0};
    bench_build(&hlo, &size);
    bool ok = pbw_save(&hlo, arg[3]);
    printf("%lld instructions, %lld buffers, %lld events, %zu bytes\n",
           (long long)size.instructions, (long long)size.buffers, (long long)size.events, hlo.len);
    pbw_free(&hlo);
    return ok;
}

/* SHAPE EVENTS FILE */
static bool write_events(char **args)
{
    for (int shape = 0; shape < XSG_SHAPE_COUNT; shape++)
        if (strcmp(args[0], xsg_shape_name((enum xsg_shape)shape)) == 0)
            return xsg_write(args[2], (enum xsg_shape)shape, strtoull(args[1], NULL, 10));
    fprintf(stderr, "no shape %s\n", args[0]);
    return false;
}

int main(int argc, char **argv)
{
    bool ok;
    if (argc == 6 && strcmp(argv[1], "--bench") == 0) {
        ok = write_bench(argv + 2);
    } else if (argc == 5 && strcmp(argv[1], "--events") == 0) {
        ok = write_events(argv + 2);
    } else if (argc == 3 && strcmp(argv[1], "--xspace") == 0) {
        ok = write_vectors(argv[2]) && write_xspace(argv[2]);
    } else if (argc == 2 && argv[1][0] != '-') {
        ok = write_vectors(argv[1]);
    } else {
        fputs(usage, stderr);
        return 2;
    }
    return ok ? 0 : 1;
}

/* gen_large: writes a generated HloProto of any size, for what must hold of large programs. */
#include "hlo_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] = "gen_large FILE INSTRUCTIONS BUFFERS EVENTS   a file *.hlo_proto.pb\n"
                            "at most two events a buffer; prints what it really has\n";

int main(int argc, char **argv)
{
    struct pbw bytes = {0};
    if (argc != 5) {
        fputs(usage, stderr);
        return 2;
    }
    struct bench_size size = {.instructions = strtoll(argv[2], NULL, 10),
                              .buffers = strtoll(argv[3], NULL, 10),
                              .events = strtoll(argv[4], NULL, 10)};
    if (size.instructions < 1 || size.buffers < 1 || size.events > 2 * size.buffers) {
        fputs(usage, stderr);
        return 2;
    }
    bench_build(&bytes, &size);
    bool ok = pbw_save(&bytes, argv[1]);
    printf("%" PRId64 " instructions, %" PRId64 " buffers, %" PRId64 " events\n", size.instructions,
           size.buffers, size.events);
    pbw_free(&bytes);
    return ok ? 0 : 1;
}

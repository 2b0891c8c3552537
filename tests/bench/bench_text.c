/* Reading HLO text (issue 18, 4): text of the real module of 54,323 instructions, as our printer
 * writes it in long form with metadata, and a million instructions in one computation. Least
 * processor time, one thread; target 100 MB of real text a second. */
#include "bench.h"
#include "xprofd/hlo/parse.h"
#include "xprofd/hlo/print.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void parse(void *arg)
{
    const struct xpd_strbuf *text = arg;
    struct xpd_arena arena = {0};
    struct xpd_warnings warnings = {.arena = &arena};
    struct xpd_str module;
    struct xpd_hlo_names *names;
    struct xpd_err err = {0};
    if (xpd_hlo_text_parse((struct xpd_str){text->data, text->size}, "bench", &arena, &warnings,
                           &module, &names, &err) != XPD_OK)
        printf("  %s\n", err.text);
    xpd_arena_fini(&arena);
}

static void measure(const char *what, struct xpd_strbuf *text)
{
    enum { RUNS = 9 };
    double ms = bench_least_cpu_ms(parse, text, RUNS);
    printf("  %-40s %8.1f MB %8.1f ms %6.0f MB/s\n", what, (double)text->size / 1e6, ms,
           (double)text->size / 1e3 / ms);
}

static bool print_real(const char *shared, struct xpd_strbuf *out)
{
    char path[1200];
    size_t size;
    struct xpd_hlo *hlo = NULL;
    struct xpd_hlo_printer *printer = NULL;
    snprintf(path, sizeof path,
             "%s/data/tpu_big_transformer/logdir/plugins/profile/aot/host0.xplane.pb", shared);
    uint8_t *bytes = bench_hlo_of(path, NULL, &size);
    if (!bytes)
        return false;
    if (xpd_hlo_load(&hlo, bytes, size, 0, "bench", NULL, NULL) == XPD_OK &&
        xpd_hlo_printer_new(&printer, hlo, bytes, size, NULL) == XPD_OK)
        xpd_hlo_print_module(printer, XPD_PRINT_LONG | XPD_PRINT_METADATA, out, NULL);
    xpd_hlo_printer_free(printer);
    xpd_hlo_free(hlo);
    free(bytes);
    return out->size != 0 && !out->failed;
}

static void write_long(struct xpd_strbuf *out)
{
    enum { INSTRUCTIONS = 1000000 };
    xpd_strbuf_puts(out, "HloModule m, is_scheduled=true\n\nENTRY %e {\n"
                         "  %i0 = f32[4]{0} parameter(0)\n");
    for (int i = 1; i < INSTRUCTIONS; i++)
        xpd_strbuf_printf(out, "  %s%%i%d = f32[4]{0} add(%%i%d, %%i%d)\n",
                          i + 1 == INSTRUCTIONS ? "ROOT " : "", i, i - 1, i / 2);
    xpd_strbuf_puts(out, "}\n");
}

void bench_text(const char *shared, const char *words)
{
    struct xpd_strbuf text = {0};
    (void)words;
    printf("HLO text read\n");
    if (shared && print_real(shared, &text))
        measure("tpu_big_transformer, long, metadata", &text);
    else
        printf("  no shared data: the real text is skipped\n");
    xpd_strbuf_clear(&text);
    write_long(&text);
    measure("a million instructions", &text);
    xpd_strbuf_fini(&text);
}

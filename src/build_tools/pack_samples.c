/* pack_samples OUT NAME=FILE...: makes OUT/samples.S (and one .gz per file) from profiles.
 *
 * Out: assembler that pulls the compressed bytes in with .incbin, and a table of struct
 * xpd_sample_file (src/cli/cli_samples.c) in the order given. Runs on the build machine only. */
#include "pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_name(const char *name)
{
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name) || !*name)
        pack_die("a sample is named with small letters, digits and _, not %s", name);
}

/* Returns the compressed size. */
static size_t write_sample(FILE *s, const char *folder, char *argument, int index)
{
    char path[PACK_PATH_BYTES];
    char *file = strchr(argument, '=');
    if (!file)
        pack_die("expected NAME=FILE, not %s", argument);
    *file++ = '\0';
    check_name(argument);
    struct pack_bytes raw = pack_load(file), gz = pack_gzip(raw);
    pack_join(path, folder, argument, ".sample.gz");
    pack_save(path, gz);
    fprintf(s, "\n    .section .rodata\nsample_name_%d: .asciz \"%s\"\n", index, argument);
    fprintf(s, "    .balign 16\nsample_%d: .incbin \"%s\"\n", index, path);
    fprintf(s,
            "    .section .data.rel.ro, \"aw\"\n    .8byte sample_name_%d, sample_%d, %zu, %zu\n",
            index, index, gz.size, raw.size);
    size_t size = gz.size;
    free(raw.at);
    free(gz.at);
    return size;
}

int main(int argc, char **argv)
{
    char path[PACK_PATH_BYTES];
    size_t size = 0;
    if (argc < 3)
        pack_die("usage: pack_samples OUT NAME=FILE...");
    pack_join(path, argv[1], "samples.S", "");
    FILE *s = fopen(path, "w");
    if (!s)
        pack_die("cannot write %s", path);
    fprintf(s, "/* Made by pack_samples. A row is a struct xpd_sample_file: name, gzip, its size, "
               "size of the file. */\n");
    fprintf(s, "    .section .data.rel.ro, \"aw\"\n    .globl xpd_sample_file_table\n    .balign "
               "16\nxpd_sample_file_table:\n");
    for (int i = 2; i < argc; i++)
        size += write_sample(s, argv[1], argv[i], i - 2);
    fprintf(s,
            "\n    .section .rodata\n    .globl xpd_sample_file_count\n    .balign "
            "8\nxpd_sample_file_count: .8byte %d\n",
            argc - 2);
    fprintf(s, "    .section .note.GNU-stack, \"\"\n");
    if (fclose(s) != 0)
        pack_die("cannot write %s", path);
    printf("%d samples are %zu bytes gzipped\n", argc - 2, size);
    return 0;
}

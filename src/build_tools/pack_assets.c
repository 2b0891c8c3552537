/* pack_assets FOLDER OUT: makes OUT/assets.S (and one .gz per file) from the built page.
 *
 * In: a flat folder of files; NAME.br is NAME packed with brotli, taken where it is a tenth smaller
 * than gzip. Out: assembler that pulls the bytes in with .incbin and a table of
 * struct xpd_asset (src/server/assets.h), sorted by name. Runs on the build machine only. A missing
 * or empty file, a subfolder or a folder without index.html ends the build: a page that is silently
 * incomplete is worse than none. */
#include "pack.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILES_MAX 256

static char *names[FILES_MAX];
static size_t name_count;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (*c < '!' || *c > '~' || *c == '"' || *c == '\\')
            pack_die("file name with a character that needs quoting: %s", name);
}

static bool is_brotli(const char *name)
{
    const char *ending = strrchr(name, '.');
    return ending && strcmp(ending, ".br") == 0;
}

static void list(const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        pack_die("cannot open %s: %s", folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            is_brotli(entry->d_name))
            continue;
        if (name_count == FILES_MAX)
            pack_die("more than %d files in %s", FILES_MAX, folder);
        check_name(entry->d_name);
        names[name_count] = strdup(entry->d_name);
        if (!names[name_count++])
            pack_die("out of memory");
    }
    closedir(dir);
    qsort(names, name_count, sizeof *names, by_name);
}

static uint64_t fnv1a(struct pack_bytes data)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < data.size; i++)
        hash = (hash ^ data.at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The size of the brotli file beside the one of this name, 0 = none that is worth it. */
static size_t brotli_size(const char *path, size_t gzip_size)
{
    struct stat st;
    bool smaller = stat(path, &st) == 0 && (uint64_t)st.st_size * 10 <= (uint64_t)gzip_size * 9;
    return smaller ? (size_t)st.st_size : 0;
}

/* Returns the bytes that go over the wire, as gzip. */
static size_t write_entry(FILE *s, const char *folder, const char *out_folder, size_t index)
{
    char raw_path[PACK_PATH_BYTES], gz_path[PACK_PATH_BYTES], br_path[PACK_PATH_BYTES];
    pack_join(br_path, folder, names[index], ".br");
    pack_join(raw_path, folder, names[index], "");
    pack_join(gz_path, out_folder, names[index], ".gz");
    struct pack_bytes raw = pack_load(raw_path);
    struct pack_bytes gz = pack_gzip(raw);
    bool smaller = gz.size < raw.size;
    if (smaller)
        pack_save(gz_path, gz);
    fprintf(s,
            "\n    .section .rodata\nname_%zu: .asciz \"%s\"\ntag_%zu: .asciz \"\\\"%016" PRIx64
            "\\\"\"\n",
            index, names[index], index, fnv1a(raw));
    if (!smaller)
        fprintf(s, "    .balign 16\nraw_%zu: .incbin \"%s\"\n", index, raw_path);
    if (smaller)
        fprintf(s, "    .balign 16\ngz_%zu: .incbin \"%s\"\n", index, gz_path);
    size_t br_size = smaller ? brotli_size(br_path, gz.size) : 0;
    if (br_size > 0)
        fprintf(s, "    .balign 16\nbr_%zu: .incbin \"%s\"\n", index, br_path);
    fprintf(s, "    .section .data.rel.ro, \"aw\"\n    .8byte name_%zu, tag_%zu, ", index, index);
    if (smaller) /* browsers take gzip; raw bytes as well would make the program half as large again
                  */
        fprintf(s, "0, %zu\n", raw.size);
    else
        fprintf(s, "raw_%zu, %zu\n", index, raw.size);
    if (smaller)
        fprintf(s, "    .8byte gz_%zu, %zu\n", index, gz.size);
    else
        fprintf(s, "    .8byte 0, 0\n");
    if (br_size > 0)
        fprintf(s, "    .8byte br_%zu, %zu\n", index, br_size);
    else
        fprintf(s, "    .8byte 0, 0\n");
    size_t sent = smaller ? gz.size : raw.size;
    free(raw.at);
    free(gz.at);
    return sent;
}

/* The first page links to everything loaded before the first view; other files are loaded on
 * demand. */
static bool is_first(struct pack_bytes index, const char *name)
{
    static const char *const attributes[] = {"href", "src"};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        char link[PACK_PATH_BYTES];
        int size = snprintf(link, sizeof link, "%s=\"%s\"", attributes[i], name);
        if (size < 0 || (size_t)size >= sizeof link)
            pack_die("name too long: %s", name);
        if (memmem(index.at, index.size, link, (size_t)size))
            return true;
    }
    return strcmp(name, "index.html") == 0;
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4)
        pack_die("usage: pack_assets FOLDER OUT [LIMIT of the first files together, gzipped]");
    size_t sent = 0, later = 0, limit = argc == 4 ? (size_t)strtoull(argv[3], NULL, 10) : SIZE_MAX;
    list(argv[1]);
    bool has_index = false;
    for (size_t i = 0; i < name_count; i++)
        has_index = has_index || strcmp(names[i], "index.html") == 0;
    if (!has_index)
        pack_die("%s has no index.html", argv[1]);
    char path[PACK_PATH_BYTES];
    pack_join(path, argv[2], "assets.S", "");
    FILE *s = fopen(path, "w");
    if (!s)
        pack_die("cannot write %s: %s", path, strerror(errno));
    fprintf(s, "/* Made by pack_assets. A row is a struct xpd_asset: name, tag, raw, its size, gz, "
               "its size, br, its size. */\n");
    fprintf(s, "    .section .data.rel.ro, \"aw\"\n    .globl xpd_asset_table\n    .balign "
               "16\nxpd_asset_table:\n");
    pack_join(path, argv[1], "index.html", "");
    struct pack_bytes index = pack_load(path);
    for (size_t i = 0; i < name_count; i++) {
        size_t size = write_entry(s, argv[1], argv[2], i);
        *(is_first(index, names[i]) ? &sent : &later) += size;
    }
    free(index.at);
    fprintf(s,
            "\n    .section .rodata\n    .globl xpd_asset_count\n    .balign 8\nxpd_asset_count: "
            ".8byte %zu\n",
            name_count);
    fprintf(s, "    .section .note.GNU-stack, \"\"\n");
    if (fclose(s) != 0)
        pack_die("cannot write %s", path);
    for (size_t i = 0; i < name_count; i++)
        free(names[i]);
    printf("the page is %zu bytes gzipped, and %zu later\n", sent, later);
    if (sent > limit)
        pack_die("that is more than the limit of %zu", limit);
    return 0;
}

/* pack_assets FOLDER OUT: makes OUT/assets.S (and one .gz per file) from the built page.
 *
 * In: a flat folder of files. Out: assembler that pulls the bytes in with .incbin and a table of
 * struct xpd_asset (src/server/assets.h), sorted by name. Runs on the build machine only. A missing
 * or empty file, a subfolder or a folder without index.html ends the build: a page that is silently
 * incomplete is worse than none. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zopfli/zopfli.h>

#define FILES_MAX      256
#define PATH_MAX_BYTES 4096

struct bytes {
    unsigned char *at;
    size_t size;
};

static char *names[FILES_MAX];
static size_t name_count;

static void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
static void die(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("pack_assets: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

static void join(char out[PATH_MAX_BYTES], const char *folder, const char *name, const char *suffix)
{
    int n = snprintf(out, PATH_MAX_BYTES, "%s/%s%s", folder, name, suffix);
    if (n < 0 || n >= PATH_MAX_BYTES)
        die("path too long: %s/%s", folder, name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (*c < '!' || *c > '~' || *c == '"' || *c == '\\')
            die("file name with a character that needs quoting: %s", name);
}

static void list(const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        die("cannot open %s: %s", folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (name_count == FILES_MAX)
            die("more than %d files in %s", FILES_MAX, folder);
        check_name(entry->d_name);
        names[name_count] = strdup(entry->d_name);
        if (!names[name_count++])
            die("out of memory");
    }
    closedir(dir);
    qsort(names, name_count, sizeof *names, by_name);
}

static struct bytes load(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        die("cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        die("%s is not a file; the page is one flat folder", path);
    if (st.st_size == 0)
        die("%s is empty", path);
    struct bytes data = {malloc((size_t)st.st_size), (size_t)st.st_size};
    FILE *file = fopen(path, "rb");
    if (!data.at || !file || fread(data.at, 1, data.size, file) != data.size)
        die("cannot read %s", path);
    fclose(file);
    return data;
}

/* gzip by zopfli: 4 % smaller than zlib's best, once, at build time. It writes no time and no name,
 * so that equal input gives equal output. */
static struct bytes compress_bytes(struct bytes raw)
{
    ZopfliOptions options;
    struct bytes out = {0};
    ZopfliInitOptions(&options);
    ZopfliCompress(&options, ZOPFLI_FORMAT_GZIP, raw.at, raw.size, &out.at, &out.size);
    if (!out.at)
        die("out of memory");
    return out;
}

static void save(const char *path, struct bytes data)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data.at, 1, data.size, file) != data.size || fclose(file) != 0)
        die("cannot write %s", path);
}

static uint64_t fnv1a(struct bytes data)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < data.size; i++)
        hash = (hash ^ data.at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Returns the bytes that go over the wire. */
static size_t write_entry(FILE *s, const char *folder, const char *out_folder, size_t index)
{
    char raw_path[PATH_MAX_BYTES], gz_path[PATH_MAX_BYTES];
    join(raw_path, folder, names[index], "");
    join(gz_path, out_folder, names[index], ".gz");
    struct bytes raw = load(raw_path);
    struct bytes gz = compress_bytes(raw);
    bool smaller = gz.size < raw.size;
    if (smaller)
        save(gz_path, gz);
    fprintf(s,
            "\n    .section .rodata\nname_%zu: .asciz \"%s\"\ntag_%zu: .asciz \"\\\"%016" PRIx64
            "\\\"\"\n",
            index, names[index], index, fnv1a(raw));
    fprintf(s, "    .balign 16\nraw_%zu: .incbin \"%s\"\n", index, raw_path);
    if (smaller)
        fprintf(s, "    .balign 16\ngz_%zu: .incbin \"%s\"\n", index, gz_path);
    fprintf(s, "    .section .data.rel.ro, \"aw\"\n    .8byte name_%zu, tag_%zu, raw_%zu, %zu\n",
            index, index, index, raw.size);
    if (smaller)
        fprintf(s, "    .8byte gz_%zu, %zu\n", index, gz.size);
    else
        fprintf(s, "    .8byte 0, 0\n");
    size_t sent = smaller ? gz.size : raw.size;
    free(raw.at);
    free(gz.at);
    return sent;
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4)
        die("usage: pack_assets FOLDER OUT [LIMIT of all files together, gzipped]");
    size_t sent = 0, limit = argc == 4 ? (size_t)strtoull(argv[3], NULL, 10) : SIZE_MAX;
    list(argv[1]);
    bool has_index = false;
    for (size_t i = 0; i < name_count; i++)
        has_index = has_index || strcmp(names[i], "index.html") == 0;
    if (!has_index)
        die("%s has no index.html", argv[1]);
    char path[PATH_MAX_BYTES];
    join(path, argv[2], "assets.S", "");
    FILE *s = fopen(path, "w");
    if (!s)
        die("cannot write %s: %s", path, strerror(errno));
    fprintf(s, "/* Made by pack_assets. A row is a struct xpd_asset: name, tag, raw, its size, gz, "
               "its size. */\n");
    fprintf(s, "    .section .data.rel.ro, \"aw\"\n    .globl xpd_asset_table\n    .balign "
               "16\nxpd_asset_table:\n");
    for (size_t i = 0; i < name_count; i++)
        sent += write_entry(s, argv[1], argv[2], i);
    fprintf(s,
            "\n    .section .rodata\n    .globl xpd_asset_count\n    .balign 8\nxpd_asset_count: "
            ".8byte %zu\n",
            name_count);
    fprintf(s, "    .section .note.GNU-stack, \"\"\n");
    if (fclose(s) != 0)
        die("cannot write %s", path);
    for (size_t i = 0; i < name_count; i++)
        free(names[i]);
    printf("the page is %zu bytes gzipped\n", sent);
    if (sent > limit)
        die("that is more than the limit of %zu", limit);
    return 0;
}

/* Serves the files of the page from a table. In: a name. Out: bytes, type, tag. No name of a client
 * ever becomes part of a path. */
#include "assets.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define WEB_DIR_FILES_MAX  1000
#define WEB_FILE_MAX_BYTES (INT64_C(64) << 20)

extern const struct xpd_asset xpd_asset_table[];
extern const uint64_t xpd_asset_count;

struct folder_file {
    char *name, *path;
};

struct xpd_assets {
    struct folder_file *file; /* of --web-dir, sorted by name; NULL: the table in the binary */
    size_t file_count;
};

const char *xpd_asset_type(const char *name)
{
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".map", "application/json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".webp", "image/webp"},
        {".woff2", "font/woff2"},
        {".wasm", "application/wasm"},
        {".txt", "text/plain; charset=utf-8"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (xpd_str_ends(xpd_str_of(name), types[i][0]))
            return types[i][1];
    return "application/octet-stream";
}

bool xpd_asset_is_hashed(const char *name)
{
    const char *ending = strrchr(name, '.');
    if (!ending)
        return false;
    const char *start = ending;
    while (start > name && start[-1] != '.' && start[-1] != '-')
        start--;
    size_t size = (size_t)(ending - start);
    return start > name && size >= 8 &&
           (strspn(start, "0123456789abcdef") == size ||
            strspn(start, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == size);
}

/* ---- --web-dir ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct folder_file *)a)->name, ((const struct folder_file *)b)->name);
}

static bool add_file(struct xpd_assets *assets, const char *folder, const char *name)
{
    struct stat st;
    struct folder_file file = {strdup(name), NULL};
    if (asprintf(&file.path, "%s/%s", folder, name) < 0)
        file.path = NULL;
    bool had_memory = file.path && file.name;
    if (had_memory && stat(file.path, &st) == 0 && S_ISREG(st.st_mode)) {
        assets->file[assets->file_count++] = file;
        return true;
    }
    free(file.name);
    free(file.path);
    return had_memory; /* folders and broken links are left out */
}

static int list_folder(struct xpd_assets *assets, const char *folder, struct xpd_err *err)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return xpd_fail(err, errno == ENOENT ? XPD_ENOTFOUND : XPD_EIO, folder, XPD_NO_OFFSET,
                        "cannot open the folder of --web-dir: %s", strerror(errno));
    assets->file = calloc(WEB_DIR_FILES_MAX, sizeof *assets->file);
    bool fine = assets->file != NULL;
    for (struct dirent *entry; fine && (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.' && assets->file_count < WEB_DIR_FILES_MAX)
            fine = add_file(assets, folder, entry->d_name);
    closedir(dir);
    if (!fine)
        return xpd_fail(err, XPD_ENOMEM, folder, XPD_NO_OFFSET,
                        "no memory for the files of the page");
    qsort(assets->file, assets->file_count, sizeof *assets->file, by_name);
    return XPD_OK;
}

static const struct folder_file *find_file(const struct xpd_assets *assets, const char *name)
{
    struct folder_file key = {.name = (char *)(uintptr_t)name};
    if (!assets->file)
        return NULL;
    return bsearch(&key, assets->file, assets->file_count, sizeof *assets->file, by_name);
}

/* Read anew each time, so that an edit shows without a restart. */
static bool respond_from_folder(const struct folder_file *file, struct xpd_response *out)
{
    struct stat st;
    if (stat(file->path, &st) != 0 || st.st_size > WEB_FILE_MAX_BYTES)
        return false;
    FILE *in = fopen(file->path, "rb");
    char *bytes = malloc((size_t)st.st_size + 1);
    size_t size = in && bytes ? fread(bytes, 1, (size_t)st.st_size, in) : 0;
    if (in)
        fclose(in);
    if (!bytes)
        return false;
    *out = (struct xpd_response){.status = 200,
                                 .type = xpd_asset_type(file->name),
                                 .body = bytes,
                                 .size = size,
                                 .owner = bytes,
                                 .release = free,
                                 .caching = XPD_CACHE_CHECK};
    xpd_tag_of(bytes, size, out->tag);
    return true;
}

/* ---- the table in the binary ---- */

static int compare_asset(const void *name, const void *asset)
{
    return strcmp(name, ((const struct xpd_asset *)asset)->name);
}

static bool respond_from_binary(const char *name, const struct xpd_request_headers *headers,
                                struct xpd_response *out)
{
    const struct xpd_asset *asset = bsearch(name, xpd_asset_table, (size_t)xpd_asset_count,
                                            sizeof *xpd_asset_table, compare_asset);
    if (!asset)
        return false;
    *out = (struct xpd_response){
        .status = 200,
        .type = xpd_asset_type(name),
        .body = asset->raw,
        .size = (size_t)asset->raw_size,
        .caching = xpd_asset_is_hashed(name) ? XPD_CACHE_IMMUTABLE : XPD_CACHE_CHECK,
        .varies = asset->gzip != NULL,
    };
    snprintf(out->tag, sizeof out->tag, "%s", asset->tag);
    if (asset->gzip && xpd_accepts_gzip(headers->accept_encoding)) {
        out->body = asset->gzip;
        out->size = (size_t)asset->gzip_size;
        out->gzip = true;
        xpd_tag_mark_gzip(out->tag);
    }
    return true;
}

/* ---- both ---- */

int xpd_assets_open(struct xpd_assets **out, const char *web_dir, struct xpd_err *err)
{
    *out = NULL;
    struct xpd_assets *assets = calloc(1, sizeof *assets);
    if (!assets)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the page");
    int rc = web_dir ? list_folder(assets, web_dir, err) : XPD_OK;
    if (rc == XPD_OK && web_dir && !find_file(assets, "index.html"))
        rc = xpd_fail(err, XPD_ENOTFOUND, web_dir, XPD_NO_OFFSET,
                      "the folder of --web-dir has no index.html; it must be a built page "
                      "(node build.mjs --outdir FOLDER)");
    if (rc != XPD_OK) {
        xpd_assets_close(assets);
        return rc;
    }
    *out = assets;
    return XPD_OK;
}

void xpd_assets_close(struct xpd_assets *assets)
{
    if (!assets)
        return;
    for (size_t i = 0; i < assets->file_count; i++) {
        free(assets->file[i].name);
        free(assets->file[i].path);
    }
    free(assets->file);
    free(assets);
}

bool xpd_assets_respond(const struct xpd_assets *assets, struct xpd_str name,
                        const struct xpd_request_headers *headers, struct xpd_response *out)
{
    char text[256];
    if (name.size == 0 || name.size >= sizeof text)
        return false;
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    if (!assets->file)
        return respond_from_binary(text, headers, out);
    const struct folder_file *file = find_file(assets, text);
    return file && respond_from_folder(file, out);
}

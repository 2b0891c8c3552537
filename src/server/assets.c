/* Serves the files of the page from a table. In: a name. Out: bytes, type, tag. No name of a client
 * ever becomes part of a path. */
#include "assets.h"

#include "security.h"
#include "xprofd/server/page.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define WEB_FILE_MAX_BYTES (INT64_C(64) << 20)

extern const struct xpd_asset xpd_asset_table[];
extern const uint64_t xpd_asset_count;

struct xpd_assets {
    char *folder; /* --web-dir; NULL: the table in the binary */
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

/* The file of that name, -1 = none. The folder is listed each time, so that a new build shows
 * without a restart. The opened path comes from the list, never from the client's text.
 */
static int open_listed(const char *folder, const char *name)
{
    DIR *dir = opendir(folder);
    int fd = -1;
    if (!dir)
        return -1;
    for (struct dirent *entry; fd < 0 && (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, name) == 0)
            fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    closedir(dir);
    return fd;
}

/* A whole file in memory, NULL when it is not a regular file, or too large. Closes fd. */
static char *read_file(int fd, size_t *size)
{
    struct stat st;
    char *bytes = NULL;
    *size = 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= WEB_FILE_MAX_BYTES)
        bytes = malloc((size_t)st.st_size + 1);
    while (bytes && *size < (size_t)st.st_size) {
        ssize_t n = read(fd, bytes + *size, (size_t)st.st_size - *size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        *size += (size_t)n;
    }
    close(fd);
    return bytes;
}

static bool respond_from_folder(const char *folder, const char *name, struct xpd_response *out)
{
    size_t size = 0;
    int fd = open_listed(folder, name);
    char *bytes = fd >= 0 ? read_file(fd, &size) : NULL;
    if (!bytes)
        return false;
    *out = (struct xpd_response){.status = 200,
                                 .type = xpd_asset_type(name),
                                 .body = bytes,
                                 .size = size,
                                 .owner = bytes,
                                 .release = free,
                                 .caching = XPD_CACHE_CHECK};
    xpd_tag_of(bytes, size, out->tag);
    return true;
}

static int check_folder(const char *folder, struct xpd_err *err)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return xpd_fail(err, errno == ENOENT ? XPD_ENOTFOUND : XPD_EIO, folder, XPD_NO_OFFSET,
                        "cannot open the folder of --web-dir: %s", strerror(errno));
    closedir(dir);
    int fd = open_listed(folder, "index.html");
    if (fd < 0)
        return xpd_fail(err, XPD_ENOTFOUND, folder, XPD_NO_OFFSET,
                        "the folder of --web-dir has no index.html; it must be a built page "
                        "(node build.mjs --outdir FOLDER)");
    close(fd);
    return XPD_OK;
}

/* ---- the table in the binary ---- */

static int compare_asset(const void *name, const void *asset)
{
    return strcmp(name, ((const struct xpd_asset *)asset)->name);
}

static const struct xpd_asset *find_asset(const char *name)
{
    return bsearch(name, xpd_asset_table, (size_t)xpd_asset_count, sizeof *xpd_asset_table,
                   compare_asset);
}

/* Files are compressed in the program; clients without gzip get them inflated. */
static bool inflate_asset(const struct xpd_asset *asset, struct xpd_strbuf *out)
{
    z_stream z = {0};
    if (!xpd_strbuf_reserve(out, (size_t)asset->raw_size) || inflateInit2(&z, 15 + 16) != Z_OK)
        return false;
    z.next_in = (Bytef *)(uintptr_t)asset->gzip;
    z.avail_in = (uInt)asset->gzip_size;
    z.next_out = (Bytef *)out->data + out->size;
    z.avail_out = (uInt)asset->raw_size;
    bool whole = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == asset->raw_size;
    inflateEnd(&z);
    if (whole) {
        out->size += (size_t)asset->raw_size;
        out->data[out->size] = '\0';
    }
    return whole;
}

static bool respond_from_binary(const char *name, const struct xpd_request_headers *headers,
                                struct xpd_response *out)
{
    const struct xpd_asset *asset = find_asset(name);
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
    if (asset->brotli && xpd_accepts_brotli(headers->accept_encoding)) {
        out->body = asset->brotli;
        out->size = (size_t)asset->brotli_size;
        out->encoding = "br";
        xpd_tag_mark(out->tag, "br");
    } else if (asset->gzip && xpd_accepts_gzip(headers->accept_encoding)) {
        out->body = asset->gzip;
        out->size = (size_t)asset->gzip_size;
        out->encoding = "gzip";
        xpd_tag_mark(out->tag, "gz");
    } else if (!asset->raw) {
        struct xpd_strbuf raw = {0};
        if (!inflate_asset(asset, &raw)) {
            xpd_strbuf_fini(&raw);
            return false;
        }
        out->body = out->owner = xpd_strbuf_take(&raw, &out->size);
        out->release = free;
    }
    return true;
}

/* ---- both ---- */

int xpd_assets_open(struct xpd_assets **out, const char *web_dir, struct xpd_err *err)
{
    *out = NULL;
    struct xpd_assets *assets = calloc(1, sizeof *assets);
    if (!assets)
        return xpd_no_memory(err, NULL, "for the page");
    int rc = web_dir ? check_folder(web_dir, err) : XPD_OK;
    assets->folder = rc == XPD_OK && web_dir ? strdup(web_dir) : NULL;
    if (rc == XPD_OK && web_dir && !assets->folder)
        rc = xpd_no_memory(err, NULL, "for the page");
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
    free(assets->folder);
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
    bool found = assets->folder ? respond_from_folder(assets->folder, text, out)
                                : respond_from_binary(text, headers, out);
    if (found && xpd_is_layout_worker(name))
        out->policy = xpd_layout_policy;
    return found;
}

/* ---- for a report ---- */

static bool load_file(const char *web_dir, const char *name, struct xpd_strbuf *out)
{
    size_t size = 0;
    int fd = open_listed(web_dir, name);
    char *bytes = fd >= 0 ? read_file(fd, &size) : NULL;
    if (bytes)
        xpd_strbuf_add(out, bytes, size);
    free(bytes);
    return bytes != NULL;
}

int xpd_page_file(const char *web_dir, struct xpd_str name, struct xpd_strbuf *out,
                  struct xpd_err *err)
{
    char text[256];
    snprintf(text, sizeof text, "%.*s", (int)(name.size < 255 ? name.size : 255), name.data);
    bool found;
    if (web_dir) {
        found = load_file(web_dir, text, out);
    } else {
        const struct xpd_asset *asset = find_asset(text);
        found = asset && asset->raw;
        if (found)
            xpd_strbuf_add(out, asset->raw, (size_t)asset->raw_size);
        else if (asset)
            found = inflate_asset(asset, out);
    }
    if (!found)
        return xpd_fail(err, XPD_ENOTFOUND, text, XPD_NO_OFFSET, "the page has no file %s", text);
    return out->failed ? xpd_no_memory(err, text, "for %s", text) : XPD_OK;
}

int xpd_assets_file(void *assets, struct xpd_str name, struct xpd_strbuf *out, struct xpd_err *err)
{
    return xpd_page_file(((const struct xpd_assets *)assets)->folder, name, out, err);
}

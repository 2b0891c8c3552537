/* The walk over an archive that is the root: its files by folder, as the walk over a tree meets
 * them.
 *
 * Folders come in descending order, each before its contents, as in scan.c. Files are recognised by
 * their names only, not by their first bytes. */
#include "scan.h"

#include "xprofd/wire/archive.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct place { /* an entry: the folder is the first `folder_size` bytes of its path */
    const struct xpd_archive_entry *entry;
    size_t folder_size;
    const char *name;
};

static struct xpd_str folder_of(const struct place *place)
{
    return (struct xpd_str){place->entry->path, place->folder_size};
}

static bool same_folder(struct xpd_str a, struct xpd_str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool is_below(struct xpd_str folder, struct xpd_str above)
{
    return above.size == 0 || (folder.size > above.size && folder.data[above.size] == '/' &&
                               memcmp(folder.data, above.data, above.size) == 0);
}

/* A folder before those in it; of two names in one folder the greater first. */
static int by_folder(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    struct xpd_str left = folder_of(x), right = folder_of(y);
    size_t at = 0;
    while (at < left.size && at < right.size && left.data[at] == right.data[at])
        at++;
    if (at == left.size && at == right.size)
        return strcmp(x->name, y->name);
    if (is_below(right, left))
        return -1;
    if (is_below(left, right))
        return 1;
    int of_left = at < left.size && left.data[at] != '/' ? (unsigned char)left.data[at] : 0;
    int of_right = at < right.size && right.data[at] != '/' ? (unsigned char)right.data[at] : 0;
    return of_right - of_left;
}

static void add_file(struct xpd_folder_scan *scan, struct xpd_scan_folder *folder,
                     const struct xpd_archive_list *list, const struct place *place)
{
    struct xpd_scan_file file = {
        .name = place->name,
        .path = scan->real_root,
        .identity = list->identity,
        .entry = place->entry,
        .archive = &list->identity,
        .name_class = xpd_name_classify(xpd_str_of(place->name)),
        .problem = place->entry->size_bytes == 0 ? "The file has 0 bytes in the archive." : NULL,
    };
    file.identity.size_bytes = place->entry->size_bytes;
    file.identity.mtime_ns = place->entry->mtime_ns;
    if (file.name_class == XPD_NAME_NEAR)
        xpd_scan_add_near(scan, place->entry->path, NULL);
    if (!xpd_name_is_input(file.name_class))
        return;
    XPD_PUSH(&folder->file, file);
    scan->failed |= folder->file.failed;
}

/* error.txt in a folder is of the runs right below it as well. */
struct message {
    struct xpd_str folder;
    struct xpd_scan_file file;
};

static void keep_message(struct message *message, const struct xpd_scan_folder *folder)
{
    for (size_t i = 0; i < folder->file.count; i++)
        if (folder->file.at[i].name_class == XPD_NAME_ERROR_TEXT)
            *message = (struct message){xpd_str_of(folder->relative), folder->file.at[i]};
}

static bool is_right_above(const struct message *message, struct xpd_str folder)
{
    return message->file.name && is_below(folder, message->folder) &&
           !memchr(folder.data + message->folder.size + (message->folder.size > 0), '/',
                   folder.size - message->folder.size - (message->folder.size > 0));
}

static void add_folders(struct xpd_folder_scan *scan, const struct xpd_archive_list *list,
                        const struct place *place)
{
    struct message message = {0};
    for (uint32_t i = 0, end; i < list->count && !scan->failed; i = end) {
        struct xpd_str name = folder_of(&place[i]);
        struct xpd_scan_folder folder = {
            .relative = xpd_arena_strndup(&scan->catalog->arena, name.data, name.size),
            .path = scan->real_root,
            .mtime_ns = list->identity.mtime_ns,
            .error_above = is_right_above(&message, name) ? &message.file : NULL};
        scan->failed |= !folder.relative;
        scan->catalog->folder_count++;
        for (end = i; end < list->count; end++) {
            if (!same_folder(folder_of(&place[end]), name))
                break;
            add_file(scan, &folder, list, &place[end]);
        }
        if (!scan->failed) {
            struct message next = message;
            keep_message(&next, &folder);
            (void)xpd_scan_add_folder(scan, &folder);
            message = next;
        }
        XPD_VEC_FINI(&folder.file);
    }
}

static struct place *places_of(const struct xpd_archive_list *list, struct xpd_arena *arena)
{
    struct place *place = XPD_NEW_ARRAY(arena, struct place, list->count);
    for (uint32_t i = 0; place && i < list->count; i++) {
        const char *path = list->entry[i].path, *slash = strrchr(path, '/');
        place[i] = (struct place){.entry = &list->entry[i],
                                  .folder_size = slash ? (size_t)(slash - path) : 0,
                                  .name = slash ? slash + 1 : path};
    }
    if (place && list->count > 1)
        qsort(place, list->count, sizeof *place, by_folder);
    return place;
}

void xpd_scan_archive(struct xpd_folder_scan *scan)
{
    struct xpd_catalog *catalog = scan->catalog;
    struct xpd_archive_list *list = XPD_NEW(&catalog->arena, struct xpd_archive_list);
    struct xpd_err err = {0};
    int rc = list ? xpd_archive_list(list, scan->real_root, &catalog->arena, &err) : XPD_ENOMEM;
    struct place *place = rc == XPD_OK ? places_of(list, &catalog->arena) : NULL;
    if (rc == XPD_ENOMEM || (rc == XPD_OK && !place)) {
        scan->failed = true;
        return;
    }
    if (rc != XPD_OK) {
        catalog->root_problem = xpd_arena_strndup(&catalog->arena, err.text, strlen(err.text));
        scan->failed |= !catalog->root_problem;
        return;
    }
    catalog->file_count = list->count;
    catalog->links_skipped = list->left_out;
    catalog->stopped_at_limit = list->problem != NULL;
    catalog->limit_text = list->problem;
    add_folders(scan, list, place);
}

/* The walk over the tree below the root.
 *
 * Depth first with one open folder per level; folders are opened below their parent and never
 * through a link, so nothing outside the root is ever listed. A link to a file inside the root
 * counts as that file. Links to folders are not followed, because folders inside the root are found
 * anyway. Folders are visited in descending order: when a limit ends the walk, the newest sessions
 * have been seen. */
#include "scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)

struct level { /* one folder being listed */
    struct xpd_scan_folder folder;
    XPD_VEC(char *) child; /* names of folders, malloc'ed */
    uint32_t depth;
    int fd;
};

/* Trees that hold no profiles and may hold a million files. */
static bool is_skipped_name(const char *name)
{
    static const char *const skipped[] = {".git",         ".hg",         ".svn",
                                          "node_modules", "__pycache__", ".venv"};
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        if (strcmp(name, skipped[i]) == 0)
            return true;
    return false;
}

static void stop_at(struct xpd_folder_scan *scan, const char *text)
{
    struct xpd_catalog *catalog = scan->catalog;
    if (!text)
        scan->failed = true;
    if (!catalog->stopped_at_limit)
        catalog->limit_text = text;
    catalog->stopped_at_limit = true;
}

static const char *join(struct xpd_folder_scan *scan, const char *folder, const char *name)
{
    size_t size = strlen(folder);
    const char *slash = size == 0 || folder[size - 1] == '/' ? "" : "/";
    const char *text = xpd_arena_printf(&scan->catalog->arena, "%s%s%s", folder, slash, name);
    scan->failed |= !text;
    return text;
}

/* Where a link leads: its real path when that is the root or below it, else NULL (malloc'ed). */
static char *resolve_inside(const struct xpd_folder_scan *scan, const char *path)
{
    char *real = realpath(path, NULL);
    size_t root = strlen(scan->real_root);
    if (real && root > 1 &&
        (strncmp(real, scan->real_root, root) != 0 || (real[root] != '/' && real[root] != '\0'))) {
        free(real);
        real = NULL;
    }
    return real;
}

static void add_file(struct xpd_folder_scan *scan, struct level *level, const char *name,
                     const char *path, const struct stat *st, enum xpd_name_class class)
{
    struct xpd_arena *arena = &scan->catalog->arena;
    struct xpd_scan_file file = {
        .name = xpd_arena_strndup(arena, name, strlen(name)),
        .path = path,
        .identity = xpd_identity_from(st),
        .name_class = class,
        .problem = xpd_file_problem(level->fd, name, (uint64_t)st->st_size),
    };
    scan->failed |= !file.name || !file.path;
    XPD_PUSH(&level->folder.file, file);
    scan->failed |= level->folder.file.failed;
}

/* Links to files inside the root count as the file; folders inside are found anyway. Links out of
 * the root are counted and named, in case the user meant one.
 */
static void look_at_link(struct xpd_folder_scan *scan, struct level *level, const char *name)
{
    enum xpd_name_class class = xpd_name_classify(xpd_str_of(name));
    bool input = xpd_name_is_input(class);
    struct stat st;
    bool there = fstatat(level->fd, name, &st, 0) == 0;
    bool folder = there && S_ISDIR(st.st_mode);
    if (!input && !folder)
        return;
    const char *path = join(scan, level->folder.path, name);
    char *real = path ? resolve_inside(scan, path) : NULL;
    if (real && input && lstat(real, &st) == 0 && S_ISREG(st.st_mode)) {
        add_file(scan, level, name, xpd_arena_strndup(&scan->catalog->arena, real, strlen(real)),
                 &st, class);
    } else if (!real || !folder) {
        scan->catalog->links_skipped++;
        xpd_scan_add_near(scan, join(scan, level->folder.relative, name), NULL);
    }
    free(real);
}

static void look_at_file(struct xpd_folder_scan *scan, struct level *level, const char *name)
{
    enum xpd_name_class class = xpd_name_classify(xpd_str_of(name));
    struct stat st;
    if (class == XPD_NAME_OTHER || class == XPD_NAME_CACHE)
        return;
    if (fstatat(level->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return;
    if (class == XPD_NAME_TEXT && !xpd_file_is_module_text(level->fd, name))
        return;
    const char *path = join(scan, level->folder.path, name);
    if (class == XPD_NAME_NEAR ||
        (class == XPD_NAME_HEAP && !xpd_scan_begins_as_pprof(level->fd, name)))
        xpd_scan_add_near(scan, join(scan, level->folder.relative, name), path);
    else
        add_file(scan, level, name, path, &st, class);
}

static void look_at_entry(struct xpd_folder_scan *scan, struct level *level,
                          const struct dirent *entry)
{
    const char *name = entry->d_name;
    unsigned char type = entry->d_type;
    struct stat st;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return;
    if (type == DT_UNKNOWN && fstatat(level->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        type = (unsigned char)IFTODT(st.st_mode);
    if (type == DT_DIR) {
        char *copy = is_skipped_name(name) ? NULL : strdup(name);
        if (copy)
            XPD_PUSH(&level->child, copy);
        if (level->child.failed)
            free(copy);
        scan->failed |= level->child.failed;
        return;
    }
    scan->catalog->file_count++;
    if (type == DT_REG) {
        look_at_file(scan, level, name);
    } else if (type == DT_LNK) {
        look_at_link(scan, level, name);
    }
}

static int descending(const void *a, const void *b)
{
    return strcmp(*(char *const *)b, *(char *const *)a);
}

static void list_folder(struct xpd_folder_scan *scan, struct level *level)
{
    struct xpd_catalog *catalog = scan->catalog;
    int copy = fcntl(level->fd, F_DUPFD_CLOEXEC, 0); /* closedir closes what it was given */
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    struct dirent *entry;
    if (!dir) {
        if (copy >= 0)
            close(copy);
        catalog->unreadable_folders++;
        return;
    }
    while (!scan->failed && (entry = readdir(dir)) != NULL) {
        if (catalog->file_count >= scan->limit.max_files) {
            stop_at(scan, xpd_arena_printf(
                              &catalog->arena,
                              "The search stopped after %u files, in \"%s\"; open a subfolder.",
                              scan->limit.max_files, level->folder.relative));
            break;
        }
        look_at_entry(scan, level, entry);
    }
    closedir(dir);
    if (level->child.count > 1)
        qsort(level->child.at, level->child.count, sizeof *level->child.at, descending);
}

static void visit(struct xpd_folder_scan *scan, int fd, const char *relative, const char *path,
                  uint32_t depth, const struct xpd_scan_file *error_above);

static void visit_child(struct xpd_folder_scan *scan, struct level *level, const char *name,
                        const struct xpd_scan_file *error_text)
{
    struct xpd_catalog *catalog = scan->catalog;
    if (level->depth + 1 > scan->limit.max_depth) {
        stop_at(scan, xpd_arena_printf(&catalog->arena,
                                       "Folders more than %u deep were not searched, such as "
                                       "\"%s/%s\"; --scan-depth raises this.",
                                       scan->limit.max_depth, level->folder.relative, name));
        return;
    }
    if (catalog->folder_count >= scan->limit.max_folders) {
        stop_at(scan, xpd_arena_printf(&catalog->arena,
                                       "The search stopped after %u folders, before \"%s/%s\"; "
                                       "open a subfolder.",
                                       scan->limit.max_folders, level->folder.relative, name));
        return;
    }
    int fd = openat(level->fd, name, OPEN_FOLDER);
    if (fd >= 0) {
        const char *relative = join(scan, level->folder.relative, name);
        const char *path = join(scan, level->folder.path, name);
        if (scan->failed)
            close(fd);
        else
            visit(scan, fd, relative, path, level->depth + 1, error_text);
    } else if (errno == ELOOP || errno == ENOTDIR) {
        catalog->links_skipped++; /* it was a folder a moment ago */
    } else if (errno != ENOENT) {
        catalog->unreadable_folders++;
    }
}

/* Takes over fd. */
static void visit(struct xpd_folder_scan *scan, int fd, const char *relative, const char *path,
                  uint32_t depth, const struct xpd_scan_file *error_above)
{
    struct level level = {
        .folder = {.relative = relative, .path = path, .error_above = error_above},
        .depth = depth,
        .fd = fd,
    };
    struct stat st;
    if (fstat(fd, &st) == 0)
        level.folder.mtime_ns = xpd_identity_from(&st).mtime_ns;
    scan->catalog->folder_count++;
    list_folder(scan, &level);
    const struct xpd_scan_file *error_text = NULL;
    for (size_t i = 0; i < level.folder.file.count; i++)
        if (level.folder.file.at[i].name_class == XPD_NAME_ERROR_TEXT)
            error_text = &level.folder.file.at[i];
    bool is_run = !scan->failed && xpd_scan_add_folder(scan, &level.folder);
    scan->inside_runs += is_run;
    for (size_t i = 0; i < level.child.count; i++) {
        if (!scan->failed)
            visit_child(scan, &level, level.child.at[i], error_text);
        free(level.child.at[i]);
    }
    scan->inside_runs -= is_run;
    XPD_VEC_FINI(&level.child);
    XPD_VEC_FINI(&level.folder.file);
    close(fd);
}

void xpd_scan_tree(struct xpd_folder_scan *scan, int root_fd)
{
    visit(scan, root_fd, "", scan->real_root, 0, NULL);
}

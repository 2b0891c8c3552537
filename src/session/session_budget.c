/* Memory limits of the machine and of the control group.
 *
 * In a container MemTotal is that of the whole machine, and passing the group's limit ends the
 * process without a word: so the group counts too, with all its parents. */
#include "session_budget.h"

#include "xprofd/base/str.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define LEAST_BYTES ((uint64_t)64 << 20)

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number in a file, UINT64_MAX when there is none ("max", no such file). */
static uint64_t number_in(const char *path)
{
    char line[64] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    char *got = fgets(line, sizeof line, file);
    fclose(file);
    uint64_t value;
    struct xpd_str text = xpd_str_of(line);
    while (text.size != 0 && text.data[text.size - 1] == '\n')
        text.size--;
    /* v1 writes about 2^63 for "no limit" */
    return got && xpd_str_to_u64(text, &value) && value != 0 && value < INT64_MAX / 2 ? value
                                                                                      : UINT64_MAX;
}

static uint64_t machine_bytes(const char *root)
{
    char path[PATH_MAX], line[160];
    uint64_t kib = 0;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemTotal: %" SCNu64, &kib) == 1)
            break;
    fclose(file);
    return kib != 0 && kib < UINT64_MAX / 1024 ? kib * 1024 : UINT64_MAX;
}

/* The least limit from the group up to the root of its tree. */
static uint64_t limit_up(const char *base, char *group, const char *file)
{
    char path[PATH_MAX + 64];
    uint64_t limit = UINT64_MAX;
    for (;;) {
        snprintf(path, sizeof path, "%s%s/%s", base, group, file);
        limit = least(limit, number_in(path));
        char *slash = strrchr(group, '/');
        if (!slash || group[0] == '\0')
            return limit;
        *slash = '\0';
    }
}

static bool has_controller(const char *list, size_t size, const char *name)
{
    size_t length = strlen(name);
    for (size_t at = 0; at + length <= size; at++)
        if (memcmp(list + at, name, length) == 0 && (at == 0 || list[at - 1] == ',') &&
            (at + length == size || list[at + length] == ','))
            return true;
    return false;
}

/* Lines of /proc/self/cgroup: "0::/path" is v2, "5:memory:/path" v1. */
static uint64_t group_bytes(const char *root)
{
    char path[PATH_MAX], line[PATH_MAX], base[PATH_MAX];
    uint64_t limit = UINT64_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *first = strchr(line, ':');
        char *second = first ? strchr(first + 1, ':') : NULL;
        if (!second)
            continue;
        char *group = second + 1;
        if (strcmp(group, "/") == 0)
            group[0] = '\0';
        bool v2 = second == first + 1;
        if (!v2 && !has_controller(first + 1, (size_t)(second - first - 1), "memory"))
            continue;
        snprintf(base, sizeof base, "%s/sys/fs/cgroup%s", root, v2 ? "" : "/memory");
        limit = least(limit, limit_up(base, group, v2 ? "memory.max" : "memory.limit_in_bytes"));
    }
    fclose(file);
    return limit;
}

uint64_t xpd_budget_default(const char *root)
{
    uint64_t machine = machine_bytes(root), group = group_bytes(root);
    if (machine == UINT64_MAX && group == UINT64_MAX)
        return LEAST_BYTES;
    /* The cgroup is ours alone: the rest is for answers and work in progress. */
    uint64_t bytes = least(machine / 2, group / 8 * 5);
    return bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
}

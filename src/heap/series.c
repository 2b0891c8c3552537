/* Files that a process wrote one after the other: which step a file is of, and which files are a
 * series. In: names. Out: files in order. */
#include "xprofd/heap/heap.h"

#include <stdlib.h>
#include <string.h>

static bool number_at(struct xpd_str name, size_t begin, int64_t *step, size_t *size)
{
    size_t end = begin;
    while (end < name.size && name.data[end] >= '0' && name.data[end] <= '9')
        end++;
    *size = end - begin;
    return end > begin && xpd_str_to_i64((struct xpd_str){name.data + begin, end - begin}, step);
}

bool xpd_heap_step_of(struct xpd_str name, int64_t *step, size_t *begin, size_t *size)
{
    size_t at = xpd_str_find(name, XPD_STR("step"), true);
    if (at != SIZE_MAX) {
        at += strlen("step");
        if (at < name.size &&
            (name.data[at] == '_' || name.data[at] == '-' || name.data[at] == '='))
            at++;
        *begin = at;
        if (number_at(name, at, step, size))
            return true;
    }
    size_t end = name.size;
    while (end > 0 && (name.data[end - 1] < '0' || name.data[end - 1] > '9'))
        end--;
    size_t first = end;
    while (first > 0 && name.data[first - 1] >= '0' && name.data[first - 1] <= '9')
        first--;
    *begin = first;
    return end > first && number_at(name, first, step, size);
}

static int by_series(const void *a, const void *b)
{
    const struct xpd_heap_file *x = a, *y = b;
    int order = xpd_str_order(x->series, y->series);
    if (order == 0)
        order = (x->step > y->step) - (x->step < y->step);
    return order ? order : xpd_str_order(x->name, y->name);
}

static void name_series(struct xpd_heap_file *file, struct xpd_arena *arena)
{
    size_t begin, size;
    file->step = -1;
    file->series = file->name;
    if (!xpd_heap_step_of(file->name, &file->step, &begin, &size))
        return;
    const char *text =
        xpd_arena_printf(arena, "%.*s#%.*s", (int)begin, file->name.data,
                         (int)(file->name.size - begin - size), file->name.data + begin + size);
    file->series = xpd_str_of(text);
}

/* A number in the name of a file that has no others beside it counts nothing. */
static void undo_lonely(struct xpd_heap_file *file, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool before = i > 0 && xpd_str_eq(file[i].series, file[i - 1].series);
        bool after = i + 1 < count && xpd_str_eq(file[i].series, file[i + 1].series);
        if (before || after || file[i].step < 0)
            continue;
        file[i].step = -1;
        file[i].series = file[i].name;
    }
}

bool xpd_heap_sort_series(struct xpd_heap_file *file, uint32_t count, struct xpd_arena *arena)
{
    for (uint32_t i = 0; i < count; i++)
        name_series(&file[i], arena);
    if (count > 0)
        qsort(file, count, sizeof *file, by_series);
    undo_lonely(file, count);
    return !arena->failed;
}

uint32_t xpd_heap_series_of(const struct xpd_heap_file *file, uint32_t count, uint32_t of,
                            uint32_t *first)
{
    uint32_t begin = of, end = of + 1;
    while (begin > 0 && xpd_str_eq(file[begin - 1].series, file[of].series))
        begin--;
    while (end < count && xpd_str_eq(file[end].series, file[of].series))
        end++;
    *first = begin;
    return end - begin;
}

uint32_t xpd_heap_usual_file(const struct xpd_heap_file *file, uint32_t count)
{
    uint32_t best = 0, longest = 0, first;
    for (uint32_t i = 0; i < count;) {
        uint32_t n = xpd_heap_series_of(file, count, i, &first);
        if (n > longest) {
            longest = n;
            best = first + n - 1;
        }
        i = first + n;
    }
    return best;
}

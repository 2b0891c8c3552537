/* The programs of a run: one entry for each key, with the hosts that have it.
 *
 * The same program on several hosts is one module, read from the first of them; programs of one
 * name with other ids stay apart. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct found { /* one program on one host */
    struct xpd_module module;
    struct xpd_module_from from;
    uint32_t order; /* of arrival: the first host wins */
};

struct xpd_module_list {
    struct xpd_run_slot *slot;
    XPD_VEC(struct found) found;
    struct xpd_intern keys; /* texts in the slot's arena */
};

struct xpd_module_list *xpd_module_list_new(struct xpd_run_slot *slot)
{
    struct xpd_module_list *list = calloc(1, sizeof *list);
    if (!list)
        return NULL;
    list->slot = slot;
    xpd_intern_init(&list->keys, &slot->arena);
    return list;
}

void xpd_module_list_free(struct xpd_module_list *list)
{
    if (!list)
        return;
    XPD_VEC_FINI(&list->found);
    xpd_intern_fini(&list->keys);
    free(list);
}

uint32_t xpd_module_list_count(const struct xpd_module_list *list)
{
    return (uint32_t)list->found.count;
}

bool xpd_module_list_has(const struct xpd_module_list *list, const char *key)
{
    return xpd_intern_find(&list->keys, xpd_str_of(key)) != XPD_NO_NAME;
}

bool xpd_module_list_add(struct xpd_module_list *list, const struct xpd_module *module,
                         const struct xpd_module_from *from)
{
    struct xpd_str name = xpd_str_of(module->name);
    xpd_name_id key = xpd_intern_put(&list->keys, module->key, strlen(module->key));
    struct found found = {.module = *module, .from = *from};
    found.order = (uint32_t)list->found.count;
    found.module.key = xpd_intern_get(&list->keys, key).data;
    found.module.name = xpd_arena_strndup(&list->slot->arena, name.data, name.size);
    if (list->keys.failed || !found.module.name)
        return false;
    XPD_PUSH(&list->found, found);
    return !list->found.failed;
}

static int by_key(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    int order = strcmp(x->module.key, y->module.key);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

bool xpd_module_list_finish(struct xpd_module_list *list)
{
    struct xpd_run_slot *slot = list->slot;
    struct xpd_run *run = &slot->run;
    size_t count = list->found.count;
    uint32_t *host = XPD_NEW_ARRAY(&slot->arena, uint32_t, count);
    run->module = XPD_NEW_ARRAY(&slot->arena, struct xpd_module, count);
    slot->module = XPD_NEW_ARRAY(&slot->arena, struct xpd_module_slot, count);
    if (!host || !run->module || !slot->module)
        return false;
    if (count > 1)
        qsort(list->found.at, count, sizeof *list->found.at, by_key);
    for (size_t i = 0; i < count; i++) {
        const struct found *found = &list->found.at[i];
        struct xpd_module *last = run->module_count ? &run->module[run->module_count - 1] : NULL;
        host[i] = found->from.host;
        if (last && last->key == found->module.key) { /* interned: equal texts, equal pointers */
            last->host_count++;
            last->run_count += found->module.run_count;
            last->run_count_known &= found->module.run_count_known;
            continue;
        }
        slot->module[run->module_count].from = found->from;
        run->module[run->module_count] = found->module;
        run->module[run->module_count].host = &host[i];
        run->module[run->module_count++].host_count = 1;
    }
    return true;
}

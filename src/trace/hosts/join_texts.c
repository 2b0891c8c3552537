/* What each of several hosts says, in the texts and warnings of all of them.
 *
 * In: texts, names and warnings of one host. Out: the same among those of all. */
#include "join.h"

#include <stdlib.h>

bool xpd_join_texts_init(struct xpd_join_texts *texts, struct xpd_intern *to,
                         const struct xpd_intern *from)
{
    *texts = (struct xpd_join_texts){
        .to = to, .from = from, .id = calloc((size_t)from->count + 1, sizeof *texts->id)};
    return texts->id != NULL;
}

void xpd_join_texts_fini(struct xpd_join_texts *texts)
{
    free(texts->id);
}

xpd_name_id xpd_join_text(struct xpd_join_texts *texts, xpd_name_id id)
{
    if (id >= texts->from->count)
        return 0;
    if (texts->id[id] == 0) {
        struct xpd_str at = xpd_intern_get(texts->from, id);
        texts->id[id] = xpd_intern_put(texts->to, at.data, at.size) + 1;
    }
    return texts->id[id] - 1;
}

struct xpd_event_name xpd_join_name(struct xpd_join_texts *texts, const struct xpd_event_name *from)
{
    struct xpd_event_name name = *from;
    name.caption = xpd_join_text(texts, from->caption);
    name.name = xpd_join_text(texts, from->name);
    name.category = xpd_join_text(texts, from->category);
    name.tf_op = xpd_join_text(texts, from->tf_op);
    name.source = xpd_join_text(texts, from->source);
    name.program = xpd_join_text(texts, from->program);
    return name;
}

void xpd_join_warnings(struct xpd_warnings *list, const char *host, const struct xpd_warnings *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        if (list->count == XPD_WARNINGS_MAX) {
            list->dropped++;
            continue;
        }
        struct xpd_warning *item = &list->item[list->count];
        *item = from->item[i];
        item->text = xpd_arena_printf(list->arena, "%s: %s", host, from->item[i].text);
        list->count += item->text != NULL;
    }
    list->dropped += from->dropped;
}

/* The records that the answers of all tools are made of. */
#include "xprofd/tools/api.h"

#include <ctype.h>

#define RECORDS_MAX 512 /* checked */

struct seen {
    const struct xpd_record *at[RECORDS_MAX];
    uint32_t count;
    void (*each)(void *self, const struct xpd_record *record);
    void *self;
};

static bool is_seen(const struct seen *seen, const struct xpd_record *record)
{
    for (uint32_t i = 0; i < seen->count; i++)
        if (seen->at[i] == record)
            return true;
    return false;
}

static void visit(struct seen *seen, const struct xpd_record *record)
{
    if (is_seen(seen, record) || seen->count == RECORDS_MAX)
        return;
    seen->at[seen->count++] = record;
    for (uint32_t i = 0; i < record->count; i++)
        if (record->field[i].of)
            visit(seen, record->field[i].of());
    seen->each(seen->self, record);
}

void xpd_api_each_record(void (*each)(void *self, const struct xpd_record *record), void *self)
{
    struct seen seen = {.each = each, .self = self};
    uint32_t count;
    const struct xpd_tool *const *tools = xpd_tools(&count);
    for (uint32_t i = 0; i < count; i++)
        if (tools[i]->answer)
            visit(&seen, tools[i]->answer());
}

void xpd_api_type_name(char out[80], const char *tag)
{
    size_t size = 0;
    bool upper = true;
    for (const char *at = strncmp(tag, "xpd_", 4) == 0 ? tag + 4 : tag; *at && size < 79; at++) {
        if (*at != '_')
            out[size++] = upper ? (char)toupper((unsigned char)*at) : *at;
        upper = *at == '_';
    }
    out[size] = '\0';
}

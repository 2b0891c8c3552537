/* An answer as JSON. */
#include "value.h"
#include "xprofd/answer/write.h"
#include "xprofd/base/intern.h"
#include "xprofd/json/writer.h"

#include <assert.h>

#define MEMO_SIZE 1024 /* a power of two */

struct memo {
    struct xpd_str text;
    uint32_t index;
};

struct writer {
    struct xpd_jsonw *w;
    struct xpd_intern names;
    bool has_names;
    /* Names seen last by their address: most rows repeat those of others, and an address costs less
     * than reading the text. A newer one takes the place of an older. */
    struct memo *memo;
};

static void put_object(struct writer *to, const struct xpd_record *record, const char *at);

static uint32_t name_index(struct writer *to, struct xpd_str text)
{
    if (text.size == 0)
        return 0;
    uint64_t mixed = ((uint64_t)(uintptr_t)text.data + text.size) * UINT64_C(0x9e3779b97f4a7c15);
    size_t place = mixed >> 54;
    if (to->memo[place].text.data != text.data || to->memo[place].text.size != text.size) {
        to->memo[place].index = xpd_intern_put(&to->names, text.data, text.size);
        to->memo[place].text = text;
    }
    return to->memo[place].index;
}
_Static_assert(MEMO_SIZE == 1 << 10, "name_index takes the upper 10 bits");

static void put_whole(struct xpd_jsonw *w, enum xpd_kind kind, int64_t value)
{
    if (kind == XPD_BIG)
        xpd_json_i64_string(w, value);
    else
        xpd_json_i64(w, value);
}

static void put_text(struct writer *to, enum xpd_kind kind, struct xpd_str text)
{
    if (kind == XPD_NAME)
        xpd_json_u64(to->w, name_index(to, text));
    else
        xpd_json_str(to->w, text);
}

static void put_single(struct writer *to, const struct xpd_record_field *field, enum xpd_kind kind,
                       const char *at)
{
    struct xpd_jsonw *w = to->w;
    struct xpd_value value = xpd_value_read(field, kind, at);
    to->has_names |= kind == XPD_NAME;
    switch (value.is) {
    case XPD_IS_NULL: xpd_json_null(w); break;
    case XPD_IS_BOOL: xpd_json_bool(w, value.truth); break;
    case XPD_IS_WHOLE: put_whole(w, kind, value.whole); break;
    case XPD_IS_ID: xpd_json_u64_string(w, value.id); break;
    case XPD_IS_REAL: xpd_json_double(w, value.real); break;
    case XPD_IS_TEXT: put_text(to, kind, value.text); break;
    }
}

static void put_values(struct writer *to, const struct xpd_record_field *field,
                       struct xpd_rows rows)
{
    const char *at = rows.at;
    size_t size = xpd_value_size(field->item);
    xpd_json_arr(to->w);
    for (uint32_t i = 0; i < rows.n; i++)
        put_single(to, field, field->item, at + i * size);
    xpd_json_arr_end(to->w);
}

static void put_list(struct writer *to, const struct xpd_record *record, struct xpd_rows rows)
{
    const char *at = rows.at;
    xpd_json_arr(to->w);
    for (uint32_t i = 0; i < rows.n; i++)
        put_object(to, record, at + i * record->size);
    xpd_json_arr_end(to->w);
}

static void put_field(struct writer *to, const struct xpd_record_field *field, const char *at);

/* The members of a table, "n" first. */
static void put_columns(struct writer *to, const struct xpd_record *record, struct xpd_rows rows)
{
    xpd_json_ku64(to->w, "n", rows.n);
    for (uint32_t i = 0; i < record->count; i++) {
        const struct xpd_record_field *field = &record->field[i];
        const char *row = rows.at;
        to->has_names |= field->kind == XPD_NAME;
        xpd_json_key(to->w, field->key);
        xpd_json_arr(to->w);
        for (uint32_t left = rows.n; left > 0; left--, row += record->size)
            put_field(to, field, row + field->offset);
        xpd_json_arr_end(to->w);
    }
}

static void put_rows(struct writer *to, const struct xpd_record_field *field, struct xpd_rows rows)
{
    if (!rows.at && field->maybe) {
        xpd_json_null(to->w);
    } else if (field->kind == XPD_COLUMNS) {
        xpd_json_obj(to->w);
        put_columns(to, field->of(), rows);
        xpd_json_obj_end(to->w);
    } else if (field->kind == XPD_LIST) {
        put_list(to, field->of(), rows);
    } else {
        put_values(to, field, rows);
    }
}

static void put_field(struct writer *to, const struct xpd_record_field *field, const char *at)
{
    if (field->kind < XPD_OBJECT) {
        put_single(to, field, field->kind, at);
    } else if (field->kind == XPD_OBJECT) {
        const char *object;
        memcpy(&object, at, sizeof object);
        if (object)
            put_object(to, field->of(), object);
        else
            xpd_json_null(to->w);
    } else {
        put_rows(to, field, xpd_value_rows(at));
    }
}

static void put_members(struct writer *to, const struct xpd_record *record, const char *at)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct xpd_record_field *field = &record->field[i];
        if (field->kind == XPD_INLINE) {
            put_columns(to, field->of(), xpd_value_rows(at + field->offset));
            continue;
        }
        xpd_json_key(to->w, field->key);
        put_field(to, field, at + field->offset);
    }
}

static void put_object(struct writer *to, const struct xpd_record *record, const char *at)
{
    xpd_json_obj(to->w);
    put_members(to, record, at);
    xpd_json_obj_end(to->w);
}

static void put_names(struct writer *to)
{
    if (to->names.failed)
        to->w->out->failed = true; /* indexes without their text are no answer */
    uint32_t count = to->names.count ? to->names.count : 1; /* names[0] is "" */
    xpd_json_key(to->w, "names");
    xpd_json_arr(to->w);
    for (uint32_t i = 0; i < count; i++)
        xpd_json_str(to->w, xpd_intern_get(&to->names, i));
    xpd_json_arr_end(to->w);
}

void xpd_answer_json(struct xpd_strbuf *out, const struct xpd_record *record, const void *answer,
                     struct xpd_arena *arena)
{
    struct xpd_jsonw w;
    struct writer to = {.w = &w, .memo = XPD_NEW_ARRAY(arena, struct memo, MEMO_SIZE)};
    if (!to.memo) {
        out->failed = true;
        return;
    }
    xpd_jsonw_init(&w, out);
    xpd_intern_init(&to.names, arena);
    xpd_json_obj(&w);
    put_members(&to, record, answer);
    if (to.has_names)
        put_names(&to);
    xpd_json_obj_end(&w);
    xpd_intern_fini(&to.names);
}

void xpd_answer_put(struct xpd_jsonw *w, const struct xpd_record *record, const void *at)
{
    struct writer to = {.w = w};
    if (at)
        put_object(&to, record, at);
    else
        xpd_json_null(w);
    assert(!to.has_names);
}

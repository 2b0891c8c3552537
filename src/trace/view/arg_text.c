/* Whether one arg of an event matches.
 *
 * In: the bytes of an XStat{metadata_id 1, double 2, uint64 3, int64 4, str 5, bytes 6, ref 7, gzip
 * text 8}. Out: yes or no. Results that do not change (names of stats, texts of refs) are cached
 * for the plane, numbers in a small table. */
#include "arg_scan.h"

#include "xprofd/wire/cursor.h"
#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX ((uint64_t)1 << 20) /* bytes of a value that are looked at */

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2 };
enum { KIND_DOUBLE = 2, KIND_UINT, KIND_INT, KIND_TEXT, KIND_BYTES, KIND_REF, KIND_GZIP };
enum says { NOT_ASKED, NO, YES, NO_ARG };

struct arg {
    uint64_t id, number;
    struct xpd_str text;
    uint32_t kind;
};

static bool is_link(struct xpd_str name)
{
    static const char *const link[] = {"flow", "_pt", "_p", "_ct", "_c", "_r", "_a", "group_id"};
    for (size_t i = 0; i < sizeof link / sizeof *link; i++)
        if (xpd_str_eq(name, xpd_str_of(link[i])))
            return true;
    return false;
}

bool xpd_arg_plane_begin(struct xpd_arg_asker *asker, const struct xpd_plane_tables *tables)
{
    struct xpd_arg_plane *plane = &asker->plane;
    free(plane->name_says);
    free(plane->ref_says);
    plane->tables = tables;
    plane->name_says = calloc((size_t)tables->stat_count + 1, 1);
    plane->ref_says = calloc((size_t)tables->stat_count + 1, 1);
    for (uint32_t i = 0; i < XPD_ARG_DENSE; i++)
        plane->dense[i] = xpd_map64_get(&tables->stat_of, i);
    for (uint32_t i = 0; i < XPD_ARG_MEMO; i++)
        asker->memo[i].used = false;
    return plane->name_says && plane->ref_says;
}

void xpd_arg_asker_fini(struct xpd_arg_asker *asker)
{
    free(asker->plane.name_says);
    free(asker->plane.ref_says);
    free(asker->text);
}

static uint32_t stat_of(const struct xpd_arg_plane *plane, uint64_t id)
{
    return id < XPD_ARG_DENSE ? plane->dense[id] : xpd_map64_get(&plane->tables->stat_of, id);
}

static struct xpd_str name_of(const struct xpd_arg_asker *asker, uint32_t stat)
{
    return stat == XPD_NO_INDEX
               ? XPD_STR("")
               : xpd_intern_get(&asker->trace->names, asker->plane.tables->stat_name[stat]);
}

static bool ask(struct xpd_arg_asker *asker, struct xpd_str text)
{
    return asker->match->matches(asker->match->ctx, text);
}

/* "name=value" in one piece. */
static bool ask_both(struct xpd_arg_asker *asker, struct xpd_str name, struct xpd_str value)
{
    size_t size = name.size + 1 + value.size;
    if (size > asker->text_capacity) {
        free(asker->text);
        asker->text_capacity = 2 * size;
        asker->text = malloc(asker->text_capacity);
        if (!asker->text) {
            asker->text_capacity = 0;
            asker->no_memory = true;
            return false;
        }
    }
    if (name.size > 0)
        memcpy(asker->text, name.data, name.size);
    asker->text[name.size] = '=';
    if (value.size > 0)
        memcpy(asker->text + name.size + 1, value.data, value.size);
    return ask(asker, (struct xpd_str){asker->text, size});
}

static enum says name_says(struct xpd_arg_asker *asker, uint32_t stat)
{
    if (stat == XPD_NO_INDEX)
        return NO;
    uint8_t *says = &asker->plane.name_says[stat];
    if (*says == NOT_ASKED) {
        struct xpd_str name = name_of(asker, stat);
        *says = (uint8_t)(is_link(name)                             ? NO_ARG
                          : asker->match->apart && ask(asker, name) ? YES
                                                                    : NO);
    }
    return (enum says) * says;
}

static bool ask_value(struct xpd_arg_asker *asker, uint32_t stat, struct xpd_str value)
{
    return asker->match->apart ? value.size > 0 && ask(asker, value)
                               : ask_both(asker, name_of(asker, stat), value);
}

/* An arg without text is found by its name only. */
static bool ask_no_text(struct xpd_arg_asker *asker, uint32_t stat)
{
    return ask_value(asker, stat, XPD_STR(""));
}

static bool ask_ref(struct xpd_arg_asker *asker, uint32_t stat, uint64_t id)
{
    uint32_t of = stat_of(&asker->plane, id);
    if (of == XPD_NO_INDEX)
        return ask_no_text(asker, stat);
    if (!asker->match->apart)
        return ask_value(asker, stat, name_of(asker, of));
    uint8_t *says = &asker->plane.ref_says[of];
    if (*says == NOT_ASKED)
        *says = ask_value(asker, stat, name_of(asker, of)) ? YES : NO;
    return *says == YES;
}

static bool ask_number(struct xpd_arg_asker *asker, uint32_t stat, const struct arg *arg)
{
    if (asker->match->apart && !asker->match->numbers)
        return false;
    uint64_t key = (uint64_t)stat << 8 | arg->kind;
    uint64_t parts[2] = {asker->match->apart ? arg->kind : key, arg->number};
    size_t at = xpd_hash(parts, sizeof parts) % XPD_ARG_MEMO;
    if (asker->memo[at].used && asker->memo[at].key == parts[0] &&
        asker->memo[at].value == arg->number)
        return asker->memo[at].hit;
    char text[40];
    int size;
    double real;
    memcpy(&real, &arg->number, sizeof real);
    if (arg->kind == KIND_DOUBLE)
        size = snprintf(text, sizeof text, "%.17g", real);
    else if (arg->kind == KIND_UINT)
        size = snprintf(text, sizeof text, "%llu", (unsigned long long)arg->number);
    else
        size = snprintf(text, sizeof text, "%lld", (long long)arg->number);
    bool hit = size > 0 && ask_value(asker, stat, (struct xpd_str){text, (size_t)size});
    asker->memo[at].key = parts[0];
    asker->memo[at].value = arg->number;
    asker->memo[at].hit = hit;
    asker->memo[at].used = true;
    return hit;
}

/* One that cannot be unpacked is bytes, which have no text. */
static bool ask_packed(struct xpd_arg_asker *asker, uint32_t stat, struct xpd_str packed)
{
    struct xpd_source *source = NULL;
    if (xpd_source_open_packed(&source, packed.data, packed.size, "stat", TEXT_MAX, NULL) != XPD_OK)
        return ask_no_text(asker, stat);
    bool hit = ask_value(
        asker, stat,
        (struct xpd_str){(const char *)xpd_source_memory(source), (size_t)xpd_source_size(source)});
    xpd_source_close(source);
    return hit;
}

static bool read_arg(const uint8_t *bytes, size_t size, struct arg *arg)
{
    struct xpd_cursor cursor;
    struct xpd_field field;
    *arg = (struct arg){0};
    xpd_cursor_init(&cursor, bytes, size, 0);
    while (xpd_cursor_next(&cursor, &field)) {
        uint8_t wire =
            field.number == KIND_DOUBLE ? FIXED64
            : field.number == KIND_TEXT || field.number == KIND_BYTES || field.number == KIND_GZIP
                ? LENGTH
                : VARINT;
        if (field.wire_type != wire || field.number > KIND_GZIP)
            continue;
        if (field.number == 1) {
            arg->id = field.value;
            continue;
        }
        arg->kind = field.number;
        arg->number = field.value;
        if (wire == LENGTH)
            arg->text = (struct xpd_str){(const char *)field.bytes, (size_t)field.size};
    }
    return arg->kind != 0;
}

bool xpd_arg_stat_hits(struct xpd_arg_asker *asker, const uint8_t *bytes, size_t size)
{
    struct arg arg;
    if (!read_arg(bytes, size, &arg))
        return false;
    uint32_t stat = stat_of(&asker->plane, arg.id);
    enum says says = name_says(asker, stat);
    if (says == NO_ARG || says == YES)
        return says == YES;
    switch (arg.kind) {
    case KIND_TEXT:
        arg.text.size = arg.text.size < TEXT_MAX ? arg.text.size : TEXT_MAX;
        return ask_value(asker, stat, arg.text);
    case KIND_BYTES: return ask_no_text(asker, stat);
    case KIND_REF: return ask_ref(asker, stat, arg.number);
    case KIND_GZIP: return ask_packed(asker, stat, arg.text);
    default: return ask_number(asker, stat, &arg);
    }
}

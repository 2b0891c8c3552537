/* Shardings of arguments. In: the bytes of a HloProto. Out: one entry per argument. */
#include "xprofd/hlo/parameter_sharding.h"

#include "xprofd/wire/cursor.h"

enum { MODULE = 1, SHARDINGS = 14 };                   /* HloProto, HloModuleProto */
enum { TYPE = 1, TILE_DIMS = 3, TUPLE_SHARDINGS = 5 }; /* OpSharding */
enum { REPLICATED = 0, TUPLE = 2 };
#define RANK_MAX 32

struct list {
    struct xpd_hlo_sharding *at; /* NULL: only count */
    uint32_t count;
};

static void read_one(const struct xpd_field *message, struct list *list)
{
    struct xpd_cursor c = xpd_cursor_sub(message);
    struct xpd_field field;
    int64_t dims[RANK_MAX];
    size_t rank = 0;
    uint64_t type = REPLICATED;
    while (xpd_cursor_next(&c, &field)) {
        if (field.number == TYPE && field.wire_type == 0)
            type = field.value;
        else if (field.number == TILE_DIMS)
            xpd_field_ints(&field, dims, RANK_MAX, &rank);
    }
    struct xpd_hlo_sharding one = {.replicated = type == REPLICATED, .devices = 1};
    for (size_t i = 0; i < rank && i < RANK_MAX; i++)
        if (dims[i] > 1 && one.devices < 1 << 24 && dims[i] < 1 << 24)
            one.devices *= dims[i];
    if (list->at)
        list->at[list->count] = one;
    list->count++;
}

static void read_sharding(const struct xpd_field *message, struct list *list)
{
    struct xpd_cursor c = xpd_cursor_sub(message);
    struct xpd_field field;
    bool tuple = false;
    while (xpd_cursor_next(&c, &field))
        tuple |= field.number == TYPE && field.wire_type == 0 && field.value == TUPLE;
    if (!tuple) {
        read_one(message, list);
        return;
    }
    c = xpd_cursor_sub(message);
    while (xpd_cursor_next(&c, &field))
        if (field.number == TUPLE_SHARDINGS && field.wire_type == 2)
            read_one(&field, list);
}

static void read_module(const struct xpd_field *module, struct list *list)
{
    struct xpd_cursor c = xpd_cursor_sub(module);
    struct xpd_field field;
    while (xpd_cursor_next(&c, &field))
        if (field.number == SHARDINGS && field.wire_type == 2)
            read_sharding(&field, list);
}

static void read_proto(const void *proto, size_t size, struct list *list)
{
    struct xpd_cursor c;
    struct xpd_field field;
    xpd_cursor_init(&c, proto, size, 0);
    while (xpd_cursor_next(&c, &field))
        if (field.number == MODULE && field.wire_type == 2)
            read_module(&field, list);
}

uint32_t xpd_hlo_parameter_shardings(const void *proto, size_t size, struct xpd_arena *arena,
                                     struct xpd_hlo_sharding **out)
{
    struct list list = {NULL, 0};
    read_proto(proto, size, &list);
    *out = XPD_NEW_ARRAY(arena, struct xpd_hlo_sharding, list.count);
    if (!*out)
        return 0;
    list = (struct list){*out, 0};
    read_proto(proto, size, &list);
    return list.count;
}

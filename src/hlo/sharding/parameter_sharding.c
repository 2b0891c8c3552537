/* Shardings of arguments. In: one message of HloModuleProto.spmd_parameters_shardings. Out: one
 * entry, of a tuple one for each of its elements. What is damaged ends the message. */
#include "../load/load_internal.h"

#include "xprofd/wire/cursor.h"

enum { TYPE = 1, TILE_DIMS = 3, TUPLE_SHARDINGS = 5 }; /* OpSharding */
enum { REPLICATED = 0, TUPLE = 2 };
#define RANK_MAX 32

static void read_one(struct xpd_hlo_load *load, const struct xpd_field *message)
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
    XPD_PUSH(&load->sharding, one);
}

void xpd_hlo_read_sharding(struct xpd_hlo_load *load, const struct xpd_field *message)
{
    struct xpd_cursor c = xpd_cursor_sub(message);
    struct xpd_field field;
    bool tuple = false;
    while (xpd_cursor_next(&c, &field))
        tuple |= field.number == TYPE && field.wire_type == 0 && field.value == TUPLE;
    if (!tuple) {
        read_one(load, message);
        return;
    }
    c = xpd_cursor_sub(message);
    while (xpd_cursor_next(&c, &field))
        if (field.number == TUPLE_SHARDINGS && field.wire_type == 2)
            read_one(load, &field);
}

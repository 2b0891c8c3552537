/* Replica groups, shardings, and the attributes of operations between devices. */
#include "print_own.h"

enum { LENGTH = 2 };

static void put_iota(struct xpd_print *p, const struct xpd_raw *iota)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw_ints dims = xpd_raw_ints(scratch, iota, 3);
    xpd_strbuf_printf(p->out, "[%lld,%lld]<=[", (long long)xpd_raw_int(iota, 1, 0),
                      (long long)xpd_raw_int(iota, 2, 0));
    xpd_print_ints(p->out, dims);
    xpd_strbuf_putc(p->out, ']');
    if (dims.count > 1) {
        xpd_strbuf_puts(p->out, "T(");
        xpd_print_ints(p->out, xpd_raw_ints(scratch, iota, 4));
        xpd_strbuf_putc(p->out, ')');
    }
}

/* mesh['a'=2,'b'=4] {'a'} */
static void put_mesh(struct xpd_print *p, const struct xpd_raw *groups)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw mesh = xpd_raw_message(scratch, groups, 1), axis, used;
    uint32_t at = 0, n = 0;
    struct xpd_str *name = XPD_NEW_ARRAY(scratch, struct xpd_str, xpd_raw_count(&mesh, 1));
    xpd_strbuf_puts(p->out, "mesh[");
    while (name && xpd_raw_each(scratch, &mesh, 1, &at, &axis)) {
        name[n] = xpd_raw_text(&axis, 1);
        xpd_strbuf_printf(p->out, "%s'%.*s'=%lld", n ? "," : "", (int)name[n].size, name[n].data,
                          (long long)xpd_raw_int(&axis, 2, 0));
        n++;
    }
    xpd_strbuf_puts(p->out, "] {");
    at = 0;
    for (bool first = true; xpd_raw_each(scratch, groups, 2, &at, &used); first = false) {
        int64_t index = xpd_raw_int(&used, 1, 0);
        if (!first)
            xpd_strbuf_putc(p->out, ',');
        if (index >= 0 && (uint64_t)index < n)
            xpd_strbuf_printf(p->out, "'%.*s'", (int)name[index].size, name[index].data);
        else
            xpd_strbuf_putc(p->out, '?');
    }
    xpd_strbuf_putc(p->out, '}');
}

static void put_lists(struct xpd_print *p, const struct xpd_raw *raw, uint32_t number)
{
    struct xpd_raw group;
    uint32_t at = 0;
    xpd_strbuf_putc(p->out, '{');
    for (bool first = true; xpd_raw_each(&p->printer->scratch, raw, number, &at, &group);
         first = false) {
        xpd_strbuf_puts(p->out, first ? "{" : ",{");
        xpd_print_ints(p->out, xpd_raw_ints(&p->printer->scratch, &group, 1));
        xpd_strbuf_putc(p->out, '}');
    }
    xpd_strbuf_putc(p->out, '}');
}

void xpd_print_replica_groups(struct xpd_print *p)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw groups = xpd_raw_message(scratch, &p->raw, 93);
    if (xpd_raw_has(&p->raw, 93)) {
        put_mesh(p, &groups);
        return;
    }
    groups = xpd_raw_message(scratch, &p->raw, 92);
    if (xpd_raw_has(&p->raw, 92)) {
        put_iota(p, &groups);
        return;
    }
    if (xpd_raw_has(&p->raw, 49)) {
        put_lists(p, &p->raw, 49);
        return;
    }
    groups = xpd_raw_message(scratch, &p->raw, 87);
    struct xpd_raw old = xpd_raw_message(scratch, &groups, 2);
    if (xpd_raw_has(&groups, 2) && !(p->flags & XPD_PRINT_XPROF))
        put_iota(p, &old);
    else
        put_lists(p, &groups, 1);
}

/* ---- shardings ---- */

static const char *type_word(int64_t type)
{
    static const char *const word[] = {"replicated", "maximal", "tuple",    "other",
                                       "manual",     "unknown", "unreduced"};
    return type >= 0 && type < 7 ? word[type] : "unknown";
}

static void put_tiles(struct xpd_print *p, const struct xpd_raw *sharding)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw_ints iota = xpd_raw_ints(scratch, sharding, 9);
    struct xpd_raw_ints last = xpd_raw_ints(scratch, sharding, 8);
    xpd_strbuf_puts(p->out, "devices=[");
    xpd_print_ints(p->out, xpd_raw_ints(scratch, sharding, 3));
    xpd_strbuf_putc(p->out, ']');
    if (iota.count) {
        xpd_strbuf_puts(p->out, "<=[");
        xpd_print_ints(p->out, iota);
        xpd_strbuf_putc(p->out, ']');
        if (iota.count > 1) {
            xpd_strbuf_puts(p->out, "T(");
            xpd_print_ints(p->out, xpd_raw_ints(scratch, sharding, 10));
            xpd_strbuf_putc(p->out, ')');
        }
    } else
        xpd_print_ints(p->out, xpd_raw_ints(scratch, sharding, 4));
    if (xpd_raw_int(sharding, 6, 0))
        xpd_strbuf_puts(p->out, " last_tile_dim_replicate");
    for (uint32_t i = 0; i < last.count; i++) {
        xpd_strbuf_puts(p->out, i ? ", " : " last_tile_dims={");
        xpd_strbuf_puts(p->out, type_word(last.at[i]));
    }
    if (last.count)
        xpd_strbuf_putc(p->out, '}');
}

static void put_tuple(struct xpd_print *p, const struct xpd_raw *sharding, int depth)
{
    struct xpd_raw element;
    uint32_t at = 0;
    for (uint32_t k = 0; xpd_raw_each(&p->printer->scratch, sharding, 5, &at, &element); k++) {
        if (k != 0 && k % 5 == 0)
            xpd_strbuf_printf(p->out, ", /*index=%u*/", k);
        else if (k != 0)
            xpd_strbuf_puts(p->out, ", ");
        xpd_print_sharding(p, &element, depth + 1);
    }
}

static void put_group(struct xpd_print *p, const struct xpd_raw *sharding)
{
    if (xpd_raw_int(sharding, 11, 0))
        xpd_strbuf_printf(p->out, " %s %lld",
                          xpd_raw_int(sharding, 13, 0) ? "shard_like" : "shard_as",
                          (long long)xpd_raw_int(sharding, 12, 0));
}

void xpd_print_sharding(struct xpd_print *p, const struct xpd_raw *sharding, int depth)
{
    enum { REPLICATED, MAXIMAL, TUPLE, OTHER };
    int64_t type = xpd_raw_int(sharding, 1, REPLICATED);
    xpd_strbuf_putc(p->out, '{');
    if (type == TUPLE && depth < XPD_PRINT_DEPTH)
        put_tuple(p, sharding, depth);
    else if (type == OTHER)
        put_tiles(p, sharding);
    else
        xpd_strbuf_puts(p->out, type_word(type));
    if (type == MAXIMAL) {
        struct xpd_raw_ints device = xpd_raw_ints(&p->printer->scratch, sharding, 4);
        xpd_strbuf_printf(p->out, " device=%lld", device.count ? (long long)device.at[0] : 0LL);
    }
    if (type != TUPLE)
        put_group(p, sharding);
    xpd_strbuf_putc(p->out, '}');
}

/* ---- attributes of collectives, send and receive ---- */

static void channel(struct xpd_print *p)
{
    if (xpd_print_int(p, 26) > 0)
        xpd_put_int(p, "channel_id", xpd_print_int(p, 26));
}

void xpd_own_send_recv(struct xpd_print *p)
{
    channel(p);
    xpd_put_true(p, "is_host_transfer", 47);
}

void xpd_own_collective(struct xpd_print *p)
{
    channel(p);
    xpd_put(p, "replica_groups");
    xpd_print_replica_groups(p);
    xpd_put_true(p, "constrain_layout", 56);
}

void xpd_own_all_reduce(struct xpd_print *p)
{
    xpd_own_collective(p);
    xpd_put_true(p, "use_global_device_ids", 71);
}

void xpd_own_all_gather(struct xpd_print *p)
{
    xpd_own_collective(p);
    xpd_put_list(p, "dimensions", 14);
    xpd_put_true(p, "use_global_device_ids", 71);
}

void xpd_own_reduce_scatter(struct xpd_print *p)
{
    xpd_own_all_reduce(p);
    xpd_put_list(p, "dimensions", 14);
}

void xpd_own_all_to_all(struct xpd_print *p)
{
    xpd_own_collective(p);
    if (xpd_raw_ints(&p->printer->scratch, &p->raw, 14).count)
        xpd_put_list(p, "dimensions", 14);
}

void xpd_own_permute(struct xpd_print *p)
{
    struct xpd_raw pair;
    uint32_t at = 0;
    channel(p);
    xpd_put(p, "source_target_pairs");
    xpd_strbuf_putc(p->out, '{');
    for (bool first = true; xpd_raw_each(&p->printer->scratch, &p->raw, 52, &at, &pair);
         first = false)
        xpd_strbuf_printf(p->out, "%s{%lld,%lld}", first ? "" : ",",
                          (long long)xpd_raw_int(&pair, 1, 0), (long long)xpd_raw_int(&pair, 2, 0));
    xpd_strbuf_putc(p->out, '}');
}

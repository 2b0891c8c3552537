/* Shardings.
 *
 * In: an OpSharding taken apart. Out: {devices=[2,1]<=[2]} and the like, normalized as XLA does
 * when it reads one: tiles of one device are a replica, tile dims of size 1 behind the array's are
 * left out. */
#include "print_internal.h"

enum { REPLICATED, MAXIMAL, TUPLE, OTHER, MANUAL, UNKNOWN, UNREDUCED, TYPES };

static const char *type_word(int64_t type)
{
    static const char *const word[] = {"replicated", "maximal", "tuple",    "other",
                                       "manual",     "unknown", "unreduced"};
    return type >= 0 && type < TYPES ? word[type] : "unknown";
}

/* Meaning of the tile dims after the array's: types[k] of dims[rank + k]. */
struct tiles {
    struct xpd_raw_ints dims, last; /* last: REPLICATED once for replicate_on_last_tile_dim */
    uint32_t rank;                  /* tile dims of the array */
    uint32_t kept;                  /* of the others, those that are larger than 1 */
    bool one;                       /* no dim of the array is cut */
    int64_t type;                   /* of all kept; OTHER: there are several */
};

static struct tiles read_tiles(struct xpd_arena *scratch, const struct xpd_raw *sharding)
{
    static const int64_t replicated[] = {REPLICATED};
    struct tiles tiles = {.dims = xpd_raw_ints(scratch, sharding, 3),
                          .last = xpd_raw_ints(scratch, sharding, 8),
                          .one = true,
                          .type = REPLICATED};
    if (tiles.last.count == 0 && xpd_raw_int(sharding, 6, 0))
        tiles.last = (struct xpd_raw_ints){replicated, 1};
    if (tiles.last.count > tiles.dims.count)
        tiles.last.count = tiles.dims.count;
    tiles.rank = tiles.dims.count - tiles.last.count;
    for (uint32_t i = 0; i < tiles.rank; i++)
        tiles.one = tiles.one && tiles.dims.at[i] == 1;
    for (uint32_t k = 0; k < tiles.last.count; k++) {
        if (tiles.dims.at[tiles.rank + k] == 1)
            continue;
        tiles.type = tiles.kept == 0 || tiles.type == tiles.last.at[k] ? tiles.last.at[k] : OTHER;
        tiles.kept++;
    }
    return tiles;
}

static void put_dims(struct xpd_print *p, const struct tiles *tiles)
{
    for (uint32_t i = 0; i < tiles->dims.count; i++) {
        if (i >= tiles->rank && tiles->dims.at[i] == 1)
            continue;
        if (i != 0)
            xpd_strbuf_putc(p->out, ',');
        xpd_strbuf_i64(p->out, tiles->dims.at[i]);
    }
}

static void put_last(struct xpd_print *p, const struct tiles *tiles)
{
    if (tiles->kept == 0)
        return;
    if (tiles->type == REPLICATED) {
        xpd_strbuf_puts(p->out, " last_tile_dim_replicate");
        return;
    }
    bool any = false;
    for (uint32_t k = 0; k < tiles->last.count; k++) {
        if (tiles->dims.at[tiles->rank + k] == 1)
            continue;
        xpd_strbuf_puts(p->out, any ? ", " : " last_tile_dims={");
        xpd_strbuf_puts(p->out, type_word(tiles->last.at[k]));
        any = true;
    }
    xpd_strbuf_putc(p->out, '}');
}

static void put_tiles(struct xpd_print *p, const struct xpd_raw *sharding,
                      const struct tiles *tiles)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw_ints iota = xpd_raw_ints(scratch, sharding, 9);
    xpd_strbuf_puts(p->out, "devices=[");
    put_dims(p, tiles);
    xpd_strbuf_putc(p->out, ']');
    if (iota.count) {
        xpd_strbuf_puts(p->out, "<=");
        xpd_print_iota(p, iota, xpd_raw_ints(scratch, sharding, 10));
    } else
        xpd_print_ints(p->out, xpd_raw_ints(scratch, sharding, 4));
    put_last(p, tiles);
}

static void put_tuple(struct xpd_print *p, const struct xpd_raw *sharding, int depth, bool metadata)
{
    struct xpd_raw element;
    uint32_t at = 0;
    for (uint32_t k = 0; xpd_raw_each(&p->printer->scratch, sharding, 5, &at, &element); k++) {
        if (k != 0 && k % 5 == 0)
            xpd_print_index(p->out, k);
        else if (k != 0)
            xpd_strbuf_puts(p->out, ", ");
        xpd_print_sharding(p, &element, depth + 1, metadata);
    }
}

static void put_group(struct xpd_print *p, const struct xpd_raw *sharding)
{
    if (xpd_raw_int(sharding, 11, 0))
        xpd_strbuf_printf(p->out, " %s %lld",
                          xpd_raw_int(sharding, 13, 0) ? "shard_like" : "shard_as",
                          (long long)xpd_raw_int(sharding, 12, 0));
}

/* XProf prints the reduction of unreduced parts, even if it is not in the file. */
static bool lacks_reduction(struct xpd_arena *scratch, const struct xpd_raw *sharding)
{
    struct xpd_raw one;
    uint32_t at = 0;
    while (xpd_raw_each(scratch, sharding, 7, &at, &one))
        if (xpd_str_eq(xpd_raw_text(&one, 1), XPD_STR("sdy::reduction_op")))
            return false;
    return true;
}

static bool is_unreduced(int64_t type, const struct tiles *tiles)
{
    for (uint32_t k = 0; type == OTHER && k < tiles->last.count; k++)
        if (tiles->last.at[k] == UNREDUCED)
            return true;
    return type == UNREDUCED;
}

static void put_metadata(struct xpd_print *p, const struct xpd_raw *sharding, bool unreduced)
{
    uint32_t count = xpd_raw_count(sharding, 7);
    bool sum = unreduced && lacks_reduction(&p->printer->scratch, sharding);
    if (count == 0 && !sum)
        return;
    xpd_strbuf_puts(p->out, count + sum > 1 ? " metadata={" : " metadata=");
    xpd_print_sharding_metadata(p, sharding, 7);
    if (sum)
        xpd_strbuf_printf(p->out, "%s{op_type=\"sdy::reduction_op\" op_name=\"SUM\"}",
                          count ? ", " : "");
    if (count + sum > 1)
        xpd_strbuf_putc(p->out, '}');
}

void xpd_print_sharding(struct xpd_print *p, const struct xpd_raw *sharding, int depth,
                        bool metadata)
{
    int64_t type = xpd_raw_int(sharding, 1, REPLICATED);
    struct tiles tiles = {0};
    xpd_strbuf_putc(p->out, '{');
    if (xpd_raw_has(sharding, 14)) {
        struct xpd_raw named = xpd_raw_message(&p->printer->scratch, sharding, 14);
        xpd_print_named_sharding(p, &named, metadata);
        xpd_strbuf_putc(p->out, '}');
        return;
    }
    if (type == OTHER) {
        tiles = read_tiles(&p->printer->scratch, sharding);
        if (tiles.dims.count && tiles.one && tiles.type != OTHER)
            type = tiles.type;
    }
    if (type == TUPLE && depth < XPD_PRINT_DEPTH)
        put_tuple(p, sharding, depth, metadata);
    else if (type == OTHER)
        put_tiles(p, sharding, &tiles);
    else
        xpd_strbuf_puts(p->out, type_word(type));
    if (type == MAXIMAL) {
        struct xpd_raw_ints device = xpd_raw_ints(&p->printer->scratch, sharding, 4);
        xpd_strbuf_printf(p->out, " device=%lld", device.count ? (long long)device.at[0] : 0LL);
    }
    if (type != TUPLE) {
        put_group(p, sharding);
        if (metadata)
            put_metadata(p, sharding, is_unreduced(type, &tiles));
    }
    xpd_strbuf_putc(p->out, '}');
}

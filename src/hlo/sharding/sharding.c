/* Shardings. In: the attribute's text. Out: tile dims, and the global dims of a local shape. */
#include "xprofd/hlo/sharding.h"

#include "../text/text_scan.h"
#include "xprofd/base/checked.h"

#include <inttypes.h>

static void read_tiles(struct xpd_sharding *out, struct xpd_text_scan *scan)
{
    struct xpd_str rest;
    if (!xpd_text_ints(scan, ']', out->tiles, XPD_SHARDING_RANK, &out->rank) || out->rank == 0)
        return;
    rest = (struct xpd_str){scan->at, (size_t)(scan->end - scan->at)};
    out->kind = XPD_SHARDING_TILED;
    out->copies = 1;
    /* Tile dims after the array's dims are devices that hold the same part. */
    uint32_t behind = 0;
    if (xpd_str_find(rest, XPD_STR("last_tile_dim_replicate"), false) != SIZE_MAX)
        behind = 1;
    size_t list = xpd_str_find(rest, XPD_STR("last_tile_dims={"), false);
    for (size_t i = list; list != SIZE_MAX && i < rest.size && rest.data[i] != '}'; i++)
        behind += rest.data[i] == ',' || rest.data[i] == '{';
    bool overflow = false;
    while (behind > 0 && out->rank > 0) {
        out->copies = xpd_mul_i64(out->copies, out->tiles[--out->rank], &overflow);
        behind--;
    }
}

void xpd_sharding_parse(struct xpd_sharding *out, struct xpd_str text)
{
    struct xpd_text_scan scan = {text.data, text.data + text.size};
    *out = (struct xpd_sharding){.kind = XPD_SHARDING_NONE};
    if (!xpd_text_take(&scan, '{'))
        return;
    if (xpd_text_take_word(&scan, XPD_STR("replicated"))) {
        out->kind = XPD_SHARDING_REPLICATED;
    } else if (xpd_text_take_word(&scan, XPD_STR("manual"))) {
        out->kind = XPD_SHARDING_MANUAL;
    } else if (xpd_text_take_word(&scan, XPD_STR("maximal device="))) {
        if (xpd_text_int(&scan, &out->device))
            out->kind = XPD_SHARDING_ONE_DEVICE;
    } else if (xpd_text_take_word(&scan, XPD_STR("devices=["))) {
        read_tiles(out, &scan);
    }
}

bool xpd_sharding_global(const struct xpd_sharding *sharding, const struct xpd_shape *local,
                         int64_t dims[XPD_SHARDING_RANK])
{
    bool overflow = false;
    if (sharding->kind != XPD_SHARDING_TILED || sharding->rank != local->rank ||
        local->element_count > 0)
        return false;
    for (uint32_t i = 0; i < local->rank; i++) {
        if (local->dims[i] < 0 || sharding->tiles[i] < 1)
            return false;
        dims[i] = xpd_mul_i64(local->dims[i], sharding->tiles[i], &overflow);
    }
    return !overflow;
}

static void put_dims(struct xpd_strbuf *out, const int64_t *dims, uint32_t count)
{
    xpd_strbuf_putc(out, '[');
    for (uint32_t i = 0; i < count; i++)
        xpd_strbuf_printf(out, "%s%" PRId64, i ? "," : "", dims[i]);
    xpd_strbuf_putc(out, ']');
}

static void tiled_words(struct xpd_strbuf *out, const struct xpd_sharding *sharding,
                        const struct xpd_shape *local)
{
    int64_t global[XPD_SHARDING_RANK];
    uint32_t cut = 0;
    for (uint32_t i = 0; i < sharding->rank; i++) {
        if (sharding->tiles[i] <= 1)
            continue;
        xpd_strbuf_printf(out, "%s %" PRIu32 " into %" PRId64,
                          cut++ ? ", dimension" : "Cuts dimension", i, sharding->tiles[i]);
    }
    if (cut == 0)
        xpd_strbuf_puts(out, "Cuts nothing");
    if (sharding->copies > 1)
        xpd_strbuf_printf(out, "; %" PRId64 " devices hold the same part", sharding->copies);
    xpd_strbuf_putc(out, '.');
    if (local && cut > 0 && xpd_sharding_global(sharding, local, global)) {
        xpd_strbuf_puts(out, " Global shape ");
        put_dims(out, global, local->rank);
        xpd_strbuf_puts(out, ", here ");
        put_dims(out, local->dims, local->rank);
        xpd_strbuf_putc(out, '.');
    }
}

void xpd_sharding_words(struct xpd_strbuf *out, const struct xpd_sharding *sharding,
                        const struct xpd_shape *local)
{
    switch (sharding->kind) {
    case XPD_SHARDING_REPLICATED: xpd_strbuf_puts(out, "Every device holds all of it."); break;
    case XPD_SHARDING_ONE_DEVICE:
        xpd_strbuf_printf(out, "All of it is on device %" PRId64 ".", sharding->device);
        break;
    case XPD_SHARDING_MANUAL:
        xpd_strbuf_puts(out, "The program itself defines what each device holds (shard_map).");
        break;
    case XPD_SHARDING_TILED: tiled_words(out, sharding, local); break;
    default: xpd_strbuf_puts(out, "A sharding that xprofd does not interpret."); break;
    }
}

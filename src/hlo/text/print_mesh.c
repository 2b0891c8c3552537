/* Meshes: named axes over devices, in replica groups and in shardings.
 *
 * In: a MeshAxesReplicaGroupListProto or a NamedShardingProto taken apart. Out:
 * mesh['a'=2,'b'=4] {'a'} and mesh['a'=2,'b'=4], [{'a'}, {}]. */
#include "print_internal.h"

struct mesh {
    const struct xpd_str *name;
    uint32_t count;
};

static void put_quoted(struct xpd_strbuf *out, struct xpd_str name)
{
    xpd_strbuf_putc(out, '\'');
    xpd_strbuf_add(out, name.data, name.size);
    xpd_strbuf_putc(out, '\'');
}

static bool is_counted(struct xpd_raw_ints ints)
{
    for (uint32_t i = 0; i < ints.count; i++)
        if (ints.at[i] != i)
            return false;
    return true;
}

/* Which devices, where they are not 0, 1, 2, ... */
static void put_devices(struct xpd_print *p, const struct xpd_raw *mesh)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw_ints ids = xpd_raw_ints(scratch, mesh, 2);
    struct xpd_raw iota = xpd_raw_message(scratch, mesh, 3);
    struct xpd_raw_ints dims = xpd_raw_ints(scratch, &iota, 1);
    struct xpd_raw_ints order = xpd_raw_ints(scratch, &iota, 2);
    if (dims.count > 0 && !is_counted(order)) {
        xpd_strbuf_puts(p->out, ", device_ids=(");
        xpd_print_iota(p, dims, order);
        xpd_strbuf_putc(p->out, ')');
    } else if (ids.count > 0 && !is_counted(ids)) {
        xpd_strbuf_puts(p->out, ", device_ids=(");
        xpd_print_ints(p->out, ids);
        xpd_strbuf_putc(p->out, ')');
    }
}

static struct mesh put_mesh(struct xpd_print *p, const struct xpd_raw *mesh)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_str *name = XPD_NEW_ARRAY(scratch, struct xpd_str, xpd_raw_count(mesh, 1));
    struct xpd_raw axis;
    uint32_t at = 0, n = 0;
    xpd_strbuf_puts(p->out, "mesh[");
    while (name && xpd_raw_each(scratch, mesh, 1, &at, &axis)) {
        name[n] = xpd_raw_text(&axis, 1);
        if (n != 0)
            xpd_strbuf_putc(p->out, ',');
        put_quoted(p->out, name[n++]);
        xpd_strbuf_putc(p->out, '=');
        xpd_strbuf_i64(p->out, xpd_raw_int(&axis, 2, 0));
    }
    xpd_strbuf_putc(p->out, ']');
    put_devices(p, mesh);
    return (struct mesh){name, n};
}

/* 'a', or a part of an axis: 'a':(1)2 is the factor 2 after a product of 1. Returns the size. */
static uint32_t put_axes(struct xpd_print *p, const struct mesh *mesh, const struct xpd_raw *raw,
                         uint32_t number, const char *between)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw axis;
    uint32_t at = 0, n = 0;
    for (; xpd_raw_each(scratch, raw, number, &at, &axis); n++) {
        int64_t index = xpd_raw_int(&axis, 1, 0);
        if (n != 0)
            xpd_strbuf_puts(p->out, between);
        if (index >= 0 && (uint64_t)index < mesh->count)
            put_quoted(p->out, mesh->name[index]);
        else
            xpd_strbuf_putc(p->out, '?');
        if (xpd_raw_has(&axis, 2)) {
            struct xpd_raw part = xpd_raw_message(scratch, &axis, 2);
            xpd_strbuf_printf(p->out, ":(%lld)%lld", (long long)xpd_raw_int(&part, 1, 0),
                              (long long)xpd_raw_int(&part, 2, 0));
        }
    }
    return n;
}

void xpd_print_mesh_groups(struct xpd_print *p, const struct xpd_raw *groups)
{
    struct xpd_raw raw = xpd_raw_message(&p->printer->scratch, groups, 1);
    struct mesh mesh = put_mesh(p, &raw);
    xpd_strbuf_puts(p->out, " {");
    (void)put_axes(p, &mesh, groups, 2, ",");
    xpd_strbuf_putc(p->out, '}');
}

static void put_dims(struct xpd_print *p, const struct mesh *mesh, const struct xpd_raw *named)
{
    struct xpd_raw dim;
    uint32_t at = 0, n = 0;
    for (; xpd_raw_each(&p->printer->scratch, named, 3, &at, &dim); n++) {
        xpd_strbuf_puts(p->out, n ? ", {" : ", [{");
        uint32_t axes = put_axes(p, mesh, &dim, 1, ", ");
        if (!xpd_raw_int(&dim, 2, 0)) /* more axes may come */
            xpd_strbuf_puts(p->out, axes ? ", ?" : "?");
        xpd_strbuf_putc(p->out, '}');
    }
    xpd_strbuf_puts(p->out, n ? "]" : ", replicated");
}

static void put_list(struct xpd_print *p, const struct mesh *mesh, const struct xpd_raw *named,
                     uint32_t number, const char *key)
{
    if (xpd_raw_count(named, number) == 0)
        return;
    xpd_strbuf_printf(p->out, ", %s={", key);
    (void)put_axes(p, mesh, named, number, ", ");
    xpd_strbuf_putc(p->out, '}');
}

void xpd_print_named_sharding(struct xpd_print *p, const struct xpd_raw *named, bool metadata)
{
    static const char *const reduction[] = {"", "max", "min"};
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw raw = xpd_raw_message(scratch, named, 2);
    struct xpd_raw_ints ids = xpd_raw_ints(scratch, &raw, 2);
    int64_t how = xpd_raw_int(named, 8, 0);
    if (xpd_raw_count(&raw, 1) == 0 && ids.count == 1) {
        xpd_strbuf_printf(p->out, "single_device[device_id=%lld]", (long long)ids.at[0]);
    } else {
        struct mesh mesh = put_mesh(p, &raw);
        put_dims(p, &mesh, named);
        put_list(p, &mesh, named, 4, "replicated");
        if (xpd_raw_count(named, 5)) {
            xpd_strbuf_printf(p->out, ", unreduced=%s{", how >= 0 && how < 3 ? reduction[how] : "");
            (void)put_axes(p, &mesh, named, 5, ", ");
            xpd_strbuf_putc(p->out, '}');
        }
        put_list(p, &mesh, named, 7, "manual");
    }
    if (metadata && xpd_raw_count(named, 6)) {
        xpd_strbuf_puts(p->out, ", metadata={");
        xpd_print_sharding_metadata(p, named, 6);
        xpd_strbuf_putc(p->out, '}');
    }
}

/* A mesh entered by the user: names and sizes of axes, the last one innermost. It names the axes of
 * device groups and shardings; the program itself has only device numbers. Device d of a mesh
 * a=4,b=2 lies at a = d / 2, b = d % 2. */
#ifndef XPROFD_HLO_MESH_H
#define XPROFD_HLO_MESH_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"
#include "xprofd/hlo/groups.h"
#include "xprofd/hlo/shape.h"

enum { XPD_MESH_AXES_MOST = 8, XPD_MESH_NAME_MOST = 40 };

struct xpd_mesh {
    uint32_t count;
    struct xpd_mesh_axis {
        struct xpd_str name; /* points into the text, or is "a", "b", ... */
        int64_t size;        /* >= 1 */
        int64_t stride;      /* devices of the axes inside of it */
    } axis[XPD_MESH_AXES_MOST];
    int64_t devices; /* product of the sizes, at most XPD_GROUP_DEVICES_MOST */
};

/* "data=4,model=2", or sizes alone, "4x2" or "4,2". XPD_EINVAL says what is wrong. */
int xpd_mesh_parse(struct xpd_mesh *out, struct xpd_str text, struct xpd_err *err);
/* "data=4 x model=2, 8 devices" with a multiplication sign. */
void xpd_mesh_words(struct xpd_strbuf *out, const struct xpd_mesh *mesh);

/* One sentence: the axes along which the groups run, or why there are none. */
void xpd_mesh_groups_words(struct xpd_strbuf *out, const struct xpd_mesh *mesh,
                           const struct xpd_groups *groups);
/* One sentence: the dimension that each axis splits, and the axes with copies. "" if the sharding
 * names no devices by number. */
void xpd_mesh_sharding_words(struct xpd_strbuf *out, struct xpd_arena *arena,
                             const struct xpd_mesh *mesh, struct xpd_str sharding);

/* A sharding as the user enters it: HLO's text, with or without braces ("devices=[4,1]<=[4]",
 * "replicated"), or JAX's PartitionSpec over the axes of a mesh: "P(data, None, (x, y))", also
 * without "P( )" and with quotes; dimensions that it does not name are not split. `mesh` count 0:
 * none was given, which the second form needs. `array`: what is sharded, or NULL. *text: the
 * sharding as HLO writes it, in the arena. XPD_EINVAL says what is wrong. */
int xpd_mesh_sharding(struct xpd_str *text, struct xpd_arena *arena, const struct xpd_mesh *mesh,
                      struct xpd_str typed, const struct xpd_shape *array, struct xpd_err *err);

#endif

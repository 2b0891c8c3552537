#include "xspace_wrap.h"

#include <stdio.h>

/* Ids of stat metadata. Any will do; 5 is what TPU profiles have. */
enum { STAT_HLO_PROTO = 5, STAT_PROGRAM_ID = 6 };

static void write_stat_name(struct pbw *w, uint64_t id, const char *name)
{
    size_t entry = pbw_begin(w, 5);
    pbw_uint(w, 1, id);
    size_t metadata = pbw_begin(w, 2);
    pbw_uint(w, 1, id);
    pbw_str(w, 2, name);
    pbw_end(w, metadata);
    pbw_end(w, entry);
}

static void write_module(struct pbw *w, const struct xspace_module *m, uint64_t metadata_id,
                         bool program_id_stat)
{
    char name[512];
    snprintf(name, sizeof name, "%s(%llu)", m->name, (unsigned long long)m->program_id);

    size_t entry = pbw_begin(w, 4);
    pbw_uint(w, 1, metadata_id);
    size_t metadata = pbw_begin(w, 2);
    pbw_uint(w, 1, metadata_id);
    pbw_str(w, 2, name);
    size_t stat = pbw_begin(w, 5);
    pbw_uint(w, 1, STAT_HLO_PROTO);
    pbw_bytes(w, 6, m->hlo, m->hlo_len);
    pbw_end(w, stat);
    if (program_id_stat) {
        stat = pbw_begin(w, 5);
        pbw_uint(w, 1, STAT_PROGRAM_ID);
        pbw_uint(w, 3, m->program_id);
        pbw_end(w, stat);
    }
    pbw_end(w, metadata);
    pbw_end(w, entry);
}

void xspace_wrap_all(struct pbw *out, const struct xspace_module *modules, size_t n,
                     bool program_id_stats)
{
    size_t plane = pbw_begin(out, 1);
    pbw_str(out, 2, "/host:metadata");
    for (size_t i = 0; i < n; i++) {
        uint64_t id = program_id_stats ? i + 1 : modules[i].program_id;
        write_module(out, &modules[i], id, program_id_stats);
    }
    write_stat_name(out, STAT_HLO_PROTO, "Hlo Proto");
    if (program_id_stats) {
        write_stat_name(out, STAT_PROGRAM_ID, "program_id");
    }
    pbw_end(out, plane);
}

void xspace_wrap(struct pbw *out, const char *name, uint64_t program_id, const struct pbw *hlo)
{
    struct xspace_module module = {name, program_id, hlo->data, hlo->len};
    xspace_wrap_all(out, &module, 1, false);
}

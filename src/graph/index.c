/* The index of a module: users, callers, classes of opcodes, bytes. In: a frozen module and a
 * printer of its bytes. Out: frozen tables. */
#include "index_parts.h"
#include "xprofd/hlo/cost.h"
#include "xprofd/hlo/source_info.h"

/* ---- classes of opcodes ---- */

static uint8_t class_of(struct xpd_str opcode)
{
    static const struct {
        const char *opcode;
        uint8_t op;
    } known[] = {{"parameter", XPD_GOP_PARAMETER},
                 {"constant", XPD_GOP_CONSTANT},
                 {"fusion", XPD_GOP_FUSION},
                 {"bitcast", XPD_GOP_BITCAST},
                 {"get-tuple-element", XPD_GOP_ELEMENT},
                 {"tuple", XPD_GOP_TUPLE},
                 {"broadcast", XPD_GOP_BROADCAST},
                 {"custom-call", XPD_GOP_CUSTOM_CALL},
                 {"slice", XPD_GOP_SLICE},
                 {"dynamic-slice", XPD_GOP_SLICE},
                 {"send", XPD_GOP_START},
                 {"recv", XPD_GOP_START}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (xpd_str_eq(opcode, xpd_str_of(known[k].opcode)))
            return known[k].op;
    if (xpd_str_ends(opcode, "-start"))
        return XPD_GOP_START;
    if (xpd_str_ends(opcode, "-update") && xpd_str_starts(opcode, "async"))
        return XPD_GOP_UPDATE;
    return xpd_str_ends(opcode, "-done") ? XPD_GOP_DONE : XPD_GOP_OTHER;
}

static bool make_classes(struct xpd_graph_index *index, struct xpd_arena *arena)
{
    const struct xpd_hlo *hlo = index->hlo;
    uint8_t *op = XPD_NEW_ARRAY(arena, uint8_t, hlo->instructions.count);
    uint8_t *of_name = calloc(hlo->names.count + 1, 1); /* class + 1 by name */
    for (uint32_t i = 0; op && of_name && i < hlo->instructions.count; i++) {
        xpd_name_id name = hlo->instructions.opcode[i];
        if (name < hlo->names.count && of_name[name] == 0)
            of_name[name] = (uint8_t)(class_of(xpd_hlo_text(hlo, name)) + 1);
        op[i] = name < hlo->names.count ? (uint8_t)(of_name[name] - 1) : XPD_GOP_OTHER;
    }
    index->op = op;
    bool ok = op && of_name;
    free(of_name);
    return ok;
}

/* ---- users and callers ---- */

static bool make_users(struct xpd_graph_index *index, struct xpd_arena *arena)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t n = ins->count;
    uint32_t *last = calloc((size_t)n + 1, sizeof *last),
             *next = calloc((size_t)n + 1, sizeof *next);
    uint32_t *first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)n + 1);
    uint32_t *user = NULL;
    for (int pass = 0; last && next && first && pass < 2; pass++) {
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++) {
                uint32_t operand = ins->operand[k], stamp = i + 1;
                if (operand == XPD_NO_INDEX || last[operand] == stamp)
                    continue; /* once, however often it is used */
                last[operand] = stamp;
                if (pass == 0)
                    first[operand + 1]++;
                else if (user)
                    user[next[operand]++] = i;
            }
        for (uint32_t i = 0; pass == 0 && i < n; i++)
            first[i + 1] += first[i];
        if (pass == 0) {
            user = XPD_NEW_ARRAY(arena, uint32_t, first[n]);
            memcpy(next, first, n * sizeof *next);
            memset(last, 0, n * sizeof *last);
        }
    }
    free(last);
    free(next);
    index->user_first = first;
    index->user = user;
    return user != NULL;
}

static bool is_call(const struct xpd_graph_index *index, uint32_t i)
{
    return xpd_str_eq(xpd_hlo_text(index->hlo, index->hlo->instructions.opcode[i]),
                      XPD_STR("call"));
}

static bool make_callers(struct xpd_graph_index *index, struct xpd_arena *arena)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t count = index->hlo->computations.count;
    uint32_t *fusion_of = XPD_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *caller_of = XPD_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *call_of = XPD_NEW_ARRAY(arena, uint32_t, count);
    bool *called = XPD_NEW_ARRAY(arena, bool, count);
    if (!fusion_of || !caller_of || !call_of || !called)
        return false;
    for (uint32_t c = 0; c < count; c++)
        fusion_of[c] = caller_of[c] = call_of[c] = XPD_NO_INDEX;
    for (uint32_t i = 0; i < ins->count; i++)
        for (uint32_t k = ins->called_first[i]; k < ins->called_first[i + 1]; k++) {
            uint32_t c = ins->called[k];
            if (c == XPD_NO_INDEX)
                continue;
            if (caller_of[c] == XPD_NO_INDEX)
                caller_of[c] = i;
            if (is_call(index, i)) {
                call_of[c] = called[c] ? XPD_NO_INDEX : i;
                called[c] = true;
            }
            if (index->op[i] == XPD_GOP_FUSION && k == ins->called_first[i])
                fusion_of[c] = i;
        }
    index->fusion_of = fusion_of;
    index->caller_of = caller_of;
    index->call_of = call_of;
    return true;
}

/* ---- bytes ---- */

/* Shapes are shared by the instructions that have the same: each is measured once. */
static bool make_bytes(struct xpd_graph_index *index, struct xpd_arena *arena)
{
    const struct xpd_hlo *hlo = index->hlo;
    int64_t *bytes = XPD_NEW_ARRAY(arena, int64_t, hlo->instructions.count);
    uint8_t *group = XPD_NEW_ARRAY(arena, uint8_t, hlo->instructions.count);
    struct xpd_map64 seen = {0};
    for (uint32_t i = 0; bytes && group && i < hlo->instructions.count; i++) {
        uint64_t key = (uint64_t)(uintptr_t)hlo->instructions.shape[i];
        uint32_t same = xpd_map64_get(&seen, key);
        bytes[i] = same != XPD_NO_INDEX ? bytes[same] : xpd_shape_bytes(hlo->instructions.shape[i]);
        if (same == XPD_NO_INDEX)
            xpd_map64_put(&seen, key, i);
        group[i] = (uint8_t)xpd_op_group_of(hlo, i);
    }
    bool ok = bytes && group && !seen.failed;
    xpd_map64_fini(&seen);
    index->bytes = bytes;
    index->group = group;
    return ok;
}

uint32_t xpd_index_broadcast_of(const struct xpd_graph_index *index, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    if (index->op[i] != XPD_GOP_BROADCAST || index->fusion_of[ins->computation[i]] == XPD_NO_INDEX)
        return XPD_NO_INDEX;
    uint32_t operand = xpd_index_operand(index, i, 0);
    bool spreads = operand != XPD_NO_INDEX && index->op[operand] == XPD_GOP_CONSTANT &&
                   xpd_shape_is_scalar_like(ins->shape[operand]);
    return spreads ? operand : XPD_NO_INDEX;
}

int xpd_graph_index_make(struct xpd_graph_index *index, struct xpd_arena *arena,
                         const struct xpd_hlo *hlo, struct xpd_hlo_printer *printer,
                         struct xpd_err *err)
{
    *index = (struct xpd_graph_index){.hlo = hlo};
    bool ok = make_classes(index, arena) && make_users(index, arena) &&
              make_callers(index, arena) && make_bytes(index, arena) &&
              xpd_index_make_text(index, arena, printer) && xpd_index_make_folds(index, arena) &&
              xpd_index_make_notes(index, arena, printer) && !arena->failed;
    return ok ? XPD_OK
              : xpd_fail(err, XPD_ENOMEM, "graph", XPD_NO_OFFSET,
                         "There is no memory for the tables of this module's graph.");
}

/* Data of operations named by kernels, from the profile's HLO: op_name with its type, and the
 * source line. Read from the plane /host:metadata on the first request for a program, without
 * building modules.
 *
 * Numbers of fields: HloProto 1 module; HloModuleProto 3 computations; HloComputationProto 2
 * instructions; HloInstructionProto 1 name, 7 metadata; OpMetadata 1 type, 2 name, 3 file, 4 line.
 */
#include "derive.h"
#include "xprofd/wire/cursor.h"
#include <stdio.h>
#include <stdlib.h>

/* Scope ranges of GPU kernels: which calls of a framework a kernel was made in, by
 * number. The plane "/host:__ScopeRangeCallStack__" says each one's parent: a stat of the plane,
 * its metadata id the child, its value the parent. */

void xpd_scopes_load(struct xpd_deriving *deriving)
{
    const struct xpd_trace *trace = deriving->trace;
    struct xpd_arena scratch;
    if (deriving->scopes_known)
        return;
    deriving->scopes_known = true;
    xpd_arena_init(&scratch, UINT64_C(64) << 20);
    for (uint32_t p = 0; p < trace->space->plane_count; p++) {
        const struct xpd_plane *plane = &trace->space->plane[p];
        struct xpd_stat_value *stat;
        uint32_t count;
        struct xpd_str name = xpd_intern_get(&trace->space->names, plane->name);
        if (!xpd_str_eq(name, XPD_STR("/host:__ScopeRangeCallStack__")) ||
            xpd_stats_decode(trace->source, plane->range, 6, &trace->tables[p], &trace->names,
                             &scratch, &stat, &count, NULL) != XPD_OK)
            continue;
        if (count == XPD_STATS_MAX)
            xpd_warn(&deriving->out->warnings, XPD_NOTE, "scope_ranges", XPD_NO_OFFSET,
                     "only the first %d scope ranges are told apart", XPD_STATS_MAX);
        for (uint32_t i = 0; i < count; i++) {
            struct xpd_scope_parent scope = {
                (int64_t)stat[i].id,
                stat[i].type == XPD_STAT_INT ? stat[i].integer : 0}; /* XProf reads signed ones */
            uint32_t index = (uint32_t)deriving->scope.count;
            if (stat[i].type != XPD_STAT_INT && stat[i].type != XPD_STAT_UINT)
                continue;
            XPD_PUSH(&deriving->scope, scope);
            (void)xpd_map64_put(&deriving->scope_of, stat[i].id, index);
            deriving->failed |= deriving->scope.failed || deriving->scope_of.failed;
        }
    }
    xpd_arena_fini(&scratch);
}

uint32_t xpd_scopes_chain(const struct xpd_deriving *deriving, int64_t leaf,
                          int64_t chain[XPD_SCOPES_MAX])
{
    uint32_t count = 0;
    for (int64_t at = leaf; at >= 0 && count < XPD_SCOPES_MAX;) {
        for (uint32_t i = 0; i < count; i++)
            if (chain[i] == at)
                return count; /* a cycle ends here */
        chain[count++] = at;
        uint32_t index = xpd_map64_get(&deriving->scope_of, (uint64_t)at);
        if (index == XPD_NO_INDEX)
            break;
        at = deriving->scope.at[index].parent;
    }
    return count;
}

#define PROTO_BYTES_MAX ((uint64_t)1 << 30) /* larger programs are not read here */

static uint64_t key_of(uint64_t program_id, struct xpd_str op)
{
    return xpd_hash(op.data, op.size) ^ (program_id * 0x9e3779b97f4a7c15u);
}

/* "first:second" */
static xpd_name_id put(struct xpd_deriving *deriving, struct xpd_str first, struct xpd_str second)
{
    char *text = malloc(first.size + second.size + 2);
    xpd_name_id id = XPD_NO_NAME;
    if (text) {
        if (first.size > 0)
            memcpy(text, first.data, first.size);
        text[first.size] = ':';
        if (second.size > 0)
            memcpy(text + first.size + 1, second.data, second.size);
        id = xpd_intern_put(&deriving->out->names, text, first.size + 1 + second.size);
    }
    deriving->failed |= !text || deriving->out->names.failed;
    free(text);
    return id;
}

/* XProf: "train.py:7" of a GPU, where TPUs say the whole path. */
static struct xpd_str without_folder(struct xpd_str path)
{
    size_t from = path.size;
    while (from > 0 && path.data[from - 1] != '/')
        from--;
    return (struct xpd_str){path.data + from, path.size - from};
}

static void read_metadata(struct xpd_deriving *deriving, const struct xpd_field *field,
                          struct xpd_hlo_said *said)
{
    struct xpd_cursor cursor = xpd_cursor_sub(field);
    struct xpd_field part;
    struct xpd_str type = {0}, name = {0}, file = {0};
    uint64_t line = 0;
    char digits[24];
    while (xpd_cursor_next(&cursor, &part)) {
        if (part.wire_type == 2 && part.number == 1)
            type = xpd_field_str(&part);
        else if (part.wire_type == 2 && part.number == 2)
            name = xpd_field_str(&part);
        else if (part.wire_type == 2 && part.number == 3)
            file = xpd_field_str(&part);
        else if (part.wire_type == 0 && part.number == 4)
            line = part.value;
    }
    int size = snprintf(digits, sizeof digits, "%d", (int)(int32_t)line);
    said->tf_op = put(deriving, name, type);
    if (file.size > 0)
        said->source = put(deriving, without_folder(file), (struct xpd_str){digits, (size_t)size});
}

static void read_instruction(struct xpd_deriving *deriving, const struct xpd_field *field,
                             uint64_t program_id)
{
    struct xpd_cursor cursor = xpd_cursor_sub(field);
    struct xpd_field part;
    struct xpd_hlo_said said = {XPD_NO_NAME, XPD_NO_NAME};
    struct xpd_str name = {0};
    while (xpd_cursor_next(&cursor, &part)) {
        if (part.wire_type == 2 && part.number == 1)
            name = xpd_field_str(&part);
        else if (part.wire_type == 2 && part.number == 7)
            read_metadata(deriving, &part, &said);
    }
    if (said.tf_op == XPD_NO_NAME) /* an instruction that is there is ":" at least, in XProf */
        said.tf_op = put(deriving, XPD_STR(""), XPD_STR(""));
    xpd_map64_put(&deriving->hlo_of, key_of(program_id, name), (uint32_t)deriving->hlo.count);
    XPD_PUSH(&deriving->hlo, said);
    deriving->failed |= deriving->hlo.failed || deriving->hlo_of.failed;
}

static void read_proto(struct xpd_deriving *deriving, struct xpd_cursor proto, uint64_t program_id)
{
    struct xpd_field module, computation, instruction;
    while (!deriving->failed && xpd_cursor_next(&proto, &module)) {
        if (module.number != 1 || module.wire_type != 2)
            continue;
        struct xpd_cursor in_module = xpd_cursor_sub(&module);
        while (!deriving->failed && xpd_cursor_next(&in_module, &computation)) {
            if (computation.number != 3 || computation.wire_type != 2)
                continue;
            struct xpd_cursor in = xpd_cursor_sub(&computation);
            while (!deriving->failed && xpd_cursor_next(&in, &instruction))
                if (instruction.number == 2 && instruction.wire_type == 2)
                    read_instruction(deriving, &instruction, program_id);
        }
    }
}

/* A program may be in the file more than once. */
static void load(struct xpd_deriving *deriving, uint64_t program_id)
{
    const struct xpd_trace *trace = deriving->trace;
    for (uint32_t i = 0; i < trace->space->hlo_count && !deriving->failed; i++) {
        const struct xpd_hlo_ref *ref = &trace->space->hlo[i];
        struct xpd_cursor cursor;
        if (ref->program_id != program_id || ref->bytes.size > PROTO_BYTES_MAX ||
            ref->bytes.size > trace->space->file_bytes)
            continue;
        uint8_t *bytes = malloc((size_t)ref->bytes.size + 1);
        deriving->failed |= !bytes;
        if (bytes && xpd_source_read(trace->source, ref->bytes.offset, bytes,
                                     (size_t)ref->bytes.size, NULL) == XPD_OK) {
            xpd_cursor_init(&cursor, bytes, (size_t)ref->bytes.size, ref->bytes.offset);
            read_proto(deriving, cursor, ref->program_id);
        }
        free(bytes);
    }
}

const struct xpd_hlo_said *xpd_derive_hlo(struct xpd_deriving *deriving, uint64_t program_id,
                                          struct xpd_str op)
{
    if (xpd_map64_get(&deriving->hlo_read, program_id) == XPD_NO_INDEX) {
        xpd_map64_put(&deriving->hlo_read, program_id, 0);
        deriving->failed |= deriving->hlo_read.failed;
        load(deriving, program_id);
    }
    uint32_t at = xpd_map64_get(&deriving->hlo_of, key_of(program_id, op));
    return at == XPD_NO_INDEX ? NULL : &deriving->hlo.at[at];
}

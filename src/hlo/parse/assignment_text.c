/* A buffer-assignment report becomes a BufferAssignmentProto: what was read, written as fields.
 *
 * In: the lists of assignment_lines.c with the ranges of assignment_events.c. Out: the bytes.
 * Field numbers: proto/hlo.proto. */
#include "../text/text_scan.h"
#include "assignment_internal.h"
#include "hlo.pb-c.h"
#include "wire_out.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/module.h"
#include "xprofd/wire/cursor.h"
#include "xprofd/wire/guard.h"

#include <inttypes.h>

enum { HLO_MODULE = 1, HLO_ASSIGNMENT = 3, MODULE_ALIASES = 8 };
enum { BUFFER = 1, ALIAS = 2, ALLOCATION = 3, TRACE = 4 };

/* Only digits and commas were read. */
static void put_index(struct xpd_strbuf *out, uint32_t field, struct xpd_str index)
{
    if (index.size == 0) /* and no data */
        return;
    struct xpd_text_scan scan = {index.data, index.data + index.size};
    size_t at = xpd_out_begin(out, field);
    int64_t value = 0;
    while (xpd_text_int(&scan, &value)) {
        xpd_out_varint(out, (uint64_t)value);
        xpd_text_take(&scan, ',');
    }
    xpd_out_end(out, at);
}

/* By the id that the program's text gave the instruction; by name where it has none, which the
 * loader says. */
static void put_location(struct xpd_strbuf *out, uint32_t field, const struct xpd_hlo_names *names,
                         const struct xpd_said_value *value)
{
    size_t at = xpd_out_begin(out, field);
    int64_t id = 0;
    bool known = names && xpd_hlo_names_instruction(names, value->name, &id);
    if (!known)
        xpd_out_text(out, 2, value->name);
    put_index(out, 3, value->index);
    if (known)
        xpd_out_int(out, 4, id);
    xpd_out_end(out, at);
}

struct keyed {
    int64_t id;
    uint32_t value;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    return x->id != y->id ? (x->id < y->id ? -1 : 1)
                          : (x->value > y->value) - (x->value < y->value);
}

/* In order of their ids, as XLA writes them. */
static bool put_buffers(struct xpd_assignment *a, struct xpd_strbuf *out,
                        const struct xpd_hlo_names *names)
{
    struct keyed *order = calloc(a->value.count + 1, sizeof *order);
    for (size_t i = 0; order && i < a->value.count; i++)
        order[i] = (struct keyed){a->value.at[i].id, (uint32_t)i};
    if (order)
        qsort(order, a->value.count, sizeof *order, by_key);
    for (size_t i = 0; order && i < a->value.count; i++) {
        const struct xpd_said_value *value = &a->value.at[order[i].value];
        size_t at = xpd_out_begin(out, BUFFER);
        xpd_out_int(out, 1, value->id);
        xpd_out_int(out, 2, value->size_bytes);
        put_location(out, 3, names, value);
        xpd_out_int(out, 4, value->color);
        xpd_out_end(out, at);
    }
    free(order);
    return order != NULL;
}

/* "3{0,1}": a parameter, and the place in it that an output takes over. */
static void put_key(struct xpd_strbuf *key, int64_t parameter, struct xpd_str index)
{
    xpd_strbuf_clear(key);
    xpd_strbuf_i64(key, parameter);
    xpd_strbuf_putc(key, '{');
    xpd_strbuf_add(key, index.data, index.size);
    xpd_strbuf_putc(key, '}');
}

static void keep_aliases(struct xpd_assignment *a, const struct xpd_field *field,
                         struct xpd_intern *aliased)
{
    const struct xpd_guard guard = {.max_depth = 8, .max_unpacked_bytes = UINT64_C(1) << 28};
    const Xla__HloInputOutputAliasProto *proto =
        xpd_pb_unpack(&guard, &xla__hlo_input_output_alias_proto__descriptor, field->bytes,
                      (size_t)field->size, 0, a->text->name, a->arena, NULL);
    struct xpd_strbuf index = {0}, key = {0};
    for (size_t i = 0; proto && i < proto->n_entries; i++) {
        const Xla__HloInputOutputAliasProto__AliasEntryProto *entry = proto->entries[i];
        xpd_strbuf_clear(&index);
        xpd_strbuf_i64_list(&index, entry->parameter_shape_index, entry->n_parameter_shape_index);
        put_key(&key, entry->parameter_number, (struct xpd_str){index.data, index.size});
        if (!key.failed)
            xpd_intern_put(aliased, key.data, key.size);
    }
    a->key_failed |= index.failed || key.failed || aliased->failed;
    xpd_strbuf_fini(&index);
    xpd_strbuf_fini(&key);
}

/* The parameters that outputs take over, of the program's header. */
static void find_aliases(struct xpd_assignment *a, struct xpd_str module_proto,
                         struct xpd_intern *aliased)
{
    struct xpd_cursor cursor;
    struct xpd_field field;
    xpd_cursor_init(&cursor, module_proto.data, module_proto.size, 0);
    while (xpd_cursor_next(&cursor, &field))
        if (field.number == MODULE_ALIASES && field.wire_type == 2)
            keep_aliases(a, &field, aliased);
}

static bool is_aliased(struct xpd_assignment *a, const struct xpd_intern *aliased,
                       const struct xpd_said_allocation *said)
{
    struct xpd_strbuf key = {0};
    put_key(&key, said->parameter, said->parameter_index);
    a->key_failed |= key.failed;
    bool found = !key.failed &&
                 xpd_intern_find(aliased, (struct xpd_str){key.data, key.size}) != XPD_NO_NAME;
    xpd_strbuf_fini(&key);
    return found;
}

/* Temporary allocations are concatenated, and the whole has the flags of the first one, at offset
 * 0. After a tuple of no bytes, as from a custom call without a result, the next one is also at
 * offset 0. */
static bool is_tuple(const struct xpd_assignment *a, const struct xpd_said_allocation *said)
{
    bool tuple = false, others = false;
    if (said->flags & XPD_SAYS_THREAD_LOCAL)
        return false;
    for (uint32_t i = said->first; i < said->first + said->count; i++) {
        if (a->value.at[i].offset_bytes != 0)
            continue;
        if (a->value.at[i].is_tuple && a->value.at[i].size_bytes == 0)
            return true;
        others |= !a->value.at[i].is_tuple;
        tuple |= a->value.at[i].is_tuple;
    }
    return tuple && !others;
}

static void put_flag(struct xpd_strbuf *out, uint32_t field, bool set)
{
    if (set)
        xpd_out_int(out, field, 1);
}

static void put_allocation(struct xpd_assignment *a, struct xpd_strbuf *out,
                           const struct xpd_intern *aliased, const struct xpd_said_allocation *said)
{
    size_t at = xpd_out_begin(out, ALLOCATION);
    bool parameter = said->flags & XPD_SAYS_PARAMETER;
    xpd_out_int(out, 1, said->index);
    xpd_out_int(out, 2, said->size_bytes);
    put_flag(out, 3, said->flags & XPD_SAYS_THREAD_LOCAL);
    put_flag(out, 5, parameter);
    xpd_out_int(out, 6, said->parameter);
    put_flag(out, 7, said->flags & XPD_SAYS_LIVE_OUT);
    xpd_out_int(out, 8, said->color);
    for (uint32_t i = said->first; i < said->first + said->count; i++) {
        const struct xpd_said_value *value = &a->value.at[i];
        size_t assigned = xpd_out_begin(out, 9);
        xpd_out_int(out, 1, value->id);
        xpd_out_int(out, 2, value->offset_bytes);
        xpd_out_int(out, 3, value->size_bytes);
        xpd_out_end(out, assigned);
    }
    put_index(out, 10, said->parameter_index);
    put_flag(out, 11, is_tuple(a, said));
    put_flag(out, 12, said->flags & XPD_SAYS_CONSTANT);
    put_flag(out, 13, parameter && is_aliased(a, aliased, said));
    xpd_out_end(out, at);
}

static bool is_temporary(const struct xpd_said_allocation *said)
{
    return (said->flags & ~(uint32_t)(XPD_SAYS_TEMP | XPD_SAYS_PAGE)) == 0;
}

static bool put_trace(struct xpd_assignment *a, struct xpd_strbuf *out,
                      const struct xpd_said_allocation *said)
{
    if (!is_temporary(said))
        return true;
    if (!xpd_assignment_make_events(a, said))
        return false;
    if (a->event.count == 0)
        return true;
    size_t at = xpd_out_begin(out, TRACE);
    for (size_t i = 0; i < a->event.count; i++) {
        const struct xpd_said_event *event = &a->event.at[i];
        const struct xpd_said_value *value = &a->value.at[event->value];
        size_t begin = xpd_out_begin(out, 1);
        xpd_out_int(out, 1, event->kind);
        xpd_out_int(out, 2, value->id);
        xpd_out_text(out, 4, value->name);
        if (event->canonical != XPD_NO_INDEX)
            xpd_out_int(out, 5, a->value.at[event->canonical].id);
        xpd_out_end(out, begin);
    }
    xpd_out_int(out, 2, 1);
    xpd_out_int(out, 3, said->index);
    xpd_out_end(out, at);
    a->facts.events += (uint32_t)a->event.count;
    return true;
}

static void put_aliases(struct xpd_assignment *a, struct xpd_strbuf *out,
                        const struct xpd_hlo_names *names)
{
    for (size_t i = 0; i + 1 < a->shares.count; i += 2) {
        size_t at = xpd_out_begin(out, ALIAS);
        xpd_out_int(out, 1, a->value.at[a->shares.at[i + 1]].id);
        put_location(out, 2, names, &a->value.at[a->shares.at[i]]);
        xpd_out_end(out, at);
    }
}

/* The report says its own sum: a file that was cut or edited does not hold it any more. */
static void check_total(struct xpd_assignment *a)
{
    bool overflow = false;
    for (size_t i = 0; i < a->allocation.count; i++)
        a->facts.held_bytes =
            xpd_add_i64(a->facts.held_bytes, a->allocation.at[i].size_bytes, &overflow);
    if (a->facts.said_bytes >= 0 && a->facts.said_bytes != a->facts.held_bytes)
        xpd_warn(a->warnings, XPD_WARNING, "assignment_text_total", XPD_NO_OFFSET,
                 "%s says %lld bytes in all, and its allocations are %lld bytes%s: the report was "
                 "cut or edited.",
                 a->text->name, (long long)a->facts.said_bytes, (long long)a->facts.held_bytes,
                 overflow ? " or more" : "");
}

/* XLA ends each line of a report. */
static void check_end(struct xpd_assignment *a, struct xpd_str text, const char *name)
{
    uint64_t line = 1;
    size_t begin = 0;
    if (text.size == 0 || text.data[text.size - 1] == '\n')
        return;
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '\n') {
            line++;
            begin = i + 1;
        }
    xpd_warn(a->warnings, XPD_WARNING, "assignment_text_cut", text.size,
             "%s, line %" PRIu64 ", column %zu: the report ends in the middle of a line: it was "
             "cut, and what stood behind is missing",
             name, line, text.size - begin + 1);
}

static int write_proto(struct xpd_assignment *a, struct xpd_str module_proto,
                       const struct xpd_hlo_names *names, struct xpd_str *proto,
                       struct xpd_err *err)
{
    struct xpd_strbuf out = {0};
    struct xpd_intern aliased;
    xpd_intern_init(&aliased, a->arena);
    find_aliases(a, module_proto, &aliased);
    xpd_assignment_mark_views(a, module_proto);
    bool fine = put_buffers(a, &out, names);
    for (size_t i = 0; i < a->allocation.count; i++)
        put_allocation(a, &out, &aliased, &a->allocation.at[i]);
    for (size_t i = 0; i < a->allocation.count && fine; i++)
        fine = put_trace(a, &out, &a->allocation.at[i]);
    put_aliases(a, &out, names);
    fine = fine && !out.failed && !a->key_failed && !a->value.failed && !a->allocation.failed;
    if (fine)
        *proto = xpd_strbuf_keep(&out, a->arena);
    xpd_strbuf_fini(&out);
    xpd_intern_fini(&aliased);
    if (fine && !a->arena->failed)
        return XPD_OK;
    return xpd_fail(err, a->arena->over_budget ? XPD_ELIMIT : XPD_ENOMEM, a->text->name,
                    XPD_NO_OFFSET, "there is not enough memory to read this report");
}

int xpd_assignment_text_parse(const struct xpd_assignment_text *text, struct xpd_str module_proto,
                              const struct xpd_hlo_names *names, struct xpd_arena *arena,
                              struct xpd_warnings *warnings, struct xpd_str *proto,
                              struct xpd_assignment_facts *facts, struct xpd_err *err)
{
    struct xpd_assignment a = {.text = text,
                               .names = names,
                               .arena = arena,
                               .warnings = warnings,
                               .facts = {.said_bytes = -1}};
    *proto = (struct xpd_str){"", 0};
    xpd_intern_init(&a.key, arena);
    xpd_assignment_read(&a);
    xpd_assignment_read_ranges(&a, text->assignment, text->name);
    if (text->live_range.size != 0)
        xpd_assignment_read_ranges(&a, text->live_range, text->live_name);
    check_end(&a, text->assignment, text->name);
    check_end(&a, text->live_range, text->live_name);
    check_total(&a);
    xpd_assignment_check_mixed(&a, module_proto);
    a.facts.allocations = (uint32_t)a.allocation.count;
    a.facts.values = (uint32_t)a.value.count;
    int rc = a.allocation.count != 0 || a.allocation.failed
                 ? write_proto(&a, module_proto, names, proto, err)
                 : xpd_fail(err, XPD_EFORMAT, text->name, XPD_NO_OFFSET,
                            "this report names no allocation: it is no list that XLA prints of a "
                            "buffer assignment, or it was cut at its start");
    *facts = a.facts;
    xpd_intern_fini(&a.key);
    XPD_VEC_FINI(&a.value_of);
    XPD_VEC_FINI(&a.allocation);
    XPD_VEC_FINI(&a.value);
    XPD_VEC_FINI(&a.event);
    XPD_VEC_FINI(&a.shares);
    return rc;
}

bool xpd_hlo_proto_join(struct xpd_str module_proto, struct xpd_str assignment,
                        struct xpd_arena *arena, struct xpd_str *hlo_proto)
{
    struct xpd_strbuf out = {0};
    xpd_out_text(&out, HLO_MODULE, module_proto);
    if (assignment.size != 0)
        xpd_out_text(&out, HLO_ASSIGNMENT, assignment);
    bool fine = !out.failed;
    if (fine)
        *hlo_proto = xpd_strbuf_keep(&out, arena);
    xpd_strbuf_fini(&out);
    return fine && !arena->failed;
}

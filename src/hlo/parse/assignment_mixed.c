/* Reports beside the program of another compilation: a folder in which dumps were mixed, or a file
 * that was edited.
 *
 * In: the values of a report with the shapes it says, the instructions of the program. Out:
 * warnings with the file and the first line that does not fit. Two compilations of one program have
 * most names in common, so dimensions are compared as well. */
#include "../text/text_scan.h"
#include "assignment_internal.h"
#include "xprofd/hlo/module.h"
#include "xprofd/wire/cursor.h"

enum { COMPUTATIONS = 3, INSTRUCTIONS = 2, SHAPE = 3, ID = 35, DIMENSIONS = 3, TUPLE_SHAPES = 4 };
enum { DIMS_MAX = 64 };

void xpd_each_instruction(struct xpd_str module_proto,
                          void (*look)(void *self, const struct xpd_field *instruction), void *self)
{
    struct xpd_cursor module;
    struct xpd_field computation, instruction;
    xpd_cursor_init(&module, module_proto.data, module_proto.size, 0);
    while (xpd_cursor_next(&module, &computation)) {
        if (computation.number != COMPUTATIONS || computation.wire_type != 2)
            continue;
        struct xpd_cursor inside = xpd_cursor_sub(&computation);
        while (xpd_cursor_next(&inside, &instruction))
            if (instruction.number == INSTRUCTIONS && instruction.wire_type == 2)
                look(self, &instruction);
    }
}

struct shapes {
    struct xpd_map64 at; /* by id of the instruction */
    XPD_VEC(struct xpd_str) shape;
};

static void keep_shape(void *self, const struct xpd_field *instruction)
{
    struct shapes *shapes = self;
    struct xpd_cursor cursor = xpd_cursor_sub(instruction);
    struct xpd_field field;
    struct xpd_str shape = {"", 0};
    uint64_t id = 0;
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number == SHAPE && field.wire_type == 2)
            shape = xpd_field_str(&field);
        else if (field.number == ID && field.wire_type == 0)
            id = field.value;
    }
    xpd_map64_put(&shapes->at, id, (uint32_t)shapes->shape.count);
    XPD_PUSH(&shapes->shape, shape);
}

/* The part of a tuple's shape; false: it has none at this place. */
static bool enter(struct xpd_str *shape, int64_t place)
{
    struct xpd_cursor cursor;
    struct xpd_field field;
    xpd_cursor_init(&cursor, shape->data, shape->size, 0);
    while (xpd_cursor_next(&cursor, &field))
        if (field.number == TUPLE_SHAPES && field.wire_type == 2 && place-- == 0) {
            *shape = xpd_field_str(&field);
            return true;
        }
    return false;
}

static size_t dims_of(struct xpd_str shape, int64_t dim[DIMS_MAX])
{
    struct xpd_cursor cursor;
    struct xpd_field field;
    size_t count = 0;
    xpd_cursor_init(&cursor, shape.data, shape.size, 0);
    while (xpd_cursor_next(&cursor, &field))
        if (field.number == DIMENSIONS)
            xpd_field_ints(&field, dim, DIMS_MAX, &count);
    return count;
}

/* "8,<=16"; what cannot be read says nothing against a shape. */
static bool says(struct xpd_str dims, const int64_t *dim, size_t count)
{
    struct xpd_text_scan scan = {dims.data, dims.data + dims.size};
    size_t n = 0;
    int64_t value;
    while (scan.at < scan.end) {
        xpd_text_take_word(&scan, XPD_STR("<="));
        if (!xpd_text_int(&scan, &value))
            return true;
        if (n >= count || dim[n++] != value)
            return false;
        xpd_text_take(&scan, ',');
    }
    return n == count;
}

static bool fits(const struct xpd_said_value *value, struct xpd_str shape)
{
    int64_t dim[DIMS_MAX], place;
    if (!value->dims.data)
        return true;
    if (value->index.size > 0) {
        struct xpd_text_scan scan = {value->index.data, value->index.data + value->index.size};
        while (xpd_text_int(&scan, &place)) {
            if (!enter(&shape, place))
                return true;
            xpd_text_take(&scan, ',');
        }
    }
    size_t count = dims_of(shape, dim);
    return count > DIMS_MAX || says(value->dims, dim, count);
}

#define MIXED "The files are of different compilations, or one was edited."

static void check_values(struct xpd_assignment *a, const struct shapes *shapes)
{
    size_t strange = 0, first = 0;
    bool is_there = false;
    for (size_t i = 0; i < a->value.count; i++) {
        int64_t id;
        bool there = xpd_hlo_names_instruction(a->names, a->value.at[i].name, &id);
        uint32_t at = there ? xpd_map64_get(&shapes->at, (uint64_t)id) : XPD_NO_INDEX;
        if ((there && at == XPD_NO_INDEX) ||
            (there && fits(&a->value.at[i], shapes->shape.at[at])) || strange++ != 0)
            continue;
        first = i;
        is_there = there;
    }
    if (strange == 0)
        return;
    const struct xpd_said_value *value = &a->value.at[first];
    int size = (int)(value->name.size < 80 ? value->name.size : 80);
    xpd_warn(a->warnings, XPD_WARNING, "assignment_text_mixed", XPD_NO_OFFSET,
             "%zu of the %zu values in %s do not fit the program, the first in line %llu: %.*s "
             "%s%.*s%s. " MIXED,
             strange, a->value.count, a->text->name, (unsigned long long)value->line, size,
             value->name.data,
             is_there ? "has the dimensions [" : "is no instruction of the program",
             is_there ? (int)(value->dims.size < 80 ? value->dims.size : 80) : 0,
             is_there ? value->dims.data : "", is_there ? "] there alone" : "");
}

void xpd_assignment_check_mixed(struct xpd_assignment *a, struct xpd_str module_proto)
{
    struct shapes shapes = {0};
    if (!a->names)
        return;
    xpd_each_instruction(module_proto, keep_shape, &shapes);
    a->key_failed |= shapes.at.failed || shapes.shape.failed;
    if (!a->key_failed)
        check_values(a, &shapes);
    xpd_map64_fini(&shapes.at);
    XPD_VEC_FINI(&shapes.shape);
    if (a->strange.count == 0)
        return;
    int size = (int)(a->strange.name.size < 80 ? a->strange.name.size : 80);
    xpd_warn(a->warnings, XPD_WARNING, "live_ranges_mixed", XPD_NO_OFFSET,
             "%llu live ranges in %s are of instructions that the program does not have, the first "
             "in line %llu: %.*s. " MIXED,
             (unsigned long long)a->strange.count, a->strange.file,
             (unsigned long long)a->strange.line, size, a->strange.name.data);
}

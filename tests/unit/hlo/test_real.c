/* Real modules of ../shared/data: they load without a warning, and formula A1 gives the sizes that
 * the compiler wrote. Skipped with a sentence when the data is not there. */
#include "hlo_test.h"
#include "xprofd/hlo/source_info.h"
#include "xprofd/hlo/tiling.h"
#include "xprofd/wire/cursor.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct totals {
    uint64_t modules, array_buffers, equal, default_tile, unexplained, tpu_modules, no_shape;
    uint64_t with_source, instructions;
    bool tpu;
};

/* XPD_SHARED, else ../shared beside the source folder this file lies in. */
static bool data_folder(char *path, size_t size)
{
    const char *shared = getenv("XPD_SHARED");
    const char *slash = strstr(__FILE__, "tests/unit/hlo/");
    if (shared)
        snprintf(path, size, "%s/data", shared);
    else
        snprintf(path, size, "%.*s../shared/data", slash ? (int)(slash - __FILE__) : 0, __FILE__);
    glob_t found;
    char pattern[600];
    snprintf(pattern, sizeof pattern, "%s/*/logdir", path);
    bool there = glob(pattern, 0, NULL, &found) == 0;
    if (there)
        globfree(&found);
    else
        print_message("no data in %s: set XPD_SHARED; skipped\n", path);
    return there;
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long end = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)end + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)end, file);
    fclose(file);
    return bytes;
}

static int64_t round_up(int64_t value, int64_t to)
{
    return (value + to - 1) / to * to;
}

/* Arrays that have no tiles (scalars and vectors near the scalar unit) take 1024 elements or a
 * multiple of that: the tile T(1024) that the compiler would give them elsewhere. */
static bool is_default_tile(const struct xpd_shape *shape, int64_t size_bytes)
{
    int64_t elements = 1, bytes = xpd_type_bits(shape->type) / 8;
    for (uint32_t i = 0; i < shape->rank; i++)
        elements *= shape->dims[i];
    return shape->rank <= 1 && shape->layout && shape->layout->tile_count == 0 &&
           size_bytes == round_up(elements, 1024) * bytes;
}

static void compare_sizes(const struct xpd_hlo *hlo, struct totals *totals)
{
    const struct xpd_hlo_buffers *buffers = &hlo->buffers;
    for (uint32_t i = 0; i < buffers->count; i++) {
        assert_int_not_equal(buffers->instruction[i], XPD_NO_INDEX);
        const struct xpd_shape *shape =
            xpd_shape_at(hlo->instructions.shape[buffers->instruction[i]],
                         buffers->shape_index + buffers->index_first[i],
                         buffers->index_first[i + 1] - buffers->index_first[i]);
        if (!shape) {
            totals->no_shape++;
            continue;
        }
        if (xpd_type_bits(shape->type) == 0)
            continue;
        struct xpd_tiling tiling;
        xpd_tiling_of(&tiling, shape);
        totals->array_buffers++;
        if (tiling.known && tiling.tiled_bytes == buffers->size_bytes[i])
            totals->equal++;
        else if (is_default_tile(shape, buffers->size_bytes[i]))
            totals->default_tile++;
        else
            totals->unexplained++;
    }
}

static void check_hlo(const struct xpd_field *bytes, struct totals *totals)
{
    struct xpd_err err = {0};
    struct xpd_hlo *hlo = ht_load_bytes(bytes->bytes, (size_t)bytes->size, &err);
    if (!hlo && err.code == XPD_EFORMAT)
        return; /* another file */
    if (!hlo)
        fail_msg("%s", err.text);
    assert_int_equal(hlo->warnings.count, 0);
    assert_int_not_equal(hlo->entry, XPD_NO_INDEX);
    totals->modules++;
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        struct xpd_source_info info;
        xpd_source_of(hlo, i, &info);
        totals->with_source += info.file.size != 0;
        totals->instructions++;
        assert_true(xpd_op_group_of(hlo, i) < XPD_OP_GROUP_COUNT);
    }
    if (totals->tpu) {
        totals->tpu_modules++;
        compare_sizes(hlo, totals);
    }
    xpd_hlo_free(hlo);
}

/* Descends along field numbers, ended by 0, to all messages at the end of the path. */
static void descend(const struct xpd_field *message, const uint32_t *path, struct totals *totals)
{
    if (*path == 0) {
        if (message->size > 60)
            check_hlo(message, totals);
        return;
    }
    struct xpd_cursor cursor = xpd_cursor_sub(message);
    struct xpd_field field;
    while (xpd_cursor_next(&cursor, &field))
        if (field.number == *path && field.wire_type == 2)
            descend(&field, path + 1, totals);
}

static void check_all(const char *folder, const char *which, struct totals *totals)
{
    /* XSpace.planes, XPlane.event_metadata, its value, XEventMetadata.stats, XStat.bytes_value */
    static const uint32_t path[] = {1, 4, 2, 5, 6, 0};
    char pattern[600];
    snprintf(pattern, sizeof pattern, "%s/%s/logdir/plugins/profile/*/*.xplane.pb", folder, which);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t size;
        uint8_t *bytes = read_file(found.gl_pathv[i], &size);
        struct xpd_field space = {.bytes = bytes, .size = size};
        descend(&space, path, totals);
        free(bytes);
    }
    globfree(&found);
}

static void tpu_sizes_follow_formula_a1(void **state)
{
    (void)state;
    char folder[512];
    if (!data_folder(folder, sizeof folder))
        skip();
    struct totals totals = {.tpu = true};
    check_all(folder, "tpu*", &totals);
    print_message("%llu TPU modules: %llu of %llu array buffers have the size of A1, %llu are "
                  "untiled and take one default tile, %llu are unexplained; %llu of %llu "
                  "instructions have a source\n",
                  (unsigned long long)totals.tpu_modules, (unsigned long long)totals.equal,
                  (unsigned long long)totals.array_buffers, (unsigned long long)totals.default_tile,
                  (unsigned long long)totals.unexplained, (unsigned long long)totals.with_source,
                  (unsigned long long)totals.instructions);
    assert_true(totals.tpu_modules >= 20);
    assert_int_equal(totals.no_shape, 0);
    assert_int_equal(totals.unexplained, 0);
    assert_true(totals.equal > 37000);
}

static void cpu_modules_load(void **state)
{
    (void)state;
    char folder[512];
    if (!data_folder(folder, sizeof folder))
        skip();
    struct totals totals = {.tpu = false};
    check_all(folder, "[!t]*", &totals);
    check_all(folder, "transformer_train", &totals);
    print_message("%llu other modules load without a warning\n",
                  (unsigned long long)totals.modules);
    assert_true(totals.modules >= 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tpu_sizes_follow_formula_a1),
        cmocka_unit_test(cpu_modules_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

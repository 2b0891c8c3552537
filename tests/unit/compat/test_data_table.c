/* A table as Google's charts take it and as CSV: forms of numbers, kinds of cells, properties. What
 * is wanted was written by XProf 2.24.2 and by Python's csv module. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compat/tables/data_table.h"

struct row {
    double rank;
    struct xpd_str name;
    bool fits;
};

static const struct xpd_column columns[] = {
    XPD_COLUMN(struct row, rank, "Rank"),
    XPD_COLUMN_AS(struct row, "kernel_name", name, ""),
    XPD_COLUMN(struct row, fits, "It fits"),
};

static void numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } wanted[] = {
        {0, "0.0"},
        {-0.0, "-0.0"},
        {1, "1.0"},
        {-12345, "-12345.0"},
        {0.125, "0.125"},
        {0.1, "0.1"},
        {2.0 / 3, "0.6666666666666666"},
        {1e-4, "0.0001"},
        {1e-5, "1e-05"},
        {1.25e-7, "1.25e-07"},
        {0x1p-24, "5.960464477539063e-08"}, /* half way between two texts of 16 digits */
        {123456789012345680, "1.2345678901234568e+17"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e+16"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {77773215.73125, "77773215.73125"},
        {1.2217221373570686e-05, "1.2217221373570686e-05"},
        {NAN, "null"},
        {-INFINITY, "null"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct xpd_strbuf out = {0};
        xpd_data_table_number(&out, wanted[i].value);
        assert_string_equal(out.data, wanted[i].text);
        xpd_strbuf_fini(&out);
    }
}

static const struct row rows[] = {
    {1, {"a<b \"c\"", 7}, true},
    {NAN, {"=1+1", 4}, false},
};
static const struct xpd_property properties[] = {{"device_type", {"TPU", 3}}};
static const struct xpd_data_table table = {XPD_COLUMNS(columns),      .row = rows,
                                            .row_bytes = sizeof *rows, .row_count = 2,
                                            .property = properties,    .property_count = 1};

static void as_json(void **state)
{
    (void)state;
    struct xpd_strbuf out = {0};
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out);
    xpd_data_table_json(&w, &table);
    assert_string_equal(
        out.data, "{\"cols\":[{\"id\":\"rank\",\"label\":\"Rank\",\"type\":\"number\"},"
                  "{\"id\":\"kernel_name\",\"label\":\"\",\"type\":\"string\"},"
                  "{\"id\":\"fits\",\"label\":\"It fits\",\"type\":\"boolean\"}],"
                  "\"p\":{\"device_type\":\"TPU\"},"
                  "\"rows\":[{\"c\":[{\"v\":1.0},{\"v\":\"a\\u003cb \\\"c\\\"\"},{\"v\":true}]},"
                  "{\"c\":[{\"v\":null},{\"v\":\"=1+1\"},{\"v\":false}]}]}");
    xpd_strbuf_fini(&out);
}

static void as_csv(void **state)
{
    (void)state;
    struct xpd_strbuf out = {0};
    xpd_data_table_csv(&out, &table);
    assert_string_equal(out.data, "\"Rank\",\"kernel_name\",\"It fits\"\n"
                                  "\"1.0\",\"a<b \"\"c\"\"\",\"True\"\n"
                                  "\"\",\"'=1+1\",\"False\"\n");
    xpd_strbuf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(as_json),
                                       cmocka_unit_test(as_csv)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

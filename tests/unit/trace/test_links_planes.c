/* Planes of one name are one process in the scan of links, and its cost grows as the planes do. */
#include "planes_cost.h"
#include "trace/flows/links.h"
#include "trace/flows/links_read.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* A plane with one event that begins the flow `flow` (XFlow: 2 = out, id from bit 2 on). */
static void add_plane(struct dspace *d, const char *name, uint32_t id, int64_t flow)
{
    const struct dstat stat[] = {{"flow", flow * 4 + 2, NULL}, {0}};
    dspace_plane(d, name, id);
    uint32_t event = dspace_name(d, "a", NULL, NO_STATS);
    dspace_line(d, "main", 1);
    dspace_event(d, event, 0, 1, stat);
}

static void chains(void **state)
{
    static const char *const name[] = {"/host:CPU", "/host:CPU1", "/host:CPU", "b", "/host:CPU"};
    static const uint32_t next[] = {2, XPD_NO_INDEX, 4, XPD_NO_INDEX, XPD_NO_INDEX};
    struct dspace d = {0};
    struct xpd_plane_chain chain;
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        add_plane(&d, name[i], i, i + 1);
    dspace_load(&d);
    assert_int_equal(d.space->plane_count, 5);
    assert_true(xpd_plane_chain_init(&chain, d.space));
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(chain.next[i], next[i]);
    assert_int_equal(xpd_plane_chain_first(&chain, d.space->plane[4].name), 0);
    assert_int_equal(xpd_plane_chain_first(&chain, d.space->plane[1].name), 1);
    assert_int_equal(xpd_plane_chain_first(&chain, XPD_NO_NAME), XPD_NO_INDEX);
    xpd_plane_chain_fini(&chain);
    dspace_free(&d);
}

/* Every plane of a name is read, once, with its process; links stand in the order of the file. */
static void all_of_a_name(void **state)
{
    static const uint64_t flow[] = {11, 12, 13}; /* as in the file */
    struct dspace d = {0};
    struct xpd_links links;
    (void)state;
    add_plane(&d, "/host:CPU", 0, 11);
    add_plane(&d, "/host:CPU1", 1, 12);
    add_plane(&d, "/host:CPU", 2, 13);
    dspace_load(&d);
    assert_int_equal(xpd_links_scan(&links, d.trace, NULL), XPD_OK);
    assert_int_equal(links.link.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(links.link.at[i].key, flow[i]);
    xpd_links_fini(&links);
    dspace_free(&d);
}

static void add_numbered(struct dspace *d, const char *name, uint32_t number)
{
    add_plane(d, name, number, number + 1);
}

static void scan(const struct dspace *d)
{
    struct xpd_links links;
    assert_int_equal(xpd_links_scan(&links, d->trace, NULL), XPD_OK);
    xpd_links_fini(&links);
}

/* Each process was compared with all planes. */
static void twice_as_many(void **state)
{
    (void)state;
    assert_grows_with_planes(
        &(struct planes_cost){.planes = 1000, .rounds = 30, .add = add_numbered, .work = scan});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains), cmocka_unit_test(all_of_a_name),
                                       cmocka_unit_test(twice_as_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

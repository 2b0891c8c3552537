/* Records change places in their array: in the order that qsort gives, few and many of them. */
#include "xprofd/base/buckets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 200000 }; /* threads share them */

struct record {
    uint64_t key, turn, rest;
};

static uint64_t random_state = 7;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static int by_key(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->turn > y->turn) - (x->turn < y->turn);
}

/* `mask`: which bits of keys differ. */
static void sorts(size_t count, uint64_t mask, uint64_t outlier)
{
    struct record *one = calloc(count + 1, sizeof *one), *other = calloc(count + 1, sizeof *one);
    assert_true(one && other);
    for (size_t i = 0; i < count; i++)
        one[i] = (struct record){i == 3 ? outlier : next_random() & mask, i, ~i};
    memcpy(other, one, count * sizeof *one);
    xpd_buckets_sort(one, count, by_key);
    qsort(other, count, sizeof *other, by_key);
    assert_memory_equal(one, other, (count + 1) * sizeof *one);
    free(one);
    free(other);
}

static void as_qsort(void **state)
{
    (void)state;
    for (size_t count = 0; count < 600; count += 1 + count / 7) {
        sorts(count, UINT64_MAX, 0);
        sorts(count, 7, UINT64_MAX);
    }
    sorts(MANY, UINT64_MAX, 0);
    sorts(MANY, 0xFFFFFF, UINT64_MAX); /* all but one in the first bucket */
    sorts(MANY, 1, 1);
    sorts(MANY, UINT64_MAX << 50, 0);
}

static uint32_t last_bits(const void *record)
{
    return (uint32_t)((const struct record *)record)->key % XPD_BUCKETS;
}

static void splits(void **state)
{
    static struct record record[MANY];
    size_t end[XPD_BUCKETS];
    uint64_t turns = 0;
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        record[i] = (struct record){next_random(), i, 0};
    xpd_buckets_split(record, MANY, last_bits, end);
    assert_int_equal(end[XPD_BUCKETS - 1], MANY);
    for (size_t i = 0, bucket = 0; i < MANY; i++) {
        while (i >= end[bucket])
            bucket++;
        assert_int_equal(last_bits(&record[i]), bucket);
        turns += record[i].turn;
    }
    assert_int_equal(turns, (uint64_t)MANY * (MANY - 1) / 2); /* each is there once */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_qsort), cmocka_unit_test(splits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

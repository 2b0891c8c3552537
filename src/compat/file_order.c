/* See file_order.h. Half-MD4 is MD4 cut to 8 words of input and 24 steps: three rounds of 8 steps,
 * each with its function, its constant, its order of words and its four rotations. */
#include "xprofd/compat/file_order.h"

#include <stdio.h>
#include <stdlib.h>

#define WORDS 8 /* of a block: 32 bytes of the name */

struct round {
    uint32_t constant;
    uint8_t word[WORDS];
    uint8_t turn[4];
};

static const struct round rounds[3] = {
    {0, {0, 1, 2, 3, 4, 5, 6, 7}, {3, 7, 11, 19}},
    {0x5a827999u, {1, 3, 5, 7, 0, 2, 4, 6}, {3, 5, 9, 13}},  /* 2^30 sqrt 2 */
    {0x6ed9eba1u, {3, 7, 2, 6, 1, 5, 0, 4}, {3, 9, 11, 15}}, /* 2^30 sqrt 3 */
};

static uint32_t mixed(int round, uint32_t x, uint32_t y, uint32_t z)
{
    if (round == 0)
        return (x & y) | (~x & z);
    if (round == 1)
        return (x & y) + ((x ^ y) & z); /* the majority of the three */
    return x ^ y ^ z;
}

static uint32_t turned(uint32_t value, uint8_t bits)
{
    return value << bits | value >> (32 - bits);
}

static void add_block(uint32_t sum[4], const uint32_t block[WORDS])
{
    uint32_t now[4] = {sum[0], sum[1], sum[2], sum[3]};
    for (int r = 0; r < 3; r++)
        for (int step = 0; step < WORDS; step++) {
            /* the word that changes goes a, d, c, b; the other three follow it in the ring */
            int at = (4 - step % 4) % 4;
            uint32_t add = mixed(r, now[(at + 1) % 4], now[(at + 2) % 4], now[(at + 3) % 4]);
            now[at] = turned(now[at] + add + block[rounds[r].word[step]] + rounds[r].constant,
                             rounds[r].turn[step % 4]);
        }
    for (int i = 0; i < 4; i++)
        sum[i] += now[i];
}

/* The next 32 bytes of a name as words, high byte first; what is missing is filled with the number
 * of bytes that were left. */
static void take_block(struct xpd_str rest, uint32_t block[WORDS])
{
    uint32_t left = (uint32_t)(rest.size & 0xff);
    uint32_t filler = left | left << 8;
    filler |= filler << 16;
    size_t at = 0;
    for (int w = 0; w < WORDS; w++) {
        uint32_t word = filler;
        for (int b = 0; b < 4 && at < rest.size; b++, at++) /* bytes are signed there, as on x86 */
            word = (uint32_t)(int32_t)(signed char)rest.data[at] + (word << 8);
        block[w] = word;
    }
}

struct xpd_file_place xpd_file_place_of(struct xpd_str name)
{
    uint32_t sum[4] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u}; /* MD4's, no seed */
    while (name.size > 0) {
        uint32_t block[WORDS];
        take_block(name, block);
        add_block(sum, block);
        size_t taken = name.size < 4 * WORDS ? name.size : 4 * WORDS;
        name = (struct xpd_str){name.data + taken, name.size - taken};
    }
    return (struct xpd_file_place){sum[1] & ~1u, sum[2]};
}

struct listed {
    struct xpd_file_place place;
    uint32_t number;
};

static int by_place(const void *left, const void *right)
{
    const struct listed *a = left, *b = right;
    if (a->place.hash != b->place.hash)
        return a->place.hash < b->place.hash ? -1 : 1;
    if (a->place.minor != b->place.minor)
        return a->place.minor < b->place.minor ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* name(of, k) is the k-th file's name without `suffix`. */
static const uint32_t *order_of(const struct xpd_run *of, uint32_t count,
                                const char *(*name)(const struct xpd_run *, uint32_t),
                                const char *suffix, struct xpd_arena *arena)
{
    struct listed *file = XPD_NEW_ARRAY(arena, struct listed, count + 1);
    uint32_t *order = XPD_NEW_ARRAY(arena, uint32_t, count + 1);
    struct xpd_strbuf text = {0};
    for (uint32_t k = 0; file && order && k < count; k++) {
        xpd_strbuf_clear(&text);
        xpd_strbuf_puts(&text, name(of, k));
        xpd_strbuf_puts(&text, suffix);
        file[k] = (struct listed){xpd_file_place_of((struct xpd_str){text.data, text.size}), k};
    }
    bool failed = !file || !order || text.failed;
    xpd_strbuf_fini(&text);
    if (failed)
        return NULL;
    qsort(file, count, sizeof *file, by_place);
    for (uint32_t k = 0; k < count; k++)
        order[k] = file[k].number;
    return order;
}

static const char *module_key(const struct xpd_run *run, uint32_t module)
{
    return run->module[module].key;
}

static const char *host_name(const struct xpd_run *run, uint32_t host)
{
    return run->host[host].name;
}

const uint32_t *xpd_file_order(const struct xpd_run *run, struct xpd_arena *arena)
{
    return order_of(run, run->module_count, module_key, ".hlo_proto.pb", arena);
}

const uint32_t *xpd_host_order(const struct xpd_run *run, struct xpd_arena *arena)
{
    return order_of(run, run->host_count, host_name, ".xplane.pb", arena);
}

/* Memory of columns.
 *
 * Large pieces are mappings of their own: fresh pages on demand, whole huge pages where the system
 * has them (first touch of 4 KiB pages would take longer than decoding), and nothing stays behind
 * when one is given back. Invariant: used is the sum of what was taken and not given back. */
#include "blocks.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <sys/mman.h>

#define CHUNK_BYTES ((size_t)256 << 10)
#define HUGE_BYTES  ((size_t)4 << 20) /* below, rounding up to huge pages would cost too much */

struct piece {
    struct piece *next, *before;
    void *at;
    size_t size;
    bool mapped;
};
struct xpd_blocks {
    pthread_mutex_t lock;
    struct piece *head;
    uint64_t used, budget;
};

struct xpd_blocks *xpd_blocks_new(uint64_t budget_bytes)
{
    struct xpd_blocks *blocks = calloc(1, sizeof *blocks);
    if (blocks && pthread_mutex_init(&blocks->lock, NULL) != 0) {
        free(blocks);
        return NULL;
    }
    if (blocks)
        blocks->budget = budget_bytes;
    return blocks;
}

static void release(const struct piece *piece)
{
    if (piece->mapped)
        munmap(piece->at, piece->size);
    else
        free(piece->at);
}

void xpd_blocks_free(struct xpd_blocks *blocks)
{
    if (!blocks)
        return;
    for (struct piece *piece = blocks->head; piece;) {
        struct piece *next = piece->next;
        release(piece);
        free(piece);
        piece = next;
    }
    pthread_mutex_destroy(&blocks->lock);
    free(blocks);
}

static bool map(struct piece *piece)
{
#ifndef XPD_DEBUG_ARENA
    if (piece->size >= XPD_LARGE_BYTES) {
        piece->at =
            mmap(NULL, piece->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece->at == MAP_FAILED)
            return false;
        if (piece->size >= HUGE_BYTES)
            (void)madvise(piece->at, piece->size, MADV_HUGEPAGE); /* a hint only */
        piece->mapped = true;
        return true;
    }
#endif
    piece->at = malloc(piece->size);
    return piece->at != NULL;
}

static void *new_piece(struct xpd_blocks *blocks, size_t size)
{
    struct piece *piece = calloc(1, sizeof *piece);
    if (!piece)
        return NULL;
    piece->size = size;
    pthread_mutex_lock(&blocks->lock);
    bool fits = blocks->budget == 0 ||
                (blocks->used <= blocks->budget && size <= blocks->budget - blocks->used);
    if (fits)
        blocks->used += size;
    pthread_mutex_unlock(&blocks->lock);
    if (!fits || !map(piece)) {
        if (fits) {
            pthread_mutex_lock(&blocks->lock);
            blocks->used -= size;
            pthread_mutex_unlock(&blocks->lock);
        }
        free(piece);
        return NULL;
    }
    pthread_mutex_lock(&blocks->lock);
    piece->next = blocks->head;
    if (blocks->head)
        blocks->head->before = piece;
    blocks->head = piece;
    pthread_mutex_unlock(&blocks->lock);
    return piece->at;
}

void *xpd_blocks_take_large(struct xpd_blocks *blocks, size_t size)
{
    return new_piece(blocks, size ? size : 1);
}

void *xpd_blocks_take(struct xpd_blocks *blocks, struct xpd_pen *pen, size_t size)
{
    size_t need = (size + (alignof(max_align_t) - 1)) & ~(alignof(max_align_t) - 1);
    if (need < size)
        return NULL;
#ifdef XPD_DEBUG_ARENA
    (void)pen;
    return new_piece(blocks, size ? size : 1);
#else
    if (need > CHUNK_BYTES / 4)
        return new_piece(blocks, need);
    if (pen->left < need) {
        pen->at = new_piece(blocks, CHUNK_BYTES);
        pen->left = pen->at ? CHUNK_BYTES : 0;
        if (!pen->at)
            return NULL;
    }
    void *piece = pen->at;
    pen->at += need;
    pen->left -= need;
    return piece;
#endif
}

void xpd_blocks_give_back(struct xpd_blocks *blocks, void *at, size_t size)
{
    if (!at)
        return;
    pthread_mutex_lock(&blocks->lock);
    struct piece *piece = blocks->head;
    while (piece && piece->at != at)
        piece = piece->next;
    if (piece) {
        if (piece->before)
            piece->before->next = piece->next;
        else
            blocks->head = piece->next;
        if (piece->next)
            piece->next->before = piece->before;
        blocks->used -= size ? size : 1;
    }
    pthread_mutex_unlock(&blocks->lock);
    if (piece)
        release(piece);
    free(piece);
}

uint64_t xpd_blocks_used(struct xpd_blocks *blocks)
{
    pthread_mutex_lock(&blocks->lock);
    uint64_t used = blocks->used;
    pthread_mutex_unlock(&blocks->lock);
    return used;
}

/* Memory of columns.
 *
 * Large pieces are mappings of their own: fresh pages on demand, whole huge pages where the system
 * has them (first touch of 4 KiB pages would take longer than decoding), and freed memory returns
 * to the system. Invariant: used is the sum of the pieces in use. */
#include "load_blocks.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK_BYTES   ((size_t)256 << 10) /* the first chunk; they grow with what is in use */
#define LARGEST_CHUNK ((size_t)16 << 20)
#define HUGE_BYTES    ((size_t)4 << 20) /* below, rounding up to huge pages would cost too much */
#define HUGE_PAGE     ((size_t)2 << 20)

struct piece {
    struct piece *next, *before;
    void *at;
    size_t size;
    bool mapped;
};
struct xpd_trace_blocks {
    pthread_mutex_t lock;
    struct piece *head;
    uint64_t used, budget;
};

struct xpd_trace_blocks *xpd_blocks_new(uint64_t budget_bytes)
{
    struct xpd_trace_blocks *blocks = calloc(1, sizeof *blocks);
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

void xpd_blocks_free(struct xpd_trace_blocks *blocks)
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

/* A mapping that begins at a huge page; memory before it would be in small pages. */
static void *map_huge(size_t size)
{
    uint8_t *at =
        mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    size_t before = (size_t)(0 - (uintptr_t)at) & (HUGE_PAGE - 1);
    size_t page = (size_t)sysconf(_SC_PAGESIZE), kept = (size + page - 1) & ~(page - 1);
    if (before != 0)
        munmap(at, before);
    if (kept < size + HUGE_PAGE - before)
        munmap(at + before + kept, size + HUGE_PAGE - before - kept);
    (void)madvise(at + before, kept, MADV_HUGEPAGE); /* a hint only */
    return at + before;
}

static bool map(struct piece *piece)
{
#ifndef XPD_DEBUG_ARENA
    if (piece->size >= HUGE_BYTES && piece->size < SIZE_MAX - 2 * HUGE_PAGE) {
        piece->at = map_huge(piece->size);
        piece->mapped = true;
        return piece->at != NULL;
    }
    if (piece->size >= XPD_LARGE_BYTES) {
        piece->at =
            mmap(NULL, piece->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        piece->mapped = true;
        return piece->at != MAP_FAILED;
    }
#endif
    piece->at = malloc(piece->size);
    return piece->at != NULL;
}

static void *new_piece(struct xpd_trace_blocks *blocks, size_t size)
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

void *xpd_blocks_take_large(struct xpd_trace_blocks *blocks, size_t size)
{
    return new_piece(blocks, size ? size : 1);
}

#ifndef XPD_DEBUG_ARENA

/* The pages behind the last used byte of a mapped chunk go back to the system. */
static void trim(struct xpd_trace_blocks *blocks, struct xpd_pen *pen)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pthread_mutex_lock(&blocks->lock);
    struct piece *piece = pen->at ? blocks->head : NULL;
    while (piece && (uint8_t *)piece->at + piece->size != pen->at + pen->left)
        piece = piece->next;
    if (piece && piece->mapped) {
        size_t kept = (piece->size - pen->left + page - 1) & ~(page - 1);
        kept = kept ? kept : page;
        if (kept < piece->size && munmap((uint8_t *)piece->at + kept, piece->size - kept) == 0) {
            blocks->used -= piece->size - kept;
            piece->size = kept;
        }
    }
    pthread_mutex_unlock(&blocks->lock);
    pen->at = NULL;
    pen->left = 0;
}

static size_t chunk_bytes(struct xpd_trace_blocks *blocks)
{
    uint64_t used = xpd_blocks_used(blocks);
    size_t size = CHUNK_BYTES;
    while (size < LARGEST_CHUNK && size < used / 8)
        size *= 2;
    return size;
}

static bool new_chunk(struct xpd_trace_blocks *blocks, struct xpd_pen *pen, size_t size)
{
    trim(blocks, pen);
    pen->at = new_piece(blocks, size);
    if (!pen->at) /* the budget may still have room for a small one */
        pen->at = new_piece(blocks, size = CHUNK_BYTES);
    pen->left = pen->at ? size : 0;
    return pen->at != NULL;
}

#endif

void *xpd_blocks_take(struct xpd_trace_blocks *blocks, struct xpd_pen *pen, size_t size)
{
    size_t need = (size + (alignof(max_align_t) - 1)) & ~(alignof(max_align_t) - 1);
    if (need < size)
        return NULL;
#ifdef XPD_DEBUG_ARENA
    (void)pen;
    return new_piece(blocks, size ? size : 1);
#else
    if (pen->left < need) {
        size_t chunk = chunk_bytes(blocks);
        if (need > chunk / 4)
            return new_piece(blocks, need);
        if (!new_chunk(blocks, pen, chunk))
            return NULL;
        if (pen->left < need)
            return new_piece(blocks, need);
    }
    void *piece = pen->at;
    pen->at += need;
    pen->left -= need;
    return piece;
#endif
}

void *xpd_pen_scratch(struct xpd_pen *pen, size_t size)
{
    if (size > pen->scratch_bytes) {
        free(pen->scratch);
        pen->scratch = malloc(size);
        pen->scratch_bytes = pen->scratch ? size : 0;
    }
    return pen->scratch;
}

void xpd_pen_close(struct xpd_trace_blocks *blocks, struct xpd_pen *pen)
{
#ifndef XPD_DEBUG_ARENA
    trim(blocks, pen);
#else
    (void)blocks;
#endif
    free(pen->scratch);
    *pen = (struct xpd_pen){0};
}

void xpd_blocks_give_back(struct xpd_trace_blocks *blocks, void *at, size_t size)
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

uint64_t xpd_blocks_used(struct xpd_trace_blocks *blocks)
{
    pthread_mutex_lock(&blocks->lock);
    uint64_t used = blocks->used;
    pthread_mutex_unlock(&blocks->lock);
    return used;
}

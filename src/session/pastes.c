/* Programs that a client sent as HLO text: runs in memory, beside those of the scan.
 *
 * In: a text. Out: a run of one module in every later catalog. The newest XPD_PASTES_MAX are kept;
 * each lives as long as a catalog names it, and is never written anywhere. */
#include "session_internal.h"

#include "xprofd/base/checked.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct xpd_paste {
    _Atomic uint32_t holders;
    uint64_t hash;
    int64_t mtime_ms;
    char id[XPD_PASTE_ID_BYTES], name[XPD_PASTE_ID_BYTES];
    size_t size;
    uint8_t text[];
};

static struct xpd_paste *hold(struct xpd_paste *paste)
{
    atomic_fetch_add_explicit(&paste->holders, 1, memory_order_relaxed);
    return paste;
}

void xpd_paste_release(struct xpd_paste *paste)
{
    if (paste && atomic_fetch_sub_explicit(&paste->holders, 1, memory_order_acq_rel) == 1)
        free(paste);
}

/* ---- checks of pasted text ---- */

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/* "jit_f" of "HloModule jit_f, is_scheduled=true"; of other letters an id has none. */
static void name_module(struct xpd_str text, char name[XPD_PASTE_NAME_BYTES])
{
    size_t size = 0;
    while (text.size > 0 && (*text.data == ' ' || *text.data == '%')) {
        text.data++;
        text.size--;
    }
    while (size < text.size && size < XPD_PASTE_NAME_BYTES - 1 && is_name_byte(text.data[size]))
        size++;
    snprintf(name, XPD_PASTE_NAME_BYTES, "%.*s", (int)size, size > 0 ? text.data : "");
    if (size == 0)
        snprintf(name, XPD_PASTE_NAME_BYTES, "module");
}

static int check(struct xpd_str *text, char name[XPD_PASTE_NAME_BYTES], struct xpd_err *err)
{
    const struct xpd_str mark = XPD_STR("\xEF\xBB\xBF"), head = XPD_STR("HloModule ");
    if (text->size > XPD_PASTE_MAX_BYTES)
        return xpd_fail(err, XPD_ELIMIT, "body", XPD_NO_OFFSET,
                        "the text has %zu bytes; the limit is %d (16 MiB). Save it as a .txt in "
                        "the logdir, or open it with `xprofd FILE`",
                        text->size, XPD_PASTE_MAX_BYTES);
    if (text->size >= mark.size && memcmp(text->data, mark.data, mark.size) == 0)
        *text = (struct xpd_str){text->data + mark.size, text->size - mark.size};
    struct xpd_str from = xpd_str_trim(*text);
    if (from.size <= head.size || memcmp(from.data, head.data, head.size) != 0)
        return xpd_fail(err, XPD_EINVAL, "body", 0,
                        "this is not an HLO module in text. One begins with \"HloModule NAME\", as "
                        "`compiled.as_text()` prints it");
    name_module((struct xpd_str){from.data + head.size, from.size - head.size}, name);
    return XPD_OK;
}

static struct xpd_paste *paste_new(struct xpd_str text, const char *name)
{
    struct xpd_paste *paste = malloc(sizeof *paste + text.size);
    struct timespec now;
    if (!paste)
        return NULL;
    clock_gettime(CLOCK_REALTIME, &now);
    *paste = (struct xpd_paste){.hash = xpd_hash(text.data, text.size),
                                .mtime_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000,
                                .size = text.size};
    atomic_init(&paste->holders, 1);
    memcpy(paste->text, text.data, text.size);
    snprintf(paste->id, sizeof paste->id, XPD_PASTE_PREFIX "%s-%08x", name,
             (unsigned)(paste->hash & UINT32_MAX));
    snprintf(paste->name, sizeof paste->name, "%s.txt", name);
    return paste;
}

/* ---- in the store ---- */

/* Under the store lock: the same text again is the same run, and the newest. */
static struct xpd_paste *put(struct xpd_store *store, struct xpd_paste *paste)
{
    uint32_t at = 0;
    while (at < XPD_PASTES_MAX - 1 && store->paste[at] && store->paste[at]->hash != paste->hash)
        at++;
    struct xpd_paste *gone = store->paste[at];
    memmove(store->paste + 1, store->paste, at * sizeof *store->paste);
    store->paste[0] = paste;
    store->scanned_ns = 0; /* the next catalog is a new one */
    return gone;
}

int xpd_store_paste(struct xpd_store *store, struct xpd_str text, char id[XPD_PASTE_ID_BYTES],
                    struct xpd_err *err)
{
    char name[XPD_PASTE_NAME_BYTES];
    int rc = check(&text, name, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_paste *paste = paste_new(text, name);
    if (!paste)
        return xpd_no_memory(err, "body", "to keep this text");
    snprintf(id, XPD_PASTE_ID_BYTES, "%s", paste->id);
    pthread_mutex_lock(&store->lock);
    struct xpd_paste *gone = put(store, paste);
    pthread_mutex_unlock(&store->lock);
    xpd_paste_release(gone);
    return XPD_OK;
}

static bool fill(struct xpd_catalog *catalog, const struct xpd_paste *paste,
                 struct xpd_run_entry *run)
{
    struct xpd_input *input = XPD_NEW(&catalog->arena, struct xpd_input);
    *run = (struct xpd_run_entry){
        .id = paste->id,
        .folder = "",
        .name = paste->id,
        .label = paste->id,
        .kind = XPD_RUN_FILE,
        .mtime_ms = paste->mtime_ms,
        .size_bytes = paste->size,
        .input = input,
        .input_count = 1,
        .fingerprint = paste->hash,
    };
    if (!input)
        return false;
    *input = (struct xpd_input){
        .path = "",
        .bytes = paste->text,
        .name = paste->name,
        .host = "",
        .format = XPD_INPUT_HLO_TEXT,
        .identity = {.size_bytes = paste->size, .mtime_ns = paste->mtime_ms * 1000000}};
    return true;
}

bool xpd_pastes_list(struct xpd_store *store, struct xpd_catalog *catalog)
{
    struct xpd_paste *paste[XPD_PASTES_MAX];
    uint32_t count = 0;
    pthread_mutex_lock(&store->lock);
    while (count < XPD_PASTES_MAX && store->paste[count]) {
        paste[count] = hold(store->paste[count]);
        count++;
    }
    pthread_mutex_unlock(&store->lock);
    if (count == 0)
        return true;
    uint32_t all = catalog->run_count + count;
    struct xpd_run_entry *run = XPD_NEW_ARRAY(&catalog->arena, struct xpd_run_entry, all);
    bool fine = run != NULL;
    for (uint32_t i = 0; i < count; i++)
        catalog->paste[i] = paste[i]; /* released with the catalog, in any case */
    for (uint32_t i = 0; fine && i < count; i++)
        fine = fill(catalog, paste[i], &run[i]);
    if (!fine)
        return false;
    if (catalog->run_count > 0)
        memcpy(run + count, catalog->run, catalog->run_count * sizeof *run);
    catalog->run = run;
    catalog->run_count = all;
    return true;
}

void xpd_pastes_free(struct xpd_store *store)
{
    for (uint32_t i = 0; i < XPD_PASTES_MAX; i++)
        xpd_paste_release(store->paste[i]);
}

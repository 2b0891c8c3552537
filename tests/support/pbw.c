#include "pbw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_LEN = 2, VARINT_MAX = 10 };

static void reserve(struct pbw *w, size_t more)
{
    if (w->cap - w->len >= more) {
        return;
    }
    size_t cap = w->cap ? w->cap : 256;
    while (cap - w->len < more) {
        if (cap > SIZE_MAX / 2) {
            abort();
        }
        cap *= 2;
    }
    unsigned char *data = realloc(w->data, cap);
    if (!data) {
        fprintf(stderr, "pbw: out of memory (%zu bytes)\n", cap);
        abort();
    }
    w->data = data;
    w->cap = cap;
}

void pbw_free(struct pbw *w)
{
    free(w->data);
    *w = (struct pbw){0};
}

void pbw_raw(struct pbw *w, const void *data, size_t len)
{
    if (len == 0) {
        return;
    }
    reserve(w, len);
    memcpy(w->data + w->len, data, len);
    w->len += len;
}

static size_t encode_varint(unsigned char out[VARINT_MAX], uint64_t value)
{
    size_t n = 0;
    while (value > 127) {
        out[n++] = (unsigned char)(value | 128);
        value >>= 7;
    }
    out[n++] = (unsigned char)value;
    return n;
}

static void put_varint(struct pbw *w, uint64_t value)
{
    reserve(w, VARINT_MAX);
    w->len += encode_varint(w->data + w->len, value);
}

static void put_tag(struct pbw *w, uint32_t field, unsigned wire)
{
    put_varint(w, (uint64_t)field << 3 | wire);
}

void pbw_uint(struct pbw *w, uint32_t field, uint64_t value)
{
    put_tag(w, field, WIRE_VARINT);
    put_varint(w, value);
}

void pbw_int(struct pbw *w, uint32_t field, int64_t value)
{
    if (value != 0) {
        pbw_uint(w, field, (uint64_t)value);
    }
}

void pbw_bytes(struct pbw *w, uint32_t field, const void *data, size_t len)
{
    put_tag(w, field, WIRE_LEN);
    put_varint(w, len);
    pbw_raw(w, data, len);
}

void pbw_str(struct pbw *w, uint32_t field, const char *text)
{
    if (text && *text) {
        pbw_bytes(w, field, text, strlen(text));
    }
}

void pbw_msg(struct pbw *w, uint32_t field, const struct pbw *message)
{
    pbw_bytes(w, field, message->data, message->len);
}

void pbw_ints(struct pbw *w, uint32_t field, const int64_t *values, size_t n, bool packed)
{
    if (n == 0) {
        return;
    }
    if (!packed) {
        for (size_t i = 0; i < n; i++) {
            pbw_uint(w, field, (uint64_t)values[i]);
        }
        return;
    }
    size_t mark = pbw_begin(w, field);
    for (size_t i = 0; i < n; i++) {
        put_varint(w, (uint64_t)values[i]);
    }
    pbw_end(w, mark);
}

size_t pbw_begin(struct pbw *w, uint32_t field)
{
    put_tag(w, field, WIRE_LEN);
    /* One byte for the length: right for most messages, pbw_end makes room for the others. */
    reserve(w, 1);
    w->len++;
    return w->len;
}

void pbw_end(struct pbw *w, size_t mark)
{
    size_t size = w->len - mark;
    unsigned char length[VARINT_MAX];
    size_t n = encode_varint(length, size);
    reserve(w, VARINT_MAX);
    if (n > 1) {
        memmove(w->data + mark + n - 1, w->data + mark, size);
        w->len += n - 1;
    }
    memcpy(w->data + mark - 1, length, n);
}

bool pbw_save(const struct pbw *w, const char *path)
{
    FILE *f = fopen(path, "wb");
    if (!f) {
        perror(path);
        return false;
    }
    bool ok = w->len == 0 || fwrite(w->data, 1, w->len, f) == w->len;
    if (fclose(f) != 0) {
        ok = false;
    }
    if (!ok) {
        fprintf(stderr, "%s: write failed\n", path);
    }
    return ok;
}

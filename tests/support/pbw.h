/*
 * pbw: writes protobuf wire format into a growable buffer.
 *
 * Test support only. It shares nothing with the product's readers and with protobuf-c, so that a
 * misunderstanding of the wire format cannot hide on both sides of a test. Out of memory aborts.
 */
#ifndef TESTS_SUPPORT_PBW_H
#define TESTS_SUPPORT_PBW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pbw {
    unsigned char *data;
    size_t len;
    size_t cap;
};

void pbw_free(struct pbw *w);

/* Bytes as they are, without tag or length. */
void pbw_raw(struct pbw *w, const void *data, size_t len);

/* A varint field. pbw_uint writes zeros too; pbw_int leaves them out, as proto3 writers do. */
void pbw_uint(struct pbw *w, uint32_t field, uint64_t value);
void pbw_int(struct pbw *w, uint32_t field, int64_t value);

/* Length-delimited fields. pbw_str leaves out NULL and "". */
void pbw_bytes(struct pbw *w, uint32_t field, const void *data, size_t len);
void pbw_str(struct pbw *w, uint32_t field, const char *text);
void pbw_msg(struct pbw *w, uint32_t field, const struct pbw *message);

/* A repeated integer field; readers have to take both forms. Writes nothing for n == 0. */
void pbw_ints(struct pbw *w, uint32_t field, const int64_t *values, size_t n, bool packed);

/*
 * A nested message written in place: everything between begin and end is its content.
 * Calls nest; pass to pbw_end what the matching pbw_begin returned.
 */
size_t pbw_begin(struct pbw *w, uint32_t field);
void pbw_end(struct pbw *w, size_t mark);

/* Writes the buffer to a file; false (with a message on stderr) if that does not work. */
bool pbw_save(const struct pbw *w, const char *path);

#endif

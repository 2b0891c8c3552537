/* Guard in front of protobuf-c, which has no depth limit: 74 kB of nested messages overflow its
 * stack.
 *
 * Walks the bytes along the message descriptor, iteratively, and refuses messages that nest deeper
 * than `max_depth`, are truncated, or would unpack to more than `max_unpacked_bytes` (an upper
 * estimate). */
#ifndef XPROFD_WIRE_GUARD_H
#define XPROFD_WIRE_GUARD_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include <protobuf-c/protobuf-c.h>

struct xpd_guard {
    uint32_t max_depth;          /* 64 is ample for HLO */
    uint64_t max_unpacked_bytes; /* 0 = no limit */
};

/* XPD_OK, XPD_EFORMAT (with offset relative to file_offset) or XPD_ELIMIT. */
int xpd_guard_check(const struct xpd_guard *guard, const ProtobufCMessageDescriptor *type,
                    const uint8_t *bytes, size_t size, uint64_t file_offset, const char *where,
                    struct xpd_err *err);

/* An allocator for protobuf-c that takes from an arena; free is a no-op. */
ProtobufCAllocator xpd_pb_allocator(struct xpd_arena *arena);

/* Checks, then unpacks into the arena. NULL with *err filled: XPD_EFORMAT (damaged), XPD_ELIMIT,
 * XPD_ENOMEM. Never call protobuf_c_message_free_unpacked on the result: the arena owns it. */
void *xpd_pb_unpack(const struct xpd_guard *guard, const ProtobufCMessageDescriptor *type,
                    const uint8_t *bytes, size_t size, uint64_t file_offset, const char *where,
                    struct xpd_arena *arena, struct xpd_err *err);

#endif

/* A recursive message type for tests, described by hand as protoc-c would:
 *
 *     message Tree {
 *         int64 id = 1;
 *         string name = 2;
 *         bytes blob = 3;
 *         Tree child = 4;
 *         repeated Tree children = 5;
 *         repeated int64 values = 6;
 *         repeated bool flags = 7;
 *         repeated fixed32 codes = 8;
 *         repeated string words = 9;
 *     }
 *
 * proto3 without presence: LABEL_NONE. The product's own schemas are not recursive. */
#ifndef TESTS_UNIT_WIRE_TREE_MESSAGE_H
#define TESTS_UNIT_WIRE_TREE_MESSAGE_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

struct tree {
    ProtobufCMessage base;
    int64_t id;
    char *name;
    ProtobufCBinaryData blob;
    struct tree *child;
    size_t n_children;
    struct tree **children;
    size_t n_values;
    int64_t *values;
    size_t n_flags;
    protobuf_c_boolean *flags;
    size_t n_codes;
    uint32_t *codes;
    size_t n_words;
    char **words;
};

static const ProtobufCMessageDescriptor tree_descriptor;

#define TREE_SINGLE(label_, number, type_, member)                                                 \
    {                                                                                              \
        .name = #member, .id = number, .label = PROTOBUF_C_LABEL_##label_,                         \
        .type = PROTOBUF_C_TYPE_##type_, .offset = offsetof(struct tree, member),                  \
        .descriptor = PROTOBUF_C_TYPE_##type_ == PROTOBUF_C_TYPE_MESSAGE                           \
                          ? (const void *)&tree_descriptor                                         \
                          : NULL                                                                   \
    }
#define TREE_REPEATED(number, type_, member)                                                       \
    {                                                                                              \
        .name = #member, .id = number, .label = PROTOBUF_C_LABEL_REPEATED,                         \
        .type = PROTOBUF_C_TYPE_##type_, .quantifier_offset = offsetof(struct tree, n_##member),   \
        .offset = offsetof(struct tree, member),                                                   \
        .descriptor = PROTOBUF_C_TYPE_##type_ == PROTOBUF_C_TYPE_MESSAGE                           \
                          ? (const void *)&tree_descriptor                                         \
                          : NULL                                                                   \
    }

static const ProtobufCFieldDescriptor tree_fields[] = {
    TREE_SINGLE(NONE, 1, INT64, id),     TREE_SINGLE(NONE, 2, STRING, name),
    TREE_SINGLE(NONE, 3, BYTES, blob),   TREE_SINGLE(NONE, 4, MESSAGE, child),
    TREE_REPEATED(5, MESSAGE, children), TREE_REPEATED(6, INT64, values),
    TREE_REPEATED(7, BOOL, flags),       TREE_REPEATED(8, FIXED32, codes),
    TREE_REPEATED(9, STRING, words),
};

static const unsigned tree_by_name[] = {2, 3, 4, 7, 6, 0, 1, 5, 8};
static const ProtobufCIntRange tree_ranges[] = {{1, 0}, {0, 9}};

static const ProtobufCMessageDescriptor tree_descriptor = {
    .magic = PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC,
    .name = "test.Tree",
    .short_name = "Tree",
    .c_name = "Tree",
    .package_name = "test",
    .sizeof_message = sizeof(struct tree),
    .n_fields = 9,
    .fields = tree_fields,
    .fields_sorted_by_name = tree_by_name,
    .n_field_ranges = 1,
    .field_ranges = tree_ranges,
};

#endif

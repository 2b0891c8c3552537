/* JSON reader over cJSON.
 *
 * In: one JSON text, at most 64 levels deep, and 1 MiB long where it is not ours. Out: a tree of
 * our own nodes laid over that of cJSON, with the children of each node side by side: an item by
 * index is one step, where a cJSON list would be walked. Invariants: node[0] is the document; texts
 * and keys are cJSON's. */
#include "xprofd/json/reader.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define MAX_BYTES       ((size_t)1 << 20)
#define MAX_DEPTH       64
#define EXACT_IN_DOUBLE 9007199254740992.0

struct xpd_json {
    const cJSON *value;
    const struct xpd_json *child; /* count of them */
    size_t count;
};

struct document {
    cJSON *tree;
    struct xpd_json node[];
};

/* Depth and an upper bound on the number of values, before cJSON recurses over the text. Brackets
 * that do not match are left for cJSON to refuse. False when it is too deep. */
static bool scan(struct xpd_str text, size_t *values)
{
    size_t depth = 0;
    bool in_string = false;
    *values = 1;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            ++*values;
            if (++depth > MAX_DEPTH)
                return false;
        } else if (c == ']' || c == '}') {
            depth -= depth != 0;
        } else if (c == ',') {
            ++*values;
        }
    }
    return true;
}

static bool only_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at == end;
}

/* cJSON's own bounds have had off-by-one errors: it gets a copy that ends in NUL. */
static cJSON *parse(struct xpd_str text)
{
    char *copy = malloc(text.size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    const char *end = NULL;
    cJSON *tree = cJSON_ParseWithLengthOpts(copy, text.size + 1, &end, 0);
    if (tree && !only_space(end, copy + text.size)) {
        cJSON_Delete(tree);
        tree = NULL;
    }
    free(copy);
    return tree;
}

/* Breadth first: the children of each node are appended when its turn comes. */
static bool lay_out(struct document *doc, size_t capacity)
{
    size_t count = 1;
    doc->node[0] = (struct xpd_json){.value = doc->tree};
    for (size_t i = 0; i < count; i++) {
        struct xpd_json *node = &doc->node[i];
        node->child = &doc->node[count];
        for (const cJSON *c = node->value->child; c; c = c->next) {
            if (count == capacity)
                return false;
            doc->node[count++] = (struct xpd_json){.value = c};
            node->count++;
        }
    }
    return true;
}

struct xpd_json *xpd_json_parse(struct xpd_str text)
{
    return text.size > MAX_BYTES ? NULL : xpd_json_parse_answer(text);
}

struct xpd_json *xpd_json_parse_answer(struct xpd_str text)
{
    size_t values;
    if (text.size == 0 || memchr(text.data, '\0', text.size) || !scan(text, &values))
        return NULL;
    cJSON *tree = parse(text);
    if (!tree)
        return NULL;
    struct document *doc = malloc(sizeof *doc + values * sizeof doc->node[0]);
    if (!doc) {
        cJSON_Delete(tree);
        return NULL;
    }
    doc->tree = tree;
    if (!lay_out(doc, values)) {
        xpd_json_free(doc->node);
        return NULL;
    }
    return doc->node;
}

void xpd_json_free(struct xpd_json *json)
{
    if (!json)
        return;
    struct document *doc =
        (struct document *)(void *)((char *)json - offsetof(struct document, node));
    cJSON_Delete(doc->tree);
    free(doc);
}

const struct xpd_json *xpd_json_member(const struct xpd_json *object, const char *key)
{
    if (!object || !cJSON_IsObject(object->value))
        return NULL;
    for (size_t i = 0; i < object->count; i++)
        if (strcmp(object->child[i].value->string, key) == 0)
            return &object->child[i];
    return NULL;
}

size_t xpd_json_count(const struct xpd_json *array)
{
    return array && cJSON_IsArray(array->value) ? array->count : 0;
}

const struct xpd_json *xpd_json_item(const struct xpd_json *array, size_t index)
{
    return index < xpd_json_count(array) ? &array->child[index] : NULL;
}

enum xpd_json_kind xpd_json_kind(const struct xpd_json *value)
{
    const cJSON *v = value ? value->value : NULL;
    return cJSON_IsObject(v)   ? XPD_JSON_OBJECT
           : cJSON_IsArray(v)  ? XPD_JSON_ARRAY
           : cJSON_IsString(v) ? XPD_JSON_TEXT
           : cJSON_IsNumber(v) ? XPD_JSON_NUMBER
           : cJSON_IsBool(v)   ? XPD_JSON_BOOL
                               : XPD_JSON_NULL;
}

const struct xpd_json *xpd_json_child(const struct xpd_json *value, size_t index)
{
    return value && index < value->count ? &value->child[index] : NULL;
}

const char *xpd_json_key_of(const struct xpd_json *member)
{
    return member && member->value->string ? member->value->string : "";
}

bool xpd_json_to_double(const struct xpd_json *value, double *out)
{
    const char *text = xpd_json_to_text(value);
    if (text) {
        char *end;
        *out = strtod(text, &end);
        return end != text && *end == '\0';
    }
    if (!value || !cJSON_IsNumber(value->value))
        return false;
    *out = value->value->valuedouble;
    return true;
}

bool xpd_json_to_i64(const struct xpd_json *value, int64_t *out)
{
    if (!value)
        return false;
    if (cJSON_IsString(value->value))
        return xpd_str_to_i64(xpd_str_of(value->value->valuestring), out);
    if (!cJSON_IsNumber(value->value))
        return false;
    /* cJSON keeps numbers as doubles: from 2^53 on it may not be the number of the text. */
    double number = value->value->valuedouble;
    if (!(fabs(number) < EXACT_IN_DOUBLE) || trunc(number) != number)
        return false;
    *out = (int64_t)number;
    return true;
}

bool xpd_json_to_i64_loosely(const struct xpd_json *value, int64_t *out)
{
    if (value && cJSON_IsString(value->value))
        return xpd_str_to_i64(xpd_str_trim(xpd_str_of(value->value->valuestring)), out);
    if (!value || !cJSON_IsNumber(value->value) ||
        !(fabs(value->value->valuedouble) < EXACT_IN_DOUBLE))
        return false;
    *out = (int64_t)value->value->valuedouble;
    return true;
}

bool xpd_json_is_true(const struct xpd_json *value)
{
    return value && cJSON_IsTrue(value->value);
}

const char *xpd_json_to_text(const struct xpd_json *value)
{
    return value && cJSON_IsString(value->value) ? value->value->valuestring : NULL;
}

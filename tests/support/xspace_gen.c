/* Generated XSpaces.
 *
 * Lengths of planes and lines are written as five-byte varints and filled in afterwards, so that
 * nothing has to be kept; events are put together in a small buffer. Sizes per event follow a real
 * TPU v6e profile: device operations 35-40 bytes with two uint64 stats, asynchronous ones 56, host
 * events 15-37. */
#include "xspace_gen_parts.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH_BYTES = 5, DEVICES = 8, OPS = 2000, HOST_NAMES = 400, THREADS = 200, HOST_DEEP = 24 };

uint64_t xsg_next(struct xsg *gen)
{
    gen->random ^= gen->random << 13;
    gen->random ^= gen->random >> 7;
    gen->random ^= gen->random << 17;
    return gen->random;
}

uint64_t xsg_below(struct xsg *gen, uint64_t limit)
{
    return limit ? xsg_next(gen) % limit : 0;
}

/* ---- wire format ---- */

static void put_varint(struct xsg_message *m, uint64_t value)
{
    while (value >= 0x80) {
        m->bytes[m->size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    m->bytes[m->size++] = (uint8_t)value;
}

void xsg_put_uint(struct xsg_message *m, uint32_t field, uint64_t value)
{
    put_varint(m, (uint64_t)field << 3);
    put_varint(m, value);
}

static void put_bytes(struct xsg_message *m, uint32_t field, const void *bytes, size_t size)
{
    put_varint(m, (uint64_t)field << 3 | 2);
    put_varint(m, size);
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

void xsg_put_text(struct xsg_message *m, uint32_t field, const char *text)
{
    put_bytes(m, field, text, strlen(text));
}

static void put_message(struct xsg_message *m, uint32_t field, const struct xsg_message *inner)
{
    put_bytes(m, field, inner->bytes, inner->size);
}

static void write_bytes(struct xsg *gen, const void *bytes, size_t size)
{
    fwrite(bytes, 1, size, gen->file);
    gen->at += size;
}

void xsg_write_message(struct xsg *gen, uint32_t field, const struct xsg_message *m)
{
    struct xsg_message head;
    head.size = 0;
    put_varint(&head, (uint64_t)field << 3 | 2);
    put_varint(&head, m->size);
    write_bytes(gen, head.bytes, head.size);
    write_bytes(gen, m->bytes, m->size);
}

/* Begins a message of unknown length; returns where its content begins. */
static uint64_t begin(struct xsg *gen, uint32_t field)
{
    uint8_t head[1 + LENGTH_BYTES] = {(uint8_t)(field << 3 | 2)};
    write_bytes(gen, head, sizeof head);
    return gen->at;
}

void xsg_end(struct xsg *gen, uint64_t start)
{
    uint64_t size = gen->at - start;
    uint8_t length[LENGTH_BYTES];
    for (int i = 0; i < LENGTH_BYTES; i++)
        length[i] = (uint8_t)(size >> (7 * i) | (i < LENGTH_BYTES - 1 ? 0x80 : 0));
    fseeko(gen->file, (off_t)(start - LENGTH_BYTES), SEEK_SET);
    fwrite(length, 1, LENGTH_BYTES, gen->file);
    fseeko(gen->file, (off_t)gen->at, SEEK_SET);
}

/* ---- parts of an XSpace ---- */

uint64_t xsg_begin_plane(struct xsg *gen, uint64_t id, const char *name)
{
    uint64_t start = begin(gen, 1);
    struct xsg_message m;
    m.size = 0;
    xsg_put_uint(&m, 1, id);
    xsg_put_text(&m, 2, name);
    write_bytes(gen, m.bytes, m.size);
    return start;
}

uint64_t xsg_begin_line(struct xsg *gen, uint64_t id, const char *name)
{
    uint64_t start = begin(gen, 3);
    struct xsg_message m;
    m.size = 0;
    xsg_put_uint(&m, 1, id);
    xsg_put_text(&m, 2, name);
    write_bytes(gen, m.bytes, m.size);
    return start;
}

void xsg_put_stat(struct xsg_message *event, uint64_t id, uint32_t kind, uint64_t value)
{
    struct xsg_message stat;
    stat.size = 0;
    xsg_put_uint(&stat, 1, id);
    xsg_put_uint(&stat, kind, value);
    put_message(event, 4, &stat);
}

void xsg_put_stat_text(struct xsg_message *event, uint64_t id, const char *text)
{
    struct xsg_message stat;
    stat.size = 0;
    xsg_put_uint(&stat, 1, id);
    xsg_put_text(&stat, 5, text);
    put_message(event, 4, &stat);
}

void xsg_put_stat_real(struct xsg_message *event, uint64_t id, double value)
{
    struct xsg_message stat;
    stat.size = 0;
    xsg_put_uint(&stat, 1, id);
    put_varint(&stat, 2 << 3 | 1);
    memcpy(stat.bytes + stat.size, &value, sizeof value); /* x86 and ARM are little endian */
    stat.size += sizeof value;
    put_message(event, 4, &stat);
}

struct xsg_message xsg_event(uint64_t metadata, uint64_t offset_ps, uint64_t duration_ps)
{
    struct xsg_message event;
    event.size = 0;
    xsg_put_uint(&event, 1, metadata);
    xsg_put_uint(&event, 2, offset_ps);
    if (duration_ps != 0)
        xsg_put_uint(&event, 3, duration_ps);
    return event;
}

/* What GPU and debugging profilers add: a text, a reference, a number. */
static void put_more_stats(struct xsg *gen, struct xsg_message *event)
{
    struct xsg_message stat;
    stat.size = 0;
    char text[40];
    snprintf(text, sizeof text, "correlation %016llx",
             (unsigned long long)(xsg_next(gen) & UINT32_MAX));
    xsg_put_uint(&stat, 1, 7);
    xsg_put_text(&stat, 5, text);
    put_message(event, 4, &stat);
    xsg_put_stat(event, 3, 7, 10 + xsg_next(gen) % 8);
    xsg_put_stat(event, 4, 4, xsg_next(gen) % 100000);
}

static void write_event(struct xsg *gen, uint64_t metadata, uint64_t offset, uint64_t duration,
                        bool device)
{
    struct xsg_message event;
    event.size = 0;
    xsg_put_uint(&event, 1, metadata);
    xsg_put_uint(&event, 2, offset);
    if (duration != 0)
        xsg_put_uint(&event, 3, duration);
    if (device) {
        xsg_put_stat(&event, 1, 3, offset + 4096);
        xsg_put_stat(&event, 2, 3, duration - duration / 1024);
        if (gen->fat)
            put_more_stats(gen, &event);
    } else if (gen->fat) {
        xsg_put_host_stats(gen, &event);
    }
    xsg_write_message(gen, 4, &event);
}

static void write_metadata(struct xsg *gen, uint32_t field, uint64_t id,
                           const struct xsg_message *body)
{
    struct xsg_message entry;
    entry.size = 0;
    xsg_put_uint(&entry, 1, id);
    put_message(&entry, 2, body);
    xsg_write_message(gen, field, &entry);
}

void xsg_write_name(struct xsg *gen, uint32_t field, uint64_t id, const char *name)
{
    struct xsg_message body;
    body.size = 0;
    xsg_put_uint(&body, 1, id);
    xsg_put_text(&body, 2, name);
    write_metadata(gen, field, id, &body);
}

static void write_op(struct xsg *gen, uint64_t id)
{
    static const char *const opcode[] = {"fusion", "convolution", "all-reduce", "copy",
                                         "reduce", "while",       "transpose",  "copy-done"};
    struct xsg_message body, stat;
    body.size = stat.size = 0;
    char text[1024], padding[640];
    memset(padding, 'x', sizeof padding - 1);
    padding[sizeof padding - 1] = '\0';
    snprintf(text, sizeof text, "%%%s.%llu = bf16[1024,%llu]{1,0:T(8,128)(2,1)} fusion(%s)",
             opcode[id % 8], (unsigned long long)id, (unsigned long long)id, padding);
    xsg_put_uint(&body, 1, id);
    xsg_put_text(&body, 2, text);
    snprintf(text, sizeof text, "%s.%llu", opcode[id % 8], (unsigned long long)id);
    xsg_put_text(&body, 4, text);
    xsg_put_uint(&stat, 1, 3);
    xsg_put_uint(&stat, 7, 10 + id % 8);
    put_message(&body, 5, &stat);
    stat.size = 0;
    xsg_put_uint(&stat, 1, 4);
    xsg_put_uint(&stat, 3, id * 1000003);
    put_message(&body, 5, &stat);
    stat.size = 0;
    xsg_put_uint(&stat, 1, 5);
    snprintf(text, sizeof text,
             "jit(step)/jit(main)/layer_%llu/dot_general:", (unsigned long long)(id % 48));
    xsg_put_text(&stat, 5, text);
    put_message(&body, 5, &stat);
    write_metadata(gen, 4, id, &body);
}

/* ---- TPU ---- */

static void write_device_names(struct xsg *gen, bool tpu)
{
    static const char *const stat[] = {"device_offset_ps", "device_duration_ps", "hlo_category",
                                       "flops", "tf_op"};
    static const char *const category[] = {
        "loop fusion", "convolution fusion", "all-reduce", "data formatting", "reduce",
        "while",       "transpose",          "copy-done"};
    for (uint64_t i = 1; i <= OPS; i++)
        write_op(gen, i);
    xsg_write_name(gen, 4, OPS + 1, "jit_step(1234567890123)");
    for (uint64_t i = 0; i < 5 && tpu; i++)
        xsg_write_name(gen, 5, i + 1, stat[i]);
    for (uint64_t i = 0; i < 8; i++)
        xsg_write_name(gen, 5, 10 + i, category[i]);
}

/* Steps of about 1,000 operations: a while loop holds most of them. */
static void write_ops(struct xsg *gen, uint64_t events)
{
    uint64_t line = xsg_begin_line(gen, 3, "XLA Ops"), at = 1000000;
    for (uint64_t done = 0; done < events;) {
        uint64_t inner = events - done > 500 ? 499 : events - done - 1, loop_at = at;
        uint64_t duration[512], sum = 0;
        for (uint64_t i = 0; i < inner; i++)
            sum += duration[i] = (200000 + xsg_below(gen, 4000000))
                                 << (xsg_next(gen) % 8 == 0 ? 3 : 0);
        write_event(gen, 6, loop_at, sum + inner * 1000, true);
        for (uint64_t i = 0; i < inner; i++) {
            write_event(gen, 1 + xsg_below(gen, OPS), at, duration[i], true);
            at += duration[i] + 1000;
        }
        done += inner + 1;
        at = loop_at + sum + inner * 1000 + 50000000;
    }
    xsg_end(gen, line);
}

static void write_async(struct xsg *gen, uint64_t events)
{
    uint64_t line = xsg_begin_line(gen, 4, "Async XLA Ops"), at = 1000000;
    for (uint64_t i = 0; i < events; i++) {
        struct xsg_message event, stat;
        event.size = stat.size = 0;
        xsg_put_uint(&event, 1, 1 + xsg_below(gen, OPS));
        xsg_put_uint(&event, 2, at);
        xsg_put_uint(&event, 3, 20000000 + xsg_below(gen, 60000000));
        xsg_put_uint(&stat, 1, 6);
        xsg_put_text(&stat, 5, "async-copy-start.12345.bf16[4096]");
        put_message(&event, 4, &stat);
        xsg_write_message(gen, 4, &event);
        at += 18000000 + xsg_below(gen, 8000000);
    }
    xsg_end(gen, line);
}

static void write_flat(struct xsg *gen, uint64_t id, const char *name, uint64_t metadata,
                       uint64_t events, uint64_t every_ps, uint64_t duration_ps, bool device)
{
    uint64_t line = xsg_begin_line(gen, id, name);
    for (uint64_t i = 0; i < events; i++)
        write_event(gen, metadata, 1000000 + i * every_ps, duration_ps, device);
    xsg_end(gen, line);
}

static void write_device(struct xsg *gen, uint32_t device, uint64_t events)
{
    char name[64];
    snprintf(name, sizeof name, "/device:TPU:%u", device);
    uint64_t plane = xsg_begin_plane(gen, device + 2, name), steps = events / 1000 + 1;
    write_flat(gen, 1, "Steps", OPS + 1, steps, 2400000000, 2300000000, true);
    write_flat(gen, 2, "XLA Modules", OPS + 1, steps, 2400000000, 2200000000, true);
    write_ops(gen, events * 7 / 8);
    write_async(gen, events / 12);
    write_flat(gen, 6, "XLA TraceMe", 7, events / 24, 60000000, 50000, false);
    write_device_names(gen, true);
    xsg_end(gen, plane);
}

struct nest {
    struct xsg *gen;
    uint64_t left;
};

static void write_nest(struct nest *nest, uint64_t at, uint64_t duration, int depth)
{
    struct xsg *gen = nest->gen;
    if (nest->left == 0)
        return;
    nest->left--;
    write_event(gen, 1 + xsg_below(gen, HOST_NAMES), at, xsg_next(gen) % 16 == 0 ? 0 : duration,
                false);
    uint64_t children = depth < HOST_DEEP && duration > 2000 ? xsg_below(gen, 4) : 0;
    for (uint64_t i = 0; i < children; i++) {
        uint64_t share = duration / children;
        write_nest(nest, at + i * share + share / 8, share * 3 / 4, depth + 1);
    }
}

static void write_host(struct xsg *gen, uint64_t events)
{
    char name[64];
    uint64_t plane = begin(gen, 1);
    struct xsg_message m;
    m.size = 0;
    xsg_put_text(&m, 2, "/host:CPU");
    write_bytes(gen, m.bytes, m.size);
    double zipf = 0;
    for (int i = 1; i <= THREADS; i++)
        zipf += 1.0 / i;
    for (int i = 1; i <= THREADS; i++) {
        snprintf(name, sizeof name, "thread-%d/%d", i, 30000 + i);
        uint64_t line = xsg_begin_line(gen, 30000 + (uint64_t)i, name), at = 1000000;
        struct nest nest = {gen, (uint64_t)((double)events / i / zipf) + 1};
        while (nest.left != 0) {
            uint64_t duration = 1000000 + xsg_below(gen, 200000000);
            write_nest(&nest, at, duration, 1);
            at += duration + xsg_below(gen, 50000000);
        }
        xsg_end(gen, line);
    }
    for (uint64_t i = 1; i <= HOST_NAMES; i++) {
        snprintf(name, sizeof name, "HostFunction::number_%llu", (unsigned long long)i);
        xsg_write_name(gen, 4, i, name);
    }
    if (gen->fat)
        xsg_write_host_stat_names(gen);
    xsg_end(gen, plane);
}

static void write_tpu(struct xsg *gen, uint64_t events)
{
    for (uint32_t i = 0; i < DEVICES; i++)
        write_device(gen, i, events / 10);
    write_host(gen, events / 5);
}

/* ---- shapes ---- */

static void write_lines(struct xsg *gen, enum xsg_shape shape, uint64_t events)
{
    uint64_t line = shape == XSG_MANY_ROWS ? 0 : xsg_begin_line(gen, 1, "XLA Ops"), at = 1000000;
    for (uint64_t i = 0; i < events; i++) {
        uint64_t metadata = 1 + xsg_below(gen, OPS);
        switch (shape) {
        case XSG_MANY_ROWS:
            line = xsg_begin_line(gen, i + 1, "thread");
            write_event(gen, metadata, i * 1000, 500000, false);
            xsg_end(gen, line);
            break;
        case XSG_DEEP: /* 250 of them begin one after another and end the other way round */
            write_event(gen, metadata, (i / 250) * 1000000 + i % 250, 999000 - 2 * (i % 250),
                        false);
            break;
        case XSG_INSTANT: write_event(gen, metadata, 5000000, 1000000, false); break;
        case XSG_ZERO: write_event(gen, metadata, 5000000, 0, false); break;
        case XSG_UNSORTED:
            write_event(gen, metadata, xsg_below(gen, events * 1000), xsg_below(gen, 2000), false);
            break;
        default:
            write_event(gen, metadata, at, 1000 + xsg_below(gen, 500000), false);
            at += 600000 + xsg_below(gen, 100000);
        }
    }
    if (shape != XSG_MANY_ROWS)
        xsg_end(gen, line);
}

static void write_shape(struct xsg *gen, enum xsg_shape shape, uint64_t events)
{
    uint64_t plane = begin(gen, 1);
    struct xsg_message m;
    m.size = 0;
    xsg_put_text(&m, 2, shape == XSG_MANY_ROWS ? "/host:CPU" : "/device:TPU:0");
    write_bytes(gen, m.bytes, m.size);
    write_lines(gen, shape, events);
    write_device_names(gen, false);
    xsg_end(gen, plane);
}

const char *xsg_shape_name(enum xsg_shape shape)
{
    static const char *const name[XSG_SHAPE_COUNT] = {"TPU host",
                                                      "TPU host, five stats",
                                                      "one row",
                                                      "one event a row",
                                                      "250 deep",
                                                      "all at one instant",
                                                      "instants without duration",
                                                      "random order",
                                                      "host, Python frames",
                                                      "GPUs, launches",
                                                      "TensorFlow executor",
                                                      "1,000 rows"};
    return (unsigned)shape < XSG_SHAPE_COUNT ? name[shape] : "";
}

bool xsg_write(const char *path, enum xsg_shape shape, uint64_t events)
{
    struct xsg gen = {.file = fopen(path, "wb"),
                      .random = 0x9E3779B97F4A7C15u + (uint64_t)shape,
                      .fat = shape == XSG_FAT};
    if (!gen.file) {
        perror(path);
        return false;
    }
    char *buffer = malloc((size_t)1 << 20);
    if (buffer)
        setvbuf(gen.file, buffer, _IOFBF, (size_t)1 << 20);
    switch (shape) {
    case XSG_TPU:
    case XSG_FAT: write_tpu(&gen, events); break;
    case XSG_PYTHON: xsg_write_python(&gen, events); break;
    case XSG_GPU: xsg_write_gpu(&gen, events); break;
    case XSG_EXECUTOR: xsg_write_executor(&gen, events); break;
    case XSG_WIDE: xsg_write_wide(&gen, events); break;
    default: write_shape(&gen, shape, events);
    }
    struct xsg_message host;
    host.size = 0;
    xsg_put_text(&host, 4, "generated");
    write_bytes(&gen, host.bytes, host.size);
    bool fine = ferror(gen.file) == 0;
    fine = fclose(gen.file) == 0 && fine;
    free(buffer);
    if (!fine)
        fprintf(stderr, "%s: cannot be written\n", path);
    return fine;
}

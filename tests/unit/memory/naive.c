#include "naive.h"

#include <string.h>

static uint64_t state;

static int dice(int n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)n);
}

/* Values share at most once and only before they were ever allocated, as XLA writes it. */
void naive_make(struct naive *n, uint64_t seed, bool damage)
{
    int holds[NAIVE_VALUES] = {0};
    bool seen[NAIVE_VALUES] = {false}, sharer[NAIVE_VALUES] = {false};
    memset(n, 0, sizeof *n);
    state = seed;
    n->values = 2 + dice(NAIVE_VALUES - 2);
    n->events = 1 + dice(NAIVE_STEPS - 1);
    n->lane_starts = dice(3) == 0 ? dice(n->events) : n->events;
    for (int v = 0; v < n->values; v++) {
        int64_t size = dice(60);
        n->value[v] = (struct naive_value){.size = size,
                                           .unpadded = size ? dice((int)size) + 1 : 0,
                                           .offset = dice(NAIVE_BYTES - 60),
                                           .space = dice(3) == 0};
    }
    for (int e = 0; e < n->events; e++) {
        int v = dice(n->values), with = dice(n->values), roll = dice(100);
        if (e == n->lane_starts)
            memset(holds, 0, sizeof holds);
        struct naive_event *event = &n->event[e];
        if (damage && roll < 10) {
            *event = (struct naive_event){sharer[v] || dice(2) ? 'F' : 'A', v, 0};
            holds[v] += event->kind == 'A' ? 1 : holds[v] > 0 ? -1 : 0;
        } else if (holds[v] > 0) {
            *event = (struct naive_event){'F', v, 0};
            holds[v]--;
        } else if (!seen[v] && seen[with] && n->value[v].space == n->value[with].space && dice(2)) {
            *event = (struct naive_event){'S', v, with};
            sharer[v] = true;
            holds[v]++;
        } else if (!sharer[v]) {
            *event = (struct naive_event){'A', v, 0};
            holds[v]++;
        } else {
            *event = (struct naive_event){'F', v, 0}; /* of a sharer that is free already */
        }
        seen[v] = true;
    }
}

struct storage {
    bool open;
    int refs;
    struct naive_held held;
};

static void open_storage(struct naive *n, struct storage *s, int root, int holder, int step)
{
    const struct naive_value *v = &n->value[holder];
    s->open = true;
    s->held = (struct naive_held){
        .root = root, .start = step, .size = v->size, .unpadded = v->unpadded, .offset = v->offset};
}

static void one_event(struct naive *n, const struct naive_event *e, struct storage *storage,
                      int *holds, int step)
{
    int v = e->value;
    if (e->kind == 'F') {
        if (holds[v] == 0)
            return;
        holds[v]--;
        if (--storage[n->root[v]].refs == 0)
            storage[n->root[v]].open = false;
        return;
    }
    if (e->kind == 'A') {
        if (holds[v] == 0) {
            n->root[v] = v;
            if (!storage[v].open)
                open_storage(n, &storage[v], v, v, step);
        }
    } else {
        int root = n->root[e->with];
        const struct naive_value *value = &n->value[v];
        n->root[v] = root;
        if (!storage[root].open) {
            open_storage(n, &storage[root], root, v, step);
        } else if (value->size > storage[root].held.size) {
            storage[root].held.size = value->size;
            storage[root].held.unpadded = value->unpadded;
        }
    }
    holds[v]++;
    storage[n->root[v]].refs++;
}

static void keep_step(struct naive_step *out, const struct storage *storage, int values,
                      const struct naive *n, int space)
{
    for (int r = 0; r < values; r++)
        if (storage[r].open && n->value[r].space == space) {
            int at = out->count++;
            while (at > 0 && out->held[at - 1].start > storage[r].held.start) {
                out->held[at] = out->held[at - 1];
                at--;
            }
            out->held[at] = storage[r].held;
        }
}

void naive_run(struct naive *n)
{
    struct storage storage[NAIVE_VALUES];
    int holds[NAIVE_VALUES], lane_first[NAIVE_SPACES] = {0};
    for (int e = 0; e <= n->events; e++) {
        if (e == 0 || e == n->lane_starts || e == n->events) {
            for (int s = 0; s < NAIVE_SPACES; s++) {
                for (int i = lane_first[s]; i < n->steps[s]; i++)
                    n->lane_end[s][i] = n->steps[s];
                lane_first[s] = n->steps[s];
            }
            memset(storage, 0, sizeof storage);
            memset(holds, 0, sizeof holds);
            for (int v = 0; v < NAIVE_VALUES; v++)
                n->root[v] = v;
        }
        if (e == n->events)
            break;
        int s = n->value[n->event[e].value].space, step = n->steps[s]++;
        one_event(n, &n->event[e], storage, holds, step);
        keep_step(&n->step[s][step], storage, n->values, n, s);
    }
}

int64_t naive_live(const struct naive *n, int space, int step, const bool *gone)
{
    const struct naive_step *s = &n->step[space][step];
    bool byte[NAIVE_BYTES] = {false};
    int64_t sum = 0;
    for (int i = 0; i < s->count; i++) {
        if (gone && gone[s->held[i].root])
            continue;
        sum += s->held[i].size;
        for (int64_t k = 0; k < s->held[i].size; k++)
            byte[s->held[i].offset + k] = true;
    }
    if (space == 0)
        return sum;
    sum = 0;
    for (int k = 0; k < NAIVE_BYTES; k++)
        sum += byte[k];
    return sum;
}

int naive_end(const struct naive *n, int space, int root, int start)
{
    for (int i = start; i < n->lane_end[space][start]; i++) {
        bool there = false;
        for (int k = 0; k < n->step[space][i].count; k++)
            there = there || (n->step[space][i].held[k].root == root &&
                              n->step[space][i].held[k].start == start);
        if (!there)
            return i;
    }
    return n->lane_end[space][start];
}

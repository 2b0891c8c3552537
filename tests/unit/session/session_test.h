/* Helpers of the session tests: a folder of files made for one test. */
#ifndef TESTS_UNIT_SESSION_TEST_H
#define TESTS_UNIT_SESSION_TEST_H

#include "xprofd/session/store.h"

#include "../../support/pbw.h"

/* A new folder; its path ends without "/". st_remove deletes it with all in it and frees the path.
 */
char *st_folder(void);
void st_remove(char *folder);
/* Writes folder/name with the folders above it. */
void st_write(const char *folder, const char *name, const void *bytes, size_t size);
void st_text(const char *folder, const char *name, const char *text);
void st_mkdir(const char *folder, const char *name);
void st_link(const char *folder, const char *name, const char *to);
/* Writes a profile with one program, made of a test vector (vectors.h), under this id. */
void st_profile(const char *folder, const char *name, const char *vector, uint64_t program_id);
/* Writes the vector's HloProto alone. */
void st_hlo(const char *folder, const char *name, const char *vector);

struct xpd_catalog *st_scan(const char *root);
/* "a, b, c": the runs of the catalog in order; static buffer. */
const char *st_ids(const struct xpd_catalog *catalog);
/* "x.pb, y.pb": the inputs of a run; static buffer. */
const char *st_inputs(const struct xpd_catalog *catalog, const char *id);
/* "k1, k2": the modules of a run; static buffer. */
const char *st_keys(const struct xpd_run *run);

struct xpd_store *st_open(const char *root, uint64_t memory_limit_bytes);
/* Acquires and waits; checks that it works. */
const struct xpd_run *st_acquire(struct xpd_store *store, const char *id);

/* Folder of the shared data, or NULL with a sentence. */
const char *st_shared(void);

#endif

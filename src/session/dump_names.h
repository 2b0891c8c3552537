/* Program, compilation stage and report from file names in a folder of XLA
 * dumps. */
#ifndef XPD_SESSION_DUMP_NAMES_H
#define XPD_SESSION_DUMP_NAMES_H

#include "scan.h"

/* Without ".gz". */
struct xpd_str xpd_dump_plain(struct xpd_str name);
/* Without .xplane.pb, .hlo_proto.pb, .hlo.pb, .txt, .hlo and .gz. */
struct xpd_str xpd_dump_stem(struct xpd_str name);
/* "module_0012.jit_f.cpu_after_optimizations.txt" and its kin: the text of a whole module at a
 * stage that is kept. Passes in between, thunks, flags and listings are not. */
bool xpd_dump_is_module_text(struct xpd_str name);
/* "jit_f" of that. */
/* Whether it is "module_<number>...", with an optional timestamp before. */
bool xpd_dump_is_numbered(struct xpd_str name);
struct xpd_str xpd_dump_module_name(struct xpd_str name);
/* 12 of "module_0012.jit_f", the compiler's number of the module; 0: the name has none. */
uint64_t xpd_dump_module_id(struct xpd_str name);
/* "tpu", "gpu", "cpu" as the names of text dumps tell; "" where they do not. */
const char *xpd_dump_platform(struct xpd_str name);
/* Keeps the best form of each program, in order of names; returns how many. */
size_t xpd_dump_pick(struct xpd_scan_file *file, size_t count);
/* The report of that class which belongs to this module text, of `count` files sorted by
 * xpd_dump_sort; NULL: there is none. */
const struct xpd_scan_file *xpd_dump_report(const struct xpd_scan_file *file, size_t count,
                                            struct xpd_str module_text, enum xpd_name_class class);
void xpd_dump_sort(struct xpd_scan_file *file, size_t count);

#endif

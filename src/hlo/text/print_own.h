/* The attributes of one opcode each: called from the table of print_own.c. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_PRINT_OWN_H
#define XPROFD_SRC_HLO_PRINT_OWN_H

#include "print_put.h"

/* print_collective.c */
void xpd_own_send_recv(struct xpd_print *p);
void xpd_own_collective(struct xpd_print *p);
void xpd_own_collective_broadcast(struct xpd_print *p);
void xpd_own_all_reduce(struct xpd_print *p);
void xpd_own_all_gather(struct xpd_print *p);
void xpd_own_reduce_scatter(struct xpd_print *p);
void xpd_own_all_to_all(struct xpd_print *p);
void xpd_own_permute(struct xpd_print *p);
/* print_collective.c */
void xpd_own_output_aliasing(struct xpd_print *p);
void xpd_own_fusion(struct xpd_print *p);
void xpd_own_custom_call(struct xpd_print *p);
/* print_dims.c */
void xpd_own_group_counts(struct xpd_print *p); /* not of one opcode: of what convolves */
void xpd_own_convolution(struct xpd_print *p);
void xpd_own_dot(struct xpd_print *p);
void xpd_own_ragged_dot(struct xpd_print *p);
void xpd_own_gather(struct xpd_print *p);
void xpd_own_scatter(struct xpd_print *p);

#endif

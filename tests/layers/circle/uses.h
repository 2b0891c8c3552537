/* Functions of the example: each file has the one of its name. */
#ifndef XPROFD_TESTS_LAYERS_CIRCLE_USES_H
#define XPROFD_TESTS_LAYERS_CIRCLE_USES_H

int xpd_first(int n);
int xpd_second(int n);
int xpd_third(int n);
int xpd_allowed(int n);
int xpd_other(int n);
int xpd_above(int n);

#endif

int xpd_first_ps(const struct xpd_depth *depth)
{
    return depth->duration_ps[0];
}

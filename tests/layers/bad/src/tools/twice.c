struct xpd_twice {
    int here;
};

struct xpd_twice {
    int there;
};

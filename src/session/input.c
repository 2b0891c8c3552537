/* Opening an input of a run: a file, one in an archive, or bytes in memory. */
#include "xprofd/session/catalog.h"

int xpd_input_open(const struct xpd_input *input, uint64_t inflate_limit_bytes,
                   const struct xpd_source_watch *watch, struct xpd_source **out,
                   struct xpd_err *err)
{
    *out = NULL;
    if (input->bytes && input->format == XPD_INPUT_HLO_TEXT)
        return xpd_source_open_memory(out, input->bytes, input->identity.size_bytes, input->name,
                                      err);
    if (input->bytes)
        return xpd_source_open_packed(out, input->bytes, input->identity.size_bytes, input->name,
                                      inflate_limit_bytes, err);
    if (input->entry)
        return xpd_archive_open(out, input->path, input->archive, input->entry, inflate_limit_bytes,
                                watch, err);
    int rc = xpd_source_open_watched(out, input->path, inflate_limit_bytes, watch, err);
    if (rc == XPD_ENOTFOUND)
        return xpd_fail(err, XPD_ECHANGED, input->name, XPD_NO_OFFSET,
                        "The file is no longer where it was; open the run again.");
    if (rc != XPD_OK || xpd_identity_eq(xpd_source_identity(*out), &input->identity))
        return rc;
    xpd_source_close(*out);
    *out = NULL;
    return xpd_fail(err, XPD_ECHANGED, input->name, XPD_NO_OFFSET,
                    "The file has changed since it was found; open the run again.");
}

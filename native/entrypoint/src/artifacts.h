/* Artifacts files (provenance.json): {"inputs":[{name,values:[{digest,uri}],buildOutput}],"outputs":[...]}. */
#ifndef ENTRYPOINT_ARTIFACTS_H
#define ENTRYPOINT_ARTIFACTS_H

#include "json.h"

/* Reads and checks a file. */
char *artifacts_read(const char *path, struct json *artifacts);
/* The document as Go writes it again: known members only, in their order, digests sorted. */
void artifacts_write(struct buffer *out, const struct json *artifacts);
/* The values of one artifact as JSON. False when there is no such artifact. */
bool artifacts_values(struct buffer *out, const struct json *artifacts, const char *list, struct text name);

#endif

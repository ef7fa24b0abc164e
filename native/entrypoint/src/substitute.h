/*
 * References that only the step itself can resolve: $(steps.X.results.Y...) and $(steps.X.outputs.Y), in the environment, the
 * when expressions, the command and its arguments. On an error the rest stays as it was written; the caller logs and goes on.
 */
#ifndef ENTRYPOINT_SUBSTITUTE_H
#define ENTRYPOINT_SUBSTITUTE_H

#include "when.h"

char *substitute_results(struct text_list *command, struct whens *whens);
char *substitute_artifacts(struct text_list *command);

#endif

/* workingdirinit makes the working directories of steps: relative ones and those below /workspace, and no others. */
#include "subcommands.h"

#include "files.h"
#include "log.h"

#include <string.h>

int workingdirinit_main(int count, char **arguments) {
  const char *workspace = format("%s/", tekton_path("/workspace"));
  for (int i = 0; i < count; i++) {
    char *path = path_clean(arguments[i]);
    if (path[0] == '/' && strncmp(path, workspace, strlen(workspace)) != 0) continue;
    char *error = make_directories(path, 0755);
    if (error != NULL) log_fatal("Failed to mkdir %s: %s", quoted(path), error);
  }
  return 0;
}

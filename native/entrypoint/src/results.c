#include "results.h"

#include "files.h"

struct results read_results(const char *folder, const struct text_list *names, enum entry_type type) {
  struct results results = {0};
  /* A list that begins with an empty name is no list: what an empty flag looks like. */
  if (names->count == 0 || names->items[0].length == 0) return results;
  for (size_t i = 0; i < names->count; i++) {
    if (names->items[i].length == 0) continue;
    struct file_read file = read_file(path_join(folder, names->items[i].data), ONE_MEBIBYTE);
    if (file.missing) continue;
    results.error = file.too_long ? message_too_long : file.error;
    if (results.error != NULL) return results;
    entries_add(&results.entries, names->items[i].data, file.content, type);
  }
  return results;
}

static const char *read_artifact(struct entries *entries, const char *path, enum entry_type type, const char *what) {
  struct file_read file = read_file(path, ONE_MEBIBYTE);
  if (file.missing) return NULL;
  if (file.too_long) return format("Error while handling %s artifacts: %s is too long", what, path);
  if (file.error != NULL) return format("Error while handling %s artifacts: %s", what, file.error);
  entries_add(entries, path, file.content, type);
  return NULL;
}

struct results read_artifacts(const char *metadata_folder) {
  struct results results = {0};
  char *of_step = path_join(path_join(metadata_folder, "artifacts"), "provenance.json");
  char *of_task = path_join(tekton_path("/tekton/artifacts"), "provenance.json");
  results.error = read_artifact(&results.entries, of_step, STEP_ARTIFACTS, "step");
  if (results.error == NULL) results.error = read_artifact(&results.entries, of_task, TASK_ARTIFACTS, "task");
  return results;
}

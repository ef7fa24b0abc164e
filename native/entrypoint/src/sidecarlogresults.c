/*
 * sidecarlogresults waits until all steps are done, or one has failed, and prints results as JSON lines; the controller reads
 * them from the log. Upstream prints them in any order, here it is the order of the flags.
 */
#include "subcommands.h"

#include "artifacts.h"
#include "files.h"
#include "flags.h"
#include "json.h"
#include "log.h"
#include "wait.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_RESULT = 64 * ONE_MEBIBYTE, WATCHED_INTERVAL = 1000 };

struct options {
  const char *results_folder;
  const char *result_names;
  const char *step_results;
  const char *step_names;
  bool native_sidecar;
};

static struct text_list list_steps(const char *folder) {
  struct text_list files = {0};
  DIR *entries = opendir(folder);
  if (entries == NULL) {
    char *error = path_error("open", folder, errno);
    log_fatal("error while waiting for the steps to finish  error parsing the run dir  %s", error);
  }
  const struct dirent *entry;
  while ((entry = readdir(entries)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    text_list_add(&files, text_of(path_join(path_join(folder, entry->d_name), "out")));
  }
  (void)closedir(entries);
  return files;
}

static bool is_file(const char *path) {
  struct stat status;
  if (stat(path, &status) == 0) return !S_ISDIR(status.st_mode);
  if (errno == ENOENT) return false;
  char *error = path_error("stat", path, errno);
  log_fatal("error while waiting for the steps to finish  error checking for out file's existence error checking for file existence %s", error);
}

/* Upstream polls every 100 ms. Where inotify works the file is read on changes, and once a second to be sure. */
static int polling_interval(void) {
  const char *text = getenv("SIDECAR_LOG_POLLING_INTERVAL");
  int64_t nanoseconds = 100000000;
  if (text != NULL && *text != '\0' && !parse_duration(text, &nanoseconds)) {
    log_fatal("error getting polling interval: time: invalid duration %s", quoted(text));
  }
  int64_t milliseconds = nanoseconds / 1000000;
  return milliseconds < 1 ? 1 : milliseconds > 60000 ? 60000 : (int)milliseconds;
}

static void wait_for_steps(void) {
  int interval = polling_interval();
  struct text_list files = list_steps(tekton_path("/tekton/run"));
  char **failures = allocate_array(files.count + 1, sizeof *failures);
  struct watch watch = watch_start();
  watch.name = "out";
  bool watched = true;
  for (size_t i = 0; i < files.count; i++) {
    failures[i] = format("%s.err", files.items[i].data);
    watched = watch_folder(&watch, path_directory(files.items[i].data)) && watched;
  }
  while (files.count > 0) {
    size_t left = 0;
    for (size_t i = 0; i < files.count; i++) {
      if (is_file(files.items[i].data)) continue;
      if (is_file(failures[i])) {
        watch_stop(&watch);
        return;
      }
      files.items[left] = files.items[i];
      failures[left++] = failures[i];
    }
    files.count = left;
    if (left > 0) watch_wait(&watch, watched ? WATCHED_INTERVAL : interval);
  }
  watch_stop(&watch);
}

static void print(struct text name, struct text value, const char *type) {
  struct buffer line = {0};
  buffer_add_string(&line, "{\"name\":");
  json_write_string(&line, name);
  buffer_add_string(&line, ",\"value\":");
  json_write_string(&line, value);
  buffer_format(&line, ",\"type\":\"%s\"}\n", type);
  int error = write_all(STDOUT_FILENO, line.data, line.length);
  if (error != 0) log_fatal("error writing results: write /dev/stdout: %s", errno_text(error));
  buffer_release(&line);
}

static void print_result(const char *folder, const char *file_name, struct text name, const char *type) {
  struct file_read file = read_file(path_join(folder, file_name), LONGEST_RESULT);
  if (file.missing || name.length == 0) return;
  if (file.error != NULL) log_fatal("error parsing results: error reading the results file %s", file.error);
  if (file.too_long) log_fatal("error parsing results: %s is too long", file_name);
  print(name, file.content, type);
  release(file.content.data);
}

static void print_step_results(const struct json *map) {
  for (size_t i = 0; i < map->count; i++) {
    struct text_list names;
    char *error = json_strings(&map->items[i], &names);
    if (error != NULL) log_fatal("%s", error);
    char *folder = path_join(path_join(tekton_path("/tekton/steps"), map->names[i].data), "results");
    for (size_t n = 0; n < names.count; n++) {
      struct text name = text_of(format("%s.%s", map->names[i].data, names.items[n].data));
      print_result(folder, names.items[n].data, name, "step");
    }
  }
}

static void print_artifacts(const char *step) {
  char *path = path_join(path_join(tekton_path("/tekton/steps"), step), "artifacts/provenance.json");
  struct json artifacts;
  struct buffer document = {0};
  if (!is_file(path)) return;
  char *error = artifacts_read(path, &artifacts);
  if (error != NULL) log_fatal("invalid artifacts : %s", error);
  artifacts_write(&document, &artifacts);
  print(text_of(step), buffer_take(&document), "stepArtifact");
}

static void block_end_signals(sigset_t *signals) {
  if (sigemptyset(signals) != 0 || sigaddset(signals, SIGINT) != 0 || sigaddset(signals, SIGTERM) != 0 ||
      sigprocmask(SIG_BLOCK, signals, NULL) != 0) {
    log_fatal("signals: %s", errno_text(errno));
  }
}

int sidecarlogresults_main(int count, char **arguments) {
  struct options options = {tekton_path("/tekton/results"), "", "", "", false};
  const struct flag flags[] = {
      {"kubernetes-sidecar-mode", FLAG_BOOLEAN, &options.native_sidecar, "wait for a signal after printing, as a native sidecar must", NULL},
      {"result-names", FLAG_STRING, &options.result_names, "comma separated names of task results", NULL},
      {"results-dir", FLAG_STRING, &options.results_folder, "folder of task results", NULL},
      {"step-names", FLAG_STRING, &options.step_names, "comma separated names of steps that may leave artifacts", NULL},
      {"step-results", FLAG_STRING, &options.step_results, "JSON object: names of results by step", NULL},
  };
  (void)flags_parse("sidecarlogresults", flags, sizeof flags / sizeof flags[0], count, arguments);
  sigset_t signals;
  if (options.native_sidecar) block_end_signals(&signals);
  struct json step_results;
  char *error = json_parse(options.step_results, strlen(options.step_results), &step_results);
  if (error == NULL && step_results.kind != JSON_OBJECT && step_results.kind != JSON_NULL) {
    error = json_mismatch(&step_results, "map[string][]string");
  }
  if (error != NULL) log_fatal("%s", error);
  wait_for_steps();
  struct text_list names = split(options.result_names, ',');
  for (size_t i = 0; i < names.count; i++) print_result(options.results_folder, names.items[i].data, names.items[i], "task");
  print_step_results(&step_results);
  struct text_list steps = split(options.step_names, ',');
  for (size_t i = 0; i < steps.count; i++) {
    if (steps.items[i].length > 0) print_artifacts(steps.items[i].data);
  }
  int received;
  if (options.native_sidecar) (void)sigwait(&signals, &received);
  return 0;
}

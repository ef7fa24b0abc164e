#include "entrypoint.h"

#include "files.h"
#include "log.h"
#include "results.h"
#include "run.h"
#include "substitute.h"
#include "wait.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum end {
  END_SUCCESS,
  END_EXITED,          /* not with 0 */
  END_ERROR,           /* anything that is not an outcome of the command */
  END_TOO_LONG,        /* results do not fit into the termination message */
  END_PREVIOUS_FAILED, /* an earlier step failed, so this one did not run */
  END_BEFORE_STEP,     /* the user chose not to go on at the breakpoint before the step */
  END_TIMED_OUT,
  END_CANCELLED,
};

struct conclusion {
  enum end end;
  int code;
  const char *error;
};

static struct conclusion error_conclusion(const char *error) { return (struct conclusion){END_ERROR, 1, error}; }

/* Milliseconds, cut off; "Z" or the offset of the local time zone. */
static struct text timestamp(void) {
  struct timeval now;
  struct tm parts;
  char date[64] = "";
  if (gettimeofday(&now, NULL) != 0 || localtime_r(&now.tv_sec, &parts) == NULL) return text_of("1970-01-01T00:00:00.000Z");
  if (strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts) == 0) date[0] = '\0';
  struct buffer out = {0};
  buffer_format(&out, "%s.%03ld", date, (long)now.tv_usec / 1000);
  long offset = parts.tm_gmtoff / 60;
  if (offset == 0) buffer_add_byte(&out, 'Z');
  else buffer_format(&out, "%c%02ld:%02ld", offset < 0 ? '-' : '+', labs(offset) / 60, labs(offset) % 60);
  return buffer_take(&out);
}

static char *write_small_file(const char *path, const char *content) {
  char *error = make_directories(path_directory(path), 0777);
  if (error != NULL) return format("Error creating parent directory of %s: %s", quoted(path), error);
  error = write_file(path, text_of(content), O_TRUNC, 0666);
  return error == NULL ? NULL : format("Creating %s: %s", quoted(path), error);
}

/*
 * The post file, and the exit code unless that is NULL. Upstream writes the post file first; here the next step may
 * start at once and read the exit code, so that file is written first.
 */
static void write_outcome(const struct step *step, bool failed, const char *code) {
  char *code_error = code == NULL ? NULL : write_small_file(path_join(step->metadata_folder, "exitCode"), code);
  char *error = NULL;
  if (*step->post_file != '\0') error = write_small_file(format("%s%s", step->post_file, failed ? ".err" : ""), "");
  if (error == NULL) error = code_error;
  if (error != NULL) log_fatal("%s", error);
}

static void add_started(struct entries *output) { entries_add(output, "StartedAt", timestamp(), INTERNAL_RESULT); }

static void add_reason(struct entries *output, const char *reason) {
  entries_add(output, "Reason", text_of(reason), INTERNAL_RESULT);
}

/* With a breakpoint set, a failed step before this one does not stop it; and nothing is written for those behind it. */
static bool wait_for_turn(const struct step *step, struct entries *output, struct conclusion *conclusion) {
  struct text_list files = split(step->wait_files, ',');
  for (size_t i = 0; i < files.count; i++) {
    char *error = NULL;
    enum wait_outcome outcome = wait_for_file(files.items[i].data, step->wait_for_content, step->breakpoint_on_failure, &error);
    if (outcome == WAIT_READY) continue;
    if (!step->breakpoint_on_failure) write_outcome(step, true, NULL);
    add_started(output);
    if (outcome == WAIT_SKIP) add_reason(output, "Skipped");
    *conclusion = outcome == WAIT_SKIP ? (struct conclusion){END_PREVIOUS_FAILED, 1, NULL} : error_conclusion(error);
    return false;
  }
  return true;
}

static bool wait_before_step(const struct step *step) {
  char *file = format("%s.beforestepexit", step->post_file);
  char *error = NULL;
  log_line("debug before step breakpoint has taken effect, waiting for user's decision:\n"
           "1) continue, use cmd: /tekton/debug/scripts/debug-beforestep-continue\n"
           "2) fail-continue, use cmd: /tekton/debug/scripts/debug-beforestep-fail-continue");
  if (wait_for_file(file, false, false, &error) == WAIT_READY) return true;
  log_line("error occurred while waiting for %s : before step breakpoint error file, user decided to skip the current step execution",
           file);
  return false;
}

static struct conclusion run(struct step *step) {
  const struct run_options options = {
      .command = &step->command,
      .stdout_path = step->stdout_path,
      .stderr_path = step->stderr_path,
      .cancel_file = tekton_path("/tekton/downward/cancel"),
      .timeout = step->timeout,
  };
  struct run_outcome outcome = run_command(&options);
  switch (outcome.end) {
    case RUN_TIMED_OUT: return (struct conclusion){END_TIMED_OUT, 1, "context deadline exceeded"};
    case RUN_CANCELLED: return (struct conclusion){END_CANCELLED, SIGKILL, NULL};
    case RUN_FAILED: return error_conclusion(outcome.error);
    case RUN_EXITED: break;
  }
  return (struct conclusion){outcome.code == 0 ? END_SUCCESS : END_EXITED, outcome.code, NULL};
}

/* Sets `skipped` when the when expressions say no. */
static struct conclusion execute(struct step *step, bool *skipped) {
  if (step->timeout < 0) return error_conclusion("negative timeout specified");
  char *error = substitute_results(&step->command, &step->whens);
  if (error != NULL) log_level("ERROR", "Error while substituting step results:", error);
  error = substitute_artifacts(&step->command);
  if (error != NULL) log_level("ERROR", "Error while substituting step artifacts:", error);
  bool allowed;
  error = when_allows(&step->whens, &allowed);
  if (error != NULL) return error_conclusion(error);
  *skipped = !allowed;
  return allowed ? run(step) : (struct conclusion){END_SUCCESS, 0, NULL};
}

static bool continues(const struct step *step) { return strcmp(step->on_error, "continue") == 0; }

/* The files by which other steps learn how this one ended. A breakpoint on failure writes none: the user decides later. */
static void announce(const struct step *step, const struct conclusion *conclusion, struct entries *output) {
  switch (conclusion->end) {
    case END_SUCCESS:
      write_outcome(step, false, "0");
      return;
    case END_BEFORE_STEP: write_outcome(step, true, NULL); return;
    case END_CANCELLED:
      log_level("INFO", "Step was canceling", NULL);
      add_reason(output, "Cancelled");
      write_outcome(step, true, "killed");
      return;
    case END_TIMED_OUT:
      write_outcome(step, true, NULL);
      add_reason(output, "TimeoutExceeded");
      return;
    default: break;
  }
  if (step->breakpoint_on_failure) {
    log_level("INFO", "Skipping writing to PostFile", NULL);
  } else if (conclusion->end == END_EXITED && continues(step)) {
    char *code = format("%d", conclusion->code);
    entries_add(output, "ExitCode", text_of(code), INTERNAL_RESULT);
    write_outcome(step, false, code);
  } else {
    write_outcome(step, true, NULL);
  }
}

/* Results are published even when the command failed. False when that did not work, which becomes the conclusion. */
static bool publish(const struct step *step, const struct results *results, struct conclusion *conclusion) {
  const char *error = results->error;
  bool by_message = strcmp(step->results_from, "termination-message") == 0;
  if (error == message_too_long && !by_message) error = NULL;
  if (error == NULL && by_message && results->entries.count > 0) {
    error = termination_write(step->termination_path, &results->entries, step->compress);
  }
  if (error == NULL) return true;
  log_level("ERROR", "Error while substituting step artifacts:", error);
  *conclusion = error == message_too_long ? (struct conclusion){END_TOO_LONG, 1, error} : error_conclusion(error);
  return false;
}

/*
 * Upstream announces the end before it reads results, and gets away with it because the next step looks only once a second. Ours
 * starts at once and might overwrite them, so they are read first; the order of everything visible is upstream's.
 */
static struct conclusion finish(const struct step *step, struct conclusion conclusion, struct entries *output) {
  struct text_list names = split(step->results, ',');
  struct text_list step_names = split(step->step_results, ',');
  struct results task_results = read_results(tekton_path("/tekton/results"), &names, TASK_RESULT);
  struct results step_results = read_results(path_join(step->metadata_folder, "results"), &step_names, STEP_RESULT);
  struct results artifacts = {0};
  bool by_message = strcmp(step->results_from, "termination-message") == 0;
  if (by_message) artifacts = read_artifacts(step->metadata_folder);

  announce(step, &conclusion, output);
  if (!publish(step, &task_results, &conclusion) || !publish(step, &step_results, &conclusion)) return conclusion;
  if (artifacts.error != NULL) log_fatal("%s", artifacts.error);
  for (size_t i = 0; i < artifacts.entries.count; i++) {
    const struct entry *entry = &artifacts.entries.items[i];
    entries_add(output, entry->key.data, entry->value, (enum entry_type)entry->type);
  }
  return conclusion;
}

static struct conclusion conclude(struct step *step, struct entries *output) {
  struct conclusion conclusion;
  char *error = make_directories(path_join(step->metadata_folder, "results"), 0777);
  if (error == NULL) error = make_directories(path_join(step->metadata_folder, "artifacts"), 0777);
  if (error != NULL) return error_conclusion(error);
  if (!wait_for_turn(step, output, &conclusion)) return conclusion;

  bool go_on = !step->debug_before_step || wait_before_step(step);
  add_started(output);
  bool skipped = false;
  if (go_on || step->timeout < 0) conclusion = execute(step, &skipped);
  else conclusion = (struct conclusion){END_BEFORE_STEP, 1, NULL};
  if (skipped) {
    log_level("INFO", "Step was skipped due to when expressions were evaluated to false.", NULL);
    add_reason(output, "Skipped");
    write_outcome(step, false, "0");
    return conclusion;
  }
  return finish(step, conclusion, output);
}

/* Ends the program with the code that the user's choice left in a file; 0 when that cannot be read, to go on with the next step. */
static void stop_at_breakpoint(const struct step *step) {
  if (!step->breakpoint_on_failure) return;
  char *file = format("%s.breakpointexit", step->post_file);
  char *error = NULL;
  log_line("debug onFailure breakpoint has taken effect, waiting for user's decision:\n"
           "1) continue, use cmd: /tekton/debug/scripts/debug-continue\n"
           "2) fail-continue, use cmd: /tekton/debug/scripts/debug-fail-continue");
  enum wait_outcome outcome = wait_for_file(file, false, false, &error);
  if (outcome == WAIT_SKIP) error = copy_string("error file present, bail and skip the step");
  if (error != NULL) log_line("error occurred while waiting for %s : %s", file, error);
  struct file_read choice = read_file(file, 64);
  if (choice.missing) {
    log_line("error occurred while reading breakpoint exit code : breakpoint postfile %s not found", file);
    exit(0);
  }
  char *text = choice.content.data;
  if (choice.content.length > 0 && text[choice.content.length - 1] == '\n') text = text_copy(text, choice.content.length - 1).data;
  log_line("Breakpoint exiting with exit code %s", text);
  char *end;
  errno = 0;
  long code = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || errno != 0) {
    log_line("error occurred while reading breakpoint exit code : strconv.Atoi: parsing %s: invalid syntax", quoted(text));
    code = 0;
  }
  exit((int)(code & 0xff));
}

int run_step(struct step *step) {
  struct entries output = {0};
  struct conclusion conclusion = conclude(step, &output);
  const char *error = termination_write(step->termination_path, &output, step->compress);
  if (error != NULL) log_fatal("Error while writing message: %s", error);
  switch (conclusion.end) {
    case END_SUCCESS: return 0;
    case END_EXITED:
      stop_at_breakpoint(step);
      return continues(step) ? 0 : conclusion.code & 0xff;
    case END_ERROR:
      stop_at_breakpoint(step);
      log_line("Error executing command: %s", conclusion.error);
      return 1;
    case END_TOO_LONG:
    case END_TIMED_OUT: log_line("%s", conclusion.error); return 1;
    case END_PREVIOUS_FAILED: log_line("Skipping step because a previous step failed"); return 1;
    case END_BEFORE_STEP: log_line("Skipping execute step script because before step breakpoint fail-continue"); return 1;
    case END_CANCELLED: log_line("Step was cancelled"); return conclusion.code;
  }
  return 1;
}

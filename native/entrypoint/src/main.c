/*
 * The program of every step container, and of Tekton's other images: entrypoint, nop, workingdirinit and sidecarlogresults,
 * chosen by the name it is called by or by its first argument.
 */
#include "credentials.h"
#include "entrypoint.h"
#include "files.h"
#include "flags.h"
#include "json.h"
#include "log.h"
#include "subcommands.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct program {
  const char *name;
  int (*main)(int count, char **arguments);
};

static const struct program programs[] = {
    {"nop", nop_main},
    {"workingdirinit", workingdirinit_main},
    {"sidecarlogresults", sidecarlogresults_main},
};

static const struct program *find_program(const char *name) {
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
    if (strcmp(programs[i].name, name) == 0) return &programs[i];
  }
  return NULL;
}

/* The kernel spares the first process of a container signals that it does not handle; Go's programs end with 2. */
static void end_at_once(int number) {
  (void)number;
  _exit(2);
}

static void handle_signals_of_first_process(void) {
  static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  if (getpid() != 1) return;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    struct sigaction action = {.sa_handler = end_at_once};
    if (sigaction(numbers[i], &action, NULL) != 0) log_line("sigaction failed");
  }
}

/* How images name this machine, and without the variant of the processor. */
static void platform_names(const char **with_variant, const char **without) {
#if defined(__x86_64__)
  *with_variant = "linux/amd64";
  *without = "linux";
#elif defined(__aarch64__)
  *with_variant = "linux/arm64/v8";
  *without = "linux/arm64";
#elif defined(__arm__)
  *with_variant = "linux/arm/unknown";
  *without = "linux/arm";
#elif defined(__riscv) && __riscv_xlen == 64
  *with_variant = "linux/riscv64";
  *without = "linux";
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
  *with_variant = "linux/ppc64le";
  *without = "linux";
#elif defined(__s390x__)
  *with_variant = "linux/s390x";
  *without = "linux";
#else
  *with_variant = "linux/386";
  *without = "linux";
#endif
}

static const struct json *member(const struct json *object, const char *name) {
  for (size_t i = object->count; i-- > 0;) {
    if (text_equals(object->names[i], name)) return &object->items[i];
  }
  return NULL;
}

/* A step without a command runs what its image runs; the controller has looked that up for every platform of the image. */
static struct text_list command_of_image(void) {
  const char *document = getenv("TEKTON_PLATFORM_COMMANDS");
  const char *platform;
  const char *without_variant;
  struct json commands;
  struct text_list command;
  if (document == NULL) document = "";
  char *error = json_parse(document, strlen(document), &commands);
  if (error == NULL && commands.kind != JSON_OBJECT && commands.kind != JSON_NULL) error = json_mismatch(&commands, "map[string][]string");
  if (error != NULL) log_fatal("%s", error);
  platform_names(&platform, &without_variant);
  const struct json *found = member(&commands, platform);
  if (found == NULL) found = member(&commands, without_variant);
  if (found == NULL) log_fatal("could not find command for platform %s", quoted(platform));
  error = json_strings(found, &command);
  if (error != NULL) log_fatal("%s", error);
  return command;
}

/* Flags end at the first "--"; one that is the very first argument is left to the flags. */
static int find_separator(int count, char **arguments) {
  for (int i = 0; i < count; i++) {
    if (strcmp(arguments[i], "--") == 0) return i > 0 ? i : count;
  }
  return count;
}

static int entrypoint_main(int count, char **arguments) {
  const char *program = "";
  const char *when_expressions = "";
  const char *spire_socket = "unix:///spiffe-workload-api/spire-agent.sock";
  bool enable_spire = false;
  struct step step = {
      .wait_files = "",
      .post_file = "",
      .termination_path = tekton_path("/tekton/termination"),
      .results = "",
      .step_results = "",
      .stdout_path = "",
      .stderr_path = "",
      .on_error = "",
      .metadata_folder = "",
      .results_from = "termination-message",
  };
  const struct flag flags[] = {
      {"basic-docker", FLAG_FUNCTION, NULL, "secret=url: a basic-auth Secret for an image registry", set_basic_docker},
      {"basic-git", FLAG_FUNCTION, NULL, "secret=url: a basic-auth Secret for a git server", set_basic_git},
      {"breakpoint_on_failure", FLAG_BOOLEAN, &step.breakpoint_on_failure, "stop when the step fails and wait for the user", NULL},
      {"compress_termination_message", FLAG_BOOLEAN, &step.compress, "compress the termination message where that makes it shorter", NULL},
      {"debug_before_step", FLAG_BOOLEAN, &step.debug_before_step, "wait for the user before the step", NULL},
      {"docker-cfg", FLAG_FUNCTION, NULL, "a dockercfg Secret", set_docker_cfg},
      {"docker-config", FLAG_FUNCTION, NULL, "a dockerconfigjson Secret", set_docker_config},
      {"enable_spire", FLAG_BOOLEAN, &enable_spire, "sign results; refused, this program cannot", NULL},
      {"entrypoint", FLAG_STRING, &program, "the program to run", NULL},
      {"on_error", FLAG_STRING, &step.on_error, "continue or stopAndFail", NULL},
      {"post_file", FLAG_STRING, &step.post_file, "the file to write at the end", NULL},
      {"result_from", FLAG_STRING, &step.results_from, "termination-message or sidecar-logs", NULL},
      {"results", FLAG_STRING, &step.results, "comma separated names of task results", NULL},
      {"spire_socket_path", FLAG_STRING, &spire_socket, "where the SPIRE agent listens; not used", NULL},
      {"ssh-git", FLAG_FUNCTION, NULL, "secret=host: an ssh-auth Secret for a git server", set_ssh_git},
      {"stderr_path", FLAG_STRING, &step.stderr_path, "a file that gets stderr too", NULL},
      {"stdout_path", FLAG_STRING, &step.stdout_path, "a file that gets stdout too", NULL},
      {"step_metadata_dir", FLAG_STRING, &step.metadata_folder, "the folder for exit code, results and artifacts of the step", NULL},
      {"step_results", FLAG_STRING, &step.step_results, "comma separated names of step results", NULL},
      {"termination_path", FLAG_STRING, &step.termination_path, "the file for the termination message", NULL},
      {"timeout", FLAG_DURATION, &step.timeout, "how long the step may take", NULL},
      {"wait_file", FLAG_STRING, &step.wait_files, "comma separated files to wait for", NULL},
      {"wait_file_content", FLAG_BOOLEAN, &step.wait_for_content, "wait until these files have content", NULL},
      {"when_expressions", FLAG_STRING, &when_expressions, "JSON array of when expressions", NULL},
  };
  int separator = find_separator(count, arguments);
  int read = flags_parse("entrypoint", flags, sizeof flags / sizeof flags[0], separator, arguments);
  int code;
  if (run_subcommand(separator - read, arguments + read, &code)) return code;

  const char *credentials = tekton_path("/tekton/creds");
  char *error = write_docker_credentials(credentials);
  if (error != NULL) log_line("Error initializing credentials: %s", error);
  error = write_git_credentials(credentials);
  if (error != NULL) log_line("Error initializing credentials: %s", error);

  if (*program != '\0') text_list_add(&step.command, text_of(program));
  else step.command = command_of_image();
  for (int i = separator + 1; i < count; i++) text_list_add(&step.command, text_of(arguments[i]));
  if (*when_expressions != '\0') {
    error = when_parse(when_expressions, &step.whens);
    if (error != NULL) log_fatal("%s", error);
  }
  if (enable_spire) {
    log_fatal("Error: this entrypoint cannot sign results with SPIRE. Set enforce-nonfalsifiability to none, or use upstream's entrypoint image.");
  }
  copy_credentials_home(credentials);
  return run_step(&step);
}

int main(int count, char **arguments) {
  handle_signals_of_first_process();
  const struct program *program = count > 0 ? find_program(path_base(arguments[0])) : NULL;
  if (program != NULL) return program->main(count - 1, arguments + 1);
  program = count > 1 ? find_program(arguments[1]) : NULL;
  if (program != NULL) return program->main(count - 2, arguments + 2);
  return entrypoint_main(count > 0 ? count - 1 : 0, arguments + (count > 0 ? 1 : 0));
}

#include "start.h"

#include "files.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool executable(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && !S_ISDIR(status.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

/* A name without a slash is searched in $PATH, but never in the current folder. */
static char *find_program(const char *name, char **path) {
  if (strchr(name, '/') != NULL) {
    *path = copy_string(name);
    return NULL;
  }
  const char *search = getenv("PATH");
  struct text_list folders = {0};
  if (search != NULL && *search != '\0') folders = split(search, ':');
  for (size_t i = 0; i < folders.count; i++) {
    char *candidate = path_join(folders.items[i].length == 0 ? "." : folders.items[i].data, name);
    if (!executable(candidate)) continue;
    if (candidate[0] != '/') return format("exec: %s: cannot run executable found relative to current directory", quoted(name));
    *path = candidate;
    return NULL;
  }
  return format("exec: %s: executable file not found in $PATH", quoted(name));
}

/* A step in hermetic mode has no network: it gets new namespaces, with all users and groups as they are. */
static bool hermetic(void) {
  const char *resource = getenv("TEKTON_RESOURCE_NAME");
  const char *wanted = getenv("TEKTON_HERMETIC");
  return (resource == NULL || *resource == '\0') && wanted != NULL && strcmp(wanted, "1") == 0;
}

static int write_map(pid_t process, const char *name, const char *content) {
  char *path = format("/proc/%ld/%s", (long)process, name);
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int error = write_all(descriptor, content, strlen(content));
  if (close(descriptor) != 0 && error == 0) error = errno;
  return error;
}

static int map_users(pid_t process) {
  static const char all_users[] = "0 0 4294967295\n";
  int error = write_map(process, "uid_map", all_users);
  if (error == 0) error = write_map(process, "setgroups", "allow");
  if (error == 0) error = write_map(process, "gid_map", all_users);
  return error;
}

/* Used between fork and exec: nothing but system calls. */
static void report_and_exit(int descriptor, int error) {
  ssize_t ignored = write(descriptor, &error, sizeof error);
  (void)ignored;
  _exit(127);
}

static void redirect(int report, int from, int to) {
  if (from >= 0 && dup2(from, to) < 0) report_and_exit(report, errno);
}

struct launch {
  const struct start_options *options;
  const char *path;
  char **arguments;
  int null_descriptor;
  int report[2]; /* errno of the child, nothing when exec worked */
  int go[2];     /* the child waits here until its users are mapped */
};

static _Noreturn void become_program(const struct launch *launch, bool wait_for_map) {
  int report = launch->report[1];
  if (wait_for_map) {
    int error = EIO;
    (void)close(launch->go[1]);
    if (read(launch->go[0], &error, sizeof error) != (ssize_t)sizeof error) error = EIO;
    if (error != 0) report_and_exit(report, error);
  }
  if (setpgid(0, 0) != 0) report_and_exit(report, errno);
  redirect(report, launch->null_descriptor, STDIN_FILENO);
  redirect(report, launch->options->stdout_descriptor, STDOUT_FILENO);
  redirect(report, launch->options->stderr_descriptor, STDERR_FILENO);
  if (sigprocmask(SIG_SETMASK, launch->options->signal_mask, NULL) != 0) report_and_exit(report, errno);
  (void)execve(launch->path, launch->arguments, environ);
  report_and_exit(report, errno);
  _exit(127);
}

/* The errno with which the start failed, 0 when the program runs. */
static int launch_process(struct launch *launch, pid_t *process) {
  bool isolated = hermetic();
  if (isolated) {
    unsigned long flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUSER | SIGCHLD;
#if defined(__s390x__)
    *process = (pid_t)syscall(SYS_clone, NULL, flags, NULL, NULL, NULL); /* there the stack comes first */
#else
    *process = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
#endif
  } else {
    *process = fork();
  }
  if (*process < 0) return errno;
  if (*process == 0) become_program(launch, isolated);
  if (isolated) {
    int error = map_users(*process);
    if (write_all(launch->go[1], (const char *)&error, sizeof error) != 0) (void)kill(*process, SIGKILL);
  }
  (void)setpgid(*process, *process); /* both sides do it, so that neither comes too late */
  (void)close(launch->report[1]);
  launch->report[1] = -1;
  int error = 0;
  ssize_t count;
  do count = read(launch->report[0], &error, sizeof error);
  while (count < 0 && errno == EINTR);
  return count == (ssize_t)sizeof error ? error : 0;
}

static void close_if_open(int descriptor) {
  if (descriptor >= 0) (void)close(descriptor);
}

char *start_process(const struct start_options *options, pid_t *process) {
  struct launch launch = {.options = options, .null_descriptor = -1, .report = {-1, -1}, .go = {-1, -1}};
  char *path = NULL;
  *process = -1;
  char *error = find_program(options->command->items[0].data, &path);
  if (error != NULL) return error;
  launch.path = path;
  launch.arguments = allocate_array(options->command->count + 1, sizeof *launch.arguments);
  for (size_t i = 0; i < options->command->count; i++) {
    struct text argument = options->command->items[i];
    if (strlen(argument.data) != argument.length) return path_error("fork/exec", path, EINVAL);
    launch.arguments[i] = argument.data;
  }
  launch.null_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (launch.null_descriptor < 0) return path_error("open", "/dev/null", errno);
  int code = pipe2(launch.report, O_CLOEXEC) != 0 || pipe2(launch.go, O_CLOEXEC) != 0 ? errno : launch_process(&launch, process);
  close_if_open(launch.null_descriptor);
  close_if_open(launch.report[0]);
  close_if_open(launch.report[1]);
  close_if_open(launch.go[0]);
  close_if_open(launch.go[1]);
  return code == 0 ? NULL : path_error("fork/exec", path, code);
}

#include "process.h"

#include "kernel.h"
#include "namespaces.h"
#include "report.h"
#include "root.h"
#include "seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>

int link_socket = -1;

static void send_link(char kind, int descriptor) {
  char control[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec content = {&kind, 1};
  struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  ssize_t sent = sendmsg(link_socket, &message, MSG_NOSIGNAL);
  (void)sent;
}

static void send_failure(void) { send_link(LINK_FAILED, -1); }

void join_cgroups(const struct job *job) {
  for (size_t i = 0; job->cgroups[i] != NULL; i++) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/cgroup.procs", job->cgroups[i]);
    int file = length < (int)sizeof path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    if (file < 0 || write(file, "0", 1) != 1) fail("cannot join the cgroup %s: %s", job->cgroups[i], strerror(errno));
    close(file);
  }
}

void set_sysctls(const struct job *job) {
  for (size_t i = 0; job->sysctls[i] != NULL; i++) {
    const char *sysctl = job->sysctls[i];
    char path[PATH_MAX];
    size_t name = strcspn(sysctl, "=");
    const char *value = sysctl + name + 1;
    int length = snprintf(path, sizeof path, "/proc/sys/%.*s", (int)name, sysctl);
    int file = length < (int)sizeof path ? open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (file < 0 || write(file, value, strlen(value)) < 0) fail("cannot set %s: %s", path, strerror(errno));
    close(file);
  }
}

/* The program's three descriptors become a terminal of the container; the other process keeps its master. */
static void take_terminal(const struct job *job) {
  char name[32];
  int master = open_terminal(name, sizeof name);
  if (job->rows > 0 || job->columns > 0) {
    struct winsize size = {.ws_row = job->rows, .ws_col = job->columns};
    if (ioctl(master, TIOCSWINSZ, &size) != 0) fail("cannot set the size of the terminal: %s", strerror(errno));
  }
  int terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) fail("cannot open the terminal %s: %s", name, strerror(errno));
  /* A terminal of the container's user, who may have to open it again. */
  if (fchown(terminal, job->uid, (gid_t)-1) != 0 && errno != EPERM && errno != EINVAL) fail("cannot give away the terminal: %s", strerror(errno));
  send_link(LINK_TERMINAL, master);
  close(master);
  if (ioctl(terminal, TIOCSCTTY, 0) != 0) fail("cannot use the terminal: %s", strerror(errno));
  for (int i = 0; i < 3; i++)
    if (dup2(terminal, i) < 0) fail("cannot use the terminal: %s", strerror(errno));
  close(terminal);
}

static void set_limits(const struct job *job) {
  for (size_t i = 0; i < job->limit_count; i++) {
    const struct limit *limit = &job->limits[i];
    struct rlimit value = {(rlim_t)limit->soft, (rlim_t)limit->hard};
    if (setrlimit((__rlimit_resource_t)limit->resource, &value) != 0) fail("cannot set the limit %u: %s", limit->resource, strerror(errno));
  }
}

static void bound_capabilities(const struct job *job) {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
    if ((job->capabilities >> capability & 1) == 0 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0)
      fail("cannot drop a capability: %s", strerror(errno));
  }
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) fail("cannot clear capabilities: %s", strerror(errno));
}

static void set_capabilities(uint64_t wanted) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct current[2];
  if (syscall(SYS_capget, &header, current) != 0) fail("cannot read capabilities: %s", strerror(errno));
  for (unsigned i = 0; i < 2; i++) {
    current[i].permitted &= (uint32_t)(wanted >> (32 * i));
    current[i].effective = current[i].permitted;
    current[i].inheritable = 0;
  }
  if (syscall(SYS_capset, &header, current) != 0) fail("cannot set capabilities: %s", strerror(errno));
}

static void become_user(const struct job *job, int user_namespace) {
  bool single = (job->flags & FLAG_SINGLE_ID) != 0;
  if (user_namespace != NO_DESCRIPTOR) {
    if (setns(user_namespace, CLONE_NEWUSER) != 0) fail("cannot enter the user namespace of the container: %s", strerror(errno));
    close(user_namespace);
  } else if (single && (job->uid != 0 || job->gid != 0)) {
    rename_user(job->uid, job->gid);
  }
  bound_capabilities(job);
  if (!single) {
    gid_t groups[1024];
    for (size_t i = 0; i < job->group_count; i++) groups[i] = job->groups[i];
    if (setgroups(job->group_count, groups) != 0) fail("cannot set groups: %s", strerror(errno));
  }
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) fail("cannot keep capabilities: %s", strerror(errno));
  if (setresgid(job->gid, job->gid, job->gid) != 0) fail("cannot become group %u: %s", job->gid, strerror(errno));
  if (setresuid(job->uid, job->uid, job->uid) != 0) fail("cannot become user %u: %s", job->uid, strerror(errno));
}

/* The kernel shows a folder outside of the root without a leading slash. */
static void enter_working_folder(const char *folder) {
  char path[PATH_MAX];
  if (chdir(folder) != 0) fail("chdir to cwd (\"%s\") set in config.json failed: %s", folder, go_error(errno));
  if (getcwd(path, sizeof path) == NULL || path[0] != '/') fail("chdir to cwd (\"%s\") set in config.json failed: it is not in the container", folder);
}

static const char *variable(const struct job *job, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; job->environment[i] != NULL; i++)
    if (strncmp(job->environment[i], name, length) == 0 && job->environment[i][length] == '=') return job->environment[i] + length + 1;
  return NULL;
}

static bool is_program(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return false;
  if (S_ISDIR(status.st_mode)) errno = EISDIR;
  else if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0) return true;
  return false;
}

/* Where the program is, as engines search it. */
static const char *find_program(const struct job *job) {
  static char path[PATH_MAX];
  const char *name = job->arguments[0];
  bool denied = false;
  if (strchr(name, '/') != NULL) {
    if (is_program(name)) return name;
    if (errno == EISDIR || errno == EACCES) fail("exec: \"%s\": %s", name, go_error(errno));
    fail("exec: \"%s\": stat %s: %s", name, name, go_error(errno));
  }
  const char *folders = variable(job, "PATH");
  for (const char *at = folders; at != NULL && *name != '\0';) {
    const char *end = strchr(at, ':');
    int length = end == NULL ? (int)strlen(at) : (int)(end - at);
    int written = snprintf(path, sizeof path, "%.*s/%s", length, length == 0 ? "." : at, name);
    if (written > 0 && written < (int)sizeof path) {
      if (is_program(path)) return path;
      denied = denied || errno == EACCES;
    }
    at = end == NULL ? NULL : end + 1;
  }
  if (denied) fail("exec: \"%s\": permission denied", name);
  fail("exec: \"%s\": executable file not found in $PATH", name);
}

static void reset_signals(void) {
  sigset_t none;
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) sigaction(number, &action, NULL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The kernel forgets this when the user changes, and the other process may have died before. */
static void die_with_parent(void) {
  char byte;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) fail("prctl: %s", strerror(errno));
  if (recv(link_socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) _exit(EXIT_NOT_STARTED);
}

static void install_filter(const struct job *job) {
  if (!seccomp_install(job)) fail("cannot install the seccomp filter: %s", strerror(errno));
}

void become_program(const struct job *job, int user_namespace) {
  bool no_new_privileges = (job->flags & FLAG_NO_NEW_PRIVILEGES) != 0;
  before_failure = send_failure;
  setsid();
  umask(022);
  if ((job->flags & FLAG_TERMINAL) != 0) take_terminal(job);
  set_limits(job);
  if (no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("cannot set no_new_privs: %s", strerror(errno));
  become_user(job, user_namespace);
  /* Without no_new_privs only a process with rights may install a filter. */
  if (!no_new_privileges) {
    set_capabilities(UINT64_MAX);
    install_filter(job);
  }
  /* A root has the capabilities of the job, another user none. */
  set_capabilities(job->uid == 0 ? job->capabilities : 0);
  enter_working_folder(job->working_folder);
  const char *program = find_program(job);
  die_with_parent();
  reset_signals();
  if (kernel_close_range(3, RANGE_CLOEXEC) != 0) fail("cannot close descriptors: %s", strerror(errno));
  send_link(LINK_RUNNING, -1);
  if (no_new_privileges) install_filter(job);
  execve(program, (char *const *)job->arguments, (char *const *)job->environment);
  if (errno == ENOENT) fail("exec: \"%s\": stat %s: no such file or directory", job->arguments[0], program);
  fail("exec: \"%s\": %s", job->arguments[0], go_error(errno));
}

#include "run.h"

#include "files.h"
#include "log.h"
#include "start.h"
#include "tee.h"
#include "wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANCEL_INTERVAL = 1000 };

struct run {
  const struct run_options *options;
  pid_t process;
  int status;
  bool reaped;
  bool ended_by_us;
  enum run_end reason;
  int64_t deadline; /* milliseconds, -1 for none */
  int64_t next_check;
  int signals;
  struct tee out;
  struct tee err;
  struct watch watch;
};

/* All children are reaped: as the first process of a container we inherit orphans. */
static void reap(struct run *run) {
  for (;;) {
    int status;
    pid_t process = waitpid(-1, &status, WNOHANG);
    if (process < 0 && errno == EINTR) continue;
    if (process <= 0) return;
    if (process != run->process) continue;
    run->status = status;
    run->reaped = true;
  }
}

static void take_signals(struct run *run) {
  struct signalfd_siginfo signal;
  while (read(run->signals, &signal, sizeof signal) == (ssize_t)sizeof signal) {
    if (signal.ssi_signo != (uint32_t)SIGCHLD) (void)kill(-run->process, (int)signal.ssi_signo);
  }
  reap(run);
}

static void end_group(struct run *run, enum run_end reason) {
  if (run->ended_by_us) return;
  run->ended_by_us = true;
  run->reason = reason;
  (void)kill(-run->process, SIGKILL);
  if (!run->reaped) (void)kill(run->process, SIGKILL);
}

static void check_limits(struct run *run) {
  int64_t now = monotonic_milliseconds();
  if (run->deadline >= 0 && now >= run->deadline) end_group(run, RUN_TIMED_OUT);
  if (now >= run->next_check) {
    if (file_has_content(run->options->cancel_file)) end_group(run, RUN_CANCELLED);
    run->next_check = now + CANCEL_INTERVAL;
  }
}

static int time_to_wait(const struct run *run) {
  /* Nothing to wait for but what is still in the pipes. */
  if (run->reaped && run->ended_by_us) return 0;
  int64_t now = monotonic_milliseconds();
  int64_t next = run->next_check;
  if (run->deadline >= 0 && run->deadline < next && !run->ended_by_us) next = run->deadline;
  return next <= now ? 0 : (int)(next - now);
}

/*
 * Until the command has ended and its output is copied. As upstream we wait for background processes that hold the output open,
 * though not beyond the timeout.
 */
static void watch_over(struct run *run) {
  while (!run->reaped || tee_busy(&run->out) || tee_busy(&run->err)) {
    struct pollfd entries[] = {
        {.fd = run->signals, .events = POLLIN},
        {.fd = run->watch.descriptor, .events = POLLIN},
        tee_interest(&run->out),
        tee_interest(&run->err),
    };
    int ready = poll(entries, sizeof entries / sizeof entries[0], time_to_wait(run));
    if (ready < 0 && errno != EINTR) log_fatal("poll: %s", errno_text(errno));
    if (ready == 0 && run->reaped && run->ended_by_us) return;
    if (ready > 0) {
      if (entries[0].revents != 0) take_signals(run);
      if (entries[1].revents != 0 && watch_concerned(&run->watch)) run->next_check = 0;
      /* Programs write stderr at once and stdout later, so of two pieces that wait that of stderr is likely the older one. */
      tee_advance(&run->err, entries[3].revents);
      tee_advance(&run->out, entries[2].revents);
    }
    if (!run->ended_by_us) check_limits(run);
  }
}

static struct run_outcome outcome_of(const struct run *run) {
  bool success = WIFEXITED(run->status) && WEXITSTATUS(run->status) == 0;
  if (run->ended_by_us) return (struct run_outcome){.end = run->reason};
  char *error = run->out.error != NULL ? run->out.error : run->err.error;
  if (success && error != NULL) return (struct run_outcome){.end = RUN_FAILED, .error = error};
  return (struct run_outcome){.end = RUN_EXITED, .code = WIFEXITED(run->status) ? WEXITSTATUS(run->status) : -1};
}

static struct run_outcome failed(char *error) { return (struct run_outcome){.end = RUN_FAILED, .error = error}; }

static struct run_outcome run_started(struct run *run, const sigset_t *mask) {
  const struct start_options start = {
      .command = run->options->command,
      .signal_mask = mask,
      .stdout_descriptor = run->out.child_end,
      .stderr_descriptor = run->err.child_end,
  };
  if (file_has_content(run->options->cancel_file)) return (struct run_outcome){.end = RUN_CANCELLED};
  char *error = start_process(&start, &run->process);
  tee_close_child_end(&run->out);
  tee_close_child_end(&run->err);
  if (error != NULL) {
    if (run->process > 0) (void)waitpid(run->process, NULL, 0);
    return failed(error);
  }
  watch_over(run);
  /* Close the files before looking: a write that failed late is an error too. */
  tee_close(&run->out);
  tee_close(&run->err);
  return outcome_of(run);
}

/* Signals that are no longer forwarded must not end this process before the termination message is written. */
static void drop_pending_signals(int signals) {
  struct signalfd_siginfo signal;
  while (read(signals, &signal, sizeof signal) == (ssize_t)sizeof signal) continue;
}

struct run_outcome run_command(const struct run_options *options) {
  if (options->command->count == 0) return (struct run_outcome){.end = RUN_EXITED};
  struct run run = {.options = options, .process = -1, .deadline = -1, .signals = -1};
  if (options->timeout > 0) {
    int64_t milliseconds = options->timeout / 1000000 + (options->timeout % 1000000 != 0);
    run.deadline = monotonic_milliseconds() + milliseconds;
  }
  sigset_t all;
  sigset_t before;
  char *error = NULL;
  if (sigfillset(&all) != 0 || sigprocmask(SIG_BLOCK, &all, &before) != 0) return failed(format("sigprocmask: %s", errno_text(errno)));
  run.signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  if (run.signals < 0) error = format("signalfd: %s", errno_text(errno));
  run.watch = watch_start();
  run.watch.name = path_base(options->cancel_file);
  if (!watch_folder(&run.watch, path_directory(options->cancel_file))) watch_stop(&run.watch);
  run.out = (struct tee){.pipe = -1, .child_end = -1, .file = -1};
  run.err = run.out;
  if (error == NULL) error = tee_open(&run.out, options->stdout_path, STDOUT_FILENO);
  if (error == NULL) error = tee_open(&run.err, options->stderr_path, STDERR_FILENO);
  struct run_outcome outcome = error == NULL ? run_started(&run, &before) : failed(error);
  tee_close(&run.out);
  tee_close(&run.err);
  watch_stop(&run.watch);
  if (run.signals >= 0) {
    drop_pending_signals(run.signals);
    (void)close(run.signals);
  }
  if (sigprocmask(SIG_SETMASK, &before, NULL) != 0) log_line("sigprocmask: %s", errno_text(errno));
  return outcome;
}

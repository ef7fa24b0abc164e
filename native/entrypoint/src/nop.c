/*
 * nop takes the place of a sidecar's program when the steps are done: it ends at once, unless it has to wait for a
 * signal.
 */
#include "subcommands.h"

#include "log.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

int nop_main(int count, char **arguments) {
  if (count >= 1 && strcmp(arguments[0], "tekton_run_indefinitely") == 0) {
    sigset_t signals;
    int received = 0;
    if (sigemptyset(&signals) != 0 || sigaddset(&signals, SIGINT) != 0 || sigaddset(&signals, SIGTERM) != 0 ||
        sigprocmask(SIG_BLOCK, &signals, NULL) != 0) {
      log_fatal("signals: %s", errno_text(errno));
    }
    log_line("Waiting indefinitely...");
    int error;
    do error = sigwait(&signals, &received);
    while (error == EINTR);
    if (error != 0) log_fatal("sigwait: %s", errno_text(error));
    log_line("received signal: %s", received == SIGINT ? "interrupt" : "terminated");
  }
  log_line("Exiting...");
  return 0;
}

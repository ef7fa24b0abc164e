/*
 * Writes and removes the layers of images.
 *
 *   layers unpack [options] FOLDER   the archive on standard input into an empty folder
 *   layers remove [options] FOLDER   the folder and everything in it
 *
 *   --users START:COUNT, --groups START:COUNT   subordinate ids of this user, who is not root
 *   --plain                                     no user namespace: all files belong to this user
 *   --max-entries N                             for unpack
 */
#include "fail.h"
#include "namespace.h"
#include "tree.h"
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option long_options[] = {
  {"users", required_argument, NULL, 'u'},
  {"groups", required_argument, NULL, 'g'},
  {"plain", no_argument, NULL, 'p'},
  {"max-entries", required_argument, NULL, 'm'},
  {NULL, 0, NULL, 0},
};

static int open_folder(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) fail_errno(UNPACK_FAILED, "open", path);
  return fd;
}

/* A second fence: where it can be had, nothing outside of the folder has a name. */
static void confine(int folder) {
  if (fchdir(folder) == 0 && chroot(".") == 0 && chdir("/") == 0) return;
  if (errno != EPERM) fail_errno(UNPACK_FAILED, "enter", "the folder");
}

int main(int argc, char **argv) {
  const char *users = NULL, *groups = NULL;
  bool plain = false;
  unsigned long max_entries = 1000000;
  for (int option; (option = getopt_long(argc, argv, "", long_options, NULL)) != -1;) {
    if (option == 'u') users = optarg;
    else if (option == 'g') groups = optarg;
    else if (option == 'p') plain = true;
    else if (option == 'm') max_entries = strtoul(optarg, NULL, 10);
    else return 2;
  }
  if (argc - optind != 2) {
    fprintf(stderr, "usage: layers unpack|remove [options] FOLDER\n");
    return 2;
  }
  const char *act = argv[optind], *path = argv[optind + 1];
  umask(0);
  bool owners = geteuid() == 0 && !plain;
  if (!owners && !plain) owners = enter_user_namespace(users, groups);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  bool removes = strcmp(act, "remove") == 0;
  /* A layer whose root has no rights could not be listed. */
  if (removes) chmod(path, 0700);
  int folder = open_folder(path);
  if (strcmp(act, "unpack") == 0) {
    confine(folder);
    unpack(folder, (struct unpack_options){.owners = owners, .max_entries = max_entries});
    return 0;
  }
  if (removes) {
    remove_content(folder);
    if (rmdir(path) < 0) fail_errno(UNPACK_FAILED, "remove", path);
    return 0;
  }
  fprintf(stderr, "usage: layers unpack|remove [options] FOLDER\n");
  return 2;
}

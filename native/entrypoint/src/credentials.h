/*
 * Credentials of the ServiceAccount.
 *
 * The controller mounts annotated Secrets below /tekton/creds-secrets and names them in flags. They become the files that git,
 * ssh and docker read, first in /tekton/creds (what $(credentials.path) stands for), then copied into $HOME.
 */
#ifndef ENTRYPOINT_CREDENTIALS_H
#define ENTRYPOINT_CREDENTIALS_H

#include "memory.h"

/* Set by flags; the Secret is read at once, and one that cannot be read is a wrong flag. NULL or an error. */
char *set_basic_docker(void *unused, const char *secret_and_url);
char *set_docker_config(void *unused, const char *secret);
char *set_docker_cfg(void *unused, const char *secret);
char *set_basic_git(void *unused, const char *secret_and_url);
char *set_ssh_git(void *unused, const char *secret_and_host);

char *write_docker_credentials(const char *folder);
char *write_git_credentials(const char *folder);
/* Failures are logged: a step may do without. */
void copy_credentials_home(const char *folder);

/* For the two kinds: parts of "secret=url", and a key of the Secret. */
char *split_secret(const char *value, char **secret, char **url);
char *read_secret(const char *secret, const char *key, struct text *value);

#endif

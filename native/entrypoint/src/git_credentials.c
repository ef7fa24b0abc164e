/* .gitconfig and .git-credentials for basic-auth Secrets, .ssh for ssh-auth Secrets. */
#include "credentials.h"

#include "files.h"
#include "log.h"
#include "url.h"

#include <fcntl.h>
#include <string.h>

struct basic_entry {
  char *url;
  struct url parsed;
  struct text username;
  struct text password;
};

struct ssh_key {
  char *secret;
  struct text private_key;
  struct text known_hosts;
};

struct ssh_host {
  char *url;
  char *host;
  char *port;
  char *path; /* "" or "/org/repository" */
  struct ssh_key *keys;
  size_t key_count;
};

static struct basic_entry *basic_entries;
static size_t basic_count;
static struct ssh_host *ssh_hosts;
static size_t ssh_count;

char *set_basic_git(void *unused, const char *value) {
  (void)unused;
  char *secret;
  struct basic_entry entry = {0};
  char *error = split_secret(value, &secret, &entry.url);
  if (error != NULL) return error;
  for (size_t i = 0; i < basic_count; i++) {
    if (strcmp(basic_entries[i].url, entry.url) == 0) return format("multiple entries for url: %s", entry.url);
  }
  error = read_secret(secret, "username", &entry.username);
  if (error == NULL) error = read_secret(secret, "password", &entry.password);
  if (error == NULL) error = url_parse(entry.url, &entry.parsed);
  if (error != NULL) return error;
  basic_entries = resize(basic_entries, basic_count + 1, sizeof entry);
  basic_entries[basic_count++] = entry;
  return NULL;
}

static bool has_path(const struct basic_entry *entry) {
  return *entry->parsed.path != '\0' && strcmp(entry->parsed.path, "/") != 0;
}

static char *write_basic(const char *folder) {
  if (basic_count == 0) return NULL;
  struct buffer config = {0};
  buffer_add_string(&config, "[credential]\n\thelper = store\n");
  for (size_t i = 0; i < basic_count; i++) {
    const struct basic_entry *entry = &basic_entries[i];
    struct text name = text_replace_all(entry->username, text_of("\\"), text_of("\\\\"));
    buffer_format(&config, "[credential %s]\n\tusername = ", quoted(entry->url));
    buffer_append(&config, name.data, name.length);
    buffer_add_byte(&config, '\n');
    /* Without it git takes one login for all repositories of a host. */
    if (has_path(entry)) buffer_add_string(&config, "\tuseHttpPath = true\n");
  }
  char *error = write_file(path_join(folder, ".gitconfig"), buffer_take(&config), O_TRUNC, 0600);
  if (error != NULL) return error;

  struct buffer store = {0};
  for (int with_path = 0; with_path < 2; with_path++) {
    for (size_t i = 0; i < basic_count; i++) {
      if (has_path(&basic_entries[i]) != (with_path == 1)) continue;
      buffer_add_string(&store, url_with_login(&basic_entries[i].parsed, basic_entries[i].username, basic_entries[i].password));
      buffer_add_byte(&store, '\n');
    }
  }
  return write_file(path_join(folder, ".git-credentials"), buffer_take(&store), O_TRUNC, 0600);
}

/* "host", "host:port", either with "/org/repository" behind it. Go's SplitHostPort decides what is a port. */
static void parse_ssh_url(struct ssh_host *host) {
  const char *slash = strchr(host->url, '/');
  host->path = copy_string(slash == NULL ? "" : slash);
  char *name = slash == NULL ? copy_string(host->url) : text_copy(host->url, (size_t)(slash - host->url)).data;
  host->host = name;
  host->port = "22";
  char *colon = strrchr(name, ':');
  if (colon == NULL) return;
  if (name[0] == '[') {
    const char *bracket = strchr(name, ']');
    if (bracket == NULL || bracket + 1 != colon) return;
    host->host = text_copy(name + 1, (size_t)(bracket - name - 1)).data;
  } else {
    if (strchr(name, ':') != colon || strpbrk(name, "[]") != NULL) return;
    host->host = text_copy(name, (size_t)(colon - name)).data;
  }
  host->port = copy_string(colon + 1);
}

static struct ssh_host *host_for(char *url) {
  for (size_t i = 0; i < ssh_count; i++) {
    if (strcmp(ssh_hosts[i].url, url) == 0) return &ssh_hosts[i];
  }
  ssh_hosts = resize(ssh_hosts, ssh_count + 1, sizeof *ssh_hosts);
  struct ssh_host *host = &ssh_hosts[ssh_count++];
  *host = (struct ssh_host){.url = url};
  parse_ssh_url(host);
  return host;
}

char *set_ssh_git(void *unused, const char *value) {
  (void)unused;
  char *url;
  struct ssh_key key = {0};
  char *error = split_secret(value, &key.secret, &url);
  if (error == NULL) error = read_secret(key.secret, "ssh-privatekey", &key.private_key);
  if (error != NULL) return error;
  if (read_secret(key.secret, "known_hosts", &key.known_hosts) != NULL) key.known_hosts = (struct text){"", 0};
  struct ssh_host *host = host_for(url);
  host->keys = resize(host->keys, host->key_count + 1, sizeof key);
  host->keys[host->key_count++] = key;
  return NULL;
}

/* A single repository gets an alias as Host, and git's configuration maps URLs of that repository to the alias. */
static void add_alias(const struct ssh_host *host, const char *alias, struct buffer *config) {
  const char *path = host->path + 1;
  buffer_format(config, "[url \"git@%s:%s.git\"]\n\tinsteadOf = git@%s:%s.git\n", alias, path, host->host, path);
  buffer_format(config, "[url \"ssh://%s/%s.git\"]\n\tinsteadOf = ssh://%s", alias, path, host->host);
  if (strcmp(host->port, "22") != 0) buffer_format(config, ":%s", host->port);
  buffer_format(config, "/%s.git\n", path);
}

struct ssh_files {
  struct buffer config;
  struct buffer known_hosts;
  struct buffer git_config;
};

static char *add_ssh_host(const struct ssh_host *host, const char *folder, struct ssh_files *files) {
  const char *name = host->host;
  if (*host->path != '\0') {
    struct text repository = text_replace_all(text_of(host->path + 1), text_of("/"), text_of("--"));
    name = format("%s--%s", host->host, repository.data);
    add_alias(host, name, &files->git_config);
  }
  buffer_format(&files->config, "Host %s\n    HostName %s\n    Port %s\n", name, host->host, host->port);
  for (size_t i = 0; i < host->key_count; i++) {
    const struct ssh_key *key = &host->keys[i];
    char *path = path_join(folder, format("id_%s", key->secret));
    char *error = write_file(path, key->private_key, O_TRUNC, 0600);
    if (error != NULL) return error;
    buffer_format(&files->config, "    IdentityFile %s\n", path);
    if (key->known_hosts.length == 0) continue;
    if (files->known_hosts.length > 0) buffer_add_byte(&files->known_hosts, '\n');
    buffer_append(&files->known_hosts, key->known_hosts.data, key->known_hosts.length);
  }
  return NULL;
}

static char *write_ssh(const char *folder) {
  if (ssh_count == 0) return NULL;
  struct ssh_files files = {0};
  char *ssh = path_join(folder, ".ssh");
  char *error = make_directories(ssh, 0777);
  for (int with_path = 0; with_path < 2; with_path++) {
    for (size_t i = 0; error == NULL && i < ssh_count; i++) {
      if ((*ssh_hosts[i].path != '\0') == (with_path == 1)) error = add_ssh_host(&ssh_hosts[i], ssh, &files);
    }
  }
  if (error == NULL) error = write_file(path_join(ssh, "config"), buffer_take(&files.config), O_TRUNC, 0600);
  if (error == NULL && files.known_hosts.length > 0) {
    error = write_file(path_join(ssh, "known_hosts"), buffer_take(&files.known_hosts), O_TRUNC, 0600);
  }
  if (error == NULL && files.git_config.length > 0) {
    error = write_file(path_join(folder, ".gitconfig"), buffer_take(&files.git_config), O_APPEND, 0600);
  }
  return error;
}

char *write_git_credentials(const char *folder) {
  char *error = write_basic(folder);
  return error != NULL ? error : write_ssh(folder);
}

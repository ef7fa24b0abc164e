/* .docker/config.json: dockercfg Secrets, then dockerconfigjson Secrets, then annotated basic-auth Secrets; later ones win. */
#include "credentials.h"

#include "base64.h"
#include "files.h"
#include "json.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

struct login {
  struct text url;
  struct text username;
  struct text password;
  struct text auth;
  struct text email;
};

struct logins {
  struct login *items;
  size_t count;
};

static struct logins basic_logins;
static struct text_list config_secrets;
static struct text_list cfg_secrets;

static struct login *find_login(struct logins *logins, struct text url) {
  for (size_t i = 0; i < logins->count; i++) {
    if (text_same(logins->items[i].url, url)) return &logins->items[i];
  }
  return NULL;
}

static void put_login(struct logins *logins, struct login login) {
  struct login *known = find_login(logins, login.url);
  if (known != NULL) {
    *known = login;
    return;
  }
  if ((logins->count & (logins->count - 1)) == 0) {
    logins->items = resize(logins->items, logins->count == 0 ? 1 : logins->count * 2, sizeof login);
  }
  logins->items[logins->count++] = login;
}

char *set_basic_docker(void *unused, const char *value) {
  (void)unused;
  char *secret;
  char *url;
  struct login login = {0};
  char *error = split_secret(value, &secret, &url);
  if (error != NULL) return error;
  login.url = text_of(url);
  if (find_login(&basic_logins, login.url) != NULL) return format("multiple entries for url: %s", url);
  error = read_secret(secret, "username", &login.username);
  if (error == NULL) error = read_secret(secret, "password", &login.password);
  if (error != NULL) return error;
  struct buffer pair = {0};
  struct buffer auth = {0};
  buffer_append(&pair, login.username.data, login.username.length);
  buffer_add_byte(&pair, ':');
  buffer_append(&pair, login.password.data, login.password.length);
  base64_encode(&auth, pair.data, pair.length, true);
  login.auth = buffer_take(&auth);
  login.email = text_of("not@val.id");
  put_login(&basic_logins, login);
  return NULL;
}

char *set_docker_config(void *unused, const char *secret) {
  (void)unused;
  text_list_add(&config_secrets, text_of(secret));
  return NULL;
}

char *set_docker_cfg(void *unused, const char *secret) {
  (void)unused;
  text_list_add(&cfg_secrets, text_of(secret));
  return NULL;
}

static char *read_logins(const struct json *map, struct logins *logins) {
  if (map == NULL || map->kind == JSON_NULL) return NULL;
  if (map->kind != JSON_OBJECT) return json_mismatch(map, "map[string]dockercreds.entry");
  for (size_t i = 0; i < map->count; i++) {
    const struct json *item = &map->items[i];
    struct login login = {.url = map->names[i]};
    if (item->kind != JSON_OBJECT && item->kind != JSON_NULL) return json_mismatch(item, "dockercreds.entry");
    char *error = json_string(json_field(item, "username"), &login.username);
    if (error == NULL) error = json_string(json_field(item, "password"), &login.password);
    if (error == NULL) error = json_string(json_field(item, "auth"), &login.auth);
    if (error == NULL) error = json_string(json_field(item, "email"), &login.email);
    if (error != NULL) return error;
    put_login(logins, login);
  }
  return NULL;
}

static char *read_config(const char *secret, const char *key, bool has_auths, struct logins *logins) {
  struct text content;
  struct json document;
  char *error = read_secret(secret, key, &content);
  if (error == NULL) error = json_parse(content.data, content.length, &document);
  if (error != NULL) return error;
  if (!has_auths) return read_logins(&document, logins);
  if (document.kind != JSON_OBJECT && document.kind != JSON_NULL) return json_mismatch(&document, "dockercreds.configFile");
  return read_logins(json_field(&document, "auths"), logins);
}

static int compare_logins(const void *left, const void *right) {
  const struct login *a = left;
  const struct login *b = right;
  size_t shorter = a->url.length < b->url.length ? a->url.length : b->url.length;
  int order = memcmp(a->url.data, b->url.data, shorter);
  if (order != 0) return order;
  return (a->url.length > b->url.length) - (a->url.length < b->url.length);
}

static void write_member(struct buffer *out, const char *name, struct text value, bool always, bool *first) {
  if (value.length == 0 && !always) return;
  if (!*first) buffer_add_byte(out, ',');
  *first = false;
  buffer_format(out, "\"%s\":", name);
  json_write_string(out, value);
}

static void write_login(struct buffer *out, const struct login *login) {
  bool first = true;
  json_write_string(out, login->url);
  buffer_add_string(out, ":{");
  write_member(out, "username", login->username, false, &first);
  write_member(out, "password", login->password, false, &first);
  write_member(out, "auth", login->auth, true, &first);
  write_member(out, "email", login->email, false, &first);
  buffer_add_byte(out, '}');
}

char *write_docker_credentials(const char *folder) {
  struct logins all = {0};
  char *error = NULL;
  for (size_t i = 0; error == NULL && i < cfg_secrets.count; i++) {
    error = read_config(cfg_secrets.items[i].data, ".dockercfg", false, &all);
  }
  for (size_t i = 0; error == NULL && i < config_secrets.count; i++) {
    error = read_config(config_secrets.items[i].data, ".dockerconfigjson", true, &all);
  }
  if (error != NULL) return error;
  for (size_t i = 0; i < basic_logins.count; i++) put_login(&all, basic_logins.items[i]);
  if (all.count == 0) return NULL;
  qsort(all.items, all.count, sizeof *all.items, compare_logins);

  struct buffer out = {0};
  buffer_add_string(&out, "{\"auths\":{");
  for (size_t i = 0; i < all.count; i++) {
    if (i > 0) buffer_add_byte(&out, ',');
    write_login(&out, &all.items[i]);
  }
  buffer_add_string(&out, "}}");
  char *docker = path_join(folder, ".docker");
  error = make_directories(docker, 0777);
  return error != NULL ? error : write_file(path_join(docker, "config.json"), buffer_take(&out), O_TRUNC, 0600);
}

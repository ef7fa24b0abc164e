#include "artifacts.h"

#include "files.h"

#include <stdlib.h>
#include <string.h>

static char *check_value(const struct json *value) {
  struct text text;
  if (value->kind == JSON_NULL) return NULL;
  if (value->kind != JSON_OBJECT) return json_mismatch(value, "types.ArtifactValue");
  char *error = json_string(json_field(value, "uri"), &text);
  const struct json *digest = json_field(value, "digest");
  if (error != NULL || digest == NULL) return error;
  if (digest->kind != JSON_OBJECT) return json_mismatch(digest, "map[types.Algorithm]string");
  for (size_t i = 0; error == NULL && i < digest->count; i++) error = json_string(&digest->items[i], &text);
  return error;
}

static char *check_artifact(const struct json *artifact) {
  struct text text;
  bool boolean;
  if (artifact->kind == JSON_NULL) return NULL;
  if (artifact->kind != JSON_OBJECT) return json_mismatch(artifact, "types.Artifact");
  char *error = json_string(json_field(artifact, "name"), &text);
  if (error == NULL) error = json_boolean(json_field(artifact, "buildOutput"), &boolean);
  const struct json *values = json_field(artifact, "values");
  if (error != NULL || values == NULL) return error;
  if (values->kind != JSON_ARRAY) return json_mismatch(values, "[]types.ArtifactValue");
  for (size_t i = 0; error == NULL && i < values->count; i++) error = check_value(&values->items[i]);
  return error;
}

static char *check_list(const struct json *list) {
  if (list == NULL) return NULL;
  if (list->kind != JSON_ARRAY) return json_mismatch(list, "[]types.Artifact");
  char *error = NULL;
  for (size_t i = 0; error == NULL && i < list->count; i++) error = check_artifact(&list->items[i]);
  return error;
}

char *artifacts_read(const char *path, struct json *artifacts) {
  struct file_read file = read_file(path, ONE_MEBIBYTE);
  if (file.error != NULL) return file.error;
  if (file.too_long) return format("%s is longer than one mebibyte", path);
  char *error = json_parse(file.content.data, file.content.length, artifacts);
  if (error != NULL || artifacts->kind == JSON_NULL) return error;
  if (artifacts->kind != JSON_OBJECT) return json_mismatch(artifacts, "types.Artifacts");
  error = check_list(json_field(artifacts, "inputs"));
  return error != NULL ? error : check_list(json_field(artifacts, "outputs"));
}

static void separate(struct buffer *out, bool *first) {
  if (!*first) buffer_add_byte(out, ',');
  *first = false;
}

struct digest {
  struct text algorithm;
  struct text value;
  size_t position;
};

static int compare_digests(const void *left, const void *right) {
  const struct digest *a = left;
  const struct digest *b = right;
  size_t shorter = a->algorithm.length < b->algorithm.length ? a->algorithm.length : b->algorithm.length;
  int order = memcmp(a->algorithm.data, b->algorithm.data, shorter);
  if (order != 0) return order;
  if (a->algorithm.length != b->algorithm.length) return a->algorithm.length < b->algorithm.length ? -1 : 1;
  return a->position < b->position ? -1 : 1;
}

static void write_digests(struct buffer *out, const struct json *map) {
  struct digest *digests = allocate_array(map->count, sizeof *digests);
  for (size_t i = 0; i < map->count; i++) {
    digests[i] = (struct digest){.algorithm = map->names[i], .position = i};
    (void)json_string(&map->items[i], &digests[i].value);
  }
  qsort(digests, map->count, sizeof *digests, compare_digests);
  bool first = true;
  buffer_add_string(out, "\"digest\":{");
  for (size_t i = 0; i < map->count; i++) {
    if (i + 1 < map->count && text_same(digests[i].algorithm, digests[i + 1].algorithm)) continue; /* the last one wins */
    separate(out, &first);
    json_write_string(out, digests[i].algorithm);
    buffer_add_byte(out, ':');
    json_write_string(out, digests[i].value);
  }
  buffer_add_byte(out, '}');
}

static void write_value(struct buffer *out, const struct json *value) {
  bool first = true;
  struct text uri;
  const struct json *digest = json_field(value, "digest");
  buffer_add_byte(out, '{');
  if (digest != NULL && digest->count > 0) {
    separate(out, &first);
    write_digests(out, digest);
  }
  (void)json_string(json_field(value, "uri"), &uri);
  if (uri.length > 0) {
    separate(out, &first);
    buffer_add_string(out, "\"uri\":");
    json_write_string(out, uri);
  }
  buffer_add_byte(out, '}');
}

static void write_values(struct buffer *out, const struct json *values) {
  buffer_add_byte(out, '[');
  for (size_t i = 0; i < values->count; i++) {
    if (i > 0) buffer_add_byte(out, ',');
    write_value(out, &values->items[i]);
  }
  buffer_add_byte(out, ']');
}

static void write_artifact(struct buffer *out, const struct json *artifact) {
  bool first = true;
  bool build_output;
  struct text name;
  const struct json *values = json_field(artifact, "values");
  buffer_add_byte(out, '{');
  (void)json_string(json_field(artifact, "name"), &name);
  if (name.length > 0) {
    separate(out, &first);
    buffer_add_string(out, "\"name\":");
    json_write_string(out, name);
  }
  if (values != NULL && values->count > 0) {
    separate(out, &first);
    buffer_add_string(out, "\"values\":");
    write_values(out, values);
  }
  (void)json_boolean(json_field(artifact, "buildOutput"), &build_output);
  if (build_output) {
    separate(out, &first);
    buffer_add_string(out, "\"buildOutput\":true");
  }
  buffer_add_byte(out, '}');
}

void artifacts_write(struct buffer *out, const struct json *artifacts) {
  static const char *const lists[] = {"inputs", "outputs"};
  bool first = true;
  buffer_add_byte(out, '{');
  for (size_t l = 0; l < 2; l++) {
    const struct json *list = json_field(artifacts, lists[l]);
    if (list == NULL || list->count == 0) continue;
    separate(out, &first);
    buffer_format(out, "\"%s\":[", lists[l]);
    for (size_t i = 0; i < list->count; i++) {
      if (i > 0) buffer_add_byte(out, ',');
      write_artifact(out, &list->items[i]);
    }
    buffer_add_byte(out, ']');
  }
  buffer_add_byte(out, '}');
}

bool artifacts_values(struct buffer *out, const struct json *artifacts, const char *list_name, struct text name) {
  const struct json *list = json_field(artifacts, list_name);
  for (size_t i = 0; list != NULL && i < list->count; i++) {
    struct text candidate;
    (void)json_string(json_field(&list->items[i], "name"), &candidate);
    if (!text_same(candidate, name)) continue;
    const struct json *values = json_field(&list->items[i], "values");
    if (values == NULL) buffer_add_string(out, "null");
    else write_values(out, values);
    return true;
  }
  return false;
}

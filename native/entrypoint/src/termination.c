#include "termination.h"

#include "base64.h"
#include "deflate.h"
#include "files.h"
#include "json.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_LENGTH = 4096, MAXIMUM_DECOMPRESSED = 128 * 1024 };

static const char compressed_prefix[] = "tknz:";

const char message_too_long[] = "Termination message is above max allowed size 4096, caused by large task result.";

static void push(struct entries *entries, struct entry entry) {
  if ((entries->count & (entries->count - 1)) == 0) {
    entries->items = resize(entries->items, entries->count == 0 ? 1 : entries->count * 2, sizeof entry);
  }
  entries->items[entries->count++] = entry;
}

void entries_add(struct entries *entries, const char *key, struct text value, enum entry_type type) {
  push(entries, (struct entry){text_of(key), value, {"", 0}, type});
}

/* Older versions of upstream wrote types as names. */
static char *parse_type(const struct json *value, long *type) {
  static const struct {
    const char *name;
    enum entry_type type;
  } names[] = {
      {"StepResult", STEP_RESULT},
      {"TaskRunResult", TASK_RESULT},
      {"InternalTektonResult", INTERNAL_RESULT},
      {"StepArtifactsResult", STEP_ARTIFACTS},
      {"TaskRunArtifactsResult", TASK_ARTIFACTS},
  };
  *type = 0;
  if (value == NULL) return NULL;
  if (value->kind == JSON_NUMBER) {
    char *end;
    errno = 0;
    *type = strtol(value->text.data, &end, 10);
    return errno == 0 && *end == '\0' ? NULL : json_mismatch(value, "int");
  }
  if (value->kind != JSON_STRING) return json_mismatch(value, "string");
  *type = UNKNOWN_RESULT;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (text_equals(value->text, names[i].name)) *type = names[i].type;
  }
  return NULL;
}

static char *parse_entries(struct text document, struct entries *entries) {
  struct json array;
  char *error = json_parse(document.data, document.length, &array);
  if (error != NULL || array.kind == JSON_NULL) return error;
  if (array.kind != JSON_ARRAY) return json_mismatch(&array, "[]result.RunResult");
  for (size_t i = 0; i < array.count; i++) {
    const struct json *item = &array.items[i];
    struct entry entry = {0};
    if (item->kind != JSON_OBJECT && item->kind != JSON_NULL) return json_mismatch(item, "result.RunResult");
    error = json_string(json_field(item, "key"), &entry.key);
    if (error == NULL) error = json_string(json_field(item, "value"), &entry.value);
    if (error == NULL) error = json_string(json_field(item, "resourceName"), &entry.resource_name);
    if (error == NULL) error = parse_type(json_field(item, "type"), &entry.type);
    if (error != NULL) return error;
    push(entries, entry);
  }
  return NULL;
}

static char *parse_message(struct text message, struct entries *entries) {
  size_t prefix = strlen(compressed_prefix);
  if (message.length < prefix || memcmp(message.data, compressed_prefix, prefix) != 0) return parse_entries(message, entries);
  struct buffer packed = {0};
  struct buffer plain = {0};
  char *error = base64_decode(message.data + prefix, message.length - prefix, false, &packed);
  if (error != NULL) return format("base64 decode: %s", error);
  error = inflate(packed.data, packed.length, MAXIMUM_DECOMPRESSED, &plain);
  if (error != NULL) return format("flate decompress: %s", error);
  return parse_entries(buffer_take(&plain), entries);
}

static void write_entry(struct buffer *out, const struct entry *entry) {
  buffer_add_string(out, "{\"key\":");
  json_write_string(out, entry->key);
  buffer_add_string(out, ",\"value\":");
  json_write_string(out, entry->value);
  if (entry->resource_name.length > 0) {
    buffer_add_string(out, ",\"resourceName\":");
    json_write_string(out, entry->resource_name);
  }
  if (entry->type != 0) buffer_format(out, ",\"type\":%ld", entry->type);
  buffer_add_byte(out, '}');
}

static bool blank(struct text text) {
  for (size_t i = 0; i < text.length; i++) {
    if (strchr(" \t\n\v\f\r", text.data[i]) == NULL || text.data[i] == '\0') return false;
  }
  return true;
}

/*
 * Reads the entries of an earlier write. Anything else in the file is overwritten; with compression on, upstream warns
 * about it.
 */
static char *read_existing(const char *path, bool compress, struct entries *entries) {
  struct file_read existing = read_file(path, ONE_MEBIBYTE);
  if (existing.missing) return NULL;
  if (existing.error != NULL) return existing.error;
  if (blank(existing.content)) return NULL;
  char *error = existing.too_long ? copy_string("message is too long") : parse_message(existing.content, entries);
  if (error == NULL) return NULL;
  entries->count = 0;
  if (compress) {
    log_line("WARN Failed to parse existing termination message, previous results will be lost error=%s path=%s", quoted(error), path);
  }
  return NULL;
}

static char *write_synced(const char *path, struct text content) {
  int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return path_error("open", path, errno);
  int error = write_all(descriptor, content.data, content.length);
  char *message = error == 0 ? NULL : path_error("write", path, error);
  if (message == NULL && fsync(descriptor) != 0) message = path_error("sync", path, errno);
  if (close(descriptor) != 0 && message == NULL) message = path_error("close", path, errno);
  return message;
}

/* A node that takes more than a kubelet does says so. */
static size_t maximum_length(void) {
  const char *said = getenv("TEKTITE_TERMINATION_MESSAGE_LIMIT");
  if (said == NULL) return USUAL_LENGTH;
  char *end;
  errno = 0;
  unsigned long limit = strtoul(said, &end, 10);
  if (errno != 0 || end == said || *end != '\0' || limit < USUAL_LENGTH || limit > ONE_MEBIBYTE) return USUAL_LENGTH;
  return limit;
}

const char *termination_write(const char *path, const struct entries *added, bool compress) {
  struct entries all = {0};
  char *error = read_existing(path, compress, &all);
  if (error != NULL) return error;
  for (size_t i = 0; i < added->count; i++) push(&all, added->items[i]);

  struct buffer plain = {0};
  buffer_add_byte(&plain, '[');
  for (size_t i = 0; i < all.count; i++) {
    if (i > 0) buffer_add_byte(&plain, ',');
    write_entry(&plain, &all.items[i]);
  }
  buffer_add_byte(&plain, ']');
  struct text output = {plain.data, plain.length};
  if (compress) {
    struct buffer packed = {0};
    struct buffer encoded = {0};
    deflate(plain.data, plain.length, &packed);
    buffer_add_string(&encoded, compressed_prefix);
    base64_encode(&encoded, packed.data, packed.length, false);
    if (encoded.length < output.length) output = buffer_take(&encoded);
  }
  if (output.length > maximum_length()) return message_too_long;
  return write_synced(path, output);
}

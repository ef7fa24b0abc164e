#include "substitute.h"

#include "artifacts.h"
#include "environment.h"
#include "files.h"
#include "json.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char star_form[] =
    "value must be in \"$(steps.<step-name>.results.<result-name>[*])\" format, when using array results";

enum reference_kind { REFERENCE_STRING, REFERENCE_KEY, REFERENCE_INDEX, REFERENCE_STAR };

struct reference {
  char *step;
  char *result;
  enum reference_kind kind;
  long index;
  struct text key;
};

struct replacement {
  struct text string;
  struct text_list array; /* of [*]; an empty array counts as the empty string, as upstream has it */
};

/* The next "$(steps.*.results.*)": as short as possible, on one line. False when there is none. */
static bool find_result(struct text text, size_t from, struct text *match, size_t *at) {
  static const char opening[] = "$(steps.";
  static const char middle[] = ".results.";
  while (from < text.length) {
    const char *start = memmem(text.data + from, text.length - from, opening, strlen(opening));
    if (start == NULL) return false;
    const char *body = start + strlen(opening);
    const char *end = text.data + text.length;
    const char *line_end = memchr(body, '\n', (size_t)(end - body));
    if (line_end == NULL) line_end = end;
    const char *results = memmem(body, (size_t)(line_end - body), middle, strlen(middle));
    const char *name = results == NULL ? NULL : results + strlen(middle);
    const char *closing = name == NULL ? NULL : memchr(name, ')', (size_t)(line_end - name));
    if (closing != NULL) {
      *match = text_copy(start, (size_t)(closing + 1 - start));
      *at = (size_t)(start - text.data);
      return true;
    }
    from = (size_t)(start - text.data) + 1;
  }
  return false;
}

/* Cuts every "[digits*]" out of the name and returns the inside of the first one. */
static char *cut_indices(char *name) {
  char *first = NULL;
  struct buffer kept = {0};
  for (char *p = name; *p != '\0';) {
    char *q = p + 1;
    if (*p == '[') {
      while (*q >= '0' && *q <= '9') q++;
      if (*q == '*') q++;
      if (*q == ']') {
        if (first == NULL) first = text_copy(p + 1, (size_t)(q - p - 1)).data;
        p = q + 1;
        continue;
      }
    }
    buffer_add_byte(&kept, *p++);
  }
  buffer_add_byte(&kept, '\0');
  memcpy(name, kept.data, kept.length);
  return first == NULL ? copy_string("") : first;
}

static char *parse_reference(struct text match, struct reference *reference) {
  struct text_list parts = split(text_copy(match.data + 2, match.length - 3).data, '.');
  if (parts.count < 4 || parts.count > 5 || !text_equals(parts.items[0], "steps") || !text_equals(parts.items[2], "results")) {
    return copy_string("must be one of the form 1). \"steps.<stepName>.results.<resultName>\"; "
                       "2). \"steps.<stepName>.results.<objectResultName>.<individualAttribute>\"");
  }
  *reference = (struct reference){.step = parts.items[1].data, .result = parts.items[3].data};
  if (parts.count == 5) {
    reference->kind = REFERENCE_KEY;
    reference->key = parts.items[4];
    return NULL;
  }
  char *index = cut_indices(reference->result);
  if (*index == '\0') {
    reference->kind = REFERENCE_STRING;
  } else if (strcmp(index, "*") == 0) {
    reference->kind = REFERENCE_STAR;
  } else {
    char *end;
    reference->kind = REFERENCE_INDEX;
    reference->index = strtol(index, &end, 10);
    if (*end != '\0') reference->index = 0; /* "[1*]": upstream ignores that it is no number */
  }
  return NULL;
}

/*
 * A result file holds an array of strings, an object of strings, a JSON string, or anything else as it is. Asking for another
 * type than it has gives the empty string.
 */
static char *read_result(const struct reference *reference, struct replacement *replacement) {
  char *folder = path_join(tekton_path("/tekton/steps"), format("step-%s", reference->step));
  char *path = path_join(path_join(folder, "results"), reference->result);
  struct file_read file = read_file(path, ONE_MEBIBYTE);
  if (file.error != NULL) return file.error;
  if (file.too_long) return format("%s is longer than one mebibyte", path);
  struct json value;
  bool parsed = json_parse(file.content.data, file.content.length, &value) == NULL;
  struct text_list array = {0};
  char first = file.content.length == 0 ? '\0' : file.content.data[0];
  bool is_array = first == '[' && parsed && json_strings(&value, &array) == NULL;
  bool is_object = first == '{' && parsed && value.kind == JSON_OBJECT;
  for (size_t i = 0; is_object && i < value.count; i++) {
    if (value.items[i].kind != JSON_STRING && value.items[i].kind != JSON_NULL) is_object = false;
  }
  switch (reference->kind) {
    case REFERENCE_STAR:
      if (is_array) replacement->array = array;
      break;
    case REFERENCE_INDEX:
      /* Upstream crashes here. */
      if (!is_array || reference->index < 0 || (size_t)reference->index >= array.count) {
        return format("index %ld is out of range of the %zu items of %s", reference->index, array.count, path);
      }
      replacement->string = array.items[reference->index];
      break;
    case REFERENCE_KEY:
      for (size_t i = 0; is_object && i < value.count; i++) {
        if (text_same(value.names[i], reference->key)) (void)json_string(&value.items[i], &replacement->string);
      }
      break;
    case REFERENCE_STRING:
      if (is_array || is_object) break;
      if (parsed && (value.kind == JSON_STRING || value.kind == JSON_NULL)) (void)json_string(&value, &replacement->string);
      else replacement->string = file.content;
      break;
  }
  return NULL;
}

static char *find_replacement(struct text match, struct replacement *replacement) {
  struct reference reference = {0};
  *replacement = (struct replacement){.string = {"", 0}};
  char *error = parse_reference(match, &reference);
  return error != NULL ? error : read_result(&reference, replacement);
}

/* References in a place where only a string fits. */
static char *replace_results(struct text text, struct text *replaced) {
  struct text match;
  size_t at;
  *replaced = text;
  for (size_t from = 0; find_result(text, from, &match, &at); from = at + match.length) {
    struct replacement replacement;
    char *error = find_replacement(match, &replacement);
    if (error != NULL) return error;
    *replaced = text_replace_all(*replaced, match, replacement.string);
  }
  return NULL;
}

/* References in an item of a list: one that is a whole array takes the place of the item. */
static char *replace_item(struct text item, bool is_command, struct text_list *out) {
  struct text match;
  size_t at;
  struct text replaced = item;
  for (size_t from = 0; find_result(item, from, &match, &at); from = at + match.length) {
    struct replacement replacement;
    char *error = find_replacement(match, &replacement);
    if (error != NULL) return is_command ? format("failed to find replacement for %s to replace %s", match.data, item.data) : error;
    if (replacement.array.count == 0) {
      replaced = text_replace_all(replaced, match, replacement.string);
      continue;
    }
    if (!text_same(item, match)) return copy_string(star_form);
    for (size_t i = 0; i < replacement.array.count; i++) text_list_add(out, replacement.array.items[i]);
    return NULL;
  }
  text_list_add(out, replaced);
  return NULL;
}

static char *replace_list(struct text_list *list, bool is_command) {
  struct text_list out = {0};
  for (size_t i = 0; i < list->count; i++) {
    char *error = replace_item(list->items[i], is_command, &out);
    if (error != NULL) return error;
  }
  *list = out;
  return NULL;
}

char *substitute_results(struct text_list *command, struct whens *whens) {
  char *error = environment_replace(replace_results);
  for (size_t i = 0; error == NULL && i < whens->count; i++) {
    struct when *when = &whens->items[i];
    error = replace_list(&when->values, false);
    if (error == NULL) error = replace_results(when->input, &when->input);
    if (error == NULL) error = replace_results(when->cel, &when->cel);
  }
  return error != NULL ? error : replace_list(command, true);
}

/* The next "$(steps.NAME.inputs.NAME)" or outputs; names hold no dot. */
static bool find_artifact(struct text text, size_t from, struct text *match, size_t *at) {
  static const char opening[] = "$(steps.";
  while (from < text.length) {
    const char *start = memmem(text.data + from, text.length - from, opening, strlen(opening));
    if (start == NULL) return false;
    const char *end = text.data + text.length;
    const char *step = start + strlen(opening);
    const char *dot = memchr(step, '.', (size_t)(end - step));
    from = (size_t)(start - text.data) + 1;
    if (dot == NULL || dot == step) continue;
    const char *name = NULL;
    if (end - dot > 8 && memcmp(dot, ".inputs.", 8) == 0) name = dot + 8;
    else if (end - dot > 9 && memcmp(dot, ".outputs.", 9) == 0) name = dot + 9;
    if (name == NULL) continue;
    const char *closing = name;
    while (closing < end && *closing != '.' && *closing != ')') closing++;
    if (closing == name || closing >= end || *closing != ')') continue;
    *match = text_copy(start, (size_t)(closing + 1 - start));
    *at = (size_t)(start - text.data);
    return true;
  }
  return false;
}

static char *artifact_values(struct text match, struct text *values) {
  struct text_list parts = split(text_copy(match.data + 2, match.length - 3).data, '.');
  if (parts.count != 4) return format("invalid artifact template %s", match.data);
  char *folder = path_join(tekton_path("/tekton/steps"), format("step-%s", parts.items[1].data));
  struct json artifacts;
  char *error = artifacts_read(path_join(folder, "artifacts/provenance.json"), &artifacts);
  if (error != NULL) return error;
  struct buffer out = {0};
  if (!artifacts_values(&out, &artifacts, parts.items[2].data, parts.items[3])) {
    return format("values for template %s not found", match.data);
  }
  *values = buffer_take(&out);
  return NULL;
}

static char *replace_artifacts(struct text text, struct text *replaced) {
  struct text match;
  size_t at;
  *replaced = text;
  for (size_t from = 0; find_artifact(text, from, &match, &at); from = at + match.length) {
    struct text values;
    char *error = artifact_values(match, &values);
    if (error != NULL) return error;
    *replaced = text_replace_all(*replaced, match, values);
  }
  return NULL;
}

static char *write_script(struct text content, char **path) {
  const char *folder = getenv("TMPDIR");
  *path = path_join(folder == NULL || *folder == '\0' ? "/tmp" : folder, "script-XXXXXX");
  int descriptor = mkostemp(*path, O_CLOEXEC);
  if (descriptor < 0) return path_error("open", *path, errno);
  int error = fchmod(descriptor, 0755) == 0 ? write_all(descriptor, content.data, content.length) : errno;
  if (close(descriptor) != 0 && error == 0) error = errno;
  return error == 0 ? NULL : path_error("write", *path, error);
}

/* The script is mounted read-only, so the changed script becomes a new file. */
static char *replace_in_script(struct text_list *command) {
  struct text replaced;
  struct file_read script = read_file(command->items[0].data, 16 * ONE_MEBIBYTE);
  if (script.error != NULL) return script.error;
  if (script.too_long) return format("%s is too long", command->items[0].data);
  char *error = replace_artifacts(script.content, &replaced);
  if (error != NULL || text_same(replaced, script.content)) return error;
  char *path;
  error = write_script(replaced, &path);
  if (error == NULL) command->items[0] = text_of(path);
  return error;
}

char *substitute_artifacts(struct text_list *command) {
  char *error = NULL;
  if (command->count == 1 && strcmp(path_directory(command->items[0].data), tekton_path("/tekton/scripts")) == 0) {
    error = replace_in_script(command);
  } else {
    struct text_list out = {0};
    for (size_t i = 0; error == NULL && i < command->count; i++) {
      struct text replaced;
      error = replace_artifacts(command->items[i], &replaced);
      if (error == NULL) text_list_add(&out, replaced);
    }
    if (error == NULL) *command = out;
  }
  return error != NULL ? error : environment_replace(replace_artifacts);
}

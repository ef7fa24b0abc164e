#include "when.h"

#include "cel.h"
#include "json.h"

#include <string.h>

char *when_parse(const char *document, struct whens *whens) {
  struct json array;
  *whens = (struct whens){0};
  char *error = json_parse(document, strlen(document), &array);
  if (error != NULL || array.kind == JSON_NULL) return error;
  if (array.kind != JSON_ARRAY) return json_mismatch(&array, "types.WhenExpressions");
  whens->items = allocate_array(array.count, sizeof *whens->items);
  for (size_t i = 0; i < array.count; i++) {
    const struct json *item = &array.items[i];
    struct when *when = &whens->items[i];
    if (item->kind != JSON_OBJECT && item->kind != JSON_NULL) return json_mismatch(item, "types.WhenExpression");
    error = json_string(json_field(item, "input"), &when->input);
    if (error == NULL) error = json_string(json_field(item, "operator"), &when->operator_name);
    if (error == NULL) error = json_strings(json_field(item, "values"), &when->values);
    if (error == NULL) error = json_string(json_field(item, "cel"), &when->cel);
    if (error != NULL) return error;
    whens->count++;
  }
  return NULL;
}

/* Any operator but "in" is "notin": an expression with CEL only has none, and passes. */
static bool holds(const struct when *when) {
  bool found = false;
  for (size_t i = 0; i < when->values.count; i++) {
    if (text_same(when->values.items[i], when->input)) found = true;
  }
  return text_equals(when->operator_name, "in") ? found : !found;
}

/* CEL comes first, so an expression that cannot be evaluated fails the step even if another one would skip it. */
char *when_allows(const struct whens *whens, bool *allowed) {
  *allowed = false;
  for (size_t i = 0; i < whens->count; i++) {
    bool value;
    if (whens->items[i].cel.length == 0) continue;
    char *error = cel_evaluate(whens->items[i].cel, &value);
    if (error != NULL || !value) return error;
  }
  for (size_t i = 0; i < whens->count; i++) {
    if (!holds(&whens->items[i])) return NULL;
  }
  *allowed = true;
  return NULL;
}

#include "environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *environment_replace(char *(*replace)(struct text value, struct text *replaced)) {
  struct text_list entries = {0};
  for (char **entry = environ; entry != NULL && *entry != NULL; entry++) text_list_add(&entries, text_of(*entry));
  for (size_t i = 0; i < entries.count; i++) {
    char *equals = strchr(entries.items[i].data, '=');
    if (equals == NULL || equals == entries.items[i].data) continue;
    struct text replaced;
    char *error = replace(text_of(equals + 1), &replaced);
    if (error != NULL) return error;
    *equals = '\0';
    /* A value with a NUL cannot be set; Go leaves the variable as it is. */
    if (strlen(replaced.data) != replaced.length || strcmp(replaced.data, equals + 1) == 0) continue;
    if (setenv(entries.items[i].data, replaced.data, 1) != 0) return copy_string("the environment is full");
  }
  return NULL;
}

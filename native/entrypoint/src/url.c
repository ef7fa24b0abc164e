#include "url.h"

#include "log.h"

#include <ctype.h>
#include <string.h>

/* Length of the scheme before its colon, 0 when there is none. */
static size_t scheme_length(const char *text) {
  size_t length = 0;
  if (!isalpha((unsigned char)text[0])) return 0;
  while (isalnum((unsigned char)text[length]) || (text[length] != '\0' && strchr("+-.", text[length]) != NULL)) length++;
  return text[length] == ':' ? length : 0;
}

static char *failure(const char *text, const char *reason) { return format("parse %s: %s", quoted(text), reason); }

char *url_parse(const char *text, struct url *url) {
  *url = (struct url){.scheme = "", .host = "", .path = "", .rest = ""};
  for (const char *p = text; *p != '\0'; p++) {
    if ((unsigned char)*p < 0x20 || *p == 0x7f) return failure(text, "net/url: invalid control character in URL");
  }
  if (*text == ':') return failure(text, "missing protocol scheme");
  size_t scheme = scheme_length(text);
  const char *at = text;
  if (scheme > 0) {
    url->scheme = text_copy(text, scheme).data;
    for (char *p = url->scheme; *p != '\0'; p++) *p = (char)tolower((unsigned char)*p);
    at += scheme + 1;
    if (*at != '/') {
      url->opaque = copy_string(at);
      return NULL;
    }
  }
  if (strncmp(at, "//", 2) == 0) {
    at += 2;
    size_t length = strcspn(at, "/?#");
    char *authority = text_copy(at, length).data;
    const char *login = strrchr(authority, '@');
    url->host = login == NULL ? authority : copy_string(login + 1);
    if (strchr(url->host, ' ') != NULL) return failure(text, "invalid character \" \" in host name");
    at += length;
  } else if (scheme == 0) {
    size_t segment = strcspn(at, "/");
    if (memchr(at, ':', segment) != NULL) return failure(text, "first path segment in URL cannot contain colon");
  }
  size_t path = strcspn(at, "?#");
  url->path = text_copy(at, path).data;
  url->rest = copy_string(at + path);
  return NULL;
}

/* Characters that Go does not escape in the user part of a URL. */
static void add_escaped(struct buffer *out, struct text text) {
  for (size_t i = 0; i < text.length; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if (isalnum(c) || (c != '\0' && strchr("-_.~$&+,;=", c) != NULL)) buffer_add_byte(out, (char)c);
    else buffer_format(out, "%%%02X", c);
  }
}

char *url_with_login(const struct url *url, struct text username, struct text password) {
  struct buffer out = {0};
  if (*url->scheme != '\0') buffer_format(&out, "%s:", url->scheme);
  if (url->opaque != NULL) {
    buffer_add_string(&out, url->opaque);
    return out.data;
  }
  buffer_add_string(&out, "//");
  add_escaped(&out, username);
  buffer_add_byte(&out, ':');
  add_escaped(&out, password);
  buffer_add_byte(&out, '@');
  buffer_add_string(&out, url->host);
  if (*url->path != '\0' && *url->path != '/' && *url->host != '\0') buffer_add_byte(&out, '/');
  buffer_add_string(&out, url->path);
  buffer_add_string(&out, url->rest);
  return out.data;
}

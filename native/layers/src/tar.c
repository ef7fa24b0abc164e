#include "tar.h"

#include "fail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 512
#define MAX_META (1024 * 1024)
#define MAX_PATH_BYTES 4096
#define MAX_SIZE ((uint64_t)1 << 50)

static char input[1024 * 1024];
static size_t input_start, input_end;
/* Of the current entry: content that is left, and the padding after it. */
static uint64_t content_left;
static size_t padding_left;

/* Texts of pax and GNU records that hold for the next entry. */
struct overrides {
  char *path;
  char *link;
  bool has_size, has_uid, has_gid, has_mtime;
  uint64_t size, uid, gid;
  struct timespec mtime;
  struct xattr xattrs[MAX_XATTRS];
  size_t xattr_count;
};

static struct overrides next;
/* The strings of the current entry. */
static struct overrides current;
static char header_name[BLOCK], header_link[BLOCK];

static bool fill(void) {
  if (input_start < input_end) return true;
  ssize_t got;
  do got = read(STDIN_FILENO, input, sizeof input);
  while (got < 0 && errno == EINTR);
  if (got < 0) fail_errno(UNPACK_FAILED, "read", "the archive");
  input_start = 0;
  input_end = (size_t)got;
  return got > 0;
}

/* Exactly `length` bytes; false when there are none at all. */
static bool take(char *bytes, size_t length) {
  size_t have = 0;
  while (have < length) {
    if (!fill()) {
      if (have == 0) return false;
      fail(UNSAFE_LAYER, "the archive ends in the middle");
    }
    size_t part = input_end - input_start;
    if (part > length - have) part = length - have;
    memcpy(bytes + have, input + input_start, part);
    input_start += part;
    have += part;
  }
  return true;
}

static size_t padding_of(uint64_t size) { return (size_t)((BLOCK - size % BLOCK) % BLOCK); }

static void skip_rest(void) {
  const char *bytes;
  while (tar_read(&bytes) > 0)
    ;
  char padding[BLOCK];
  if (padding_left > 0 && !take(padding, padding_left)) fail(UNSAFE_LAYER, "the archive ends in the middle");
  padding_left = 0;
}

size_t tar_read(const char **bytes) {
  if (content_left == 0) return 0;
  if (!fill()) fail(UNSAFE_LAYER, "the archive ends in the middle");
  size_t part = input_end - input_start;
  if (part > content_left) part = (size_t)content_left;
  *bytes = input + input_start;
  input_start += part;
  content_left -= part;
  return part;
}

void tar_drain(void) {
  do input_start = input_end;
  while (fill());
}

static bool is_zero(const char *block) {
  for (size_t i = 0; i < BLOCK; i++)
    if (block[i] != 0) return false;
  return true;
}

/* Octal digits, or GNU's base 256. Negative numbers count as too large. */
static uint64_t number(const char *field, size_t length) {
  const unsigned char *at = (const unsigned char *)field, *end = at + length;
  uint64_t value = 0;
  if (*at & 0x80) {
    value = *at++ & 0x7f;
    for (; at < end; at++) {
      if (value >> 55) return UINT64_MAX;
      value = value << 8 | *at;
    }
    return value;
  }
  while (at < end && *at == ' ') at++;
  for (; at < end && *at != '\0' && *at != ' '; at++) {
    if (*at < '0' || *at > '7') fail(UNSAFE_LAYER, "the archive has a number that is none");
    if (value >> 60) return UINT64_MAX;
    value = value << 3 | (uint64_t)(*at - '0');
  }
  return value;
}

static void check_sum(const char *block) {
  uint64_t sum = 0;
  for (size_t i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? ' ' : (unsigned char)block[i];
  if (sum != number(block + 148, 8)) fail(UNSAFE_LAYER, "the archive has a header with a wrong checksum");
}

static char *copy_text(const char *bytes, size_t length) {
  char *copy = malloc(length + 1);
  if (copy == NULL) fail(UNPACK_FAILED, "out of memory");
  memcpy(copy, bytes, length);
  copy[length] = '\0';
  return copy;
}

static void replace_path(char **place, const char *bytes, size_t length) {
  if (length >= MAX_PATH_BYTES) fail(UNSAFE_LAYER, "the archive has a name that is too long");
  if (memchr(bytes, '\0', length) != NULL) fail(UNSAFE_LAYER, "the archive has a name with a NUL in it");
  free(*place);
  *place = copy_text(bytes, length);
}

static void release(struct overrides *texts) {
  free(texts->path);
  free(texts->link);
  for (size_t i = 0; i < texts->xattr_count; i++) {
    free(texts->xattrs[i].name);
    free(texts->xattrs[i].value);
  }
  memset(texts, 0, sizeof *texts);
}

static uint64_t decimal(const char *value, size_t length) {
  if (length == 0 || length > 18) fail(UNSAFE_LAYER, "the archive has a number that is none");
  uint64_t result = 0;
  for (size_t i = 0; i < length; i++) {
    if (value[i] < '0' || value[i] > '9') fail(UNSAFE_LAYER, "the archive has a number that is none");
    result = result * 10 + (uint64_t)(value[i] - '0');
  }
  return result;
}

/* `1700000000.123456789`; times before 1970 count as 1970. */
static struct timespec time_of(const char *value, size_t length) {
  struct timespec time = {0, 0};
  if (length == 0 || value[0] == '-') return time;
  const char *dot = memchr(value, '.', length);
  size_t whole = dot == NULL ? length : (size_t)(dot - value);
  time.tv_sec = (time_t)decimal(value, whole);
  long scale = 100000000;
  for (size_t i = whole + 1; i < length && scale > 0; i++, scale /= 10) {
    if (value[i] < '0' || value[i] > '9') fail(UNSAFE_LAYER, "the archive has a number that is none");
    time.tv_nsec += (value[i] - '0') * scale;
  }
  return time;
}

static void keep_xattr(const char *name, size_t name_length, const char *value, size_t length) {
  if (name_length == 0 || name_length > 255 || memchr(name, '\0', name_length) != NULL)
    fail(UNSAFE_LAYER, "the archive has an extended attribute with no proper name");
  if (next.xattr_count == MAX_XATTRS) fail(TOO_LARGE, "a file of the archive has more than %d extended attributes", MAX_XATTRS);
  struct xattr *xattr = &next.xattrs[next.xattr_count++];
  xattr->name = copy_text(name, name_length);
  xattr->value = copy_text(value, length);
  xattr->length = length;
}

static bool has_prefix(const char *text, size_t length, const char *prefix) {
  size_t wanted = strlen(prefix);
  return length >= wanted && memcmp(text, prefix, wanted) == 0;
}

static void pax_record(const char *key, size_t key_length, const char *value, size_t length) {
  static const char xattr_prefix[] = "SCHILY.xattr.";
  size_t skipped = sizeof xattr_prefix - 1;
#define IS(word) (key_length == sizeof(word) - 1 && memcmp(key, word, key_length) == 0)
  if (IS("path")) replace_path(&next.path, value, length);
  else if (IS("linkpath")) replace_path(&next.link, value, length);
  else if (IS("size")) next.size = decimal(value, length), next.has_size = true;
  else if (IS("uid")) next.uid = decimal(value, length), next.has_uid = true;
  else if (IS("gid")) next.gid = decimal(value, length), next.has_gid = true;
  else if (IS("mtime")) next.mtime = time_of(value, length), next.has_mtime = true;
  else if (has_prefix(key, key_length, xattr_prefix)) keep_xattr(key + skipped, key_length - skipped, value, length);
  else if (has_prefix(key, key_length, "GNU.sparse.")) fail(UNSAFE_LAYER, "the archive has sparse files, which layers do not have");
#undef IS
}

/* Records of the form `27 path=some/where\n`. */
static void pax_records(const char *body, size_t length) {
  const char *at = body, *end = body + length;
  while (at < end && *at != '\0') {
    const char *space = memchr(at, ' ', (size_t)(end - at));
    if (space == NULL) fail(UNSAFE_LAYER, "the archive has a malformed pax record");
    uint64_t size = decimal(at, (size_t)(space - at));
    if (size > (uint64_t)(end - at) || size < (uint64_t)(space - at) + 3 || at[size - 1] != '\n')
      fail(UNSAFE_LAYER, "the archive has a malformed pax record");
    const char *key = space + 1, *last = at + size - 1;
    const char *equals = memchr(key, '=', (size_t)(last - key));
    if (equals == NULL) fail(UNSAFE_LAYER, "the archive has a malformed pax record");
    pax_record(key, (size_t)(equals - key), equals + 1, (size_t)(last - equals - 1));
    at += size;
  }
}

/* Records about the next entry. Global ones (`g`) say nothing that matters here. */
static void meta_entry(char type, uint64_t size) {
  if (size > MAX_META) fail(UNSAFE_LAYER, "the archive has a header that is too long");
  char *body = copy_text("", 0);
  body = realloc(body, (size_t)size + 1);
  if (body == NULL) fail(UNPACK_FAILED, "out of memory");
  char padding[BLOCK];
  size_t padded = padding_of(size);
  if ((size > 0 && !take(body, (size_t)size)) || (padded > 0 && !take(padding, padded)))
    fail(UNSAFE_LAYER, "the archive ends in the middle");
  body[size] = '\0';
  if (type == 'L') replace_path(&next.path, body, strlen(body));
  else if (type == 'K') replace_path(&next.link, body, strlen(body));
  else if (type == 'x') pax_records(body, (size_t)size);
  free(body);
}

static size_t field_text(char *to, const char *field, size_t length) {
  size_t used = strnlen(field, length);
  memcpy(to, field, used);
  to[used] = '\0';
  return used;
}

static void name_of(const char *block) {
  size_t used = 0;
  if (memcmp(block + 257, "ustar\0", 6) == 0 && block[345] != '\0') {
    used = field_text(header_name, block + 345, 155);
    header_name[used++] = '/';
  }
  field_text(header_name + used, block, 100);
  field_text(header_link, block + 157, 100);
}

static uint32_t id_of(uint64_t value) {
  if (value >= UINT32_MAX) fail(UNSAFE_LAYER, "the archive has an owner that is no id");
  return (uint32_t)value;
}

bool tar_next(struct entry *entry) {
  skip_rest();
  release(&current);
  char block[BLOCK];
  for (;;) {
    if (!take(block, BLOCK) || is_zero(block)) return false;
    check_sum(block);
    uint64_t size = number(block + 124, 12);
    char type = block[156];
    if (type == 'L' || type == 'K' || type == 'x' || type == 'g') {
      meta_entry(type, size);
      continue;
    }
    name_of(block);
    current = next;
    memset(&next, 0, sizeof next);
    if (current.has_size) size = current.size;
    if (size > MAX_SIZE) fail(TOO_LARGE, "the archive has a file of more than 2^50 bytes");
    bool has_content = type == '0' || type == '\0' || type == '7';
    /* Other entries have none, whatever their header says, but for unknown ones, which end the program. */
    content_left = has_content ? size : 0;
    padding_left = padding_of(content_left);
    entry->type = type;
    entry->name = current.path != NULL ? current.path : header_name;
    entry->link = current.link != NULL ? current.link : header_link;
    entry->size = size;
    entry->mode = (uint32_t)(number(block + 100, 8) & 07777);
    entry->uid = id_of(current.has_uid ? current.uid : number(block + 108, 8));
    entry->gid = id_of(current.has_gid ? current.gid : number(block + 116, 8));
    entry->mtime = current.mtime;
    if (!current.has_mtime) {
      uint64_t seconds = number(block + 136, 12);
      entry->mtime.tv_sec = seconds > MAX_SIZE ? 0 : (time_t)seconds;
    }
    memcpy(entry->xattrs, current.xattrs, sizeof current.xattrs);
    entry->xattr_count = current.xattr_count;
    return true;
  }
}

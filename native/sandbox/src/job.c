#include "job.h"

#include "report.h"
#include "seccomp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER 12
#define RECORD_HEADER 8
#define MANY 65536u
#define LONGEST_PATH 4096u

enum tag {
  TAG_ARGUMENT = 1,
  TAG_VARIABLE,
  TAG_WORKING_FOLDER,
  TAG_HOSTNAME,
  TAG_ROOT,
  TAG_LAYER,
  TAG_UPPER,
  TAG_WORK,
  TAG_MOUNT,
  TAG_CGROUP,
  TAG_USER,
  TAG_GROUPS,
  TAG_CAPABILITIES,
  TAG_LIMIT,
  TAG_FLAGS,
  TAG_PROCESSES_OF,
  TAG_TARGET,
  TAG_NETWORK,
  TAG_SIZE,
  TAG_SECCOMP,
  TAG_SECCOMP_RULE,
  TAG_SYSCTL,
  TAG_END,
};

enum content { CONTENT_TEXT, CONTENT_PATH, CONTENT_BYTES };

/* How often a record may come, how large it may be, and in which modes it means something. */
static const struct shape {
  enum content content;
  uint32_t max_count;
  uint32_t min_length;
  uint32_t max_length;
  uint32_t modes;
} shapes[TAG_END] = {
#define RUN (1u << MODE_RUN)
#define EXEC (1u << MODE_EXEC)
    [TAG_ARGUMENT] = {CONTENT_TEXT, MANY, 1, 1u << 20, RUN | EXEC},
    [TAG_VARIABLE] = {CONTENT_TEXT, MANY, 2, 1u << 20, RUN | EXEC},
    [TAG_WORKING_FOLDER] = {CONTENT_PATH, 1, 2, LONGEST_PATH, RUN | EXEC},
    [TAG_HOSTNAME] = {CONTENT_TEXT, 1, 1, 65, RUN},
    [TAG_ROOT] = {CONTENT_PATH, 1, 2, LONGEST_PATH, RUN},
    [TAG_LAYER] = {CONTENT_PATH, MAX_LAYERS, 2, LONGEST_PATH, RUN},
    [TAG_UPPER] = {CONTENT_PATH, 1, 2, LONGEST_PATH, RUN},
    [TAG_WORK] = {CONTENT_PATH, 1, 2, LONGEST_PATH, RUN},
    [TAG_MOUNT] = {CONTENT_BYTES, 1024, 14, 12 + 3 * LONGEST_PATH, RUN},
    [TAG_CGROUP] = {CONTENT_PATH, 16, 2, LONGEST_PATH, RUN | EXEC},
    [TAG_USER] = {CONTENT_BYTES, 1, 8, 8, RUN | EXEC},
    [TAG_GROUPS] = {CONTENT_BYTES, 1, 0, 4 * 1024, RUN | EXEC},
    [TAG_CAPABILITIES] = {CONTENT_BYTES, 1, 8, 8, RUN | EXEC},
    [TAG_LIMIT] = {CONTENT_BYTES, 16, 20, 20, RUN | EXEC},
    [TAG_FLAGS] = {CONTENT_BYTES, 1, 4, 4, RUN | EXEC},
    [TAG_PROCESSES_OF] = {CONTENT_BYTES, 1, 4, 4, RUN},
    [TAG_TARGET] = {CONTENT_BYTES, 1, 4, 4, EXEC},
    [TAG_NETWORK] = {CONTENT_BYTES, 1, 4, 4, RUN},
    [TAG_SIZE] = {CONTENT_BYTES, 1, 4, 4, RUN | EXEC},
    [TAG_SECCOMP] = {CONTENT_BYTES, 1, 8, 8, RUN | EXEC},
    [TAG_SECCOMP_RULE] = {CONTENT_BYTES, 2048, 10, 65536, RUN | EXEC},
    [TAG_SYSCTL] = {CONTENT_TEXT, 256, 3, LONGEST_PATH, RUN},
#undef RUN
#undef EXEC
};

struct parser {
  struct job *job;
  size_t counts[TAG_END];
};

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory == NULL) fail("out of memory");
  return memory;
}

static bool is_text(const unsigned char *bytes, size_t length) {
  return length > 0 && bytes[length - 1] == '\0' && memchr(bytes, '\0', length - 1) == NULL;
}

static bool is_path(const unsigned char *bytes, size_t length) {
  return is_text(bytes, length) && bytes[0] == '/' && length <= LONGEST_PATH;
}

/* The next path of a record that has several. */
static const char *take_path(const unsigned char **bytes, size_t *length) {
  const unsigned char *start = *bytes;
  const unsigned char *end = memchr(start, '\0', *length);
  if (end == NULL) return NULL;
  size_t size = (size_t)(end - start) + 1;
  if (!is_path(start, size)) return NULL;
  *bytes += size;
  *length -= size;
  return (const char *)start;
}

static const char *add_mount(struct job *job, const unsigned char *bytes, size_t length) {
  struct mount *mount = &job->mounts[job->mount_count++];
  uint32_t kind = read_u32(bytes);
  uint32_t descriptor = read_u32(bytes + 8);
  mount->flags = read_u32(bytes + 4);
  if (kind >= MOUNT_KINDS) return "a mount of an unknown kind";
  mount->kind = (enum mount_kind)kind;
  if ((mount->flags & ~(uint32_t)ALL_MOUNT_FLAGS) != 0) return "unknown flags of a mount";
  mount->descriptor = NO_DESCRIPTOR;
  if (descriptor != UINT32_MAX) {
    if (descriptor < FIRST_DESCRIPTOR || descriptor > MAX_DESCRIPTOR || kind != MOUNT_BIND) return "a wrong descriptor of a mount";
    mount->descriptor = (int)descriptor;
  }
  bytes += 12;
  length -= 12;
  if (kind != MOUNT_COVER && (mount->source = take_path(&bytes, &length)) == NULL) return "a mount without a source";
  /* The last path is the target. */
  for (size_t i = 0; kind == MOUNT_LAYERED; i++) {
    const unsigned char *end = memchr(bytes, '\0', length);
    if (end == NULL || (size_t)(end - bytes) + 1 == length) {
      if (i == 0) return "a mount without a lower folder";
      break;
    }
    if (i == MAX_LAYERS) return "a mount with too many layers";
    if ((mount->under[i] = take_path(&bytes, &length)) == NULL) return "a mount without a lower folder";
  }
  if ((mount->target = take_path(&bytes, &length)) == NULL) return "a mount without a target";
  return length == 0 ? NULL : "a mount with bytes after its end";
}

static const char *add_seccomp(struct job *job, const unsigned char *bytes) {
  uint32_t mode = read_u32(bytes);
  if (mode > SECCOMP_RULES) return "an unknown seccomp mode";
  job->seccomp = (enum seccomp_mode)mode;
  job->seccomp_default = read_u32(bytes + 4);
  return mode != SECCOMP_RULES || seccomp_is_action(job->seccomp_default) ? NULL : "an unknown seccomp action";
}

/* PATH=VALUE, the path relative to /proc/sys and without a way out of it. */
static bool is_sysctl(const char *text) {
  const char *end = strchr(text, '=');
  if (end == NULL || end == text || text[0] == '/') return false;
  for (const char *at = text; at < end; at++)
    if (at[0] == '.' && at[1] == '.') return false;
  return true;
}

static const char *add_text(struct job *job, enum tag tag, size_t index, const char *text) {
  switch (tag) {
    case TAG_ARGUMENT: job->arguments[index] = text; return NULL;
    case TAG_VARIABLE:
      job->environment[index] = text;
      return text[0] != '=' && strchr(text, '=') != NULL ? NULL : "a variable without a name";
    case TAG_WORKING_FOLDER: job->working_folder = text; return NULL;
    case TAG_HOSTNAME: job->hostname = text; return NULL;
    case TAG_ROOT: job->root = text; return NULL;
    case TAG_LAYER: job->layers[index] = text; return NULL;
    case TAG_UPPER: job->upper = text; return NULL;
    case TAG_WORK: job->work = text; return NULL;
    case TAG_CGROUP: job->cgroups[index] = text; return NULL;
    case TAG_SYSCTL: job->sysctls[index] = text; return is_sysctl(text) ? NULL : "a sysctl that cannot be";
    default: return "a text where none belongs";
  }
}

static const char *add_numbers(struct job *job, enum tag tag, const unsigned char *bytes, size_t length) {
  switch (tag) {
    case TAG_USER:
      job->uid = read_u32(bytes);
      job->gid = read_u32(bytes + 4);
      return job->uid <= INT32_MAX && job->gid <= INT32_MAX ? NULL : "a user that cannot be";
    case TAG_GROUPS:
      if (length % 4 != 0) return "groups of a wrong size";
      for (size_t i = 0; i < length / 4; i++) job->groups[job->group_count++] = read_u32(bytes + 4 * i);
      return NULL;
    case TAG_CAPABILITIES: job->capabilities = read_u64(bytes); return NULL;
    case TAG_LIMIT:
      job->limits[job->limit_count++] = (struct limit){read_u32(bytes), read_u64(bytes + 4), read_u64(bytes + 12)};
      return NULL;
    case TAG_FLAGS: job->flags = read_u32(bytes); return (job->flags & ~(uint32_t)ALL_FLAGS) == 0 ? NULL : "unknown flags";
    case TAG_PROCESSES_OF: job->processes_of = read_u32(bytes); return NULL;
    case TAG_TARGET: job->target = read_u32(bytes); return NULL;
    case TAG_NETWORK:
      job->network = (int)(read_u32(bytes) & INT32_MAX);
      return job->network >= FIRST_DESCRIPTOR && job->network <= MAX_DESCRIPTOR ? NULL : "a wrong descriptor of a network";
    case TAG_SIZE:
      job->rows = (uint16_t)(bytes[0] | bytes[1] << 8);
      job->columns = (uint16_t)(bytes[2] | bytes[3] << 8);
      return NULL;
    default: return "numbers where none belong";
  }
}

static const char *add_record(struct parser *parser, enum tag tag, const unsigned char *bytes, size_t length) {
  struct job *job = parser->job;
  size_t index = parser->counts[tag]++;
  switch (tag) {
    case TAG_MOUNT: return add_mount(job, bytes, length);
    case TAG_SECCOMP: return add_seccomp(job, bytes);
    case TAG_SECCOMP_RULE:
      job->rules[job->rule_count++] = (struct rule_record){bytes, length};
      return seccomp_check_rule(bytes, length);
    default: break;
  }
  if (shapes[tag].content == CONTENT_BYTES) return add_numbers(job, tag, bytes, length);
  return add_text(job, tag, index, (const char *)bytes);
}

/* Checks the form of all records, and counts them. */
static const char *count_records(const unsigned char *bytes, size_t length, enum job_mode mode, size_t *counts) {
  while (length > 0) {
    if (length < RECORD_HEADER) return "a record without a header";
    uint32_t tag = read_u32(bytes);
    uint32_t size = read_u32(bytes + 4);
    bytes += RECORD_HEADER;
    length -= RECORD_HEADER;
    if (size > length) return "a record that is longer than the job";
    if (tag == 0 || tag >= TAG_END) return "an unknown record";
    const struct shape *shape = &shapes[tag];
    if ((shape->modes & 1u << mode) == 0) return "a record of another mode";
    if (size < shape->min_length || size > shape->max_length) return "a record of a wrong size";
    if (++counts[tag] > shape->max_count) return "too many records of a kind";
    if (shape->content == CONTENT_TEXT && !is_text(bytes, size)) return "a text with a NUL, or without its end";
    if (shape->content == CONTENT_PATH && !is_path(bytes, size)) return "a path that is not absolute";
    bytes += size;
    length -= size;
  }
  return NULL;
}

static const char *check_whole(const struct job *job, enum job_mode mode, const size_t *counts) {
  if (mode == MODE_HOLD) return NULL;
  if (counts[TAG_ARGUMENT] == 0) return "no program";
  if (job->working_folder == NULL) return "no working folder";
  if (mode == MODE_EXEC) return job->target != 0 ? NULL : "no container to enter";
  if (job->root == NULL) return "no root";
  if ((job->upper == NULL) != (job->work == NULL)) return "an overlay needs both of its folders";
  if (job->upper != NULL && counts[TAG_LAYER] == 0) return "an overlay without layers";
  return NULL;
}

const char *job_parse(unsigned char *bytes, size_t length, enum job_mode mode, struct job *job) {
  struct parser parser = {.job = job};
  size_t counts[TAG_END] = {0};
  *job = (struct job){.network = NO_DESCRIPTOR};
  const char *problem = count_records(bytes, length, mode, counts);
  if (problem != NULL) return problem;
  job->arguments = allocate(counts[TAG_ARGUMENT] + 1, sizeof *job->arguments);
  job->environment = allocate(counts[TAG_VARIABLE] + 1, sizeof *job->environment);
  job->layers = allocate(counts[TAG_LAYER] + 1, sizeof *job->layers);
  job->cgroups = allocate(counts[TAG_CGROUP] + 1, sizeof *job->cgroups);
  job->sysctls = allocate(counts[TAG_SYSCTL] + 1, sizeof *job->sysctls);
  job->mounts = allocate(counts[TAG_MOUNT] + 1, sizeof *job->mounts);
  job->limits = allocate(counts[TAG_LIMIT] + 1, sizeof *job->limits);
  job->groups = allocate(shapes[TAG_GROUPS].max_length / 4, sizeof *job->groups);
  job->rules = allocate(counts[TAG_SECCOMP_RULE] + 1, sizeof *job->rules);
  for (size_t at = 0; at < length;) {
    enum tag tag = (enum tag)read_u32(bytes + at);
    size_t size = read_u32(bytes + at + 4);
    problem = add_record(&parser, tag, bytes + at + RECORD_HEADER, size);
    if (problem != NULL) return problem;
    at += RECORD_HEADER + size;
  }
  return check_whole(job, mode, counts);
}

static void read_fully(unsigned char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = read(CONTROL, bytes, length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("invalid job: it ends too early");
    bytes += count;
    length -= (size_t)count;
  }
}

void job_read(enum job_mode mode, struct job *job) {
  unsigned char header[HEADER];
  read_fully(header, sizeof header);
  uint32_t length = read_u32(header + 8);
  if (memcmp(header, "TSBX", 4) != 0 || read_u32(header + 4) != JOB_VERSION) fail("invalid job: not of this version");
  if (length > MAX_JOB) fail("argument list too long: the job has %u bytes, and at most %u are possible", length, MAX_JOB);
  unsigned char *bytes = allocate(length + 1, 1);
  read_fully(bytes, length);
  const char *problem = job_parse(bytes, length, mode, job);
  if (problem != NULL) fail("invalid job: %s", problem);
}

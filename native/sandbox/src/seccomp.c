#include "seccomp.h"

#include "profile.h"
#include "report.h"

#include <endian.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define ARCHITECTURE AUDIT_ARCH_ARM
#elif defined(__i386__)
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER == __LITTLE_ENDIAN
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define ARCHITECTURE AUDIT_ARCH_S390X
#else
#error "the filter of system calls does not know this processor"
#endif

/* The flags of clone come second on s390. */
#if defined(__s390x__)
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif

/* All namespaces: mount, cgroup, UTS, IPC, user, PID, network. */
#define NAMESPACE_FLAGS 0x7e020000u
#define VSOCK 40
#define NUMBERS 1024
#define MAX_INSTRUCTIONS 4096
#define CONDITION 24
#define MAX_CONDITIONS 6

#define DENY (SECCOMP_RET_ERRNO | EPERM)
#define UNKNOWN (SECCOMP_RET_ERRNO | ENOSYS)

enum operator { EQUAL, NOT_EQUAL, MASKED_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL, OPERATORS };

struct condition {
  uint32_t argument;
  enum operator operator;
  uint64_t value;
  uint64_t mask;
};

static const struct name {
  const char *name;
  long number;
} names[] = {
#include "syscalls.inc"
};

struct filter {
  struct sock_filter instructions[MAX_INSTRUCTIONS];
  size_t count;
  /* By number, for calls whose action does not depend on arguments. */
  uint32_t actions[NUMBERS];
  bool decided[NUMBERS];
  long greatest;
};

static int compare_names(const void *key, const void *item) { return strcmp(key, ((const struct name *)item)->name); }

/* -1 for names that this machine does not have. */
static long number_of(const char *name) {
  const struct name *found = bsearch(name, names, sizeof names / sizeof *names, sizeof *names, compare_names);
  return found != NULL && found->number >= 0 && found->number < NUMBERS ? found->number : -1;
}

bool seccomp_is_action(uint32_t action) {
  uint32_t data = action & SECCOMP_RET_DATA;
  switch (action & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ERRNO: return data < 4096;
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG:
    case SECCOMP_RET_TRAP:
    case SECCOMP_RET_KILL_THREAD:
    case SECCOMP_RET_KILL_PROCESS: return data == 0;
    default: return false;
  }
}

const char *seccomp_check_rule(const unsigned char *bytes, size_t length) {
  uint32_t count = read_u32(bytes + 4);
  if (!seccomp_is_action(read_u32(bytes))) return "an unknown seccomp action";
  if (count > MAX_CONDITIONS || 8 + count * CONDITION >= length) return "a seccomp rule of a wrong size";
  for (uint32_t i = 0; i < count; i++) {
    const unsigned char *condition = bytes + 8 + i * CONDITION;
    if (read_u32(condition) >= 6 || read_u32(condition + 4) >= OPERATORS) return "an unknown seccomp condition";
  }
  return bytes[length - 1] == '\0' ? NULL : "a seccomp rule without an end";
}

static void emit(struct filter *filter, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
  if (filter->count >= MAX_INSTRUCTIONS) fail("the seccomp profile is too large");
  filter->instructions[filter->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(struct filter *filter, size_t offset) { emit(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }

static void answer(struct filter *filter, uint32_t action) { emit(filter, BPF_RET | BPF_K, action, 0, 0); }

static size_t low_word(uint32_t argument) {
  size_t offset = offsetof(struct seccomp_data, args) + 8 * argument;
  return __BYTE_ORDER == __LITTLE_ENDIAN ? offset : offset + 4;
}

static size_t high_word(uint32_t argument) {
  size_t offset = offsetof(struct seccomp_data, args) + 8 * argument;
  return __BYTE_ORDER == __LITTLE_ENDIAN ? offset + 4 : offset;
}

/* Jumps whose target is the end of the rule; they are set when that is known. */
#define MISS 255

static void emit_equal(struct filter *filter, const struct condition *condition) {
  load(filter, high_word(condition->argument));
  if (condition->operator == MASKED_EQUAL) emit(filter, BPF_ALU | BPF_AND | BPF_K, (uint32_t)(condition->mask >> 32), 0, 0);
  emit(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(condition->value >> 32), 0, MISS);
  load(filter, low_word(condition->argument));
  if (condition->operator == MASKED_EQUAL) emit(filter, BPF_ALU | BPF_AND | BPF_K, (uint32_t)condition->mask, 0, 0);
  emit(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)condition->value, 0, MISS);
}

/* Fits where the high word differs, or the low one does. */
static void emit_not_equal(struct filter *filter, const struct condition *condition) {
  load(filter, high_word(condition->argument));
  emit(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(condition->value >> 32), 0, 2);
  load(filter, low_word(condition->argument));
  emit(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)condition->value, MISS, 0);
}

/* Fits above a value; `inverted`: at it or below. */
static void emit_greater(struct filter *filter, const struct condition *condition, bool or_equal, bool inverted) {
  uint16_t last = (uint16_t)(BPF_JMP | BPF_K | (or_equal ? BPF_JGE : BPF_JGT));
  uint32_t high = (uint32_t)(condition->value >> 32);
  load(filter, high_word(condition->argument));
  emit(filter, BPF_JMP | BPF_JGT | BPF_K, high, inverted ? MISS : 3, 0);
  emit(filter, BPF_JMP | BPF_JEQ | BPF_K, high, 0, inverted ? 2 : MISS);
  load(filter, low_word(condition->argument));
  emit(filter, last, (uint32_t)condition->value, inverted ? MISS : 0, inverted ? 0 : MISS);
}

static void emit_condition(struct filter *filter, const struct condition *condition) {
  switch (condition->operator) {
    case NOT_EQUAL: emit_not_equal(filter, condition); break;
    case GREATER: emit_greater(filter, condition, false, false); break;
    case GREATER_OR_EQUAL: emit_greater(filter, condition, true, false); break;
    case LESS: emit_greater(filter, condition, true, true); break;
    case LESS_OR_EQUAL: emit_greater(filter, condition, false, true); break;
    default: emit_equal(filter, condition); break;
  }
}

/* A call with conditions: where one does not fit, the next rule is tried. */
static void emit_rule(struct filter *filter, long number, const struct condition *conditions, size_t count, uint32_t action) {
  size_t start = filter->count;
  load(filter, offsetof(struct seccomp_data, nr));
  emit(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, MISS);
  for (size_t i = 0; i < count; i++) emit_condition(filter, &conditions[i]);
  answer(filter, action);
  for (size_t i = start; i < filter->count; i++) {
    struct sock_filter *instruction = &filter->instructions[i];
    uint8_t distance = (uint8_t)(filter->count - i - 1);
    if (BPF_CLASS(instruction->code) != BPF_JMP) continue;
    if (instruction->jt == MISS) instruction->jt = distance;
    if (instruction->jf == MISS) instruction->jf = distance;
  }
}

static void decide(struct filter *filter, const char *name, uint32_t action) {
  long number = number_of(name);
  if (number < 0 || filter->decided[number]) return;
  filter->decided[number] = true;
  filter->actions[number] = action;
}

/* Calls without conditions, as ranges of numbers in ascending order. */
static void emit_ranges(struct filter *filter, uint32_t other) {
  load(filter, offsetof(struct seccomp_data, nr));
  for (long first = 0; first <= filter->greatest;) {
    uint32_t action = filter->decided[first] ? filter->actions[first] : other;
    long last = first;
    while (last < filter->greatest && (filter->decided[last + 1] ? filter->actions[last + 1] : other) == action) last++;
    emit(filter, BPF_JMP | BPF_JGT | BPF_K, (uint32_t)last, 1, 0);
    answer(filter, action);
    first = last + 1;
  }
  answer(filter, other == DENY ? UNKNOWN : other);
}

static void begin(struct filter *filter) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (names[i].number < NUMBERS && names[i].number > filter->greatest) filter->greatest = names[i].number;
  }
  load(filter, offsetof(struct seccomp_data, arch));
  emit(filter, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  answer(filter, UNKNOWN);
#if defined(__x86_64__)
  /* The calls of x32 have other numbers, which a profile that only denies would not know. */
  load(filter, offsetof(struct seccomp_data, nr));
  emit(filter, BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1);
  answer(filter, UNKNOWN);
#endif
}

static void add_default_profile(struct filter *filter, uint64_t capabilities) {
  static const uint64_t personalities[] = {0, 0x8, 0x20000, 0x20008, 0xffffffff};
  bool admin = (capabilities >> 21 & 1) != 0;
  for (size_t i = 0; profile_allowed[i] != NULL; i++) decide(filter, profile_allowed[i], SECCOMP_RET_ALLOW);
  for (const struct profile_capability *each = profile_by_capability; each->names != NULL; each++) {
    if ((capabilities >> each->capability & 1) == 0) continue;
    for (size_t i = 0; each->names[i] != NULL; i++) decide(filter, each->names[i], SECCOMP_RET_ALLOW);
  }
  /* Its flags are in memory, where a filter cannot read them: libraries use clone instead when it is not there. */
  if (!admin) decide(filter, "clone3", UNKNOWN);
  if (!admin) emit_rule(filter, SYS_clone, &(struct condition){CLONE_FLAGS, MASKED_EQUAL, 0, NAMESPACE_FLAGS}, 1, SECCOMP_RET_ALLOW);
  for (size_t i = 0; i < sizeof personalities / sizeof *personalities; i++)
    emit_rule(filter, SYS_personality, &(struct condition){0, EQUAL, personalities[i], 0}, 1, SECCOMP_RET_ALLOW);
#ifdef SYS_socket
  emit_rule(filter, SYS_socket, &(struct condition){0, NOT_EQUAL, VSOCK, 0}, 1, SECCOMP_RET_ALLOW);
#endif
}

static void add_rule(struct filter *filter, const struct rule_record *rule) {
  uint32_t action = read_u32(rule->content);
  uint32_t count = read_u32(rule->content + 4);
  struct condition conditions[MAX_CONDITIONS];
  for (uint32_t i = 0; i < count; i++) {
    const unsigned char *bytes = rule->content + 8 + i * CONDITION;
    conditions[i] = (struct condition){read_u32(bytes), (enum operator)read_u32(bytes + 4), read_u64(bytes + 8), read_u64(bytes + 16)};
  }
  const char *end = (const char *)rule->content + rule->length;
  for (const char *name = (const char *)rule->content + 8 + count * CONDITION; name < end; name += strlen(name) + 1) {
    long number = number_of(name);
    if (number < 0) continue;
    if (count == 0) decide(filter, name, action);
    else if (!filter->decided[number]) emit_rule(filter, number, conditions, count, action);
  }
}

bool seccomp_install(const struct job *job) {
  if (job->seccomp == SECCOMP_NONE) return true;
  struct filter *filter = calloc(1, sizeof *filter);
  if (filter == NULL) fail("out of memory");
  begin(filter);
  if (job->seccomp == SECCOMP_DEFAULT) {
    add_default_profile(filter, job->capabilities);
    emit_ranges(filter, DENY);
  } else {
    for (size_t i = 0; i < job->rule_count; i++) add_rule(filter, &job->rules[i]);
    emit_ranges(filter, job->seccomp_default);
  }
  struct sock_fprog program = {(unsigned short)filter->count, filter->instructions};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

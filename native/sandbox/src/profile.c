#include "profile.h"

#include <linux/capability.h>
#include <stddef.h>

const char *const profile_allowed[] = {
    /* Files: opening, reading, writing, and their descriptors. */
    "access", "chdir", "chmod", "chown", "chown32", "close", "close_range", "copy_file_range", "creat", "dup", "dup2", "dup3",
    "faccessat", "faccessat2", "fadvise64", "fadvise64_64", "fallocate", "fchdir", "fchmod", "fchmodat", "fchmodat2", "fchown",
    "fchown32", "fchownat", "fcntl", "fcntl64", "fdatasync", "flock", "fstat", "fstat64", "fstatat64", "fstatfs", "fstatfs64",
    "fsync", "ftruncate", "ftruncate64", "futimesat", "getcwd", "getdents", "getdents64", "ioctl", "lchown", "lchown32", "link",
    "linkat", "_llseek", "lseek", "lstat", "lstat64", "mkdir", "mkdirat", "mknod", "mknodat", "newfstatat", "open", "openat",
    "openat2", "pread64", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "read", "readahead", "readlink", "readlinkat",
    "readv", "rename", "renameat", "renameat2", "rmdir", "sendfile", "sendfile64", "splice", "stat", "stat64", "statfs",
    "statfs64", "statx", "symlink", "symlinkat", "sync", "sync_file_range", "sync_file_range2", "arm_sync_file_range", "syncfs",
    "tee", "truncate", "truncate64", "umask", "unlink", "unlinkat", "utime", "utimensat", "utimensat_time64", "utimes",
    "vmsplice", "write", "writev", "cachestat", "name_to_handle_at",
    /* Extended attributes. */
    "fgetxattr", "flistxattr", "fremovexattr", "fsetxattr", "getxattr", "lgetxattr", "listxattr", "llistxattr", "lremovexattr",
    "lsetxattr", "removexattr", "setxattr", "getxattrat", "listxattrat", "removexattrat", "setxattrat",
    /* Waiting for events. */
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_ctl_old", "epoll_pwait", "epoll_pwait2", "epoll_wait",
    "epoll_wait_old", "eventfd", "eventfd2", "fanotify_mark", "inotify_add_watch", "inotify_init", "inotify_init1",
    "inotify_rm_watch", "_newselect", "poll", "ppoll", "ppoll_time64", "pselect6", "pselect6_time64", "select", "signalfd",
    "signalfd4", "timerfd_create", "timerfd_gettime", "timerfd_gettime64", "timerfd_settime", "timerfd_settime64", "timerfd",
    "io_cancel", "io_destroy", "io_getevents", "io_pgetevents", "io_pgetevents_time64", "io_setup", "io_submit",
    /* Memory. */
    "brk", "get_mempolicy", "madvise", "map_shadow_stack", "membarrier", "memfd_create", "memfd_secret", "mincore", "mlock",
    "mlock2", "mlockall", "mmap", "mmap2", "mprotect", "mremap", "mseal", "msync", "munlock", "munlockall", "munmap",
    "pkey_alloc", "pkey_free", "pkey_mprotect", "process_mrelease", "remap_file_pages",
    /* Processes and threads. `clone` has a separate rule. */
    "alarm", "arch_prctl", "capget", "capset", "execve", "execveat", "exit", "exit_group", "fork", "futex", "futex_requeue",
    "futex_time64", "futex_wait", "futex_waitv", "futex_wake", "get_robust_list", "get_thread_area", "getcpu", "getpgid",
    "getpgrp", "getpid", "getppid", "getpriority", "getrandom", "getrlimit", "getrusage", "getsid", "gettid", "ioprio_get",
    "ioprio_set", "kill", "landlock_add_rule", "landlock_create_ruleset", "landlock_restrict_self", "modify_ldt", "nanosleep",
    "pause", "pidfd_open", "pidfd_send_signal", "pipe", "pipe2", "prctl", "prlimit64", "restart_syscall", "rseq",
    "sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity", "sched_getattr", "sched_getparam",
    "sched_getscheduler", "sched_rr_get_interval", "sched_rr_get_interval_time64", "sched_setaffinity", "sched_setattr",
    "sched_setparam", "sched_setscheduler", "sched_yield", "seccomp", "set_robust_list", "set_thread_area", "set_tid_address",
    "setpgid", "setpriority", "setrlimit", "setsid", "sysinfo", "tgkill", "times", "tkill", "ugetrlimit", "uname", "vfork",
    "wait4", "waitid", "waitpid", "ptrace", "process_vm_readv", "process_vm_writev", "syscall", "cacheflush", "set_tls",
    "breakpoint", "riscv_flush_icache", "riscv_hwprobe", "s390_pci_mmio_read", "s390_pci_mmio_write", "s390_runtime_instr",
    "sigreturn", "swapcontext", "switch_endian", "rtas", "subpage_prot",
    /* Users and groups. */
    "getegid", "getegid32", "geteuid", "geteuid32", "getgid", "getgid32", "getgroups", "getgroups32", "getresgid",
    "getresgid32", "getresuid", "getresuid32", "getuid", "getuid32", "setfsgid", "setfsgid32", "setfsuid", "setfsuid32",
    "setgid", "setgid32", "setgroups", "setgroups32", "setregid", "setregid32", "setresgid", "setresgid32", "setresuid",
    "setresuid32", "setreuid", "setreuid32", "setuid", "setuid32",
    /* Signals. */
    "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait",
    "rt_sigtimedwait_time64", "rt_tgsigqueueinfo", "sigaltstack", "sigprocmask", "signal",
    /* Times. */
    "adjtimex", "clock_adjtime", "clock_adjtime64", "clock_getres", "clock_getres_time64", "clock_gettime", "clock_gettime64",
    "clock_nanosleep", "clock_nanosleep_time64", "getitimer", "gettimeofday", "setitimer", "time", "timer_create",
    "timer_delete", "timer_getoverrun", "timer_gettime", "timer_gettime64", "timer_settime", "timer_settime64",
    /* Networks. `socket` has a separate rule. */
    "accept", "accept4", "bind", "connect", "getpeername", "getsockname", "getsockopt", "listen", "recv", "recvfrom",
    "recvmmsg", "recvmmsg_time64", "recvmsg", "send", "sendmmsg", "sendmsg", "sendto", "setsockopt", "shutdown", "socketcall",
    "socketpair",
    /* Communication between processes. */
    "ipc", "mq_getsetattr", "mq_notify", "mq_open", "mq_timedreceive", "mq_timedreceive_time64", "mq_timedsend",
    "mq_timedsend_time64", "mq_unlink", "msgctl", "msgget", "msgrcv", "msgsnd", "semctl", "semget", "semop", "semtimedop",
    "semtimedop_time64", "shmat", "shmctl", "shmdt", "shmget",
    NULL,
};

static const char *const with_sys_admin[] = {
    "bpf", "clone", "clone3", "fanotify_init", "fsconfig", "fsmount", "fsopen", "fspick", "lookup_dcookie", "mount",
    "mount_setattr", "move_mount", "open_tree", "perf_event_open", "pivot_root", "quotactl", "quotactl_fd", "setdomainname",
    "sethostname", "setns", "syslog", "umount", "umount2", "unshare", "statmount", "listmount", NULL,
};
static const char *const with_dac_read_search[] = {"open_by_handle_at", NULL};
static const char *const with_sys_boot[] = {"reboot", NULL};
static const char *const with_sys_chroot[] = {"chroot", NULL};
static const char *const with_sys_module[] = {"delete_module", "finit_module", "init_module", NULL};
static const char *const with_sys_pacct[] = {"acct", NULL};
static const char *const with_sys_ptrace[] = {"kcmp", "pidfd_getfd", "process_madvise", NULL};
static const char *const with_sys_rawio[] = {"ioperm", "iopl", NULL};
static const char *const with_sys_time[] = {"clock_settime", "clock_settime64", "settimeofday", "stime", NULL};
static const char *const with_sys_tty_config[] = {"vhangup", NULL};
static const char *const with_sys_nice[] = {"mbind", "set_mempolicy", "set_mempolicy_home_node", NULL};
static const char *const with_syslog[] = {"syslog", NULL};
static const char *const with_bpf[] = {"bpf", NULL};
static const char *const with_perfmon[] = {"perf_event_open", NULL};

const struct profile_capability profile_by_capability[] = {
    {CAP_SYS_ADMIN, with_sys_admin},
    {CAP_DAC_READ_SEARCH, with_dac_read_search},
    {CAP_SYS_BOOT, with_sys_boot},
    {CAP_SYS_CHROOT, with_sys_chroot},
    {CAP_SYS_MODULE, with_sys_module},
    {CAP_SYS_PACCT, with_sys_pacct},
    {CAP_SYS_PTRACE, with_sys_ptrace},
    {CAP_SYS_RAWIO, with_sys_rawio},
    {CAP_SYS_TIME, with_sys_time},
    {CAP_SYS_TTY_CONFIG, with_sys_tty_config},
    {CAP_SYS_NICE, with_sys_nice},
    {CAP_SYSLOG, with_syslog},
    {39 /* CAP_BPF */, with_bpf},
    {38 /* CAP_PERFMON */, with_perfmon},
    {0, NULL},
};

/*
 * Attempts of a process in a container to reach the machine, other processes, or rights that it was not given. Prints a line for
 * each: the name, and "denied" with the error, or "SUCCEEDED". Tests run it in containers; none may succeed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALL(...) syscall(__VA_ARGS__)

static long mount_tmpfs(void) { return mount("tmpfs", "/tmp", "tmpfs", 0, NULL); }
static long mount_proc(void) { return mount("proc", "/tmp", "proc", 0, NULL); }
static long mount_sysfs(void) { return mount("sysfs", "/tmp", "sysfs", 0, NULL); }
static long mount_cgroup(void) { return mount("cgroup", "/tmp", "cgroup", 0, "memory"); }
static long mount_cgroup2(void) { return mount("none", "/tmp", "cgroup2", 0, NULL); }
static long bind_proc(void) { return mount("/proc", "/tmp", NULL, MS_BIND, NULL); }
static long remount_root(void) { return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL); }
static long remount_usr(void) { return mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL); }
static long share_mounts(void) { return mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL); }
static long unmount_proc_sys(void) { return umount2("/proc/sys", MNT_DETACH); }
static long unmount_masked(void) { return umount2("/proc/kcore", MNT_DETACH); }
static long new_mount_api(void) { return CALL(430 /* fsopen */, "tmpfs", 0); }
static long clone_tree(void) { return CALL(428 /* open_tree */, AT_FDCWD, "/", 1); }
static long set_mount_attributes(void) { return CALL(442 /* mount_setattr */, AT_FDCWD, "/", 0, NULL, 0); }
static long pivot(void) { return CALL(SYS_pivot_root, "/tmp", "/tmp"); }
static long change_root(void) { return chroot("/tmp"); }
static long new_user_namespace(void) { return unshare(CLONE_NEWUSER); }
static long new_mount_namespace(void) { return unshare(CLONE_NEWNS); }
static long new_pid_namespace(void) { return unshare(CLONE_NEWPID); }
static long new_network_namespace(void) { return unshare(CLONE_NEWNET); }
static long join_namespace(void) { return setns(open("/proc/self/ns/mnt", O_RDONLY), 0); }
static long clone_user_namespace(void) {
  long child = CALL(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0) _exit(0);
  return child;
}
static long clone3_user_namespace(void) {
  unsigned long long arguments[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
  long child = CALL(435 /* clone3 */, arguments, sizeof arguments);
  if (child == 0) _exit(0);
  return child;
}
static long make_block_device(void) { return mknod("/tmp/disk", S_IFBLK | 0600, makedev(254, 0)); }
static long make_memory_device(void) { return mknod("/tmp/mem", S_IFCHR | 0600, makedev(1, 1)); }
static long open_by_handle(void) {
  struct {
    struct file_handle handle;
    unsigned char bytes[128];
  } file = {.handle = {.handle_bytes = 8, .handle_type = 1}};
  file.handle.f_handle[0] = 2;
  return open_by_handle_at(open("/etc/hosts", O_RDONLY), &file.handle, O_RDONLY);
}
static long kill_machine(void) { return getppid() == 0 ? kill(2, 0) : (errno = EPERM, -1); }
static long load_module(void) { return CALL(SYS_init_module, "", 0, ""); }
static long load_module_file(void) { return CALL(SYS_finit_module, -1, "", 0); }
static long load_kernel(void) { return CALL(SYS_kexec_load, 0, 0, NULL, 0); }
static long load_program(void) { return CALL(SYS_bpf, 0, NULL, 0); }
static long open_performance(void) { return CALL(SYS_perf_event_open, NULL, 0, -1, -1, 0); }
static long use_rings(void) { return CALL(425 /* io_uring_setup */, 1, NULL) < 0 && errno != EFAULT ? -1 : 0; }
static long handle_faults(void) { return CALL(SYS_userfaultfd, 0); }
static long add_key(void) { return CALL(SYS_add_key, "user", "escape", "x", 1, -3); }
static long read_keys(void) { return CALL(SYS_keyctl, 0, -3, 1); }
static long request_key(void) { return CALL(SYS_request_key, "user", "escape", NULL, -3); }
static long raw_socket(void) { return socket(AF_INET, SOCK_RAW, 1); }
static long packet_socket(void) { return socket(AF_PACKET, SOCK_RAW, 0); }
static long vsock_socket(void) { return socket(40, SOCK_STREAM, 0); }
static long set_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return clock_settime(CLOCK_REALTIME, &now);
}
static long set_hostname(void) { return sethostname("escape", 6); }
static long restart_machine(void) { return CALL(SYS_reboot, 0, 0, 0, NULL); }
static long swap_on(void) { return CALL(SYS_swapon, "/tmp/swap", 0); }
static long read_log(void) { return CALL(SYS_syslog, 3, NULL, 0); }
static long account(void) { return CALL(SYS_acct, "/tmp/account"); }
static long set_quota(void) { return CALL(SYS_quotactl, 0, NULL, 0, NULL); }
static long copy_descriptor(void) { return CALL(438 /* pidfd_getfd */, -1, 0, 0) < 0 && errno != EBADF ? -1 : 0; }
static long compare_kernel(void) { return CALL(SYS_kcmp, getpid(), getpid(), 0, 0, 0); }
static long gain_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {{~0u, ~0u, ~0u}, {0x1ff, 0x1ff, 0x1ff}};
  return CALL(SYS_capset, &header, data);
}
static long drop_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0); }
static long read_memory_device(void) { return open("/dev/mem", O_RDONLY); }
static long read_kernel_memory(void) {
  char byte;
  int file = open("/proc/kcore", O_RDONLY);
  return file < 0 || read(file, &byte, 1) != 1 ? -1 : 0;
}
static long write_core_pattern(void) { return open("/proc/sys/kernel/core_pattern", O_WRONLY); }
static long write_sysrq(void) {
  struct stat status;
  int file = open("/proc/sysrq-trigger", O_WRONLY);
  /* The null device covers it. */
  return file < 0 || (fstat(file, &status) == 0 && S_ISCHR(status.st_mode)) ? -1 : 0;
}
static long write_uevent_helper(void) { return open("/sys/kernel/uevent_helper", O_WRONLY); }
static long write_release_agent(void) { return open("/sys/fs/cgroup/release_agent", O_WRONLY); }
static long write_cgroup(void) { return open("/sys/fs/cgroup/cgroup.procs", O_WRONLY); }
static long write_own_program(void) { return open("/proc/1/exe", O_WRONLY); }
static long write_machine_file(void) { return open("/usr/bin/env", O_WRONLY); }
static long unlink_machine_file(void) { return unlink("/usr/bin/env"); }
static long leave_by_first_process(void) {
  struct stat own;
  struct stat other;
  if (stat("/", &own) != 0 || stat("/proc/1/root/..", &other) != 0) return -1;
  return own.st_ino == other.st_ino && own.st_dev == other.st_dev ? (errno = ENOENT, -1) : 0;
}
static long use_extra_descriptor(void) {
  for (int i = 3; i < 256; i++)
    if (fcntl(i, F_GETFD) >= 0) return 0;
  errno = EBADF;
  return -1;
}

#define ATTEMPT(name) {#name, name}
static const struct {
  const char *name;
  long (*act)(void);
} attempts[] = {
    ATTEMPT(use_extra_descriptor), ATTEMPT(mount_tmpfs), ATTEMPT(mount_proc), ATTEMPT(mount_sysfs), ATTEMPT(mount_cgroup),
    ATTEMPT(mount_cgroup2), ATTEMPT(bind_proc), ATTEMPT(remount_root), ATTEMPT(remount_usr), ATTEMPT(share_mounts),
    ATTEMPT(unmount_proc_sys), ATTEMPT(unmount_masked), ATTEMPT(new_mount_api), ATTEMPT(clone_tree), ATTEMPT(set_mount_attributes),
    ATTEMPT(pivot), ATTEMPT(change_root), ATTEMPT(new_user_namespace), ATTEMPT(new_mount_namespace), ATTEMPT(new_pid_namespace),
    ATTEMPT(new_network_namespace), ATTEMPT(join_namespace), ATTEMPT(clone_user_namespace), ATTEMPT(clone3_user_namespace),
    ATTEMPT(make_block_device), ATTEMPT(make_memory_device), ATTEMPT(open_by_handle), ATTEMPT(kill_machine),
    ATTEMPT(load_module), ATTEMPT(load_module_file), ATTEMPT(load_kernel), ATTEMPT(load_program), ATTEMPT(open_performance),
    ATTEMPT(use_rings), ATTEMPT(handle_faults), ATTEMPT(add_key), ATTEMPT(read_keys), ATTEMPT(request_key), ATTEMPT(raw_socket),
    ATTEMPT(packet_socket), ATTEMPT(vsock_socket), ATTEMPT(set_clock), ATTEMPT(set_hostname), ATTEMPT(restart_machine),
    ATTEMPT(swap_on), ATTEMPT(read_log), ATTEMPT(account), ATTEMPT(set_quota), ATTEMPT(copy_descriptor), ATTEMPT(compare_kernel),
    ATTEMPT(gain_capabilities), ATTEMPT(drop_no_new_privileges), ATTEMPT(read_memory_device), ATTEMPT(read_kernel_memory),
    ATTEMPT(write_core_pattern), ATTEMPT(write_sysrq), ATTEMPT(write_uevent_helper), ATTEMPT(write_release_agent),
    ATTEMPT(write_cgroup), ATTEMPT(write_own_program), ATTEMPT(write_machine_file), ATTEMPT(unlink_machine_file),
    ATTEMPT(leave_by_first_process),
};

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
    errno = 0;
    long result = attempts[i].act();
    if (result < 0) printf("%s: denied, %s\n", attempts[i].name, strerror(errno));
    else printf("%s: SUCCEEDED\n", attempts[i].name);
  }
  return 0;
}

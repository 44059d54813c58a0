// SPDX-License-Identifier: Apache-2.0
#include "core/base/forbid_calls.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace loupe {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kOtherNumbers = 0x40000000;  // of the x32 interface
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kOtherNumbers = 0xffffffff;
#else
constexpr std::uint32_t kArchitecture = 0;
constexpr std::uint32_t kOtherNumbers = 0;
#endif

constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EACCES;
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

class Filter {
  public:
    void load(std::size_t offset) {
        code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    }
    void answer(std::uint32_t answer) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, answer)); }
    // Answers when what was loaded is this; is not; is at least this.
    void answer_if(std::uint32_t value, std::uint32_t with) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
        answer(with);
    }
    void answer_unless(std::uint32_t value, std::uint32_t with) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
        answer(with);
    }
    void answer_from(std::uint32_t value, std::uint32_t with) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, 0, 1));
        answer(with);
    }
    // Of that call when its first argument is not this, or the other.
    void refuse_call(std::uint32_t call, std::uint32_t allowed, std::uint32_t other) {
        load(offsetof(seccomp_data, nr));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4));
        load(offsetof(seccomp_data, args[0]));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed, 2, 0));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 1, 0));
        answer(kRefuse);
    }
    bool apply() {
        sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
        return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    }

  private:
    std::vector<sock_filter> code_;
};

}  // namespace

bool forbid_calls() {
    if (kArchitecture == 0) return false;
    Filter filter;
    filter.load(offsetof(seccomp_data, arch));
    filter.answer_unless(kArchitecture, SECCOMP_RET_KILL_PROCESS);
    filter.load(offsetof(seccomp_data, nr));
    if (kOtherNumbers != 0xffffffff) filter.answer_from(kOtherNumbers, kUnknown);
    for (const long call : {SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_writev, SYS_process_vm_readv,
                            SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_tkill, SYS_pidfd_open})
        filter.answer_if(static_cast<std::uint32_t>(call), kRefuse);
    for (const long call : {SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register})
        filter.answer_if(static_cast<std::uint32_t>(call), kUnknown);
    // Netlink says which devices there are.
    filter.refuse_call(SYS_socket, AF_NETLINK, AF_NETLINK);
    const auto me = static_cast<std::uint32_t>(::getpid());
    filter.refuse_call(SYS_kill, me, 0);
    filter.refuse_call(SYS_tgkill, me, me);
    filter.answer(SECCOMP_RET_ALLOW);
    return filter.apply();
}

}  // namespace loupe

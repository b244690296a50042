#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/command.hpp"
#include "host/descriptor.hpp"
#include "host/files.hpp"
#include "host/work.hpp"

namespace belfry::host {
namespace {

constexpr std::size_t news_bytes_max = 256 << 10;  // of one look at one stream

struct Pipe {
    Descriptor read;
    Descriptor write;
};

base::Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("cannot make a pipe for", "a command");
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

void make_nonblocking(const Descriptor& descriptor) {
    ::fcntl(descriptor.get(), F_SETFL, ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

std::vector<char*> pointers(std::vector<std::string>& lines) {
    std::vector<char*> list;
    for (std::string& line : lines) list.push_back(line.data());
    list.push_back(nullptr);
    return list;
}

std::vector<std::string> variables_of(const WorkCall& call, const Environment& environment) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : call.variables) lines.push_back(name + '=' + value);
    for (const auto& [name, value] : environment.all()) {
        const bool is_ours =
            std::ranges::any_of(call.variables, [&](const auto& variable) { return variable.first == name; });
        if (!is_ours) lines.push_back(name + '=' + value);
    }
    return lines;
}

// Everything that a child may need, made before it is: between fork and exec nothing is allocated.
struct Beginning {
    const char* program;
    char* const* words;
    char* const* variables;
    int input;
    int output;
    int error;
    pid_t parent;
};

// In the child. posix_spawn knows no signal that comes when the parent dies, and a worker that is killed must not leave
// its work behind: another one does it again.
[[noreturn]] void become(const Beginning& begin) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != begin.parent) ::_exit(127);
    for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(begin.input, 0);
    ::dup2(begin.output, 1);
    ::dup2(begin.error, 2);
    ::syscall(SYS_close_range, 3U, ~0U, 0U);
    ::execve(begin.program, begin.words, begin.variables);
    ::_exit(127);
}

class LinuxWork final : public Work {
public:
    LinuxWork(pid_t pid, std::string input, Descriptor in, Descriptor out, Descriptor err)
        : pid_(pid),
          end_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
          input_(std::move(input)),
          in_(std::move(in)),
          out_(std::move(out)),
          err_(std::move(err)) {
        for (const Descriptor* descriptor : {&in_, &out_, &err_}) make_nonblocking(*descriptor);
        if (input_.empty()) in_ = Descriptor();
    }
    LinuxWork(const LinuxWork&) = delete;
    LinuxWork& operator=(const LinuxWork&) = delete;
    ~LinuxWork() override {
        if (ended_) return;
        end(Ending::force);
        (void)exit_code();
    }
    [[nodiscard]] bool is_watched() const { return end_.is_open(); }

    base::Result<News> wait(base::Duration time, int descriptor) override {
        std::array<pollfd, 5> waiting{pollfd{end_.get(), POLLIN, 0}, pollfd{out_.get(), POLLIN, 0},
                                      pollfd{err_.get(), POLLIN, 0}, pollfd{in_.get(), POLLOUT, 0},
                                      pollfd{descriptor, POLLIN, 0}};
        const std::int64_t ms = std::clamp<std::int64_t>((time.us + 999) / 1000, 0, 3'600'000);
        if (::poll(waiting.data(), waiting.size(), static_cast<int>(ms)) < 0 && errno != EINTR) {
            return system_error("cannot wait for", "a command");
        }
        News news;
        news.is_called = waiting[4].revents != 0;
        if (waiting[3].revents != 0) write();
        const bool has_ended = waiting[0].revents != 0;
        if (waiting[1].revents != 0 || has_ended) read(out_, news.out);
        if (waiting[2].revents != 0 || has_ended) read(err_, news.err);
        // Whoever it left behind may hold its output open: what is there at its end is all that counts.
        if (has_ended) {
            // Of what was told to end, nothing stays. Its group has its number until it is waited for.
            if (is_to_end_) ::kill(-pid_, SIGKILL);
            news.status = exit_code();
        }
        return news;
    }

    void end(Ending how) override {
        is_to_end_ = true;
        if (!ended_) ::kill(-pid_, how == Ending::ask ? SIGTERM : SIGKILL);
    }

private:
    // A program need not read its input; one that closed it has read enough.
    void write() {
        const ssize_t done = ::write(in_.get(), input_.data() + written_, input_.size() - written_);
        if (done > 0) written_ += static_cast<std::size_t>(done);
        else if (done < 0 && errno != EAGAIN && errno != EINTR) written_ = input_.size();
        if (written_ == input_.size()) in_ = Descriptor();
    }

    static void read(Descriptor& from, std::string& into) {
        std::array<char, 16 << 10> buffer{};
        while (from.is_open() && into.size() < news_bytes_max) {
            const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
            if (got < 0) return;
            if (got == 0) from = Descriptor();
            into.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }

    int exit_code() {
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        ended_ = true;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    pid_t pid_;
    Descriptor end_;
    std::string input_;
    std::size_t written_ = 0;
    Descriptor in_;
    Descriptor out_;
    Descriptor err_;
    bool ended_ = false;
    bool is_to_end_ = false;
};

}  // namespace

base::Result<std::unique_ptr<Work>> Work::start(WorkCall call, const Environment& environment) {
    const std::string program = find_program(call.argv.front(), environment);
    if (program.empty()) return base::error(base::Code::not_found, "there is no program " + call.argv.front());
    TRY_ASSIGN(Pipe input, make_pipe());
    TRY_ASSIGN(Pipe output, make_pipe());
    TRY_ASSIGN(Pipe error, make_pipe());
    std::vector<std::string> variables = variables_of(call, environment);
    const std::vector<char*> words = pointers(call.argv);
    const std::vector<char*> lines = pointers(variables);
    const Beginning begin{program.c_str(),    words.data(),      lines.data(), input.read.get(),
                          output.write.get(), error.write.get(), ::getpid()};
    const pid_t pid = ::fork();
    if (pid < 0) return system_error("cannot start", program);
    if (pid == 0) become(begin);
    ::setpgid(pid, pid);  // whoever is first: it must have its group before it is ended
    auto work = std::make_unique<LinuxWork>(pid, std::move(call.input), std::move(input.write), std::move(output.read),
                                            std::move(error.read));
    if (!work->is_watched()) return system_error("cannot watch over", program);
    return std::unique_ptr<Work>(std::move(work));
}

}  // namespace belfry::host

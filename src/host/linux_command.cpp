#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "codec/utf8.hpp"
#include "host/command.hpp"
#include "host/descriptor.hpp"
#include "host/files.hpp"

namespace belfry::host {
namespace {

using Clock = std::chrono::steady_clock;

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

std::vector<std::string> environment_of_child(const Environment& environment) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : environment.all()) {
        if (!name.starts_with("BELFRY_")) lines.push_back(name + '=' + value);
    }
    return lines;
}

std::vector<char*> pointers(std::vector<std::string>& lines) {
    std::vector<char*> list;
    for (std::string& line : lines) list.push_back(line.data());
    list.push_back(nullptr);
    return list;
}

// How a child begins: its files, and the usual signals where the daemon blocks and ignores some for itself.
class Beginning {
public:
    explicit Beginning(int flags) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawnattr_init(&attributes_);
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   static_cast<short>(flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    }
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;
    ~Beginning() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }

    void use(int from, int as) { ::posix_spawn_file_actions_adddup2(&actions_, from, as); }

    base::Result<pid_t> spawn(const std::string& program, std::vector<std::string> words,
                              const Environment& environment) {
        ::posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
        std::vector<std::string> variables = environment_of_child(environment);
        pid_t pid = 0;
        const int failure = ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, pointers(words).data(),
                                          pointers(variables).data());
        if (failure == 0) return pid;
        return base::error(base::Code::io, "cannot start " + program + ": " + std::strerror(failure));
    }

private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

int exit_code(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Descriptor end_of(pid_t pid) {
    return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

// A child that was started; ended and waited for at the latest when its owner goes.
class Child {
public:
    explicit Child(pid_t pid) : pid_(pid), end_(end_of(pid)) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (waited_) return;
        ::kill(-pid_, SIGKILL);
        (void)wait();
    }

    [[nodiscard]] int descriptor() const { return end_.get(); }  // readable once it has ended
    int wait() {
        waited_ = true;
        return exit_code(pid_);
    }

private:
    pid_t pid_;
    Descriptor end_;
    bool waited_ = false;
};

// The conversation with one child, until it has ended.
class Talk {
public:
    Talk(const CommandCall& call, Descriptor input, Descriptor output)
        : call_(call),
          input_(std::move(input)),
          output_(std::move(output)),
          until_(Clock::now() + std::chrono::microseconds(call.time_max.us)) {
        make_nonblocking(input_);
        make_nonblocking(output_);
    }

    base::Result<CommandEnd> run(Child& child) {
        while (true) {
            std::array<pollfd, 4> waiting{pollfd{child.descriptor(), POLLIN, 0}, pollfd{output_.get(), POLLIN, 0},
                                          pollfd{left().empty() ? -1 : input_.get(), POLLOUT, 0},
                                          pollfd{call_.stop_descriptor, POLLIN, 0}};
            const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now()).count() + 1;
            if (ms <= 0) {
                return base::error(base::Code::timeout, call_.argv.front() + " did not end within " +
                                                            base::format_duration(call_.time_max) + said());
            }
            if (::poll(waiting.data(), waiting.size(), static_cast<int>(ms)) < 0 && errno != EINTR) {
                return system_error("cannot wait for", call_.argv.front());
            }
            if (waiting[3].revents != 0) return base::error(base::Code::timeout, "interrupted");
            if (waiting[2].revents != 0) write();
            if (waiting[1].revents != 0) read();
            if (waiting[0].revents == 0) continue;
            // Whoever it left behind may hold its output open: what is there now is all that counts.
            read();
            return CommandEnd{child.wait(), std::move(kept_)};
        }
    }

private:
    [[nodiscard]] std::string_view left() const { return std::string_view(call_.input).substr(written_); }
    [[nodiscard]] std::string said() const { return kept_.empty() ? "" : "; it said: " + codec::to_utf8(kept_); }

    // A program need not read its input; one that closed it has read enough.
    void write() {
        const ssize_t done = ::write(input_.get(), left().data(), left().size());
        if (done > 0) written_ += static_cast<std::size_t>(done);
        else if (done < 0 && errno != EAGAIN && errno != EINTR) written_ = call_.input.size();
        if (left().empty()) input_ = Descriptor();
    }

    void read() {
        std::array<char, 4096> buffer{};
        while (output_.is_open()) {
            const ssize_t got = ::read(output_.get(), buffer.data(), buffer.size());
            if (got < 0) return;
            if (got == 0) output_ = Descriptor();
            const std::size_t room = call_.output_bytes_max - kept_.size();
            kept_.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
            if (Clock::now() > until_) return;
        }
    }

    const CommandCall& call_;
    Descriptor input_;
    Descriptor output_;
    Clock::time_point until_;
    std::size_t written_ = 0;
    std::string kept_;
};

}  // namespace

std::string find_program(std::string_view name, const Environment& environment) {
    const auto can_run = [](const std::string& path) {
        const auto facts = file_facts(path);
        return facts.ok() && *facts && !(*facts)->is_folder && ::access(path.c_str(), X_OK) == 0;
    };
    if (name.empty()) return {};
    if (name.find('/') != std::string_view::npos) return can_run(std::string(name)) ? std::string(name) : "";
    const std::string folders = environment.get("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
    for (std::size_t from = 0; from <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', from), folders.size());
        const std::string path = join_path(folders.substr(from, end - from), name);
        if (path.starts_with('/') && can_run(path)) return path;
        from = end + 1;
    }
    return {};
}

base::Result<CommandEnd> run_command(const CommandCall& call, const Environment& environment) {
    const std::string program = find_program(call.argv.front(), environment);
    if (program.empty()) return base::error(base::Code::not_found, "there is no program " + call.argv.front());
    TRY_ASSIGN(Pipe input, make_pipe());
    TRY_ASSIGN(Pipe output, make_pipe());
    Beginning beginning(POSIX_SPAWN_SETPGROUP);
    beginning.use(input.read.get(), 0);
    beginning.use(output.write.get(), 1);
    beginning.use(output.write.get(), 2);
    TRY_ASSIGN(const pid_t pid, beginning.spawn(program, call.argv, environment));
    // Before its own descriptor is asked for: whoever had enough of them to start it has one to watch over it.
    input.read = Descriptor();
    output.write = Descriptor();
    Child child(pid);
    if (child.descriptor() < 0) return system_error("cannot watch over", program);
    if (call.input.empty()) input.write = Descriptor();
    return Talk(call, std::move(input.write), std::move(output.read)).run(child);
}

base::Result<std::optional<int>> start_command(const std::vector<std::string>& argv, base::Duration look,
                                               const Environment& environment) {
    const std::string program = find_program(argv.front(), environment);
    if (program.empty()) return base::error(base::Code::not_found, "there is no program " + argv.front());
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!nothing.is_open()) return system_error("cannot open", "/dev/null");
    Beginning beginning(POSIX_SPAWN_SETSID);
    for (const int as : {0, 1, 2}) beginning.use(nothing.get(), as);
    TRY_ASSIGN(const pid_t pid, beginning.spawn(program, argv, environment));
    const Descriptor end = end_of(pid);
    if (!end.is_open()) return system_error("cannot watch over", program);
    pollfd waiting{end.get(), POLLIN, 0};
    const auto until = Clock::now() + std::chrono::microseconds(look.us);
    for (;;) {
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count() + 1;
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(ms, 0)));
        if (ready > 0) return std::optional(exit_code(pid));
        if (ready == 0) return std::optional<int>();
        if (errno != EINTR) return system_error("cannot wait for", program);
    }
}

}  // namespace belfry::host

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/random.hpp"

namespace belfry::sim {

enum class DiskResult : std::uint8_t { ok, no_space, io, dead };

// What can go wrong once, at a chosen operation.
enum class Fault : std::uint8_t {
    no_space,     // a write finds no room; a part of it may be there
    write_error,  // a write fails with EIO; a part of it may be there
    read_error,   // a read fails with EIO
    sync_error,   // a sync fails; what it should have saved is there or not, and is not tried again by a later sync
};

// A disk in memory, with a page cache before it. What was written is seen at once by whoever reads; it is on the disk
// only after `sync`. When the power goes, any part of what was not synced may be there, in pieces of a sector: each
// sector holds its content after some number of the writes to it. A file's size, its making and its removal are as
// uncertain until they are synced (the last two by `sync_directory`).
class Disk {
public:
    static constexpr std::size_t sector_bytes = 512;

    struct File;
    using FileRef = std::shared_ptr<File>;

    explicit Disk(SeededRandom random) : random_(random) {}

    // The file of this name, or nothing where it is not there and is not to be made, or the process is dead.
    FileRef open(const std::string& name, bool create);
    // A file that no name leads to.
    static FileRef nameless();
    [[nodiscard]] bool exists(const std::string& name) const { return seen_.contains(name); }

    // Reads what is there from `offset` on; `got` is less than asked for only at the end of the file.
    DiskResult read(const File& file, std::uint64_t offset, std::span<char> out, std::size_t& got);
    DiskResult write(File& file, std::uint64_t offset, std::string_view bytes);
    DiskResult truncate(File& file, std::uint64_t size);
    DiskResult sync(File& file);
    DiskResult sync_directory();
    DiskResult remove(const std::string& name);
    [[nodiscard]] static std::uint64_t size(const File& file);

    // The process dies in the n-th changing operation from now (1: the next); everything after it fails, until one of
    // `lose_power` and `lose_process`.
    void die_after(std::uint64_t operations) { die_in_ = operations; }
    void die() { dead_ = true; }
    // The n-th operation of the fault's kind from now fails.
    void fail_after(std::uint64_t operations, Fault fault);
    // No file grows once all of them hold so many bytes.
    void set_capacity(std::optional<std::uint64_t> bytes) { capacity_ = bytes; }
    void clear_faults();
    void clear_faults(Fault fault);

    [[nodiscard]] bool is_dead() const { return dead_; }
    [[nodiscard]] std::uint64_t used() const;
    [[nodiscard]] std::uint64_t operations() const { return operations_; }

    // The power fails: what was not synced is there in part. The next process may begin.
    void lose_power();
    // The process ends and the machine goes on: the page cache stays, synced or not.
    void lose_process();

    // What is certainly on the disk under this name, and what whoever reads it now finds; nothing where it is not.
    [[nodiscard]] const std::string* durable(const std::string& name) const;
    [[nodiscard]] const std::string* seen(const std::string& name) const;

    // All files, as whoever reads them now finds them; and in their place others, safely on the disk. Of a disk that
    // nobody works on.
    using Files = std::map<std::string, std::string>;
    [[nodiscard]] Files files() const;
    void replace(const Files& files);

private:
    struct Counted {
        std::uint64_t in = 0;
        Fault fault = Fault::no_space;
    };

    bool dies_now();
    enum class Operation : std::uint8_t { read, write, sync };
    std::optional<Fault> fails_now(Operation operation);
    void apply_part(File& file, std::uint64_t offset, std::string_view bytes);
    // Makes some of what waits durable and forgets the rest of it.
    void settle(File& file);

    SeededRandom random_;
    std::map<std::string, FileRef> seen_;     // as processes see the directory
    std::map<std::string, FileRef> on_disk_;  // as it was last synced
    std::vector<Counted> faults_;
    std::uint64_t die_in_ = 0;
    std::uint64_t operations_ = 0;
    std::optional<std::uint64_t> capacity_;
    bool dead_ = false;
};

}  // namespace belfry::sim

#include "sim/disk.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace belfry::sim {

struct Disk::File {
    struct Change {  // not synced yet
        bool is_truncate = false;
        std::uint64_t at = 0;  // offset of a write, size of a truncate
        std::string bytes;
    };
    std::string seen;
    std::string durable;
    std::vector<Change> waiting;
};

namespace {

void put(std::string& content, std::uint64_t offset, std::string_view bytes) {
    if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size(), '\0');
    std::memcpy(content.data() + offset, bytes.data(), bytes.size());
}

// How the kernel had got on with writing back when the power went.
enum class Progress : std::uint8_t { nothing, everything, first_part, scattered };

class WriteBack {
public:
    WriteBack(SeededRandom& random, std::size_t changes) : random_(random), changes_(changes) {
        const std::uint64_t draw = random.below(100);
        if (draw < 25) progress_ = Progress::nothing;
        else if (draw < 40) progress_ = Progress::everything;
        else if (draw < 60) progress_ = Progress::first_part;
        else progress_ = Progress::scattered;
        cut_ = random.below(changes + 1);
    }

    // A sector is written as it was at some moment: so it holds the first few changes to it and no later one.
    bool holds(std::uint64_t sector, std::size_t change) {
        switch (progress_) {
            case Progress::nothing: return false;
            case Progress::everything: return true;
            case Progress::first_part: return change < cut_;
            case Progress::scattered: break;
        }
        const auto [at, is_new] = cuts_.try_emplace(sector, 0);
        if (is_new) at->second = random_.below(changes_ + 1);
        return change < at->second;
    }

    bool holds_size(std::size_t change) {
        return progress_ == Progress::scattered ? random_.one_in(2) : holds(0, change);
    }

private:
    SeededRandom& random_;
    std::size_t changes_;
    Progress progress_ = Progress::nothing;
    std::size_t cut_ = 0;
    std::unordered_map<std::uint64_t, std::size_t> cuts_;
};

}  // namespace

Disk::FileRef Disk::nameless() {
    return std::make_shared<File>();
}

Disk::FileRef Disk::open(const std::string& name, bool create) {
    if (dead_) return nullptr;
    const auto at = seen_.find(name);
    if (at != seen_.end()) return at->second;
    if (!create || dies_now()) return nullptr;
    return seen_[name] = std::make_shared<File>();
}

DiskResult Disk::read(const File& file, std::uint64_t offset, std::span<char> out, std::size_t& got) {
    got = 0;
    if (dead_) return DiskResult::dead;
    if (fails_now(Operation::read)) return DiskResult::io;
    if (offset >= file.seen.size()) return DiskResult::ok;
    got = std::min<std::size_t>(out.size(), file.seen.size() - offset);
    std::memcpy(out.data(), file.seen.data() + offset, got);
    return DiskResult::ok;
}

bool Disk::dies_now() {
    ++operations_;
    if (die_in_ == 0 || --die_in_ > 0) return false;
    dead_ = true;
    return true;
}

void Disk::fail_after(std::uint64_t operations, Fault fault) {
    faults_.push_back({operations, fault});
}

void Disk::clear_faults() {
    faults_.clear();
    capacity_.reset();
    die_in_ = 0;
}

void Disk::clear_faults(Fault fault) {
    std::erase_if(faults_, [&](const Counted& counted) { return counted.fault == fault; });
}

std::optional<Fault> Disk::fails_now(Operation operation) {
    const auto operation_of = [](Fault fault) {
        if (fault == Fault::read_error) return Operation::read;
        return fault == Fault::sync_error ? Operation::sync : Operation::write;
    };
    std::optional<Fault> now;
    for (Counted& counted : faults_) {
        if (operation_of(counted.fault) != operation) continue;
        if (--counted.in == 0) now = counted.fault;
    }
    std::erase_if(faults_, [](const Counted& counted) { return counted.in == 0; });
    return now;
}

void Disk::apply_part(File& file, std::uint64_t offset, std::string_view bytes) {
    const std::uint64_t sectors = bytes.size() / sector_bytes + 1;
    bytes = bytes.substr(0, std::min<std::size_t>(bytes.size(), random_.below(sectors + 1) * sector_bytes));
    if (bytes.empty()) return;
    put(file.seen, offset, bytes);
    file.waiting.push_back({false, offset, std::string(bytes)});
}

DiskResult Disk::write(File& file, std::uint64_t offset, std::string_view bytes) {
    if (dead_) return DiskResult::dead;
    if (dies_now()) {
        apply_part(file, offset, bytes);
        return DiskResult::dead;
    }
    const auto fault = fails_now(Operation::write);
    const std::uint64_t end = offset + bytes.size();
    const std::uint64_t growth = end > file.seen.size() ? end - file.seen.size() : 0;
    const bool is_full = growth > 0 && capacity_ && used() + growth > *capacity_;
    if (fault || is_full) {
        if (!is_full) apply_part(file, offset, bytes);
        return is_full || *fault == Fault::no_space ? DiskResult::no_space : DiskResult::io;
    }
    put(file.seen, offset, bytes);
    file.waiting.push_back({false, offset, std::string(bytes)});
    return DiskResult::ok;
}

DiskResult Disk::truncate(File& file, std::uint64_t size) {
    if (dead_) return DiskResult::dead;
    if (dies_now()) return DiskResult::dead;
    file.seen.resize(size, '\0');
    file.waiting.push_back({true, size, {}});
    return DiskResult::ok;
}

DiskResult Disk::sync(File& file) {
    if (dead_) return DiskResult::dead;
    if (dies_now()) return DiskResult::dead;
    if (fails_now(Operation::sync)) {
        settle(file);
        return DiskResult::io;
    }
    for (const File::Change& change : file.waiting) {
        if (change.is_truncate) file.durable.resize(change.at, '\0');
        else put(file.durable, change.at, change.bytes);
    }
    file.waiting.clear();
    return DiskResult::ok;
}

DiskResult Disk::sync_directory() {
    if (dead_) return DiskResult::dead;
    if (dies_now()) return DiskResult::dead;
    on_disk_ = seen_;
    return DiskResult::ok;
}

DiskResult Disk::remove(const std::string& name) {
    if (dead_) return DiskResult::dead;
    if (dies_now()) return DiskResult::dead;
    return seen_.erase(name) == 1 ? DiskResult::ok : DiskResult::io;
}

std::uint64_t Disk::size(const File& file) {
    return file.seen.size();
}

std::uint64_t Disk::used() const {
    std::uint64_t bytes = 0;
    for (const auto& [name, file] : seen_) bytes += file->seen.size();
    return bytes;
}

void Disk::settle(File& file) {
    WriteBack progress(random_, file.waiting.size());
    for (std::size_t i = 0; i < file.waiting.size(); ++i) {
        const File::Change& change = file.waiting[i];
        if (change.is_truncate) {
            if (progress.holds_size(i)) file.durable.resize(change.at, '\0');
            continue;
        }
        std::string_view rest = change.bytes;
        std::uint64_t offset = change.at;
        const std::uint64_t end = offset + rest.size();
        while (!rest.empty()) {
            const std::size_t room = sector_bytes - offset % sector_bytes;
            const std::string_view piece = rest.substr(0, room);
            if (progress.holds(offset / sector_bytes, i)) put(file.durable, offset, piece);
            rest.remove_prefix(piece.size());
            offset += piece.size();
        }
        // The size may arrive without the data.
        if (end > file.durable.size() && progress.holds_size(i)) file.durable.resize(end, '\0');
    }
    file.waiting.clear();
}

void Disk::lose_power() {
    std::map<std::string, FileRef> names = on_disk_;
    for (const auto& [name, file] : seen_) {
        const auto at = on_disk_.find(name);
        if ((at == on_disk_.end() || at->second != file) && random_.one_in(2)) names[name] = file;
    }
    for (const auto& [name, file] : on_disk_) {
        if (!seen_.contains(name) && random_.one_in(2)) names.erase(name);
    }
    for (const auto& [name, file] : names) {
        settle(*file);
        file->seen = file->durable;
    }
    seen_ = names;
    on_disk_ = std::move(names);
    clear_faults();
    dead_ = false;
}

void Disk::lose_process() {
    clear_faults();
    dead_ = false;
}

const std::string* Disk::durable(const std::string& name) const {
    const auto at = on_disk_.find(name);
    return at == on_disk_.end() ? nullptr : &at->second->durable;
}

const std::string* Disk::seen(const std::string& name) const {
    const auto at = seen_.find(name);
    return at == seen_.end() ? nullptr : &at->second->seen;
}

Disk::Files Disk::files() const {
    Files files;
    for (const auto& [name, file] : seen_) files[name] = file->seen;
    return files;
}

void Disk::replace(const Files& files) {
    seen_.clear();
    for (const auto& [name, content] : files) {
        auto file = std::make_shared<File>();
        file->seen = content;
        file->durable = content;
        seen_[name] = std::move(file);
    }
    on_disk_ = seen_;
}

}  // namespace belfry::sim

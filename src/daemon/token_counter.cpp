#include "daemon/token_counter.hpp"

#include "host/files.hpp"

namespace belfry::daemon {

base::Result<void> TokenCounter::read_ranks(const std::string& path) {
    TRY_ASSIGN(const std::string file, host::read_file(path, text::Tokenizer::file_bytes_max));
    auto read = text::Tokenizer::read(file);
    if (!read.ok()) return base::error(base::Code::invalid, path + ": " + read.error().message, "memory.tokenizer");
    tokenizer_ = std::move(*read);
    return {};
}

std::int64_t TokenCounter::count(std::string_view text) {
    if (text.size() < long_bytes_min || text.size() > long_bytes_max) return count_anew(text);
    {
        const std::lock_guard lock(mutex_);
        const auto known = counted_.find(text);
        if (known != counted_.end()) return known->second;
    }
    const std::int64_t tokens = count_anew(text);  // without the others waiting
    const std::lock_guard lock(mutex_);
    // Those that are still told come again.
    if (counted_.size() >= remembered_max) counted_.clear();
    counted_.emplace(text, tokens);
    return tokens;
}

void TokenCounter::forget() {
    const std::lock_guard lock(mutex_);
    counted_.clear();
}

std::int64_t TokenCounter::count_anew(std::string_view text) const {
    return tokenizer_ ? tokenizer_->count(text) : estimate_(text);
}

}  // namespace belfry::daemon

#include "rules/awareness.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "base/limits.hpp"
#include "rules/digest.hpp"
#include "rules/model_tokens.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;

std::string count_line(std::int64_t count) {
    return "… and " + std::to_string(count) + " more, told in later turns";
}

class Teller {
public:
    Teller(std::span<const model::Notification> oldest, const FactCounts& counts, std::int64_t budget_tokens)
        : oldest_(oldest),
          counts_(counts),
          left_(budget_tokens == 0 ? std::numeric_limits<std::int64_t>::max() : budget_tokens / 2),
          reserved_(estimate_model_tokens(count_line(counts.all))) {}

    Awareness tell() {
        const std::size_t most = std::min(oldest_.size(), limits::seen_facts_max);
        std::size_t told = 0;
        if (most > 0 && tell_first()) told = 1;
        tell_digest();
        while (told > 0 && told < most && tell_whole(oldest_[told])) ++told;
        const std::int64_t others = counts_.all - static_cast<std::int64_t>(told);
        if (others > 0) add_count(others);
        return std::move(awareness_);
    }

private:
    // The tokens that the line with the count of the other facts needs.
    [[nodiscard]] std::int64_t reserve(std::size_t told) const {
        return counts_.all > static_cast<std::int64_t>(told) ? reserved_ : 0;
    }

    bool take(const std::string& text, std::int64_t free) {
        const std::int64_t cost = estimate_model_tokens(text);
        if (cost > left_ || left_ - cost < free) return false;
        left_ -= cost;
        awareness_.model_tokens += cost;
        return true;
    }
    bool add(std::string line, std::int64_t free) {
        if (!take(line, free)) return false;
        awareness_.seen.push_back(std::move(line));
        return true;
    }
    // Beyond the half of the budget if it must be: an agent that is not told how much it does not know is ignorant.
    void add_count(std::int64_t others) {
        std::string line = count_line(others);
        awareness_.model_tokens += estimate_model_tokens(line);
        awareness_.seen.push_back(std::move(line));
    }
    bool add_fact(const model::Notification& row, std::string line, std::int64_t free) {
        if (!add(std::move(line), free)) return false;
        awareness_.last_told = row.fact.number;
        return true;
    }
    bool tell_whole(const model::Notification& row) {
        return add_fact(row, fact_line(row, limits::seen_fact_bytes_max), reserve(awareness_.seen.size() + 1));
    }
    // The oldest fact is shortened rather than left out, so that every turn makes progress: first its date, severity
    // and kind give way, then the end of its text.
    bool tell_first() {
        const model::Notification& row = oldest_.front();
        if (tell_whole(row) || add_fact(row, fact_line(row, limits::seen_fact_bytes_max), 0)) return true;
        std::size_t bytes = limits::seen_fact_bytes_max;
        for (; bytes >= limits::seen_fact_bytes_min; bytes -= bytes / 8) {
            if (add_fact(row, short_fact_line(row, bytes), 0)) return true;
        }
        return false;
    }
    void tell_digest() {
        std::vector<model::Notification> inbox;
        for (const model::Notification& one : oldest_) {
            const bool is_counted = one.fact.number <= counts_.counted;
            if (one.address == model::Address::user && !is_counted) inbox.push_back(one);
        }
        constexpr std::size_t whole = limits::digest_bytes_max;
        for (const std::size_t bytes : {whole, whole / 2, limits::digest_bytes_min}) {
            std::string digest = ambient_digest(inbox, static_cast<std::size_t>(counts_.in_inbox), bytes);
            if (digest.empty()) return;
            if (!take(digest, reserve(awareness_.seen.size()))) continue;
            awareness_.digest = std::move(digest);
            return;
        }
    }

    std::span<const model::Notification> oldest_;
    const FactCounts& counts_;
    std::int64_t left_;
    std::int64_t reserved_;
    Awareness awareness_;
};

}  // namespace

model::FactStatus shown_status(const model::Notification& row) {
    return row.state == model::DeliveryState::escalated ? model::FactStatus::escalated : model::FactStatus::shown;
}

bool is_news(const model::Notification& row, model::FactStatus status) {
    return std::tie(row.version, status) > std::tie(row.fact.version, row.fact.status);
}

void set_user(model::Session& session, const std::string& user_id) {
    if (session.user_id == user_id) return;
    session.user_id = user_id;
    session.aware_no.reset();
    model::Progress& progress = session.progress;
    progress.aware_pull.reset();
    progress.aware_next.reset();
    progress.digest_next.reset();
    progress.digest_no = 0;
}

base::Timestamp first_facts_since(const model::Session& session, base::Timestamp now) {
    return std::min(session.created_at, now) - limits::facts_before_session;
}

Awareness awareness_of(std::span<const model::Notification> oldest, const FactCounts& counts,
                       std::int64_t budget_tokens) {
    return Teller(oldest, counts, budget_tokens).tell();
}

}  // namespace belfry::rules

#pragma once

#include "ports/store_sync.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlSyncTable final : public ports::SyncTable {
public:
    using Names = std::span<const std::pair<std::string, std::string>>;
    explicit SqlSyncTable(Database& database) : database_(database) {}

    base::Result<std::vector<ports::KnownRecord>> knowledge(Names records) override;
    base::Result<void> put_knowledge(std::span<const ports::KnownRecord> records) override;
    base::Result<std::vector<ports::KnownRecord>> knowledge_after(std::string_view kind, std::string_view id,
                                                                  std::size_t limit) override;

    base::Result<std::vector<ports::MessagePlace>> messages_after(std::int64_t position, std::size_t limit) override;
    base::Result<std::vector<ports::LinkName>> links_after(const ports::LinkName& last, std::size_t limit) override;

    base::Result<std::vector<ports::HostPlace>> hosts() override;
    base::Result<void> put_seal(const model::HostSeal& seal) override;
    base::Result<void> put_floor(std::string_view host, std::uint64_t floor) override;

    base::Result<std::vector<model::Change>> changes_after(std::string_view host, std::uint64_t counter,
                                                           std::size_t limit) override;
    base::Result<std::vector<std::uint64_t>> here(std::string_view host, std::uint64_t from,
                                                  std::uint64_t through) override;

    base::Result<std::vector<ports::MissingChange>> missing(std::size_t limit) override;
    base::Result<void> put_missing(std::span<const ports::MissingChange> missing) override;
    base::Result<void> remove_missing(std::string_view host, std::uint64_t from, std::uint64_t through) override;

    base::Result<void> add_forgotten(std::span<const Forgotten> messages) override;
    base::Result<std::vector<Forgotten>> forgotten(std::span<const base::Uuid> ids) override;
    base::Result<std::vector<Forgotten>> forgotten_after(const base::Uuid& id, std::size_t limit) override;

    base::Result<std::vector<Plain>> plain(Names records) override;
    base::Result<void> put_plain(std::span<const Plain> records) override;
    base::Result<std::vector<Plain>> plain_after(std::string_view kind, std::string_view id,
                                                 std::size_t limit) override;
    base::Result<void> remove_plain(Names records) override;
    base::Result<std::uint64_t> drop_plain(std::string_view kind, base::Timestamp older_than,
                                           std::size_t limit) override;

    base::Result<void> add_notes(std::span<const model::MergeNote> notes) override;
    base::Result<std::int64_t> last_note() override;
    base::Result<void> drop_notes(std::int64_t through) override;
    base::Result<std::vector<model::MergeNote>> notes_of(Names records) override;
    base::Result<std::vector<model::MergeNote>> notes_of_kind(std::string_view kind) override;
    base::Result<void> remove_notes(Names records) override;

    base::Result<std::vector<model::Peer>> peers() override;
    base::Result<void> put_peer(const model::Peer& peer) override;

    base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) override;

private:
    Database& database_;
};

}  // namespace belfry::store

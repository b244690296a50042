#pragma once

#include <memory>
#include <string>

namespace belfry::store {

// A file system for SQLite, over another one, that gathers what is written to the write-ahead log and hands it on in
// one piece when it is synced. SQLite writes a log page by page, each with its head, so a commit of ten pages costs
// twenty system calls without this and one with it. Nothing is held back beyond a sync, and other connections look at
// the log only after one, so they see no difference.
class SqliteBuffer {
public:
    // Over the file system of this name; empty: the system's own.
    explicit SqliteBuffer(const std::string& base_name);
    ~SqliteBuffer();
    SqliteBuffer(const SqliteBuffer&) = delete;
    SqliteBuffer& operator=(const SqliteBuffer&) = delete;

    // By which a connection asks for it. Must outlive the connection.
    [[nodiscard]] const std::string& name() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace belfry::store

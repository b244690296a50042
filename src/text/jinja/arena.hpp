#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/meter.hpp"

namespace belfry::text::jinja {

// The memory of one rendering, given back all at once. What lives in it has no destructor. Asking for more than the
// limit fails the rendering.
class Arena {
public:
    explicit Arena(std::size_t limit) : limit_(limit) {}

    void* allocate(std::size_t bytes) {
        bytes = (bytes + 15) & ~std::size_t{15};
        if (bytes > left_) grow(bytes);
        char* at = next_;
        next_ += bytes;
        left_ -= bytes;
        return at;
    }

    template <class T, class... Args>
    T* make(Args&&... args) {
        static_assert(std::is_trivially_destructible_v<T>);
        return new (allocate(sizeof(T))) T{std::forward<Args>(args)...};
    }

    std::string_view copy(std::string_view text) {
        if (text.empty()) return {};
        char* at = static_cast<char*>(allocate(text.size()));
        std::memcpy(at, text.data(), text.size());
        return {at, text.size()};
    }

    // Counts memory that a rendering takes elsewhere.
    void lend(std::size_t bytes) {
        if (bytes > limit_ || used_ + bytes > limit_) Meter::beyond("needs more memory", limit_);
        used_ += bytes;
    }

private:
    void grow(std::size_t bytes) {
        const std::size_t block = bytes > block_size_ ? bytes : block_size_;
        lend(block);
        blocks_.push_back(std::make_unique_for_overwrite<char[]>(block));
        next_ = blocks_.back().get();
        left_ = block;
        if (block_size_ < (std::size_t{1} << 20)) block_size_ *= 2;
    }

    std::size_t limit_;
    std::size_t used_ = 0;
    std::size_t left_ = sizeof first_;
    char* next_ = first_;
    std::size_t block_size_ = 16384;
    std::vector<std::unique_ptr<char[]>> blocks_;
    alignas(16) char first_[4096];
};

// A growing list in an arena.
template <class T>
class ArenaList {
public:
    void push(Arena& arena, T value) {
        if (size_ == capacity_) reserve(arena, capacity_ == 0 ? 8 : capacity_ * 2);
        data_[size_++] = value;
    }
    void reserve(Arena& arena, std::size_t capacity) {
        if (capacity <= capacity_) return;
        T* grown = static_cast<T*>(arena.allocate(capacity * sizeof(T)));
        std::uninitialized_copy_n(data_, size_, grown);
        data_ = grown;
        capacity_ = capacity;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace belfry::text::jinja

#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/sent.hpp"
#include "sim/stock.hpp"

namespace belfry::sim {

// Remembers the blocks that were published, and says where the store holds something else: published means recorded,
// recorded means published unless nobody heard of it, and positions only rise.
class BlocksWitness {
public:
    void published(const std::vector<model::SharedBlock>& blocks, Complaints& complaints);
    // A transaction may have been committed without anybody hearing of it.
    void unheard() { unheard_ = true; }
    void compare(const Stock& stock, Complaints& complaints);

    // The last sequence of a stream that was published or found.
    [[nodiscard]] model::Sequence last(model::StreamId stream) const;

private:
    struct Known {
        model::RetentionClass retention;
        std::string bytes;
        std::size_t count = 0;
        std::map<model::StreamId, model::Sequence> last;  // of each stream in it
    };

    void add(const model::Block& block, Complaints& complaints);
    void compare_known(const model::Block& block, const Known& known, Complaints& complaints) const;

    std::map<model::Position, Known> blocks_;
    std::map<model::StreamId, model::Sequence> heads_;
    model::Position next_ = 1;
    bool unheard_ = false;
};

}  // namespace belfry::sim

#include "model/schedule.hpp"

namespace belfry::model {

std::string format_wall_time(WallTime time) {
    std::string text = "00:00";
    text[0] = static_cast<char>('0' + time.hour / 10);
    text[1] = static_cast<char>('0' + time.hour % 10);
    text[3] = static_cast<char>('0' + time.minute / 10);
    text[4] = static_cast<char>('0' + time.minute % 10);
    return text;
}

}  // namespace belfry::model

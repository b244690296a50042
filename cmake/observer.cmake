# The observer: judges what users, models and callers saw against what the documents promise. It includes nothing of src/.
set(observer ${PROJECT_SOURCE_DIR}/tests/observer)
add_library(belfry_observer STATIC ${observer}/checker.cpp ${observer}/story.cpp ${observer}/observation_json.cpp
  ${observer}/invariants_user.cpp ${observer}/invariants_boundary.cpp ${observer}/invariants_holders.cpp
  ${observer}/invariants_awareness.cpp)
target_include_directories(belfry_observer PUBLIC ${observer})
target_link_libraries(belfry_observer PUBLIC belfry_flags)

add_executable(observe ${observer}/observe.cpp)
target_link_libraries(observe PRIVATE belfry_observer)

add_executable(test_observer ${observer}/checker_test.cpp)
target_link_libraries(test_observer PRIVATE belfry_observer GTest::gtest GTest::gtest_main)
add_test(NAME unit.observer COMMAND test_observer --gtest_brief=1)

# The random world against the real binary (world.py) is a stage of `make check`.

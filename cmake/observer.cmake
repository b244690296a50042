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

# A short random world against the real binary; `world.py --seconds 3600` is the long one.
if(TARGET belfry)
  set(world ${BELFRY_PYTHON} ${observer}/world.py --observe $<TARGET_FILE:observe> --seconds 6 --seeds 1,2)
  add_test(NAME observer COMMAND ${world})
  add_test(NAME observer.postgres COMMAND ${BELFRY_PYTHON} ${PROJECT_SOURCE_DIR}/tests/with_postgres.py ${world})
  set_tests_properties(observer observer.postgres PROPERTIES TIMEOUT 600)
  set_tests_properties(observer PROPERTIES ENVIRONMENT "BELFRY=$<TARGET_FILE:belfry>;PYTHONDONTWRITEBYTECODE=1")
  set_tests_properties(observer.postgres PROPERTIES
    ENVIRONMENT "BELFRY=$<TARGET_FILE:belfry>;BELFRY_TEST_STORE=postgres;PYTHONDONTWRITEBYTECODE=1")
endif()

# The observer: judges what users, models and callers saw against what the documents promise. It includes nothing of src/.
set(observer ${PROJECT_SOURCE_DIR}/tests/observer)
add_library(belfry_observer STATIC ${observer}/checker.cpp ${observer}/story.cpp ${observer}/observation_json.cpp
  ${observer}/invariants_user.cpp ${observer}/invariants_boundary.cpp ${observer}/invariants_holders.cpp
  ${observer}/invariants_awareness.cpp ${observer}/invariants_context.cpp ${observer}/invariants_intake.cpp
  ${observer}/invariants_devices.cpp ${observer}/invariants_memory.cpp)
target_include_directories(belfry_observer PUBLIC ${observer})
target_link_libraries(belfry_observer PUBLIC belfry_flags)
belfry_precompile(belfry_observer ${observer}/story.hpp)
belfry_unity(belfry_observer)

add_executable(observe ${observer}/observe.cpp)
target_link_libraries(observe PRIVATE belfry_observer)

add_executable(test_observer ${observer}/checker_test.cpp ${observer}/checker_intake_test.cpp
  ${observer}/checker_devices_test.cpp)
target_link_libraries(test_observer PRIVATE belfry_observer GTest::gtest GTest::gtest_main)
target_compile_options(test_observer PRIVATE -O0)
belfry_precompile(test_observer <gtest/gtest.h> ${observer}/tale.hpp)
belfry_unity(test_observer)
add_test(NAME unit.observer COMMAND test_observer --gtest_brief=1)

# The random worlds against the real binary (world.py, devices_world.py) are stages of `make check`.

# Random worlds over the engine and the store, in made-up time on a made-up disk. Of the simulator they use the machine only.
if(TARGET belfry_sim AND TARGET belfry_daemon)
  file(GLOB sources CONFIGURE_DEPENDS ${observer}/sim/*.cpp)
  set(sim ${PROJECT_SOURCE_DIR}/src/sim)
  add_executable(simulate_observed ${sources} ${sim}/disk.cpp ${sim}/random.cpp ${sim}/vfs.cpp)
  target_link_libraries(simulate_observed PRIVATE belfry_observer belfry_daemon)
  belfry_precompile(simulate_observed ${observer}/sim/edge.hpp ${observer}/sim/parties.hpp)
  belfry_unity(simulate_observed)
  add_test(NAME simulation.observed COMMAND simulate_observed --seeds 40 --quiet)
  set_tests_properties(simulation.observed PROPERTIES TIMEOUT 600)
endif()

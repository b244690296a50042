find_package(GTest REQUIRED)
find_library(BELFRY_RAPIDCHECK rapidcheck)


# The tests beside the code: one program a room. The store's run beside a PostgreSQL of their own.
foreach(room base model rules text codec ports tools engine view store host wire net client cli sim daemon)
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*_test.cpp)
  if(tests AND TARGET belfry_${room})
    add_executable(test_${room} ${tests})
    target_link_libraries(test_${room} PRIVATE belfry_${room} belfry_fmt GTest::gtest GTest::gtest_main)
    belfry_precompile(test_${room} <gtest/gtest.h>)
    belfry_unity(test_${room})
    # What is tested is optimised; the tests themselves are compiled twice as fast without, and run as fast.
    target_compile_options(test_${room} PRIVATE -O0)
    if(BELFRY_RAPIDCHECK)
      target_link_libraries(test_${room} PRIVATE ${BELFRY_RAPIDCHECK})
    endif()
    # Only where it is used: a path on every command line would keep the compiler's cache from serving another clone.
    foreach(test ${tests})
      file(STRINGS ${test} names_the_tree REGEX "BELFRY_SOURCE_DIR")
      if(names_the_tree)
        set_source_files_properties(${test} PROPERTIES COMPILE_DEFINITIONS BELFRY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
      endif()
    endforeach()
    set(beside)
    if(room STREQUAL "store")
      set(beside ${BELFRY_PYTHON} ${PROJECT_SOURCE_DIR}/tests/with_postgres.py)
    endif()
    add_test(NAME unit.${room} COMMAND ${beside} $<TARGET_FILE:test_${room}> --gtest_brief=1)
  endif()
endforeach()

# The seeded simulation, in each of its worlds: sixteen seeds, or SIM_SEEDS.
if(TARGET belfry_sim)
  add_executable(simulate ${PROJECT_SOURCE_DIR}/tests/simulate.cpp)
  target_link_libraries(simulate PRIVATE belfry_sim)
  add_test(NAME simulation COMMAND simulate)
  add_test(NAME simulation.agents COMMAND simulate --world agents)
  add_test(NAME simulation.journal COMMAND simulate --world journal)
  # A seed of this one is a single run of an agent.
  add_test(NAME simulation.tools COMMAND simulate --world tools --seeds 300)
  add_test(NAME simulation.memory COMMAND simulate --world memory --seeds 5)
  # No engine and no disk: a million merges take some seconds.
  add_test(NAME simulation.merges COMMAND simulate --world merges --seeds 1500)
  add_test(NAME simulation.devices COMMAND simulate --world devices --seeds 8 --steps 250)
  set_tests_properties(simulation simulation.agents simulation.journal simulation.tools simulation.memory simulation.merges
    simulation.devices
    PROPERTIES TIMEOUT 3600)
  # A number that is none must not become "no seeds, no contradiction".
  add_test(NAME simulation.numbers COMMAND simulate --seeds x)
  set_tests_properties(simulation.numbers PROPERTIES WILL_FAIL TRUE)
endif()

add_test(NAME doors COMMAND ${BELFRY_PYTHON} ${PROJECT_SOURCE_DIR}/tests/doors.py)
# The mistakes that show that the tests can fail can still be made; `make mutants` makes them.
add_test(NAME mutants.check COMMAND ${BELFRY_PYTHON} ${PROJECT_SOURCE_DIR}/tests/mutants.py --check)
# What was measured is kept, judged and shown rightly, and docs/performance.md is what its figures make of it.
add_test(NAME bench.report COMMAND ${BELFRY_PYTHON} -B ${PROJECT_SOURCE_DIR}/bench/selftest/test_report.py)
# The comparison of instruction counts can fail, and docs/instructions.md shows the table. `make check` counts.
add_test(NAME bench.instructions COMMAND ${BELFRY_PYTHON} -B ${PROJECT_SOURCE_DIR}/bench/selftest/test_instructions.py)

# The contract of Belfry's own tools and the registry of the binary are one, and its page is up to date.
if(TARGET belfry_daemon)
  add_test(NAME contract COMMAND ${BELFRY_PYTHON} -B ${PROJECT_SOURCE_DIR}/tests/contract/test_contract.py)
  set_tests_properties(contract PROPERTIES ENVIRONMENT "BELFRY=$<TARGET_FILE:belfry>")
endif()

# The examples are programs that a test runs.
add_executable(example_agent_loop ${PROJECT_SOURCE_DIR}/examples/agent_loop.cpp)
target_link_libraries(example_agent_loop PRIVATE belfry_client)
# The C++ sender as the end-to-end tests use it, beside those of Python and TypeScript.
add_executable(sender_bridge ${PROJECT_SOURCE_DIR}/tests/sender_bridge.cpp)
target_link_libraries(sender_bridge PRIVATE belfry_client)

# End to end: each file of tests/e2e drives the real binary; those that the store could matter to once more on PostgreSQL.
# Their limits of time are for a loaded machine and, of the kill test, for the many rounds of `make check`.
file(GLOB e2e CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/e2e/test_*.py)
foreach(path ${e2e})
  get_filename_component(file ${path} NAME)
  string(REGEX REPLACE "^test_(.*)\\.py$" "\\1" name ${file})
  set(command ${BELFRY_PYTHON} -m unittest -v ${file})
  if(NOT name MATCHES "^(postgres|silent_cut)$")
    add_test(NAME e2e.${name} COMMAND ${command} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/e2e)
    set_tests_properties(e2e.${name} PROPERTIES TIMEOUT 600
      ENVIRONMENT "BELFRY=$<TARGET_FILE:belfry>;PYTHONDONTWRITEBYTECODE=1")
  endif()
  if(name MATCHES "^(events|idempotency|streams|access|operation|keeping|kill|kill_delivery|kill_runs|notifications|delivery|sinks|postgres|broken|client_messages|client_links|runs|run_following|run_uploads|run_life|clients|clients_runs|clients_sending|send|agents|agent_workers|agent_messages|memory|agent_calls|agent_timers|changes|ag_ui|workflows|tools|tool_workflows|outside_tools|memory_facts|change_sets|journal|journal_wakes|journal_cli|kill_journal|kill_tools|sync|context_rules|early_followers|who_spoke|awareness|agent_notifications|clock|silent_cut|bound_agents|beside_others|context_values|spoken)$")
    add_test(NAME e2e.postgres.${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/e2e
      COMMAND ${BELFRY_PYTHON} ${PROJECT_SOURCE_DIR}/tests/with_postgres.py ${command})
    set_tests_properties(e2e.postgres.${name} PROPERTIES TIMEOUT 600
      ENVIRONMENT "BELFRY=$<TARGET_FILE:belfry>;BELFRY_TEST_STORE=postgres;PYTHONDONTWRITEBYTECODE=1")
  endif()
endforeach()
set_tests_properties(e2e.kill e2e.postgres.kill e2e.kill_delivery e2e.postgres.kill_delivery e2e.kill_runs
  e2e.postgres.kill_runs e2e.kill_journal e2e.postgres.kill_journal e2e.kill_tools e2e.postgres.kill_tools PROPERTIES TIMEOUT 3600)

# Lines that are silent are given up after a minute, and called again after up to another.
set_tests_properties(e2e.sync e2e.postgres.sync e2e.sync_lines PROPERTIES TIMEOUT 1800)
# With the rounds of `make check`.
set_tests_properties(e2e.postgres.silent_cut PROPERTIES TIMEOUT 3600)

# The two languages against their judges: npm's TOON and gpt-tokenizer, and Debian's Jinja2. `make check-long` asks for more through
# TOON_DIFFERENTIAL_VALUES.
find_program(BELFRY_NODE node REQUIRED)
if(TARGET belfry_text)
  add_executable(toon_check tests/text/toon_check.cpp)
  add_executable(jinja_check tests/text/jinja_check.cpp)
  add_executable(tokenizer_check tests/text/tokenizer_check.cpp)
  foreach(program toon_check jinja_check tokenizer_check)
    target_link_libraries(${program} PRIVATE belfry_text)
  endforeach()
  add_test(NAME toon.differential COMMAND ${BELFRY_NODE} ${PROJECT_SOURCE_DIR}/tests/text/toon_differential.mjs
    $<TARGET_FILE:toon_check>)
  add_test(NAME tokenizer.differential COMMAND ${BELFRY_NODE} ${PROJECT_SOURCE_DIR}/tests/text/tokenizer_differential.mjs
    $<TARGET_FILE:tokenizer_check> ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/notifications.md
    ${PROJECT_SOURCE_DIR}/src/text/tokenizer.cpp)
  add_test(NAME jinja.differential COMMAND ${BELFRY_PYTHON} ${PROJECT_SOURCE_DIR}/tests/text/jinja_differential.py
    $<TARGET_FILE:jinja_check>)
  set_tests_properties(toon.differential jinja.differential tokenizer.differential PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
endif()

# Schedules against Python's time zones; `make check` asks for all of them through SCHEDULE_ZONES.
if(TARGET belfry_host AND TARGET belfry_rules)
  add_executable(occurrences tests/schedules/occurrences.cpp)
  target_link_libraries(occurrences PRIVATE belfry_host belfry_rules)
  add_test(NAME schedules.oracle COMMAND ${BELFRY_PYTHON} ${PROJECT_SOURCE_DIR}/tests/schedules/oracle.py
    $<TARGET_FILE:occurrences>)
  set_tests_properties(schedules.oracle PROPERTIES TIMEOUT 3600)
endif()

# What notifications cost a model, on a small corpus; bench/notifications/tokens.mjs says how the whole one is counted.
if(TARGET belfry_daemon)
  include(cmake/corpus.cmake)
  add_test(NAME tokens.notifications COMMAND ${BELFRY_NODE} ${PROJECT_SOURCE_DIR}/bench/notifications/tokens.mjs
    $<TARGET_FILE:notification_corpus> ${PROJECT_SOURCE_DIR}/tests 2000)
  set_tests_properties(tokens.notifications PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()

include(cmake/observer.cmake)
include(cmake/clients.cmake)
if(TARGET belfry)
  include(cmake/web.cmake)
endif()
include(cmake/costs.cmake)

// Several jobs in flight, several sessions on a device, work cut into many submits: the bits stay the same.
#include <thread>

#include "device/session_gpu/session_fixture.h"

namespace upres::session {
namespace {

using testing::Random;
using testing::with_ends;

class Flight : public OnEveryDevice {};

TEST_F(Flight, MoreJobsThanSlotsInAnyOrder) {
  for_each_device([](const vkc::Device& device) {
    Random random(21);
    const auto graph = with_ends(testing::espcn(1, 1, 2, 4));
    const auto serial = make_session(device, graph, {.slots = 1});
    const auto session = make_session(device, graph, {.slots = 3, .always_copy = true});
    ASSERT_TRUE(serial && session);
    EXPECT_EQ(session->slots(), 3);
    std::vector<std::vector<Tensor>> inputs, outputs;
    for (int i = 0; i < 10; ++i) {
      inputs.push_back(random_inputs(random, graph, {random.between(1, 40), random.between(1, 30)}));
      outputs.push_back(make_outputs(graph, inputs.back()));
    }
    std::vector<Ticket> tickets;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto ticket = session->submit(make_job(inputs[i], outputs[i]));
      ASSERT_TRUE(ticket) << ticket.error().text();
      tickets.push_back(*ticket);
    }
    for (const size_t i : {9U, 0U, 4U, 8U, 1U, 7U, 2U, 6U, 3U, 5U}) {
      ASSERT_TRUE(session->wait(tickets[i]));
      EXPECT_EQ(outputs[i][0].bytes, run_session(*serial, inputs[i])[0].bytes) << i;
    }
    EXPECT_FALSE(session->wait(tickets[0])) << "each ticket counts once";
  });
}

TEST_F(Flight, JobsNobodyWaitsFor) {
  for_each_device([](const vkc::Device& device) {
    Random random(22);
    const auto graph = with_ends(testing::espcn(2, 1, 2, 4));
    const auto inputs = random_inputs(random, graph, {64, 64});
    auto outputs = make_outputs(graph, inputs);
    const auto session = make_session(device, graph, {.slots = 2, .max_submit_ms = 0.5});
    ASSERT_TRUE(session);
    ASSERT_TRUE(session->submit(make_job(inputs, outputs)));
    ASSERT_TRUE(session->submit(make_job(inputs, outputs)));
  });
}

TEST_F(Flight, TheLimitOfASubmitChangesNothing) {
  for_each_device([](const vkc::Device& device) {
    Random random(23);
    graph::PictureOptions options{.channels = 3};
    options.resize = {{61, 47}, {100, 90}};
    const auto graph = with_ends(testing::espcn(3, 1, 2, 8), options);
    const auto inputs = random_inputs(random, graph, {61, 47});
    const kernels::JobWindow window{{}, {}, {100, 90}};
    const auto whole = make_session(device, graph, {.max_submit_ms = 10000});
    ASSERT_TRUE(whole);
    const auto expected = run_session(*whole, inputs, window);
    for (const double limit : {1.0, 0.001}) {
      const auto session =
          make_session(device, graph, {.max_submit_ms = limit, .poison = true, .always_copy = true});
      ASSERT_TRUE(session);
      // The second job runs by what the first has taught.
      for (int i = 0; i < 2; ++i) {
        const auto outputs = run_session(*session, inputs, window);
        EXPECT_EQ(outputs[0].bytes, expected[0].bytes) << limit << " ms";
        EXPECT_EQ(outputs[1].bytes, expected[1].bytes) << limit << " ms, statistics";
      }
    }
  });
}

TEST_F(Flight, TwoSessionsInTwoThreads) {
  for_each_device([](const vkc::Device& device) {
    constexpr int kJobs = 20;
    const auto graph = with_ends(testing::espcn(4, 1, 3, 4));
    const auto run_all = [&](uint32_t seed) {
      Random random(seed);
      const auto session = make_session(device, graph, {.max_submit_ms = 2});
      std::vector<std::vector<std::byte>> results;
      for (int i = 0; session && i < kJobs; ++i) {
        const auto inputs = random_inputs(random, graph, {random.between(1, 24), random.between(1, 24)});
        results.push_back(run_session(*session, inputs)[0].bytes);
      }
      return results;
    };
    const auto first = run_all(31);
    const auto second = run_all(32);
    std::vector<std::vector<std::byte>> first_again, second_again;
    std::thread one([&] { first_again = run_all(31); });
    std::thread two([&] { second_again = run_all(32); });
    one.join();
    two.join();
    EXPECT_EQ(first_again, first);
    EXPECT_EQ(second_again, second);
  });
}

}  // namespace
}  // namespace upres::session

// A worker that measures nothing: what it does depends on group_size_x alone. 64: it dies of a signal; 16: it
// hangs; 8: it babbles; else it answers, duels too. An argument makes it fail at once: "exit", "mute",
// "babble".
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "exit") return 7;
  while (mode == "mute") ::pause();
  std::cout << (mode == "babble" ? "hello" : R"({"ready": true})") << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
    if (has(R"("group_size_x":64)")) std::raise(SIGKILL);
    while (has(R"("group_size_x":16)")) ::pause();
    if (has(R"("group_size_x":8)")) {
      std::cout << "[1, 2" << std::endl;
    } else if (has(R"("do":"duel")")) {
      std::cout << R"({"standard_ms": [2, 2, 2], "best_ms": [1, 1, 1]})" << std::endl;
    } else if (has(R"("group_size_y":8)")) {
      std::cout << R"({"error": "wrong result", "code": "device"})" << std::endl;
    } else {
      std::cout << R"({"time_ms": 1.5, "compile_ms": 20})" << std::endl;
    }
  }
}

// One subcommand and its options: a narrow door to CLI11, whose header takes longer to compile than all else
// here. Only subcommand.cpp and app.cpp, which parses, include it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace upres::cli {

// What the parsed arguments ask for; gives the exit code.
using Action = std::function<int()>;

// How --help tells of an option.
struct OptionHelp {
  std::string names;  // "-m,--model"
  std::string type;   // of its value: "MODEL"
  std::string meaning;
  bool shows_default = false;
};

// The largest and smallest number that an option takes.
struct Range {
  int least = 0;
  int most = 0;
};

// What is passed by reference here must live until the arguments are parsed. Options refuse empty values.
class Subcommand {
 public:
  Subcommand(CLI::App& app, const std::string& name, const std::string& meaning, std::string_view examples);
  ~Subcommand();
  Subcommand(const Subcommand&) = delete;
  Subcommand& operator=(const Subcommand&) = delete;

  void add_flag(const std::string& name, bool& value, const std::string& meaning);
  void add_text(const OptionHelp& help, std::string& value);
  void add_number(const OptionHelp& help, const Range& range, int& value);
  void add_number(const OptionHelp& help, const Range& range, std::optional<int>& value);
  // `read` takes the value and gives what is wrong with it; empty: nothing.
  void add_read(const OptionHelp& help, std::function<std::string(const std::string&)> read);
  // May be given several times.
  void add_list(const OptionHelp& help, std::vector<std::string>& values);
  // Arguments that are no options, such as file names, as they were before with_marked_names().
  void add_plain(const std::string& name, const std::string& meaning, std::vector<std::string>& values);
  // Two options that may not be given together.
  void exclude(const std::string& one, const std::string& other);

  // Not told of in --help: for the command itself.
  void hide();

  // To be called last: what to do once the subcommand is parsed becomes `action`.
  void sets(Action& action, Action wanted);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace upres::cli

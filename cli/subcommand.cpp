#include "subcommand.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "options.h"

namespace upres::cli {
namespace {

std::string check_not_empty(const std::string& text) { return text.empty() ? "needs a value" : ""; }

CLI::Option* described(CLI::Option* option, const OptionHelp& help) {
  option->type_name(help.type);
  if (help.shows_default) option->capture_default_str();
  return option;
}

}  // namespace

struct Subcommand::Impl {
  CLI::App* app = nullptr;
  // Options whose values are taken as they are, and where they go.
  std::vector<std::pair<CLI::Option*, std::vector<std::string>*>> lists;
};

Subcommand::Subcommand(CLI::App& app, const std::string& name, const std::string& meaning,
                       std::string_view examples)
    : impl_(std::make_unique<Impl>()) {
  impl_->app = app.add_subcommand(name, meaning);
  impl_->app->footer(std::string(examples));
}

Subcommand::~Subcommand() = default;

void Subcommand::add_flag(const std::string& name, bool& value, const std::string& meaning) {
  impl_->app->add_flag(name, value, meaning);
}

void Subcommand::add_text(const OptionHelp& help, std::string& value) {
  described(impl_->app->add_option(help.names, value, help.meaning), help)->check(check_not_empty);
}

void Subcommand::add_number(const OptionHelp& help, const Range& range, int& value) {
  described(impl_->app->add_option(help.names, value, help.meaning), help)
      ->check(CLI::Range(range.least, range.most));
}

void Subcommand::add_number(const OptionHelp& help, const Range& range, std::optional<int>& value) {
  described(impl_->app->add_option(help.names, value, help.meaning), help)
      ->check(CLI::Range(range.least, range.most));
}

void Subcommand::add_read(const OptionHelp& help, std::function<std::string(const std::string&)> read) {
  const auto take = [name = help.names, read = std::move(read)](const std::string& text) {
    const std::string problem = read(text);
    if (!problem.empty()) throw CLI::ValidationError(name, problem);
  };
  described(impl_->app->add_option_function<std::string>(help.names, take, help.meaning), help);
}

void Subcommand::add_list(const OptionHelp& help, std::vector<std::string>& values) {
  CLI::Option* option = described(impl_->app->add_option(help.names)->description(help.meaning), help);
  option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->check(check_not_empty);
  impl_->lists.emplace_back(option, &values);
}

void Subcommand::add_plain(const std::string& name, const std::string& meaning,
                           std::vector<std::string>& values) {
  CLI::Option* option = impl_->app->add_option(name)->description(meaning);
  option->expected(0, CLI::detail::expected_max_vector_size)->allow_extra_args();
  impl_->lists.emplace_back(option, &values);
}

void Subcommand::exclude(const std::string& one, const std::string& other) {
  impl_->app->get_option(one)->excludes(impl_->app->get_option(other));
}

void Subcommand::hide() { impl_->app->group(""); }

void Subcommand::sets(Action& action, Action wanted) {
  impl_->app->callback([lists = impl_->lists, &action, wanted = std::move(wanted)] {
    for (const auto& [option, values] : lists) {
      *values = option->results();
      for (std::string& value : *values) value = unmarked(value);
    }
    action = wanted;
  });
}

}  // namespace upres::cli

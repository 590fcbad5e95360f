#include "options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include <cstdlib>

#include "app.h"
#include "base/display_name.h"
#include "console.h"
#include "exit_code.h"

namespace upres::cli {
namespace {

using Words = std::vector<std::string>;

struct Case {
  Words given;
  Words understood;
};

TEST(Options, TheSubcommandComesFirst) {
  const Words names = {"upscale", "devices", "models"};
  const Case cases[] = {
      {{"photo.jpg"}, {"upscale", "photo.jpg"}},
      {{"upscale", "photo.jpg"}, {"upscale", "photo.jpg"}},
      {{"models"}, {"models"}},
      {{"./models"}, {"upscale", "./models"}},
      {{"--json", "models"}, {"models", "--json"}},
      {{"--device", "models", "a.png"}, {"upscale", "--device", "models", "a.png"}},
      {{"--device=cpu", "devices"}, {"devices", "--device=cpu"}},
      {{"-o", "models", "a.png"}, {"upscale", "-o", "models", "a.png"}},
      {{"-s3", "models"}, {"models", "-s3"}},
      {{"-s", "3", "a.png", "models"}, {"upscale", "-s", "3", "a.png", "models"}},
      {{"-"}, {"upscale", "-"}},
      {{"--", "models"}, {"upscale", "--", "models"}},
      {{"--overwrite", "a.png"}, {"upscale", "--overwrite", "a.png"}},
      {{"--help"}, {"--help"}},
      {{"--version"}, {"--version"}},
      {{"--help", "a.png"}, {"upscale", "--help", "a.png"}},
      {{"models", "--help"}, {"models", "--help"}},
      {{"--json"}, {"upscale", "--json"}},
      {{}, {}},
      {{""}, {"upscale", ""}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(with_subcommand(c.given, names), c.understood) << ::testing::PrintToString(c.given);
  }
}

TEST(Options, TheCacheFolder) {
  ComputeOptions options;
  ::setenv("UPRES_CACHE", "/a", 1);
  ::setenv("XDG_CACHE_HOME", "/b", 1);
  ::setenv("HOME", "/c", 1);
  EXPECT_EQ(cache_of(options).folder(), "/a");
  ::setenv("UPRES_CACHE", "", 1);
  EXPECT_EQ(cache_of(options).folder(), "/b/upres");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(cache_of(options).folder(), "/c/.cache/upres");
  ::unsetenv("HOME");
  EXPECT_EQ(cache_of(options).folder(), "");
  options.cache = "given";
  EXPECT_EQ(cache_of(options).folder(), "given");
  ::setenv("UPRES_CACHE", "/a", 1);
  EXPECT_EQ(cache_of(options).folder(), "given");
  options.cache.clear();
  options.no_cache = true;
  EXPECT_EQ(cache_of(options).folder(), "");
}

// Parses arguments of a subcommand with everything shared, and two kinds of plain arguments.
struct Parsed {
  ComputeOptions compute;
  ConsoleOptions console;
  std::string output;
  Words inputs;
  bool ok = false;
};

Parsed parse(Words arguments) {
  Parsed parsed;
  CLI::App app;
  Action action;
  Subcommand command(app, "command", "", "");
  command.add_plain("INPUT", "inputs", parsed.inputs);
  command.add_text({"-o", "OUT", "output"}, parsed.output);
  add_compute_options(command, parsed.compute, upscale::Precision::fp32);
  add_console_options(command, parsed.console);
  command.sets(action, [] { return 0; });
  try {
    arguments = with_marked_names(std::move(arguments));
    arguments.insert(arguments.begin(), "command");
    std::reverse(arguments.begin(), arguments.end());
    app.parse(std::move(arguments));
    parsed.ok = action != nullptr;
  } catch (const CLI::ParseError&) {
    parsed.ok = false;
  }
  return parsed;
}

TEST(Options, NamesMayHoldAnything) {
  const Words names = {"a b.png", "[a,b].png", "[a,b]",    "[x]", "{}",  "\x01[",
                       "%s%n",    "a\nb",      "\xff\xfe", "-",   "a=b", "\"q\""};
  const Parsed parsed = parse(names);
  ASSERT_TRUE(parsed.ok);
  EXPECT_EQ(parsed.inputs, names);
  const Parsed dashed = parse({"-o", "-x.png", "--", "-y.png", "--json", "[--]"});
  ASSERT_TRUE(dashed.ok);
  EXPECT_EQ(dashed.output, "-x.png");
  EXPECT_EQ(dashed.inputs, (Words{"-y.png", "--json", "[--]"}));
  EXPECT_FALSE(dashed.console.json);
  const Parsed brackets = parse({"-o", "[a,b]", "x.png"});
  ASSERT_TRUE(brackets.ok);
  EXPECT_EQ(brackets.output, "[a,b]");
}

TEST(Options, LaterWordsAreNoSubcommands) {
  const Words names = {"upscale", "models"};
  EXPECT_EQ(with_marked_names({"models", "models", "-o", "models", "x"}, names),
            (Words{"models", "\x01models", "-o", "models", "x"}));
  EXPECT_EQ(with_marked_names({"upscale", "--", "models"}, names), (Words{"upscale", "\x01models"}));
}

TEST(Options, OptionsWithNothingBehindTheEqualsSign) {
  EXPECT_EQ(option_without_value({"a=", "--cache="}), "--cache=");
  EXPECT_EQ(option_without_value({"--cache=", "a"}), "--cache=");
  EXPECT_EQ(option_without_value({"-o", "--x=", "--cache=a", "--a=b=", "--", "--cache="}), std::nullopt);
}

TEST(Options, ValuesAreChecked) {
  const Parsed all =
      parse({"a.png", "--device", "gpu:1", "--precision", "bf16", "--kernel", "conv_naive", "--tile", "64",
             "--threads", "2", "--cache", "dir", "--json", "--quiet", "--verbose"});
  ASSERT_TRUE(all.ok);
  EXPECT_EQ(all.compute.device, "gpu:1");
  EXPECT_EQ(all.compute.precision, upscale::Precision::bf16);
  EXPECT_EQ(all.compute.kernel, "conv_naive");
  EXPECT_EQ(all.compute.tile_px, 64);
  EXPECT_EQ(all.compute.threads, 2);
  EXPECT_EQ(all.compute.cache, "dir");
  EXPECT_TRUE(all.console.json && all.console.quiet && all.console.verbose);
  EXPECT_EQ(parse({"a.png"}).compute.precision, upscale::Precision::fp32);
  for (const Words& wrong : {Words{"--tile", "0"},
                             {"--tile", "-1"},
                             {"--tile", "x"},
                             {"--tile"},
                             {"--threads", "0"},
                             {"--threads", "2.5"},
                             {"--precision", "fp64"},
                             {"--precision", ""},
                             {"--device", ""},
                             {"--kernel", ""},
                             {"--cache", ""},
                             {"--cache", "a", "--no-cache"},
                             {"--passes"},
                             {"--lower", "on"}}) {
    EXPECT_FALSE(parse(wrong).ok) << ::testing::PrintToString(wrong);
  }
}

TEST(Console, OneLine) {
  EXPECT_EQ(one_line("plain ä"), "plain ä");
  EXPECT_EQ(one_line("a\nb\tc\x1b[2Jd\x7f"), "a\\nb\\tc\\x1b[2Jd\\x7f");
}

TEST(ExitCode, OfEachKindOfError) {
  EXPECT_EQ(exit_code(ErrorCode::input), 1);
  EXPECT_EQ(exit_code(ErrorCode::usage), 2);
  EXPECT_EQ(exit_code(ErrorCode::device), 3);
  EXPECT_EQ(exit_code(ErrorCode::model), 4);
}

}  // namespace
}  // namespace upres::cli

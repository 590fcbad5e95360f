"""Writes the manual page and the shell completions of the command from what its --help says.

    make_manual.py path/to/upres OUT_FOLDER --version 0.1.0

OUT_FOLDER gets upres.1, upres.bash, _upres (zsh) and upres.fish.
"""

import argparse
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# Two spaces, names and value, then the meaning: behind at least two spaces, or on the next line, indented.
ENTRY = re.compile(r"^  (\S.*?)(?:\s{2,}(\S.*))?$")
CONTINUED = re.compile(r"^\s{10,}(\S.*)$")
# Words that are the value of an option, by option.
CHOICES = {"--format": ["jpeg", "png", "webp", "tiff"], "--precision": ["auto", "fp32", "fp16", "bf16"],
           "--device": ["auto", "cpu", "gpu"]}


@dataclass
class Entry:
    """An option, an argument or a subcommand."""
    head: str
    meaning: str = ""

    def names(self) -> list[str]:
        return re.findall(r"(?:^|,)(--?[a-z][a-z-]*)", self.head)

    def takes_value(self) -> bool:
        return " " in self.head


@dataclass
class Help:
    """What one --help says."""
    name: str
    summary: str
    usage: str
    sections: dict[str, list[Entry]] = field(default_factory=dict)
    footer: list[str] = field(default_factory=list)

    def options(self) -> list[Entry]:
        return self.sections.get("Options", [])


def readable(head: str) -> str:
    """Without what the option parser says about itself: "--quality Q:INT in [1 - 100]=95" -> "--quality Q (1 to 100)"."""
    head = re.sub(r"\s+Excludes:.*", "", head)
    head = re.sub(r":INT in \[(\S+) - (\S+)\]", r" (\1 to \2)", head)
    return re.sub(r"=(\S+)$", r" (default \1)", head)


def parse(name: str, text: str) -> Help:
    lines = text.splitlines()
    usage = next(line for line in lines if line.startswith("Usage: "))
    at = lines.index(usage)
    help_text = Help(name, " ".join(lines[:at]).strip(), usage.removeprefix("Usage: "))
    section = None
    for i, line in enumerate(lines[at + 1:], at + 1):
        if line in ("Options:", "Positionals:", "Subcommands:"):
            section = help_text.sections.setdefault(line.rstrip(":"), [])
        elif line.endswith(":") and not line.startswith(" "):
            help_text.footer = lines[i:]
            break
        elif section and (more := CONTINUED.match(line)):
            section[-1].meaning = (section[-1].meaning + " " + more[1]).strip()
        elif section is not None and (entry := ENTRY.match(line)):
            section.append(Entry(readable(entry[1]), entry[2] or ""))
    return help_text


def read_helps(command: str) -> list[Help]:
    """Of the command, then of each subcommand."""
    def run(*words: str) -> str:
        return subprocess.run([command, *words, "--help"], check=True, capture_output=True, text=True).stdout
    main = parse("upres", run())
    return [main] + [parse(entry.head, run(entry.head)) for entry in main.sections["Subcommands"]]


def troff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti")
    return "\\&" + text if text.startswith((".", "'")) else text


def man_entries(entries: list[Entry]) -> list[str]:
    return [line for entry in entries for line in (".TP", f".B {troff(entry.head)}", troff(entry.meaning or "\\&"))]


def man_page(helps: list[Help], version: str) -> str:
    main, commands = helps[0], helps[1:]
    lines = [f'.TH UPRES 1 "" "upres {version}" "User Commands"', ".SH NAME",
             "upres \\- enlarge pictures with convolutional networks", ".SH SYNOPSIS"]
    for command in commands:
        lines += [".br", troff(command.usage)]
    lines += [".SH DESCRIPTION", troff(main.summary), ".SH OPTIONS", *man_entries(main.options())]
    for command in commands:
        lines += [f".SH UPRES {troff(command.name).upper()}", troff(command.summary) + "."]
        for section in ("Positionals", "Options"):
            lines += man_entries(command.sections.get(section, []))
        lines += [".PP", ".nf", *map(troff, command.footer), ".fi"]
    lines += [".SH EXIT STATUS"]
    for code, meaning in (("0", "everything asked for was done"), ("1", "an input failed, the rest was done"),
                          ("2", "wrong usage"), ("3", "the device failed, or none fits"),
                          ("4", "the model cannot be used"), ("129, 130, 143", "hung up, interrupted, terminated")):
        lines += [".TP", f".B {code}", meaning]
    lines += [".SH FILES", ".TP", ".I $UPRES_CACHE, $XDG_CACHE_HOME/upres, ~/.cache/upres",
              "measured results and compiled pipelines; may be deleted at any time"]
    return "\n".join(lines) + "\n"


def bash(helps: list[Help]) -> str:
    cases = []
    for command in helps[1:]:
        words = " ".join(name for entry in command.options() for name in entry.names())
        cases.append(f'    {command.name}) options="{words}" ;;')
    choices = "\n".join(f'    {option}) COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$word")); return ;;'
                        for option, words in CHOICES.items())
    names = " ".join(command.name for command in helps[1:])
    return f"""# bash completion for upres
_upres() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" options=""
  local command=upscale each
  for each in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case " {names} " in *" $each "*) command="$each"; break ;; esac
  done
  case "$previous" in
{choices}
    -m|--model) COMPREPLY=($(compgen -W "$(upres models --quiet --json 2>/dev/null | sed -n 's/.*"name":"\\([^"]*\\)".*/\\1/p')" -- "$word") $(compgen -f -- "$word")); return ;;
  esac
  case "$command" in
{chr(10).join(cases)}
  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$options --help --version" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
    [[ $COMP_CWORD -eq 1 ]] && COMPREPLY+=($(compgen -W "{names}" -- "$word"))
  fi
}}
complete -o filenames -F _upres upres
"""


def quoted(text: str) -> str:
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh_option(entry: Entry) -> str:
    names = entry.names()
    value = ""
    if entry.takes_value():
        words = next((CHOICES[name] for name in names if name in CHOICES), None)
        value = f":value:({' '.join(words)})" if words else ":value:_files"
    return " ".join(f"'{name}[{quoted(entry.meaning)}]{value}'" for name in names)


def zsh(helps: list[Help]) -> str:
    commands = " ".join(f"'{command.name}:{quoted(command.summary)}'" for command in helps[1:])
    cases = "\n".join(f"    {command.name}) _arguments {' '.join(map(zsh_option, command.options()))} '*:file:_files' ;;"
                      for command in helps[1:])
    return f"""#compdef upres
_upres() {{
  local -a commands
  commands=({commands})
  if (( CURRENT == 2 )); then
    _describe command commands
    _files
  fi
  local command=upscale
  (( ${{#commands[(r)$words[2]:*]}} )) && command=$words[2]
  case $command in
{cases}
  esac
}}
_upres "$@"
"""


def fish(helps: list[Help]) -> str:
    names = " ".join(command.name for command in helps[1:])
    lines = ["# fish completion for upres"]
    for command in helps[1:]:
        lines.append(f"complete -c upres -n 'not __fish_seen_subcommand_from {names}' -a {command.name} "
                     f"-d '{fish_quoted(command.summary)}'")
    for command in helps[1:]:
        seen = f"__fish_seen_subcommand_from {command.name}"
        if command.name == "upscale":
            seen += f"; or not __fish_seen_subcommand_from {names}"
        for entry in command.options():
            flags = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in entry.names())
            words = next((CHOICES[name] for name in entry.names() if name in CHOICES), None)
            value = f" -x -a '{' '.join(words)}'" if words else " -r" if entry.takes_value() else ""
            lines.append(f"complete -c upres -n '{seen}' {flags}{value} -d '{fish_quoted(entry.meaning)}'")
    return "\n".join(lines) + "\n"


def fish_quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--version", required=True)
    arguments = parser.parse_args()
    helps = read_helps(arguments.command)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("upres.1", man_page(helps, arguments.version)), ("upres.bash", bash(helps)),
                       ("_upres", zsh(helps)), ("upres.fish", fish(helps))):
        (arguments.folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A command is identified by its path: "/stats", "backup/create", and "" before the command.
#include "db/tools/completion.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "db/base/option_table.h"

namespace lull::tools {
namespace {

/// A word that can be typed, and its meaning.
using Word = std::pair<std::string, std::string>;

struct OptionWord {
  Word word;
  bool has_value = false;
  std::vector<std::string> values;  // none: any
};

struct CommandWords {
  std::string path;
  std::vector<Word> words;  // the next word is one of them; none: it is a directory
  std::vector<OptionWord> options;
};

/// The words of CLI::IsMember, which an option shows in braces.
std::vector<std::string> ValuesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{') + 1, end = type.find('}');
  return begin == 0 ? std::vector<std::string>()
                    : CLI::detail::split(type.substr(begin, end - begin), ',');
}

void AddOptions(const CLI::App& app, CommandWords* command) {
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_positional()) {
      for (const std::string& value : ValuesOf(*option)) command->words.emplace_back(value, "");
    } else {
      command->options.push_back({{"--" + option->get_lnames().front(), option->get_description()},
                                  option->get_items_expected_max() > 0,
                                  ValuesOf(*option)});
    }
  }
}

void AddCommands(const CLI::App& app, const std::string& path, std::vector<CommandWords>* all) {
  const size_t at = all->size();
  all->push_back({path, {}, {}});
  AddOptions(app, &all->back());
  for (const CLI::App* const command : CommandsOf(app)) {
    const std::string name = command->get_name();
    (*all)[at].words.emplace_back(name, command->get_description());
    AddCommands(*command, (at == 0 ? "" : app.get_name()) + "/" + name, all);
  }
}

/// All commands, with the options that they inherit.
std::vector<CommandWords> AllCommands(const CLI::App& app) {
  std::vector<CommandWords> all;
  AddCommands(app, "", &all);
  for (CommandWords& command : all) {
    if (command.path.empty()) continue;
    for (const OptionWord& option : all.front().options) {
      const std::string& name = option.word.first;
      if (name != "--help" && name != "--version") command.options.push_back(option);
    }
    if (command.path != "/options") continue;
    for (const OptionRow& row : OptionTable()) command.words.emplace_back(row.name, "");
  }
  return all;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

template <class Words, class TextOf = std::identity>
std::string Joined(const Words& words, const char* separator, TextOf text_of = {}) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : separator) + text_of(word);
  return text;
}

/// The alternatives of a case: all paths but that of no command.
std::string PathPattern(const std::vector<CommandWords>& all, const char* separator = " | ") {
  const std::vector<CommandWords> named(all.begin() + 1, all.end());
  return Joined(named, separator, [](const CommandWords& command) { return command.path; });
}

/// The branches that tell which values the word before can have.
std::string ValueBranches(const std::vector<CommandWords>& all, const std::string& set_words) {
  std::vector<std::string> seen, free;
  std::string text;
  for (const CommandWords& command : all) {
    for (const auto& [word, has_value, values] : command.options) {
      if (!has_value || std::ranges::find(seen, word.first) != seen.end()) continue;
      seen.push_back(word.first);
      if (values.empty()) free.push_back(word.first);
      if (values.empty()) continue;
      text += "    " + word.first + ") " + set_words + "(" + Joined(values, " ") + ") ;;\n";
    }
  }
  return text + "    " + Joined(free, " | ") + ") return ;;\n";
}

/// Sets `set_words` and options to what can follow the command, then `set_words` to the values of
/// the option before.
template <class TextOf>
std::string Choices(const std::vector<CommandWords>& all, const std::string& set_words,
                    const char* separator, TextOf text_of) {
  std::string text = "  case $command in\n";
  for (const CommandWords& command : all) {
    text += "    " + Quoted(command.path) + ")\n      " + set_words + "(" +
            Joined(command.words, separator, text_of) + ")\n      options=(" +
            Joined(command.options, separator,
                   [&](const OptionWord& option) { return text_of(option.word); }) +
            ") ;;\n";
  }
  return text + "  esac\n  case $before in\n" + ValueBranches(all, set_words) + "  esac\n";
}

std::string Bash(const std::vector<CommandWords>& all) {
  return R"(_lull() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' directory i
  local words=() options=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${command##*/}/${COMP_WORDS[i]} in
      )" +
         PathPattern(all) +
         R"() command=${command##*/}/${COMP_WORDS[i]} ;;
    esac
  done
)" + Choices(all, "words=", " ", [](const Word& word) { return word.first; }) +
         R"(  COMPREPLY=()
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${options[*]}" -- "$word")
  elif [[ ${#words[@]} -gt 0 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$word")
  else
    compopt -o nospace 2>/dev/null
    while read -r directory; do
      [[ -f $directory/CURRENT ]] || directory+=/
      COMPREPLY+=("$directory")
    done < <(compgen -d -- "$word")
  fi
}

complete -F _lull lull
)";
}

/// An argument of zsh's _describe: 'word:meaning'.
std::string Described(const Word& word) {
  return Quoted(word.second.empty() ? word.first : word.first + ":" + word.second);
}

std::string Zsh(const std::vector<CommandWords>& all) {
  return R"(_lull() {
  local word before=${words[CURRENT - 1]} command=''
  local -a choices options
  for word in "${(@)words[2,CURRENT - 1]}"; do
    case ${command##*/}/$word in
      ()" +
         PathPattern(all) +
         R"() command=${command##*/}/$word ;;
    esac
  done
)" + Choices(all, "choices=", "\n        ", Described) +
         R"(  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  elif (( $#choices )); then
    _describe word choices
  else
    _files -/
  fi
}

_lull "$@"
)";
}

/// In fish, a quote is escaped within quotes.
std::string FishQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return quoted + "'";
}

std::string Fish(const std::vector<CommandWords>& all) {
  std::string text = R"(function __lull_is_at
    set -l command ''
    set -l words (commandline -opc)
    for word in $words[2..-1]
        set -l next (string replace -r '.*/' '' -- $command)/$word
        switch $next
            case )" + PathPattern(all, " ") +
                     R"(
                set command $next
        end
    end
    test "$command" = $argv[1]
end

complete -c lull -f
)";
  for (const CommandWords& command : all) {
    const std::string at =
        "complete -c lull -n " + FishQuoted("__lull_is_at " + FishQuoted(command.path));
    for (const auto& [word, meaning] : command.words) {
      text += at + " -a " + word + (meaning.empty() ? "" : " -d " + FishQuoted(meaning)) + "\n";
    }
    if (command.words.empty()) text += at + " -a '(__fish_complete_directories)'\n";
    for (const auto& [word, has_value, values] : command.options) {
      text += at + " -l " + word.first.substr(2) + (has_value ? " -x" : "");
      if (!values.empty()) text += " -a " + FishQuoted(Joined(values, " "));
      text += " -d " + FishQuoted(word.second) + "\n";
    }
  }
  return text;
}

}  // namespace

std::vector<const CLI::App*> CommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string CompletionScript(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandWords> all = AllCommands(app);
  const std::string head = "# Completion of lull, made by: lull completion " + shell + "\n\n";
  if (shell == "zsh") return "#compdef lull\n" + head + Zsh(all);
  return head + (shell == "fish" ? Fish(all) : Bash(all));
}

}  // namespace lull::tools

# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Bash completion for the program lull: commands, options and store directories.

_lull_stores() {
  local folder
  while read -r folder; do
    if [[ -f $folder/CURRENT ]]; then
      COMPREPLY+=("$folder")
    else
      COMPREPLY+=("$folder/")
    fi
  done < <(compgen -d -- "$1")
}

_lull() {
  local word=${COMP_WORDS[COMP_CWORD]} command='' options='--json --hex --help' i
  local commands='stats levels scan get put delete check repair compact checkpoint backup manifest bench options top export'
  local format='--compression --bloom-bits'  # of new tables
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -*) ;;
      *) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command in
    '') options+=' --version' ;;
    stats | levels | check) options+=' --comparator-name' ;;
    scan) options+=' --comparator-name --from --to --prefix --limit --reverse --keys-only --keep-going' ;;
    put) options+=" --sync --create $format" ;;
    delete) options+=" --sync $format" ;;
    repair) options+=" --dry-run --from-lost $format" ;;
    compact | checkpoint) options+=" $format" ;;
    backup) options+=" --id --keep --comparator-name $format" ;;
    top) options+=' --once' ;;
    export) options+=' --listen' ;;
    bench) options+=' --entries --value-bytes --sync' ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
  elif [[ $command == manifest && ${COMP_WORDS[COMP_CWORD - 1]} == manifest ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'dump' -- "$word")
  elif [[ $command == backup && ${COMP_WORDS[COMP_CWORD - 1]} == backup ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'create list verify restore prune' -- "$word")
  else
    compopt -o nospace 2>/dev/null
    _lull_stores "$word"
  fi
}

complete -F _lull lull

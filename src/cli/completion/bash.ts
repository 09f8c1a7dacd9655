import { singleQuoted } from '../../lib/text/shell-quote.ts';
import { posixTables } from './posix.ts';
import type { Tables } from './tables.ts';

/** For bash 3.2 (macOS) and later. */
export function bashScript(tables: Tables): string {
  return `# Completion of ai-code-assistant for bash, written by \`aca completion bash\`.

${posixTables(tables, (words) => singleQuoted(words.map(({ name }) => name).join(' ')))}

__aca_offer() {
  local line IFS=$'\\n'
  case "$kind" in
    files) COMPREPLY=($(compgen -f -- "$cur")) ;;
    folders) COMPREPLY=($(compgen -d -- "$cur")) ;;
    'words '*)
      IFS=$' \\t\\n'
      COMPREPLY=($(compgen -W "\${kind#words }" -- "$cur"))
      ;;
    'asked '*)
      while IFS= read -r line; do
        line=\${line%%$'\\t'*}
        [[ $line == "$cur"* ]] && COMPREPLY+=("$line")
      done < <("$program" __complete "\${kind#asked }" 2>/dev/null)
      ;;
  esac
  if [[ $kind == files || $kind == folders ]] && type compopt >/dev/null 2>&1; then compopt -o filenames; fi
}

_aca() {
  local IFS=$' \\t\\n' program=$1 cur= flag= at= kind= list= piece word whole i
  local -i count=0
  local -a words
  words=()
  COMPREPLY=()
  # Bash cuts words at : and =; they are put together again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    piece=\${COMP_WORDS[i]}
    if ((\${#words[@]} > 0)) && [[ $piece == [:=]* || \${COMP_WORDS[i - 1]} == *[:=] ]]; then
      words[\${#words[@]} - 1]+=$piece
    else
      words+=("$piece")
    fi
  done
  for ((i = 0; i < \${#words[@]} - 1; i++)); do
    word=\${words[i]}
    if [[ $word == -* ]]; then
      flag=
      __aca_value "$at|$word"
      [[ -n $kind ]] && flag=$word
    elif [[ -n $flag ]]; then
      flag=
    elif __aca_is_path "\${at:+$at }$word" && ((count == 0)); then
      at=\${at:+$at }$word
    else
      count+=1
    fi
  done
  cur=\${words[\${#words[@]} - 1]}
  if [[ $cur == --*=* ]]; then
    __aca_value "$at|\${cur%%=*}"
    cur=\${cur#*=}
    __aca_offer
  elif [[ $cur == -* ]]; then
    __aca_options "$at"
    COMPREPLY=($(compgen -W "$list" -- "$cur"))
  elif [[ -n $flag ]]; then
    __aca_value "$at|$flag"
    __aca_offer
  else
    __aca_commands "$at"
    if [[ -n $list ]] && ((count == 0)); then COMPREPLY=($(compgen -W "$list" -- "$cur")); fi
    if ((\${#COMPREPLY[@]} == 0)); then
      __aca_value "$at#$count"
      [[ -z $kind ]] && __aca_value "$at#*"
        __aca_offer
    fi
  fi
  # What stands before the last colon is on the line already.
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
    whole=\${cur%"\${cur##*:}"}
    for ((i = 0; i < \${#COMPREPLY[@]}; i++)); do COMPREPLY[i]=\${COMPREPLY[i]#"$whole"}; done
  fi
}

complete -F _aca aca ai-code-assistant
`;
}

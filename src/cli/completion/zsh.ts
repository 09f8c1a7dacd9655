import { singleQuoted } from '../../lib/text/shell-quote.ts';
import { posixTables } from './posix.ts';
import type { Tables } from './tables.ts';

/** For a folder in \`fpath\` (as _aca) and for \`source\`. */
export function zshScript(tables: Tables): string {
  return `#compdef aca ai-code-assistant
# Completion of ai-code-assistant for zsh, written by \`aca completion zsh\`.

${posixTables(tables, described)}

__aca_offer() {
  local line
  local -a found
  case "$kind" in
    files) _files ;;
    folders) _files -/ ;;
    'words '*) found=(\${=kind#words }); compadd -a found ;;
    'asked '*)
      for line in \${(f)"$($program __complete "\${kind#asked }" 2>/dev/null)"}; do
        if [[ $line == *$'\\t'* ]]; then
          found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
        else
          found+=("\${line//:/\\\\:}")
        fi
      done
      _describe -V value found
      ;;
  esac
}

_aca() {
  local program=$words[1] at= flag= kind= word
  local -i count=0 i
  local -a list
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ $word == -* ]]; then
      flag=
      __aca_value "$at|$word"
      [[ -n $kind ]] && flag=$word
    elif [[ -n $flag ]]; then
      flag=
    elif ((count == 0)) && __aca_is_path "\${at:+$at }$word"; then
      at="\${at:+$at }$word"
    else
      ((count += 1))
    fi
  done
  if [[ $words[CURRENT] == --*=* ]]; then
    __aca_value "$at|\${words[CURRENT]%%=*}"
    compset -P '*='
    __aca_offer
  elif [[ $words[CURRENT] == -* ]]; then
    __aca_options "$at"
    _describe -o option list
  elif [[ -n $flag ]]; then
    __aca_value "$at|$flag"
    __aca_offer
  else
    __aca_commands "$at"
    if ((count == 0 && $#list > 0)); then _describe command list; fi
    __aca_value "$at#$count"
    [[ -z $kind ]] && __aca_value "$at#*"
    __aca_offer
  fi
}

if [[ $funcstack[1] == _aca ]]; then _aca "$@"; else compdef _aca aca ai-code-assistant; fi
`;
}

function described(words: readonly { name: string; about: string }[]): string {
  return `(${words.map(({ name, about }) => singleQuoted(`${name.replaceAll(':', '\\:')}:${about}`)).join(' ')})`;
}

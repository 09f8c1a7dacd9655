import type { Row, Tables } from './tables.ts';

export function fishScript({ flags, args, commands, options, paths }: Tables): string {
  return `# Completion of ai-code-assistant for fish, written by \`aca completion fish\`.

function __aca_value
    switch $argv[1]
${rows([...flags, ...args])}
    end
end

function __aca_commands
    switch $argv[1]
${lists(commands)}
    end
end

function __aca_options
    switch $argv[1]
${lists(options)}
    end
end

function __aca_is_path
    contains -- $argv[1] ${paths.map(quoted).join(' ')}
end

# What may stand for a kind of value: its first word tells the kind, what follows are the words of it.
function __aca_offer --argument-names program kind before
    set -l parts (string split ' ' -- $kind)
    switch "$parts[1]"
        case files
            __fish_complete_path (string replace -- "$before" '' (commandline -ct)) | string replace -r '^' -- "$before"
        case folders
            __fish_complete_directories (string replace -- "$before" '' (commandline -ct)) | string replace -r '^' -- "$before"
        case words
            printf '%s\\n' $before$parts[2..]
        case asked
            command $program __complete $parts[2] 2>/dev/null | string replace -r '^' -- "$before"
    end
end

function __aca_complete
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -l program $tokens[1]
    set -l at ''
    set -l flag ''
    set -l count 0
    for word in $tokens[2..]
        if string match -q -- '-*' $word
            set flag ''
            test -n "$(__aca_value "$at|$word")"; and set flag $word
        else if test -n "$flag"
            set flag ''
        else if test $count -eq 0; and __aca_is_path (string trim -- "$at $word")
            set at (string trim -- "$at $word")
        else
            set count (math $count + 1)
        end
    end
    if string match -q -- '--*=*' $current
        set -l name (string split -m 1 = -- $current)[1]
        __aca_offer $program (__aca_value "$at|$name") "$name="
    else if string match -q -- '-*' $current
        __aca_options $at
    else if test -n "$flag"
        __aca_offer $program (__aca_value "$at|$flag") ''
    else
        test $count -eq 0; and __aca_commands $at
        set -l kind (__aca_value "$at#$count")
        test -n "$kind"; or set kind (__aca_value "$at#*")
        test -n "$kind"; and __aca_offer $program $kind ''
    end
end

for program in aca ai-code-assistant
    complete -c $program -e
    complete -c $program -f -a '(__aca_complete)'
end
`;
}

function rows(all: readonly Row[]): string {
  return all
    .map(({ keys, kind }) => {
      // A bare * in a case is a wildcard in fish.
      const cases = keys.map((key) => quoted(key.replaceAll('*', '\\*')));
      return `        case ${cases.join(' ')}\n            echo ${quoted(kind)}`;
    })
    .join('\n');
}

function lists(all: Tables['commands']): string {
  return all
    .map(({ place, words }) => {
      const items = words.map(({ name, about }) => `${quoted(name)} ${quoted(about)}`);
      return `        case ${quoted(place)}\n            printf '%s\\t%s\\n' ${items.join(' ')}`;
    })
    .join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

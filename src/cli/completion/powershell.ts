import type { Row, Tables } from './tables.ts';

/** For Windows PowerShell 5.1 and PowerShell 7. */
export function powershellScript({ flags, args, commands, options, paths }: Tables): string {
  return `# Completion of ai-code-assistant for PowerShell, written by \`aca completion powershell\`.

Register-ArgumentCompleter -Native -CommandName aca, ai-code-assistant -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # Names of flags differ by case.
    $values = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
${rows([...flags, ...args])}
    $commands = @{}
${lists('commands', commands)}
    $options = @{}
${lists('options', options)}
    $paths = @(${paths.map(quoted).join(', ')})

    $before = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    $program = $commandAst.CommandElements[0].Extent.Text
    $at = ''
    $flag = ''
    $count = 0
    foreach ($word in ($before | Select-Object -Skip 1)) {
        if ($word.StartsWith('-')) {
            $flag = ''
            if ($values.ContainsKey("$at|$word")) { $flag = $word }
        } elseif ($flag -ne '') {
            $flag = ''
        } elseif ($count -eq 0 -and $paths -ccontains "$at $word".Trim()) {
            $at = "$at $word".Trim()
        } else {
            $count++
        }
    }

    function Offer($name, $about) {
        $tip = if ($about) { $about } else { $name }
        [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $tip)
    }
    function OfferKind($kind, $prefix, $typed) {
        if (-not $kind) { return }
        $parts = $kind.Split(' ')
        if ($parts[0] -eq 'words') {
            $parts | Select-Object -Skip 1 | Where-Object { $_ -like "$typed*" } | ForEach-Object { Offer "$prefix$_" '' }
        } elseif ($parts[0] -eq 'asked') {
            & $program __complete $parts[1] 2>$null | ForEach-Object {
                $row = $_.Split("\`t", 2)
                if ($row[0].StartsWith($typed)) { Offer "$prefix$($row[0])" $row[1] }
            }
        }
    }
    function OfferWords($rows) {
        $rows | Where-Object { $_[0] -like "$wordToComplete*" } | ForEach-Object { Offer $_[0] $_[1] }
    }

    if ($wordToComplete -like '--*=*') {
        $name, $typed = $wordToComplete.Split('=', 2)
        OfferKind $values["$at|$name"] "$name=" $typed
    } elseif ($wordToComplete -like '-*') {
        OfferWords $options[$at]
    } elseif ($flag -ne '') {
        OfferKind $values["$at|$flag"] '' $wordToComplete
    } else {
        if ($count -eq 0 -and $commands.ContainsKey($at)) { OfferWords $commands[$at] }
        $kind = $values["$at#$count"]
        if (-not $kind) { $kind = $values["$at#*"] }
        OfferKind $kind '' $wordToComplete
    }
}
`;
}

function rows(all: readonly Row[]): string {
  return all
    .flatMap(({ keys, kind }) => keys.map((key) => `    $values[${quoted(key)}] = ${quoted(kind)}`))
    .join('\n');
}

/** The leading comma keeps a list of one pair a list of pairs. */
function lists(name: string, all: Tables['commands']): string {
  return all
    .map(({ place, words }) => {
      const items = words.map((word) => `, @(${quoted(word.name)}, ${quoted(word.about)})`);
      return `    $${name}[${quoted(place)}] = @(\n        ${items.join('\n        ')}\n    )`;
    })
    .join('\n');
}

function quoted(text: string): string {
  // PowerShell treats typographic quotes as quotes, too.
  return `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
}

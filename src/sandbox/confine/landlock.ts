import { existsSync } from 'node:fs';

/** On almost every Linux system; no shell can make system calls. */
const PERL = '/usr/bin/perl';
/** The number of the call `prctl`. */
const PRCTL: Readonly<Record<string, number>> = { x64: 157, arm64: 167 };

/**
 * Runs before the command, whose process it becomes. Its arguments: what is forbidden (`open`: opening files
 * for writing; `change`: that, and creating, moving and removing anything), except below so many places. With
 * version 2 of Landlock (Linux 5.19), files can still be moved under `open`. A program under these rules cannot
 * trace one that is not, such as the sandbox's own init. Without Landlock, the command runs as it is.
 */
const script = `
delete $ENV{PERL_BADLANG};
my ($what, $prctl) = splice(@ARGV, 0, 2);
my @places = splice(@ARGV, 0, shift(@ARGV));
my ($write, $refer, $change, $truncate) = (2, 0x2000, 0x1ff0, 0x4000);
my $version = syscall(444, 0, 0, 1);
my $handled = $write | $refer;
$handled |= $change if $what eq "change";
$handled |= $truncate if $what eq "change" && $version >= 3;
my $attributes = pack("Q", $handled);
my $rules = $version < 2 ? -1 : syscall(444, $attributes, 8, 0);
if ($rules >= 0) {
  my @open = $what eq "change" ? () : (["/", $refer]);
  for (@open, map { [$_, $what eq "change" ? $write : $write | $refer] } @places) {
    sysopen(my $place, $$_[0], 0x200000) or next;
    my $rule = pack("Ql", $$_[1], fileno($place));
    syscall(445, $rules, 1, $rule, 0);
  }
  syscall($prctl, 38, 1, 0, 0, 0);
  syscall(446, $rules, 0);
}
{ exec { $ARGV[0] } @ARGV }
print STDERR "bwrap: $ARGV[0]: $!\\n";
exit 127;
`;

/** The command line that runs another one so that it can open files for writing only below these places. */
export function writingOnlyBelow(places: readonly string[], command: readonly string[]): string[] {
  return restricted('open', places, command) ?? [...command];
}

/** The command line that runs another one so that it can change no file; null if that cannot be enforced here. */
export function changingNothing(command: readonly string[]): string[] | null {
  return restricted('change', ['/dev'], command);
}

/** Perl must not complain about the user's locale. */
export const quietPerl = { PERL_BADLANG: '0' };

function restricted(
  what: 'open' | 'change',
  places: readonly string[],
  command: readonly string[],
): string[] | null {
  const prctl = PRCTL[process.arch];
  if (process.platform !== 'linux' || prctl === undefined || !existsSync(PERL)) return null;
  return [PERL, '-e', script, what, String(prctl), String(places.length), ...places, ...command];
}

import { existsSync } from 'node:fs';

/** On almost every Linux system; no shell can make system calls. */
const PERL = '/usr/bin/perl';

/**
 * Runs inside, before the command: allows opening files for writing only below the given places, and runs the
 * rest of its arguments. Read-only mounts do not cover named pipes, this does (Landlock; with version 2, since
 * Linux 5.19, files can still be moved between folders). A program under these rules cannot trace one that is
 * not, such as the sandbox's own init. Without Landlock, the command runs as it is.
 */
const script = `
delete $ENV{PERL_BADLANG};
my @places = splice(@ARGV, 0, shift(@ARGV));
my ($write, $refer) = (2, 0x2000);
my $rules = -1;
if (syscall(444, 0, 0, 1) >= 2) {
  my $handled = pack("Q", $write | $refer);
  $rules = syscall(444, $handled, 8, 0);
}
if ($rules >= 0) {
  for (["/", $refer], map { [$_, $write | $refer] } @places) {
    sysopen(my $place, $$_[0], 0x200000) or next;
    my $rule = pack("Ql", $$_[1], fileno($place));
    syscall(445, $rules, 1, $rule, 0);
  }
  syscall(446, $rules, 0);
}
{ exec { $ARGV[0] } @ARGV }
print STDERR "bwrap: $ARGV[0]: $!\\n";
exit 127;
`;

/** The command line that runs another one so that it can open files for writing only below these places. */
export function writingOnlyBelow(places: readonly string[], command: readonly string[]): string[] {
  return existsSync(PERL) ? [PERL, '-e', script, String(places.length), ...places, ...command] : [...command];
}

/** Perl must not complain about the user's locale. */
export const quietPerl: readonly string[] = ['--setenv', 'PERL_BADLANG', '0'];

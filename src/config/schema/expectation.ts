import type { z } from 'zod';

/** Describes the expected value and never repeats the actual one, which may be a secret. */
export function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected === 'int' ? 'whole number' : issue.expected)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty';
      return `must be ${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an http or https URL' : 'has an invalid format';
    case 'custom':
      // Our own message: "It must be …".
      return `is wrong: ${issue.message.replace(/^It/, 'it').replace(/\.$/, '')}`;
    default:
      return 'has an invalid value';
  }
}

/** A kind of value, as people call it. */
export function article(noun: string): string {
  const word =
    noun === 'record' || noun === 'object' ? 'table ({ … })' : noun === 'array' ? 'list ([ … ])' : noun;
  return word === 'null' ? word : `a ${word}`;
}

/**
 * Why a release of this version cannot go out with this changelog, or null.
 * @param {string} text
 * @param {string} version
 * @returns {string | null}
 */
export function changelogProblem(text, version) {
  const [, title, name, date] = /^## ((\S+)(?: - (\d{4}-\d\d-\d\d))?.*)$/m.exec(text) ?? [];
  if (title === undefined) return `CHANGELOG.md has no section for ${version}.`;
  if (/^\[?unreleased\b/i.test(title))
    return `CHANGELOG.md begins with "${title}". Move its lines to "## ${version} - DATE", and delete the heading.`;
  if (name !== version) return `CHANGELOG.md begins with ${name}, package.json has ${version}.`;
  return date === undefined
    ? `${version} has no date in CHANGELOG.md. The heading is "## ${version} - 2027-01-31".`
    : null;
}

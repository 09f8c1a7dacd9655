/** The user information of URLs in a text; passwords may contain characters that should have been escaped. */
const USER_INFO =
  /\b(?:(rediss?:\/\/)(.*)|([a-z][a-z0-9+.-]*:\/\/)([^\s"/]*|[^\s"/:@]*:(?!\d+\/)[^\s"]*))@/gi;

/**
 * A text, such as the message of a program, whose URLs have no passwords. A name without a password may be a token,
 * except for SSH, which asks for a key.
 */
export function withoutPasswords(text: string): string {
  return text.replaceAll(USER_INFO, (_, redis?: string, _info?: string, scheme = '', info = '') => {
    const [user = ''] = info.split(':');
    return /^(git\+)?ssh:/i.test(scheme) && user !== '' ? `${scheme}${user}@` : (redis ?? scheme);
  });
}

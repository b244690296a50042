// What a person is asked to agree to is shown whole: characters that nobody sees, or that turn a line around, are written
// out, as the command line does it (src/base/characters.hpp).
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

export function seen(text: string): string {
  return text.replace(UNSEEN, (one) => {
    const code = one.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16).padStart(4, '0')}}`;
  });
}

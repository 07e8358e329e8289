/**
 * Line breaks as every editor counts them: LF, CRLF and a lone CR are one each.
 */
export function lineBreaks(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) count += 1;
  }
  return count;
}

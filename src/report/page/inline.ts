/** A script in a page ends at the first `</script`, even inside a string. */
export function inline(script: string): string {
  return script.replace(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
}

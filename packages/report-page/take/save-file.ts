/** Files for download: the page creates them itself, and nothing is sent anywhere. */

export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function saveText(name: string, text: string, type = 'text/plain'): void {
  saveFile(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** False if the browser does not let the page use the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

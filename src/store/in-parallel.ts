/**
 * Does `work` for every element, at most `limit` at once. After the first failure nothing new is started; it throws
 * once running work has ended, so that no write continues after it.
 */
export async function inParallel<T>(
  elements: Iterable<T>,
  limit: number,
  work: (element: T) => Promise<void>,
): Promise<void> {
  const source = elements[Symbol.iterator]();
  let failure: { readonly error: unknown } | null = null;
  const lane = async (): Promise<void> => {
    while (failure === null) {
      const next = source.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, lane));
  const found = failure as { readonly error: unknown } | null;
  if (found !== null) throw found.error;
}

/** Work for many elements, several at once. */

/**
 * Does `work` for every element, at most `limit` at once. After the first failure nothing new is started; it throws
 * once running work has ended, so that no write continues after it.
 */
export async function runInParallel<T>(
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

/**
 * The outcomes of `work`, in the order of the elements, with at most `ahead` of them in progress. After a failure
 * nothing new is started, and running work is not awaited: use it only for work that reads.
 */
export async function* runInOrder<T, R>(
  elements: Iterable<T> | AsyncIterable<T>,
  ahead: number,
  work: (element: T) => Promise<R>,
): AsyncGenerator<R> {
  const underWay: Promise<R>[] = [];
  for await (const element of elements) {
    const outcome = work(element);
    // The error is thrown when its turn comes.
    outcome.catch(() => undefined);
    underWay.push(outcome);
    const [first] = underWay;
    if (first === undefined || underWay.length < ahead) continue;
    void underWay.shift();
    yield await first;
  }
  for (const outcome of underWay) yield await outcome;
}

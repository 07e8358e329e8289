/**
 * The outcomes of `work`, in the order of the elements, with at most `ahead` of them in progress. After a failure
 * nothing new is started, and running work is not awaited: use it only for work that reads.
 */
export async function* inOrder<T, R>(
  elements: AsyncIterable<T>,
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

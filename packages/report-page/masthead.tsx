/** Name and end of the campaign, and the link back from an item. */
import type { PageData } from '../../src/report/page-data.ts';
import { dateText, durationText } from './words.ts';

export function Masthead({
  data,
  item,
}: {
  readonly data: PageData;
  readonly item: string | null;
}) {
  const { name, state, startedAt, endedAt } = data;
  const took = endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt);
  return (
    <header class="masthead">
      <div>
        {item === null ? (
          <h1>{name}</h1>
        ) : (
          <p class="name">
            <a href="#">{name}</a>
          </p>
        )}
        <p class="quiet">
          {state}, {dateText(startedAt)}
          {took !== null && <>, took {durationText(took)}</>}
        </p>
      </div>
      {item === null && (
        <div class="tools">
          <button type="button" onClick={showItems}>
            Go to items
          </button>
        </div>
      )}
    </header>
  );
}

function showItems(): void {
  const heading = document.getElementById('items');
  heading?.scrollIntoView();
  heading?.focus({ preventScroll: true });
}

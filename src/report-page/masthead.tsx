/** Name and end of the campaign, the link back from an item, and the choice between light and dark. */
import { useState } from 'preact/hooks';
import type { PageData } from './data.ts';
import { dateText, durationText } from './words.ts';

type Theme = 'auto' | 'light' | 'dark';
const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];
const STORED = 'hundredfold-theme';

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
      <div class="tools">
        {item === null && (
          <button type="button" onClick={showItems}>
            Go to items
          </button>
        )}
        <ThemeChoice />
      </div>
    </header>
  );
}

function showItems(): void {
  const heading = document.getElementById('items');
  heading?.scrollIntoView();
  heading?.focus({ preventScroll: true });
}

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  return (
    <label class="theme">
      Theme{' '}
      <select
        value={theme}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value as Theme;
          showTheme(chosen);
          setTheme(chosen);
        }}
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {one === 'auto' ? 'system' : one}
          </option>
        ))}
      </select>
    </label>
  );
}

function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    // Some browsers have no storage for pages from disk: the choice is then lost with the page.
  }
}

function storedTheme(): Theme {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(STORED);
  } catch {
    // As above.
  }
  const theme = THEMES.find((one) => one === stored) ?? 'auto';
  document.documentElement.dataset['theme'] = theme;
  return theme;
}

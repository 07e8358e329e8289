/** Everything that can happen to a budget, as commands for fast-check. */
import fc from 'fast-check';
import type { Policy } from '../../src/budget/policy.ts';
import type { Request } from '../../src/budget/queue.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/limits.ts';
import { aRequest } from './a-budget.ts';
import type { BudgetUnderTest } from './budget-under-test.ts';
import { CAMPAIGNS, policy, type WorldKind } from './setting.ts';
import type { World } from './world.ts';

type Command = fc.Command<World, BudgetUnderTest>;

/** A command that is shown as one line, and may be impossible at its place in a history. */
function command(
  told: string,
  run: (world: World, budget: BudgetUnderTest) => void,
  check: (world: World) => boolean = () => true,
): Command {
  return {
    check,
    run(world, budget) {
      world.write?.(told);
      run(world, budget);
    },
    toString: () => told,
  };
}

const campaign = fc.constantFrom(...CAMPAIGNS);
const which = fc.nat(20);

function requestOf(world: World, name: string): Request {
  return aRequest(`item-${world.items.size + 1}`, { campaign: name });
}

/** An item that was requested and fulfils a condition. */
function pick(world: World, n: number, fits: (item: string) => boolean): Request | undefined {
  const items = [...world.items.values()].filter(({ item }) => fits(item));
  return items[n % items.length];
}

const isOpen = (world: World) => (item: string) =>
  world.expected.waiting.has(item) || world.expected.openOf(item) !== undefined;

const asks = fc
  .record({ campaign, items: fc.integer({ min: 1, max: 6 }) })
  .map(({ items, campaign: name }) =>
    command(`${name} asks for ${items}`, (world) => {
      for (let i = 0; i < items; i += 1) world.ask(requestOf(world, name));
    }),
  );

/** The same request twice: a repeated signal, or an item that has forgotten its request. */
const asksTwice = which.map((n) =>
  command(
    `open item ${n} is asked for again`,
    (world) => world.ask(pick(world, n, isOpen(world)) as Request),
    (world) => pick(world, n, isOpen(world)) !== undefined,
  ),
);

/** After its end, another run through `retry`. */
const asksOnceMore = which.map((n) => {
  const answered = (world: World) => pick(world, n, (item) => !isOpen(world)(item));
  return command(
    `item ${n}, which was answered, is asked for with its next generation`,
    (world) => {
      const request = answered(world) as Request;
      const { job, run } = request;
      const next = { ...job, generation: job.generation + 1 };
      world.ask({ ...request, attempt: 0, run: `${run}r`, job: next });
    },
    (world) => answered(world) !== undefined,
  );
});

const isFound = which.map((n) =>
  command(
    `a look-up finds unsure job ${n}`,
    (world) => world.find(nth(world.unsure(true), n)),
    (world) => world.unsure(true).length > 0,
  ),
);

/** Also where the service did not tell of a job that it has. */
const isAbsent = fc.record({ n: which, hidden: fc.nat(9) }).map(({ n, hidden }) => {
  const absent = (world: World) =>
    world
      .unsure(hidden === 9)
      .filter(({ request }) => world.isLatest(request) && !isOpen(world)(request.item));
  return command(
    `unsure job ${n} is not found and sent again`,
    (world) => {
      world.repeat(nth(absent(world), n), n % 4 !== 0);
    },
    (world) => absent(world).length > 0,
  );
});

function nth<T>(all: readonly T[], n: number): T {
  return all[n % all.length] as T;
}

const withdraws = which.map((n) =>
  command(
    `the run of open item ${n} is withdrawn`,
    (world) => world.withdraw(pick(world, n, isOpen(world)) as Request),
    (world) => pick(world, n, isOpen(world)) !== undefined,
  ),
);

const pauses = fc
  .record({ campaign, paused: fc.boolean() })
  .map(({ campaign: name, paused }) =>
    command(`${name} is ${paused ? 'paused' : 'resumed'}`, (world) => world.pause(name, paused)),
  );

const passes = fc
  .oneof(
    { weight: 3, arbitrary: fc.nat(40) },
    { weight: 3, arbitrary: fc.nat(400) },
    { weight: 3, arbitrary: fc.nat(3_000) },
    { weight: 1, arbitrary: fc.nat(LATEST_ACCEPTANCE_MS) },
  )
  .map((ms) => command(`${ms} ms pass`, (world) => world.pass(ms)));

const sleeps = fc
  .nat(5_000)
  .map((ms) => command(`the machine sleeps for ${ms} ms`, (world) => world.sleep(ms)));

const show = ({ windows }: Policy): string =>
  windows.map(({ limit, windowMs }) => `${limit} per ${windowMs} ms`).join(' and ') || 'no limit';

const changes = fc.record({ own: policy, none: fc.nat(9) }).map(({ own, none }) => {
  const changed = none === 9 ? { ...own, windows: [{ limit: 0, windowMs: 400 }] } : own;
  return command(`the limit is ${show(changed)}`, (world) => world.change(changed));
});

const travels = fc.constant(
  command('continue-as-new', (world, budget) => budget.continueAsNew(world.shown)),
);

const foreign = fc
  .record({ isOurToken: fc.boolean(), jobs: fc.integer({ min: 1, max: 5 }) })
  .map(({ isOurToken, jobs }) =>
    command(
      `somebody else sends ${jobs} ${isOurToken ? 'with our token' : 'from our address'}`,
      (world) => world.foreign(isOurToken, jobs),
    ),
  );

const DAY_MS = 86_400_000;
const steps = fc
  .oneof(fc.integer({ min: 0, max: 3_000 }), fc.constant(DAY_MS))
  .map((ms) => command(`the clock is set forward by ${ms} ms`, (world) => world.setClock(ms)));

const EVERYWHERE = [
  ...Array<typeof asks>(3).fill(asks),
  ...Array<typeof passes>(5).fill(passes),
  ...[sleeps, asksTwice, asksOnceMore, isFound, isAbsent, isAbsent],
  ...[withdraws, pauses, changes, travels],
];

const ONLY: Readonly<Record<WorldKind, readonly fc.Arbitrary<Command>[]>> = {
  quiet: [],
  old: [],
  shared: [foreign, foreign, foreign],
  clocks: [steps, steps],
};

const MAX_COMMANDS = 50;

export function histories(world: WorldKind): fc.Arbitrary<Iterable<Command>> {
  return fc.commands([...EVERYWHERE, ...ONLY[world]], {
    maxCommands: MAX_COMMANDS,
    size: 'max',
  });
}

/** What the linter asks of names in `src` and `packages`: verbs for what does something, no word that says nothing. */

/** Words that had several meanings each, or none that a newcomer knows. */
const FORBIDDEN = `attendance believed blame brake cadence doubt fate happening manners patience standing unwell
wanted welcome whereabouts`;

/** A new verb may be added: it says what a function does, and no other verb here says the same. */
const VERBS = `abandon accept add address adjust adopt announce append apply ask assert assign assume await become
begin build bundle cache call can cancel change charge check choose classify clean close collect colour combine
compare compete complete compute conclude configure confirm connect convert copy count create cut decide decode
decompress defer define deliver derive describe detach detect diagnose digest discard divide download draw drop echo
empty encode end ensure escape estimate exit expect explain export extract fetch fill filter find finish fit fix fold
follow forecast forget format free freeze generate get give grant group grow guard handle has hash hold identify
ignore index infer inherit init insert install interpret is join judge keep kill label launch lay leave limit link
list listen load locate log look make map mark match measure merge move name next normalise note notify observe omit
open order pace pack pad paint parse pass pause pick place plan poll post prepare prepend print probe process publish
pull put quote raise read rebuild recall receive recognise reconcile record recover refuse register reject release
remember remove rename render renew reopen repair repeat replace replay reply report request require reserve reset
resolve restore resume retry return reveal round run save say scan seed select send serialize serve set settle share
shorten should show shut signal silence skip sort spell split start stop store stream strip submit subtract suggest
sum summarise supply survey swap sweep sync take throttle throw tighten to track transcode transfer try unguard unpack
update upload use verify view visit wait walk warn watch with withdraw wrap write`;

/** Functions that answer a question, or give a value of another. */
const QUESTIONS = `accepts answers applies are finishes has have is matches may null starts was with`;

/** Commands and workflows, which everybody knows by these names. */
const NOUNS = `budget campaign doctor item items logs services status ui worker`;

const splitWords = (text: string) => text.split(/\s+/);
const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const begins = splitWords(`${VERBS} ${QUESTIONS}`).join('|');
const forbidden = splitWords(FORBIDDEN);
const odd = `^(?:${forbidden.join('|')})s?(?![a-z])|(?:${forbidden.map(capitalize).join('|')})s?(?![a-z])`;
const DECLARED = [
  ':matches(VariableDeclarator, FunctionDeclaration, ClassDeclaration) > .id',
  ':matches(TSTypeAliasDeclaration, TSInterfaceDeclaration) > .id',
  ':matches(Property, PropertyDefinition, MethodDefinition) > .key',
  ':matches(TSPropertySignature, TSMethodSignature) > .key',
  ':function > .params',
];

/** For ESLint's `no-restricted-syntax`. */
export const NAMES = [
  {
    selector: `FunctionDeclaration > .id[name=/^[a-z]/][name!=/^(?:${begins})(?![a-z])|^(?:${splitWords(NOUNS).join('|')})$/]`,
    message: 'Begin the name of a function with a verb (scripts/names.ts has the list).',
  },
  {
    selector: DECLARED.map((place) => `${place}[name=/${odd}/]`).join(', '),
    message: 'Choose a word that a newcomer knows (scripts/names.ts has those to avoid).',
  },
];

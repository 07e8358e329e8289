/** Prints the manual page of the package, from the same commands and options as `--help`: `node scripts/man.ts`. */
import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.ts';

const program = await createProgram();

const EXIT_STATUS = [
  ['0', 'Every item succeeded, or the question was answered.'],
  ['1', 'Wrong use, or an error of the program.'],
  ['2', 'The manifest or the configuration was refused; nothing was submitted.'],
  ['3', 'The campaign ended with failed or held items.'],
  ['4', 'The campaign was cancelled.'],
  ['130', 'Interrupted; the campaign is durable, and the same command resumes it.'],
] as const;

/** man(7), as groff and mandoc read it. */
function manPage(): string {
  const lines = [
    `.TH HUNDREDFOLD 1 "" "hundredfold ${program.version() ?? ''}" "User Commands"`,
    '.SH NAME',
    `hundredfold \\- ${text(firstSentence(program.description()))}`,
    '.SH SYNOPSIS',
    '.B hundredfold',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    text(program.description()),
    '.SH OPTIONS',
    ...options(program),
    '.SH COMMANDS',
    ...visible(program).flatMap((command) => section(command, '')),
    '.SH EXIT STATUS',
    ...EXIT_STATUS.flatMap(([code, words]) => tagged(code, words)),
    '.SH FILES',
    ...tagged('hundredfold.yaml', 'Configuration, in the folder in which the command is run.'),
    ...tagged('results/', 'Output trees, one folder per campaign.'),
    ...tagged('.hundredfold/', 'The embedded Temporal server: its database and its logs.'),
  ];
  return `${lines.join('\n')}\n`;
}

function section(command: Command, parent: string): string[] {
  const name = `${parent}${command.name()}`;
  const inner = visible(command);
  if (inner.length > 0) return inner.flatMap((one) => section(one, `${name} `));
  return [
    `.SS "hundredfold ${text(`${name} ${command.usage()}`)}"`,
    text(command.description()),
    ...command.registeredArguments
      .filter(({ description }) => description !== '')
      .flatMap((one) => tagged(one.name(), one.description)),
    ...options(command),
  ];
}

function visible(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');
}

function options(command: Command): string[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .flatMap((option) => tagged(help.optionTerm(option), help.optionDescription(option)));
}

function tagged(term: string, words: string): string[] {
  return ['.TP', `.B ${text(term)}`, text(words)];
}

function firstSentence(words: string): string {
  return (words.split('. ')[0] ?? words).replace(/\.$/, '');
}

/** A line starting with a dot or a quote would be a request; `\-` is the hyphen on the keyboard. */
function text(words: string): string {
  const escaped = words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replaceAll('"', '\\(dq');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

process.stdout.write(manPage());

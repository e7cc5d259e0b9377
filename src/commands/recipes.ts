import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type Command, InvalidArgumentError } from 'commander'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { blockedTermsFile, readConfig } from '../config/config.ts'
import { canonicalJson } from '../knowledge/canonical-json/canonical-json.ts'
import {
  compileSource,
  formatOf,
  lintSource,
} from '../knowledge/recipes/compile/compile-document.ts'
import { readBlockedTerms } from '../knowledge/recipes/check/literal-detectors.ts'
import { isError } from '../knowledge/recipes/parse/violations.ts'
import { Failure } from '../failure/failure.ts'
import { TermsFile } from '../files/blocked-terms.ts'
import { print, report } from './terminal/connection.ts'
import { exitCodes } from './terminal/exit-codes.ts'

interface LintOptions {
  readonly json?: boolean
  readonly strict?: boolean
  readonly blockedTerms?: string
}

interface CompileOptions {
  readonly input: Readonly<Record<string, string>>
  readonly inputs?: string
  readonly timeout?: number
  readonly commandId?: string
  readonly skill?: string
  readonly artifact?: string
}

/** Both are worked out here and now; no daemon is asked. */
export function addRecipesCommand(program: Command): void {
  const recipes = program.command('recipes').description('check and compile recipes')
  recipes
    .command('lint <file>')
    .description('everything that is wrong with a recipe; exit code 1 when something is')
    .option('--strict', 'an unknown field is an error, not a warning')
    .option(
      '--blocked-terms <file>',
      'words that must not be in it, one per line (default: those of the home)',
    )
    .option('--json', 'print JSON for programs')
    .action((file: string, options: LintOptions) => report(() => lint(file, options)))
  recipes
    .command('compile <file>')
    .description('print the execution a recipe stands for')
    .option('--input <name=value>', 'a value for an input; may be repeated', collect, {})
    .option('--inputs <file>', 'a JSON file with values for inputs')
    .option('--timeout <ms>', 'the time the execution may take', milliseconds)
    .option('--command-id <id>', 'instead of the one made from the recipe and its inputs')
    .option('--skill <id>', 'the skill a template belongs to')
    .option('--artifact <name>', 'the name of a template (default: that of the file)')
    .action((file: string, options: CompileOptions) => report(() => compile(file, options)))
}

async function lint(file: string, options: LintOptions): Promise<void> {
  const words = await read(file)
  const terms = await blockedTerms(options.blockedTerms)
  const { violations } = lintSource(sourceOf(file, words), {
    strict: options.strict,
    blockedTerms: terms,
  })
  const valid = !violations.some(isError)
  print(options, { valid, violations }, () =>
    violations.length === 0 ? `${file}: nothing wrong` : lines(file, violations),
  )
  if (!valid) process.exitCode = exitCodes.problem
}

async function compile(file: string, options: CompileOptions): Promise<void> {
  const words = await read(file)
  const given = options.inputs === undefined ? {} : parseInputs(await read(options.inputs))
  const request = {
    inputs: { ...given, ...options.input },
    timeoutMs: options.timeout,
    commandId: options.commandId,
    skill_id: options.skill,
    artifact_name: options.artifact ?? file.split('/').at(-1),
  }
  try {
    const { execution } = compileSource(sourceOf(file, words), request)
    process.stdout.write(`${canonicalJson(execution)}\n`)
  } catch (error) {
    const violations = error instanceof Failure ? error.details?.['violations'] : undefined
    if (!Array.isArray(violations)) throw error
    process.stderr.write(`${lines(file, violations as Violation[])}\n`)
    process.exitCode = exitCodes.problem
  }
}

function lines(file: string, violations: readonly Violation[]): string {
  return violations
    .map(({ line, severity, code, rule, path, message }) => {
      const place = line === undefined ? file : `${file}:${line}`
      return `${place}: ${severity} ${code} (rule ${rule}) ${path === '' ? '' : `${path}: `}${message}`
    })
    .join('\n')
}

function sourceOf(file: string, words: string) {
  return { text: words, format: file.endsWith('.md') ? ('markdown' as const) : formatOf(words) }
}

/** Those of the file that is named, else of the one in the home, if there is one. */
async function blockedTerms(file: string | undefined): Promise<string[]> {
  const own = new TermsFile(blockedTermsFile(readConfig()))
  return readBlockedTerms(file === undefined ? await own.text() : await read(file))
}

function read(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readFile(file, 'utf8')
}

function parseInputs(words: string): Readonly<Record<string, unknown>> {
  const inputs: unknown = JSON.parse(words)
  if (!isRecord(inputs)) throw new Error('Inputs are an object with a value under each name.')
  return inputs
}

function collect(pair: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const at = pair.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It takes name=value.')
  return { ...before, [pair.slice(0, at)]: pair.slice(at + 1) }
}

function milliseconds(value: string): number {
  const ms = Number(value)
  if (!Number.isInteger(ms)) throw new InvalidArgumentError('It takes milliseconds.')
  return ms
}

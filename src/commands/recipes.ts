import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type Command, InvalidArgumentError } from 'commander'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { resolveBlockedTermsFile, readConfig } from '../config/config.ts'
import { canonicalJson } from '../knowledge/canonical-json/canonical-json.ts'
import { compileSource, detectFormat, lintSource } from '../knowledge/recipes/compile/compile-document.ts'
import { readBlockedTerms } from '../knowledge/recipes/check/literal-detectors.ts'
import { isError } from '../knowledge/recipes/parse/violations.ts'
import { Failure } from '../failure/failure.ts'
import { TermsFile } from '../files/blocked-terms.ts'
import { printResult, reportFailures } from './terminal/connection.ts'
import { EXIT_CODES } from './terminal/exit-codes.ts'

interface LintOptions {
  readonly json?: boolean
  readonly strict?: boolean
  readonly blockedTerms?: string
}

interface CompileOptions {
  readonly input?: Readonly<Record<string, string>>
  readonly inputs?: string
  readonly timeout?: number
  readonly commandId?: string
  readonly skill?: string
  readonly artifact?: string
}

/** Works without a daemon. */
export function addRecipesCommand(program: Command): void {
  const recipes = program.command('recipes').description('check and compile recipes')
  recipes
    .command('lint <file>')
    .description('check a recipe; exit code 1 if it has errors')
    .option('--strict', 'treat unknown fields as errors, not as warnings')
    .option('--blocked-terms <file>', 'forbidden words, one per line (default: the file in the home)')
    .option('--json', 'print JSON')
    .action((file: string, options: LintOptions) => reportFailures(() => lint(file, options)))
  recipes
    .command('compile <file>')
    .description('compile a recipe and print the execution')
    .option('--input <name=value>', 'value of an input; may be repeated', collectInput)
    .option('--inputs <file>', 'JSON file with the values of inputs')
    .option('--timeout <ms>', 'time limit of the execution', parseMilliseconds)
    .option('--command-id <id>', 'commandId (default: derived from the recipe and its inputs)')
    .option('--skill <id>', 'the skill a template belongs to')
    .option('--artifact <name>', 'name of a template (default: the file name)')
    .option('--json', 'print JSON, as without this option')
    .action((file: string, options: CompileOptions) => reportFailures(() => compile(file, options)))
}

async function lint(file: string, options: LintOptions): Promise<void> {
  const source = await readInput(file)
  const terms = await readTerms(options.blockedTerms)
  const { violations } = lintSource(toSource(file, source), {
    strict: options.strict,
    blockedTerms: terms,
  })
  const valid = !violations.some(isError)
  printResult(options, { valid, violations }, () =>
    violations.length === 0 ? `${file}: no problems` : formatViolations(file, violations),
  )
  if (!valid) process.exitCode = EXIT_CODES.failure
}

async function compile(file: string, options: CompileOptions): Promise<void> {
  const source = await readInput(file)
  const given = options.inputs === undefined ? {} : parseInputs(await readInput(options.inputs))
  const request = {
    inputs: { ...given, ...options.input },
    timeoutMs: options.timeout,
    commandId: options.commandId,
    skill_id: options.skill,
    artifact_name: options.artifact ?? file.split('/').at(-1),
  }
  try {
    const { execution } = compileSource(toSource(file, source), request)
    process.stdout.write(`${canonicalJson(execution)}\n`)
  } catch (error) {
    const violations = error instanceof Failure ? error.details?.['violations'] : undefined
    if (!Array.isArray(violations)) throw error
    process.stderr.write(`${formatViolations(file, violations as Violation[])}\n`)
    process.exitCode = EXIT_CODES.failure
  }
}

function formatViolations(file: string, violations: readonly Violation[]): string {
  return violations
    .map(({ line, severity, code, rule, path, message }) => {
      const place = line === undefined ? file : `${file}:${line}`
      return `${place}: ${severity} ${code} (rule ${rule}) ${path === '' ? '' : `${path}: `}${message}`
    })
    .join('\n')
}

function toSource(file: string, source: string) {
  return {
    text: source,
    format: file.endsWith('.md') ? ('markdown' as const) : detectFormat(source),
  }
}

/** Reads the given file, or else the one in the home, which may be absent. */
async function readTerms(file: string | undefined): Promise<string[]> {
  const own = new TermsFile(resolveBlockedTermsFile(readConfig()))
  return readBlockedTerms(file === undefined ? await own.text() : await readInput(file))
}

function readInput(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readFile(file, 'utf8')
}

function parseInputs(source: string): Readonly<Record<string, unknown>> {
  const inputs: unknown = JSON.parse(source)
  if (!isRecord(inputs)) throw new Error('--inputs must be a JSON object with a value for each name.')
  return inputs
}

function collectInput(pair: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = pair.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Expected name=value.')
  return { ...before, [pair.slice(0, at)]: pair.slice(at + 1) }
}

function parseMilliseconds(value: string): number {
  const ms = Number(value)
  if (!Number.isInteger(ms)) throw new InvalidArgumentError('Expected a number of milliseconds.')
  return ms
}

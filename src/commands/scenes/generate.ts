import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { parse, TomlError } from 'smol-toml'
import type { SceneAnalysis, SceneEvidence } from '@apprentice/contracts/scenes/analysis.ts'
import { type GeneratedScene, SceneAnswers } from '@apprentice/contracts/scenes/generation.ts'
import { jobWorkers } from '../../workers/worker-pool.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'
import { reportUsageFailures, UsageError, withUsageExitCode } from '../terminal/usage-error.ts'

interface AnalyzeOptions {
  readonly json?: boolean
}

interface GenerateOptions extends AnalyzeOptions {
  readonly out: string
  readonly answers?: string
  readonly standIn?: boolean
}

/** Commands that need no daemon: they read a folder and write a package. */
export function addGenerateScenes(scenes: Command): void {
  withUsageExitCode(scenes.command('analyze <folder>'))
    .description('show what a saved page says about its report, with places, and what it leaves open')
    .option('--json', 'print JSON')
    .action((folder: string, options: AnalyzeOptions) => reportUsageFailures(() => analyze(folder, options)))
  withUsageExitCode(scenes.command('generate <folder>'))
    .description('write a scene package from a saved page; exit code 1 if it is not ready')
    .requiredOption('-o, --out <folder>', 'the folder in which the package is created')
    .option('--answers <file>', 'a TOML file with what the folder does not say')
    .option('--stand-in', 'put the files of the folder into the package, so that it runs without a network')
    .option('--json', 'print JSON')
    .action((folder: string, options: GenerateOptions) => reportUsageFailures(() => generate(folder, options)))
}

async function analyze(folder: string, options: AnalyzeOptions): Promise<void> {
  const analysis = await jobWorkers.run('analyzeScenarioAt', { folder: await findFolder(folder) })
  process.stdout.write(options.json === true ? `${JSON.stringify(analysis, null, 2)}\n` : formatAnalysis(analysis))
}

async function generate(folder: string, options: GenerateOptions): Promise<void> {
  const place = { folder: await findFolder(folder) }
  const given = options.answers === undefined ? {} : await readAnswers(options.answers)
  const answers = SceneAnswers.parse({ ...given, ...(options.standIn === true ? { stand_in: true } : {}) })
  const request = { place, answers, folder_name: basename(place.folder) }
  const outcome = await jobWorkers.run('generateScenePackage', request)
  if ('unreadable' in outcome) throw new UsageError(`${folder} cannot be read.`)
  const { scene } = outcome
  const target = resolve(options.out, scene.id)
  await writePackage(target, scene)
  const { id, ready, refusals, example_instruction } = scene
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify({ id, ready, folder: target, example_instruction, refusals }, null, 2)}\n`
      : formatScene(scene, target),
  )
  if (!ready) process.exitCode = EXIT_CODES.failure
}

async function findFolder(folder: string): Promise<string> {
  const path = resolve(folder)
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() !== true) throw new UsageError(`${folder} is not a folder.`)
  return path
}

async function readAnswers(file: string): Promise<object> {
  try {
    const read = SceneAnswers.partial().safeParse(parse(await readFile(file, 'utf8')))
    if (read.success) return read.data
    const [issue] = read.error.issues
    throw new UsageError(`${file}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is invalid'}`)
  } catch (error) {
    if (error instanceof TomlError) throw new UsageError(`${file} is not valid TOML: line ${error.line}`)
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new UsageError(`${file} does not exist.`)
    throw error
  }
}

/** The package appears as a whole. A folder that exists is not changed. */
async function writePackage(target: string, { files }: GeneratedScene): Promise<void> {
  if ((await stat(target).catch(() => undefined)) !== undefined) {
    throw new UsageError(`${target} exists. Remove it, or choose another folder.`)
  }
  const part = `${target}.part`
  await rm(part, { recursive: true, force: true })
  for (const { path, content } of files) {
    await mkdir(dirname(join(part, path)), { recursive: true })
    await writeFile(join(part, path), content)
  }
  await rename(part, target)
}

const formatPlaces = (evidence: readonly SceneEvidence[]): string =>
  evidence.length === 0
    ? ''
    : `  ${evidence
        .slice(0, 5)
        .map(({ file, line }) => `${file}:${line}`)
        .join(', ')}`

function formatAnalysis(analysis: SceneAnalysis): string {
  const { page = 'none', titles, target_urls, modes, requests, tables, dictionaries, controls, exports } = analysis
  const sections: [string, string[]][] = [
    ['Page', [page, ...titles.map(({ value, evidence }) => `${value}${formatPlaces(evidence)}`)]],
    ['Address', target_urls.map(({ value, evidence }) => `${value}${formatPlaces(evidence)}`)],
    ['Collection', modes.map(({ value, evidence }) => `${value}${formatPlaces(evidence)}`)],
    ['Requests', requests.flatMap(formatRequest)],
    [
      'Tables',
      tables.map(({ columns, evidence }) => `${columns.map(formatColumn).join(', ')}${formatPlaces([evidence])}`),
    ],
    ['Controls', controls.map(({ key, kind, evidence }) => `${key}: ${kind}${formatPlaces([evidence])}`)],
    [
      'Dictionaries',
      dictionaries.map(
        ({ name, control, entries, evidence }) =>
          `${name}: ${entries.length} entries${control === undefined ? '' : `, for ${control}`}${formatPlaces(evidence)}`,
      ),
    ],
    ['Exports', exports.map(({ kind, target, evidence }) => `${kind}: ${target}${formatPlaces([evidence])}`)],
    [
      'Left open',
      analysis.uncertainties.map(
        ({ code, message, answer, evidence }) =>
          `${code}: ${message}${answer === undefined ? '' : ` Answer: ${answer}.`}${formatPlaces(evidence)}`,
      ),
    ],
  ]
  return sections
    .map(
      ([heading, lines]) =>
        `${heading}\n${(lines.length === 0 ? ['none'] : lines).map((one) => `  ${one}\n`).join('')}`,
    )
    .join('\n')
}

const formatColumn = ({ key, label }: { key?: string | undefined; label: string }): string =>
  key === undefined ? label : `${label} (${key})`

function formatRequest({
  api,
  method,
  url,
  purpose,
  rows_path,
  parameters,
  evidence,
}: SceneAnalysis['requests'][number]): string[] {
  const rows = rows_path === undefined ? '' : `, rows at ${rows_path === '' ? 'the top' : rows_path}`
  return [
    `${method} ${url} (${api}, ${purpose}${rows})${formatPlaces([evidence])}`,
    ...parameters.map(
      ({ name, in: place, source, evidence: at }) =>
        `  ${name} in the ${place}: ${formatSource(source)}${formatPlaces([at])}`,
    ),
  ]
}

function formatSource(source: SceneAnalysis['requests'][number]['parameters'][number]['source']): string {
  if (source.kind === 'constant') return JSON.stringify(source.value)
  if (source.kind === 'control') return `control ${source.control}`
  if (source.kind === 'page_state') return `${source.store} ${source.key}`
  if (source.kind === 'composed') return source.parts.map(formatSource).join(' + ')
  return source.kind === 'clock' ? 'the time' : `unknown: ${source.text.split('\n', 1)[0] ?? ''}`
}

function formatScene({ ready, refusals, example_instruction, files }: GeneratedScene, target: string): string {
  const lines = [
    `${files.length} files in ${target}`,
    ready ? `Ready. Try: ${example_instruction}` : 'Not ready:',
    ...refusals.map(
      ({ rule, reason, answer, evidence }) =>
        `  ${reason} (${rule})${answer === undefined ? '' : ` Answer: ${answer}.`}${formatPlaces(evidence)}`,
    ),
  ]
  return `${lines.join('\n')}\n`
}

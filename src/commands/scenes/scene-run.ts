import { writeFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import type { Command } from 'commander'
import { ApiFailure, type Client } from '@apprentice/contracts/client.ts'
import { ReportFormat } from '@apprentice/contracts/scenes/artifact.ts'
import { SceneDispatch } from '@apprentice/contracts/scenes/dispatch.ts'
import type { SceneRun } from '@apprentice/contracts/scenes/run.ts'
import {
  cancelSceneRun,
  getSceneReport,
  getSceneRun,
  startSceneRun,
  streamSceneRunEvents,
} from '@apprentice/contracts/scenes/runs.ts'
import { connect, type ConnectionOptions, printResult, withConnection } from '../terminal/connection.ts'
import { followEvents } from '../terminal/event-stream.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'
import { ProgressLine } from '../terminal/progress-line.ts'
import { reportUsageFailures, UsageError, withUsageExitCode } from '../terminal/usage-error.ts'
import { formatDispatch } from './format-dispatch.ts'
import { addPageOptions, type PageOptions, readPageOptions } from './page-options.ts'

type RunOptions = ConnectionOptions &
  PageOptions & { readonly output?: string; readonly profile?: string; readonly timeout?: string }

export function addSceneRunCommand(scenes: Command): void {
  const command = withUsageExitCode(scenes.command('run <instruction>'))
    .description('run the scene that an instruction means and save its report')
    .option('-o, --output <file>', 'where to save the report: .xlsx, .csv or .json')
    .option('--profile <name>', 'the sign-in to use (default: the one called default, if there is one)')
    .option('--timeout <seconds>', 'time limit (default: two minutes)')
  withConnection(addPageOptions(command)).action((instruction: string, options: RunOptions) =>
    reportUsageFailures(() => run(instruction, options)),
  )
}

async function run(instruction: string, options: RunOptions): Promise<void> {
  const { output, profile, timeout } = options
  const format = output === undefined ? undefined : parseFormat(output)
  const call = connect(options)
  const timeout_ms = timeout === undefined ? undefined : parseTimeout(timeout)
  const body = { instruction, ...readPageOptions(options), profile, timeout_ms }
  const started = await call(startSceneRun, { body }).catch((error: unknown) => {
    explainRefusal(error, options)
    throw error
  })
  const { run_id } = started.run
  const ended = await follow(call, options, run_id)
  const file = output === undefined ? undefined : resolve(output)
  if (file !== undefined && format !== undefined && ended.state === 'succeeded') {
    const { bytes } = await call.download(getSceneReport, { params: { runId: run_id }, query: { format } })
    await writeFile(file, bytes)
  }
  printResult(options, { run: ended, ...(file === undefined ? {} : { file }) }, () => formatRun(ended, file))
  process.exitCode = toExitCode(ended)
}

/** Shows how far the run is until it ends. Ctrl-C cancels it. */
async function follow(call: Client, options: ConnectionOptions, runId: string): Promise<SceneRun> {
  const params = { runId }
  const cancel = () => {
    // Fails if the run has ended by now.
    call(cancelSceneRun, { params, body: {} }).catch(() => undefined)
  }
  process.once('SIGINT', cancel)
  const progress = new ProgressLine()
  for await (const { event_kind, payload } of followEvents(options, streamSceneRunEvents, { params })) {
    if (event_kind === 'scene.run.progressed') progress.show(String(payload['phase']).replaceAll('_', ' '))
  }
  progress.clear()
  process.removeListener('SIGINT', cancel)
  return (await call(getSceneRun, { params })).run
}

function parseFormat(file: string): ReportFormat {
  const parsed = ReportFormat.safeParse(extname(file).slice(1).toLowerCase())
  if (parsed.success) return parsed.data
  throw new UsageError('The name of the file must end with .xlsx, .csv or .json.')
}

function parseTimeout(text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds >= 1) return Math.round(seconds * 1000)
  throw new UsageError('--timeout must be a number of seconds, at least 1.')
}

/** What was found instead of a plan, as `scenes plan` shows it: the candidates, and what is missing or unclear. */
function explainRefusal(error: unknown, options: ConnectionOptions): void {
  if (!(error instanceof ApiFailure) || error.code !== 'SCENE_NOT_PLANNED') return
  const { success, data: dispatch } = SceneDispatch.safeParse(error.details['dispatch'])
  if (!success) return
  if (options.json === true) printResult(options, { dispatch }, () => '')
  else process.stderr.write(`${formatDispatch(dispatch)}\n`)
}

export function formatRun({ run_id, scene_id, state, outcome, files }: SceneRun, file: string | undefined): string {
  const { report, problem } = outcome ?? {}
  const hint = files.length === 0 ? '' : 'add -o report.xlsx to save the report'
  const saved = file === undefined ? hint : `saved to ${file}`
  return [
    `${scene_id}: ${state}${report === undefined ? '' : `, ${report.status}, ${report.row_count} rows`}; run ${run_id}`,
    ...(report === undefined ? [] : [`${report.title} ${report.period ?? ''}`.trim()]),
    ...(problem === undefined ? [] : [`${problem.message} (${problem.code})`]),
    ...(report?.warnings ?? []).map((warning) => `warning: ${warning}`),
    ...(state === 'succeeded' && saved !== '' ? [saved] : []),
  ].join('\n')
}

function toExitCode({ state }: Pick<SceneRun, 'state'>): number {
  switch (state) {
    case 'succeeded':
      return EXIT_CODES.ok
    case 'failed':
      return EXIT_CODES.failure
    case 'cancelled':
      return EXIT_CODES.interrupted
    case 'interrupted':
    case 'queued':
    case 'running':
      return EXIT_CODES.indeterminate
  }
}
